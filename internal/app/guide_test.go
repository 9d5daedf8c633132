package app_test

import (
	"regexp"
	"strings"
	"testing"
)

// shellBlocks are all blocks of shell commands in a document.
func shellBlocks(t testing.TB, name string) (blocks []string) {
	t.Helper()
	for _, match := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(readRoot(t, name), -1) {
		blocks = append(blocks, match[1])
	}
	return blocks
}

func TestTheGuideToTheDemoWorksAsWritten(t *testing.T) {
	t.Parallel()
	needSignals(t)
	needPrograms(t, "sh", "curl")
	blocks := shellBlocks(t, "docs/demo.md")
	if len(blocks) != 3 || blocks[0] != "make demo\n" {
		t.Fatalf("docs/demo.md has the blocks %q", blocks)
	}
	dir := t.TempDir()
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(blocks[2], "./demo-data", dir+"/data")), "\n")
	keep, found := strings.CutPrefix(lines[0], "tenantry demo ")
	serve, alsoFound := strings.CutPrefix(lines[1], "tenantry serve ")
	if !found || !alsoFound || len(lines) != 2 {
		t.Fatalf("docs/demo.md keeps the data with %q", lines)
	}
	d := startDemo(t, strings.Fields(keep)...)
	said := paste(t, strings.ReplaceAll(blocks[1], "http://127.0.0.1:8081", d.sample))
	if !strings.Contains(said, `"stopped":true`) || !strings.Contains(said, `"stopped":false`) {
		t.Errorf("the switch says %s", said)
	}
	d.stop(t)
	child(t, nil, strings.Fields(serve)...)
}

func TestTheGuideToListenWorksAsWritten(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t, env{"TENANTRY_DATA_DIR": t.TempDir()})
	n := 0
	for _, block := range shellBlocks(t, "docs/listen.md") {
		for line := range strings.Lines(block) {
			line = strings.ReplaceAll(strings.TrimSpace(line), "http://127.0.0.1:3000", w.application.URL)
			args := strings.Fields(strings.TrimPrefix(line, "tenantry "))
			n++
			if args[len(args)-1] == "--restore" {
				mustCommand(t, w.env, args...)
				continue
			}
			l := start(t, w.env, append(args, "--listen", "127.0.0.1:0")...)
			l.awaitListening(t)
			if strings.Contains(line, "--platform app") {
				eventually(t, patience, line, func() bool { return l.stderr.has("sends its webhooks here") })
			}
			if code := l.stop(t); code != 0 {
				t.Errorf("%s ends with %d: %s", line, code, l.stderr)
			}
		}
	}
	if n != 7 {
		t.Errorf("docs/listen.md has %d commands", n)
	}
}
