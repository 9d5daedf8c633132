package app

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
)

// ask runs a command line that asks for help.
func ask(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	none := func(string) (string, bool) { return "", false }
	code := Run(context.Background(), Process{Args: args, Env: none, Stdout: &stdout, Stderr: &stderr})
	if code != exitOK || stderr.Len() > 0 {
		t.Errorf("%q exits with %d and says %q", args, code, stderr.String())
	}
	return stdout.String()
}

var flagInExample = regexp.MustCompile(` (--[a-z-]+)`)

// TestHelpDescribesEveryCommand wants a sentence and an example of each, with
// flags that there are, however one asks.
func TestHelpDescribesEveryCommand(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		words := strings.Fields(c.name)
		text := ask(t, append([]string{"help"}, words...)...)
		if c.name != "help" {
			for _, flag := range []string{"--help", "-h", "-help"} {
				if other := ask(t, append(words, flag)...); other != text {
					t.Errorf("%s %s prints %q, help %s %q", c.name, flag, other, c.name, text)
				}
			}
		}
		if !regexp.MustCompile(`^[A-Z][^.]{10,}\.`).MatchString(c.about) || !strings.Contains(text, c.about) {
			t.Errorf("%s has no sentence about it: %q", c.name, text)
		}
		_, example, _ := strings.Cut(text, "\nExample:\n")
		example, _, _ = strings.Cut(example, "\nFlags of")
		if !strings.HasPrefix(example, "  tenantry "+c.name) {
			t.Errorf("%s has no example of itself: %q", c.name, text)
		}
		for _, member := range membersOf(c.name) {
			if !strings.Contains(text, "\n  "+member.name+" ") || !strings.Contains(text, member.summary) {
				t.Errorf("the help of %s does not tell of %s:\n%s", c.name, member.name, text)
			}
		}
		for _, flag := range flagInExample.FindAllStringSubmatch(example, -1) {
			if !strings.Contains(text, "\n  "+flag[1]+" ") {
				t.Errorf("the example of %s has a flag %s that there is not:\n%s", c.name, flag[1], text)
			}
		}
	}
}

func TestHelpDescribesEveryGroup(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, c := range commands() {
		if group, _, two := strings.Cut(c.name, " "); two && commandOf(group) == nil {
			found[group] = true
		}
	}
	if len(found) != len(groups) {
		t.Errorf("there are %d groups, and %d of them are described", len(found), len(groups))
	}
	for _, g := range groups {
		text := ask(t, "help", g.name)
		for _, flag := range []string{"--help", "-h", "help"} {
			if other := ask(t, g.name, flag); other != text {
				t.Errorf("%s %s prints %q, help %s %q", g.name, flag, other, g.name, text)
			}
		}
		for _, c := range membersOf(g.name) {
			if !strings.Contains(text, "\n  "+c.name+" ") || !strings.Contains(text, c.summary) || !strings.Contains(text, g.about) {
				t.Errorf("the help of %s does not tell of %s:\n%s", g.name, c.name, text)
			}
		}
	}
}
