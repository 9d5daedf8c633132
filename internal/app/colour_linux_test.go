package app

import (
	"bytes"
	"testing"
)

func TestColourIsForTerminals(t *testing.T) {
	t.Parallel()
	_, slave := terminal(t)
	for _, c := range []struct {
		name, value string
		want        bool
	}{{"", "", true}, {"NO_COLOR", "", true}, {"NO_COLOR", "1", false}, {"TERM", "xterm-256color", true}, {"TERM", "dumb", false}} {
		env := func(name string) (string, bool) {
			if name != c.name {
				return "", false
			}
			return c.value, true
		}
		if got := colourful(Process{Stdout: slave, Env: env}); got != c.want {
			t.Errorf("with %s=%s: %v", c.name, c.value, got)
		}
		if colourful(Process{Stdout: &bytes.Buffer{}, Env: env}) {
			t.Error("what is no terminal is written in colour")
		}
	}
}
