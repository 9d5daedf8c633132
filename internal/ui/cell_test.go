package ui

import (
	"strings"
	"testing"
)

func TestTextsAreShortened(t *testing.T) {
	long := strings.Repeat("ä", LongestText+1)
	for _, c := range []struct{ given, want Cell }{
		{Plain("short"), Plain("short")},
		{Plain(long[:2*LongestText]), Plain(long[:2*LongestText])},
		{Plain(long).WithSub(long), Plain(long[:2*LongestText] + "…").WithSub(long[:2*LongestText] + "…")},
		{Linked(long, "/"), Linked(long, "/")}, // the style sheet ends it
		{Sentence(long), Sentence(long)},
	} {
		if got := c.given.Short(); got != c.want {
			t.Errorf("%+v becomes %+v", c.given, got)
		}
	}
}
