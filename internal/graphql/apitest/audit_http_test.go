package apitest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGraphQLOverHTTP runs the audits of the reference implementation of
// GraphQL over HTTP. Nothing may be wrong, not even what is only recommended.
func TestGraphQLOverHTTP(t *testing.T) {
	t.Parallel()
	folder := installAudits(t)
	s := start(t, "sqlite")
	token, err := s.token(first)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", "audit.js")
	command.Dir = folder
	command.Env = append(os.Environ(), "AUDIT_URL="+s.url+"/graphql", "AUDIT_TOKEN="+token)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	count := 0
	for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); count++ {
		var audit struct{ ID, Name, Status, Reason string }
		if err := json.Unmarshal(lines.Bytes(), &audit); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		if audit.Status != "ok" {
			t.Errorf("%s %s: %s: %s", audit.ID, audit.Name, audit.Status, audit.Reason)
		}
	}
	if count < 50 {
		t.Errorf("only %d audits ran:\n%s", count, output)
	}
}

// installAudits returns a folder outside of the checkout with the audits and
// what they need. Where that cannot be had the test is skipped, but not in CI.
func installAudits(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			unavailable(t, program+" is not installed")
		}
	}
	folder := t.TempDir()
	for _, name := range []string{"audit.js", "package.json", "package-lock.json"} {
		copyFile(t, filepath.Join("testdata", "audit", name), filepath.Join(folder, name))
	}
	command := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		t.Logf("%v\n%s", err, output)
		unavailable(t, "the audits of GraphQL over HTTP cannot be installed")
	}
	return folder
}

func unavailable(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why + ": skipped")
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	if _, err := io.Copy(target, source); err != nil {
		t.Fatal(err)
	}
}
