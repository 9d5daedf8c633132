package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// typedPattern finds the fields of a form that one types into.
var typedPattern = regexp.MustCompile(`<(?:input id="[^"]*" name="([^"]*)"[^>]* type="(?:text|date)"|textarea id="[^"]*" name="([^"]*)")`)

// TestHugeFields types far too much into all fields of every form at once: it is
// refused beside the fields, and all that was typed is still there.
func TestHugeFields(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Admin)
	huge := strings.Repeat("x", 400<<10)
	pages := slices.DeleteFunc(s.everyPage(), func(path string) bool { return strings.HasSuffix(path, "/delete") })
	forms := 0
	for _, path := range pages {
		page := v.get(path)
		var fields []string
		for _, match := range typedPattern.FindAllStringSubmatch(page.body, -1) {
			fields = append(fields, match[1]+match[2], huge)
		}
		if len(fields) == 0 || !strings.Contains(page.body, `class="form"`) {
			continue
		}
		forms++
		a := v.submit(page, fields...)
		if found := strings.Count(a.body, huge); a.status != http.StatusUnprocessableEntity || found < len(fields)/2 {
			t.Errorf("%s answers %d with %d of %d fields: %.300s", path, a.status, found, len(fields)/2, a.text())
		}
	}
	if forms < 25 {
		t.Errorf("only %d forms were tried", forms)
	}
	if text := s.log.String(); strings.Contains(text, "level=ERROR") {
		t.Errorf("the log has errors:\n%.2000s", text)
	}
}

// TestHugeForms sends more than any form may hold.
func TestHugeForms(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Editor)
	form := v.get("/accounts/new")
	long := strings.Repeat("ä", 300)
	wrong := v.wants(v.submit(form, "name", long, "billingDay", "1"), 422, "Name may have up to 255 characters; this has 300")
	if !strings.Contains(wrong.body, long) {
		t.Error("what was typed is gone")
	}
	v.wants(v.submit(form, "name", "x", "description", strings.Repeat("x", 17<<20)), 413, "A form may have up to 16 MiB", "Back button")
	v.wants(s.visit().send(http.MethodPost, "/sign-in", url.Values{"email": {strings.Repeat("x", 2<<20)}}), 413, "A form may have up to 1 MiB")
	if a := v.send(http.MethodPost, "/accounts/new", nil); a.status != 422 {
		t.Errorf("an empty form answers %d", a.status)
	}
}
