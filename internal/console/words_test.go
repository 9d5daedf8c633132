package console_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

var (
	// notForReading is what shows data as it is, or an example of a filter.
	notForReading = regexp.MustCompile(`(?s)<details class="section.*?</details>|<pre.*?</pre>|<code.*?</code>|<p id="q-help".*?</p>|<p class="help".*?</p>|<head>.*?</head>|<option.*?</option>|<legend>Scopes</legend>.*?</fieldset>`)
	notWords      = regexp.MustCompile(`\b[a-z]+[A-Z][a-z]\w*|[a-z]+\.(changed|created|scheduled|sync)\b|\{"|\bexhausted\b|\d{4}-\d\d-\d\d`)
)

// TestPagesAreInWords looks on every page for names of fields and operations, for
// data and for words that have another one.
func TestPagesAreInWords(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.receive()
	s.fill()
	s.settled("delivered")
	v := s.as(billing.Admin)
	v.wants(v.submit(v.submit(v.get("/subscriptions/1/cancel"), "when", "end")), 200)
	for _, path := range append(s.everyPage(), "/audit?q=acme", "/events?state=exhausted", "/jobs/1") {
		page := v.get(path)
		page.body = notForReading.ReplaceAllString(page.body, "")
		if found := notWords.FindAllString(page.text(), -1); found != nil {
			t.Errorf("%s says %q", path, found)
		}
	}
	v.wants(v.get("/audit/2"), 200, "API client 1", "Scopes — standard:read, standard:write", "Token lifetime in seconds — 7200")
	v.wants(v.get("/features"), 200, "Harbour CRM 3 On or off")
	v.wants(v.get("/subscriptions/new"), 200, "Starter: Monthly EUR 9.00 per user a month (1 to 5,000), plus EUR 250.00 once (Set-up)")
	// It ended on its first day: no line of it ends before it begins.
	v.wants(v.get("/subscriptions/6"), 200, "Seats seats 17 EUR 9.00 EUR 153.00 a month 15 Jan 2026 — over")
}

var headingTag = regexp.MustCompile(`(?s)<h1>.*?</h1>`)

// TestHeadingsNameTheCustomer looks at every page about something of a customer:
// whose it is stands in its heading.
func TestHeadingsNameTheCustomer(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.receive()
	s.fill()
	s.settled("delivered")
	v := s.as(billing.Admin)
	owned := regexp.MustCompile(`^/(accounts/1|subscriptions/1|tenants/1|events/1)(/|$)`)
	pages := slices.DeleteFunc(s.everyPage(), func(path string) bool { return !owned.MatchString(path) })
	if len(pages) < 15 {
		t.Fatalf("there are only %q", pages)
	}
	for _, path := range pages {
		if heading := headingTag.FindString(v.get(path).body); !strings.Contains(heading, "Acme Inc") {
			t.Errorf("%s is headed %s", path, heading)
		}
	}
}

// TestFeaturesShowWhatTheyGive has a tick for what is there or not, with words
// for those who do not see it.
func TestFeaturesShowWhatTheyGive(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Viewer)
	const tick = `<span class="tick" aria-hidden="true">✓</span><span class="hidden">included</span>`
	for _, path := range []string{"/subscriptions/2", "/tenants/2"} {
		page := v.wants(v.get(path), 200, "Single sign-on sso ✓ included", tick)
		if strings.Contains(page.text(), "Single sign-on sso —") {
			t.Errorf("%s has a dash: %s", path, page.text())
		}
	}
	v.wants(v.get("/features/3"), 200, tick)
}
