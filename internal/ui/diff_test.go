package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDifferencesAreWhole takes the lines of a difference apart again: what is
// gone and what stayed is the old text, what is new and what stayed the new one.
func TestDifferencesAreWhole(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "c", "d", ""})
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.SliceOfN(line, 0, 12).Draw(t, "before"), rapid.SliceOfN(line, 0, 12).Draw(t, "after")
		var old, fresh []string
		changed := 0
		for _, l := range diffLines(before, after) {
			if l.Sign != "+" {
				old = append(old, l.Text)
			}
			if l.Sign != "-" {
				fresh = append(fresh, l.Text)
			}
			if l.Sign != " " {
				changed++
			}
		}
		if !slices.Equal(old, before) || !slices.Equal(fresh, after) {
			t.Fatalf("%q and %q become %q and %q", before, after, old, fresh)
		}
		if slices.Equal(before, after) && changed > 0 {
			t.Fatalf("%q has changed by itself", before)
		}
	})
}

func TestDifferencesAreShort(t *testing.T) {
	body := func(n int) string {
		return fmt.Sprintf(`{"a":%s,"n":%d,"b":%s}`, "["+strings.Repeat("1,", 50)+"1]", n, "["+strings.Repeat("2,", 50)+"2]")
	}
	lines := DiffJSON(body(1), body(2))
	var text []string
	for _, l := range lines {
		text = append(text, l.Sign+strings.TrimSpace(l.Text))
	}
	want := []string{"…", " 1,", " 1", " ],", `-"n": 1,`, `+"n": 2,`, ` "b": [`, " 2,", " 2,", "…"}
	if !slices.Equal(text, want) {
		t.Errorf("the difference is %q, want %q", text, want)
	}
	if same := DiffJSON(body(1), body(1)); same != nil {
		t.Errorf("the same differs by %q", same)
	}
	for _, l := range DiffJSON("", body(1)) {
		if l.Sign != "+" {
			t.Fatalf("of a first body, %q is not new", l)
		}
	}
	huge := "[" + strings.Repeat("1,", 3*maxCompared) + "1]"
	if lines := DiffJSON(strings.ReplaceAll(huge, "1", "3"), huge); len(lines) < 6*maxCompared {
		t.Errorf("a huge difference has %d lines", len(lines))
	}
}
