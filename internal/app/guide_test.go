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
