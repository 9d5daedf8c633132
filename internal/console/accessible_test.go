package console_test

import (
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"
)

// axe is the accessibility checker, axe-core of the npm package of that name.
func axe(t testing.TB) string {
	t.Helper()
	file, err := os.Open("testdata/axe-core-4.14.0.min.js.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// finding is something that axe has to say about a page.
type finding struct{ ID, Impact, Help, Where string }

const runAxe = `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => (
	{ID: v.id, Impact: v.impact, Help: v.help, Where: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + (n.any[0] ? n.any[0].message : "")).join("\n")})))`

// TestEveryPageIsAccessible runs the checker over every page, in light and dark,
// wide and narrow; on wide screens, tables show all their columns. A page without JavaScript errors is part of it.
func TestEveryPageIsAccessible(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.receive()
	s.fill()
	s.bill()
	s.unanswered(s.accounts[1].ID)
	s.settled("delivered")
	s.drifts(1)
	s.pastDays()
	b := s.browse(t)
	script := axe(t)
	check := func(path string, width int64, dark bool) {
		b.size(width, dark)
		if !eval[bool](b, `window.axe !== undefined`) { // a new page
			eval[any](b, script+"; null")
		}
		for _, f := range eval[[]finding](b, runAxe) {
			if f.Impact == "serious" || f.Impact == "critical" {
				t.Errorf("%s (%d wide, dark %v): %s %s: %s\n%s", path, width, dark, f.Impact, f.ID, f.Help, f.Where)
			}
		}
		if wide := eval[int](b, `document.documentElement.scrollWidth`); int64(wide) > width {
			t.Errorf("%s is %d wide on a screen of %d", path, wide, width)
		}
		if hidden := eval[int](b, `Math.max(0, ...[...document.querySelectorAll(".scroll")].map(e => e.scrollWidth - e.clientWidth))`); width > 1000 && hidden > 0 {
			t.Errorf("%s (%d wide): %d pixels of a table can only be seen by scrolling", path, width, hidden)
		}
	}
	b.open("/sign-in")
	check("/sign-in", 1280, false)
	b.signIn(adminEmail)
	pages := append(s.everyPage(), "/nowhere", "/accounts?q=size:3", "/accounts?q=nobody")
	for i, path := range pages {
		b.open(path)
		check(path, 1280, i%2 == 0)
		check(path, 390, i%2 == 1)
	}
	b.open("/accounts/1/edit")
	b.fills("name", "")
	b.presses("Save")
	check("a form with a mistake", 1280, true)
	b.open("/subscriptions/1/quantities")
	b.fills("quantity:seats", "77")
	b.presses("Preview")
	check("a preview", 1280, false)
	check("a preview", 390, true)
	b.unusual(func(name string) {
		check(name, 1280, false)
		check(name, 390, true)
	})
	if text := s.log.String(); strings.Contains(text, "level=ERROR") {
		t.Errorf("the log has errors:\n%s", text)
	}
}
