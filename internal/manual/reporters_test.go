package manual_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestReporters runs each program of docs/drift.md against a server that told the tenant
// something else than the program reports.
func TestReporters(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, b := range blocksOf(t, "drift") {
		start := receivers[b.language]
		if start == nil || b.language == "go" && !strings.HasPrefix(b.text, "package main") {
			continue
		}
		found[b.language] = true
		t.Run(b.language, func(t *testing.T) {
			t.Parallel()
			shop := openShop(t)
			shop.subscribe(t, 8)
			if !strings.Contains(b.text, "http://127.0.0.1:8080") {
				t.Fatal("it is not seen where the server is")
			}
			cmd := start(t, t.TempDir(), strings.Replace(b.text, "http://127.0.0.1:8080", shop.url, 1))
			cmd.Env = append(os.Environ(), "CLIENT_ID="+shopID, "CLIENT_SECRET="+shopSecret)
			output := run(t, cmd)
			for _, says := range []string{"acme DRIFTED.*users.*WRONG_QUANTITY", "1 differ, 0 missing|'DRIFTED': 1"} {
				if !regexp.MustCompile(says).MatchString(output) {
					t.Errorf("it does not say %q:\n%s", says, output)
				}
			}
			kept := string(shop.api(t, `{ platform(code: "cloud") { driftReports { completedAt outcomes { drifted } } } }`, nil))
			if !strings.Contains(kept, `"drifted":1`) || strings.Contains(kept, `"completedAt":null`) {
				t.Errorf("the server has %s", kept)
			}
		})
	}
	if len(found) != len(receivers) {
		t.Errorf("docs/drift.md has reporters in %v", found)
	}
}

func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return string(output)
}
