package app_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// shellBlock returns the first block of shell commands after a heading.
func shellBlock(t testing.TB, doc, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(doc, "\n## "+heading+"\n")
	_, rest, opened := strings.Cut(rest, "\n```sh\n")
	block, _, closed := strings.Cut(rest, "\n```")
	if !found || !opened || !closed {
		t.Fatalf("README.md has no shell block under %q", heading)
	}
	return block
}

// createdGlobex is billed on the day of the month on which it was made.
var createdGlobex = regexp.MustCompile(`^{"data":{"accountCreate":{"account":{"id":"1","name":"Globex Inc","billingDay":\d+},"errors":null}}}$`)

func readRoot(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheFirstTwoMinutesWorkAsWritten(t *testing.T) {
	t.Parallel()
	needPrograms(t, "sh", "curl", "sed")
	script := shellBlock(t, readRoot(t, "README.md"), "The first two minutes")
	s := child(t, nil, "--data-dir", t.TempDir())
	id, secret := s.firstCredentials(t)
	for _, change := range [][2]string{
		{"CLIENT_ID=…", "CLIENT_ID=" + id}, {"CLIENT_SECRET=…", "CLIENT_SECRET=" + secret}, {"http://127.0.0.1:8080", s.url},
	} {
		if !strings.Contains(script, change[0]) {
			t.Fatalf("there is no %s in\n%s", change[0], script)
		}
		script = strings.ReplaceAll(script, change[0], change[1])
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-eu")
	cmd.Stdin = strings.NewReader(script)
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, script)
	}
	made, listed, found := strings.Cut(string(text), "}{") // curl ends no line
	if !found || !createdGlobex.MatchString(made+"}") {
		t.Errorf("the mutation prints %s", text)
	}
	if "{"+listed != `{"data":{"accounts":[{"id":"1","name":"Globex Inc"}]}}` {
		t.Errorf("the query prints %s", text)
	}
}

func TestTheCommandsOfTheREADMEExist(t *testing.T) {
	t.Parallel()
	readme, makefile := readRoot(t, "README.md"), readRoot(t, "Makefile")
	for _, target := range []string{"demo", "run", "test"} {
		if !regexp.MustCompile("\n```sh( [a-z]+)?\nmake " + target + "\n```\n").MatchString(readme) {
			t.Errorf("README.md does not tell of make %s", target)
		}
	}
	for _, match := range regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)").FindAllStringSubmatch(readme, -1) {
		if !regexp.MustCompile(`(?m)^` + match[1] + `:`).MatchString(makefile) {
			t.Errorf("the Makefile has no %s", match[1])
		}
	}
	for _, name := range []string{"serve", "demo"} {
		if !strings.Contains(makefile, "$(BIN) "+name+"\n") {
			t.Errorf("no target runs tenantry %s", name)
		}
	}
}
