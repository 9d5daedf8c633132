package console_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// newcomer is somebody who has never seen the console: reads every sentence and
// label once, thinks before each thing to do, types with two fingers.
type newcomer struct {
	*browser
	seen                               map[string]bool
	country                            string // of the customer, if it is to be told
	words, keys, clicks, fields, pages int
}

// reads takes in the page that is there.
func (n *newcomer) reads() {
	n.t.Helper()
	n.pages++
	const script = `[...document.querySelectorAll("main h1, main h2, main h3, main p, main label, main dt, main summary, main .button")]
		.filter(e => e.offsetParent !== null).map(e => e.innerText)`
	for _, text := range eval[[]string](n.browser, script) {
		if !n.seen[text] {
			n.seen[text] = true
			n.words += len(strings.Fields(text))
		}
	}
}

// types a value into a field, in the place of what is there.
func (n *newcomer) types(name, value string) {
	n.t.Helper()
	n.fills(name, value)
	n.fields++
	n.keys += utf8.RuneCountInString(value)
}

// ticks a box.
func (n *newcomer) ticks(name string) {
	n.t.Helper()
	n.fills(name, "on")
	n.clicks++
}

// clicks on something and reads what follows.
func (n *newcomer) click(text string) {
	n.t.Helper()
	n.presses(text)
	n.clicks++
	n.reads()
}

// time is about how long all that takes, by the keystroke-level model: 0.28
// seconds for a key of somebody who does not type well, 1.1 to point at
// something, 0.4 to move the hand to the keyboard and back, 1.35 to think before
// each field and click, and four words read in a second.
func (n *newcomer) time() time.Duration {
	acts := n.fields + n.clicks
	seconds := 0.28*float64(n.keys) + 1.1*float64(acts) + 2*0.4*float64(n.fields) + 1.35*float64(acts) + float64(n.words)/4
	return time.Duration(seconds * float64(time.Second))
}

// TestFromNothingToTheFirstWebhook sets up a business in the browser only, with
// what the pages say, to the webhook of its first subscription: by somebody who
// has no application that could take it, and by somebody who has.
func TestFromNothingToTheFirstWebhook(t *testing.T) {
	t.Parallel()
	t.Run("without an application", func(t *testing.T) {
		n := &newcomer{browser: open(t, "sqlite").browse(t), seen: map[string]bool{}}
		n.setsUp("")
		n.says("It arrived at this server's own receiver. This is what your application will be sent:")
		t.Logf("%d pages with %d words, %d fields with %d keys, %d clicks: about %v", n.pages, n.words, n.fields, n.keys, n.clicks, n.time().Round(time.Second))
		if n.time() > 5*time.Minute {
			t.Errorf("it takes a newcomer about %v", n.time())
		}
		n.presses("All details")
		n.waits("the answer among the details", `document.querySelector("#details").textContent.includes("Accepted and discarded by Tenantry's own receiver.")`)
		n.open("/platforms/1")
		n.says("your application does not get them")
	})
	t.Run("and to the first invoice", func(t *testing.T) {
		n := &newcomer{browser: open(t, "sqlite").browse(t), seen: map[string]bool{}, country: "DE"}
		n.setsUp("")
		n.click("New entity")
		n.types("name", "Harbour GmbH")
		n.types("country", "DE")
		n.click("Create entity")
		n.click("See the first invoice →")
		n.says("asks for EUR 58.31, of which EUR 9.31 are tax.")
		n.waits("all steps to be done", `document.querySelectorAll("#steps li").length === 9 && !document.querySelector("#steps li:not(.done)")`)
		n.reads()
		n.click("Open the invoice")
		n.says("verified: it was computed again just now")
		n.says("EUR 49.00")
		t.Logf("%d pages with %d words, %d fields with %d keys, %d clicks: about %v", n.pages, n.words, n.fields, n.keys, n.clicks, n.time().Round(time.Second))
		if n.time() > 7*time.Minute {
			t.Errorf("it takes a newcomer about %v", n.time())
		}
	})
	t.Run("with an application", func(t *testing.T) {
		s := open(t, "sqlite")
		r := s.receive()
		n := &newcomer{browser: s.browse(t), seen: map[string]bool{}}
		n.setsUp(r.url)
		n.says("It arrived. This is what your application was sent:")
		if r.got.Load() != 1 {
			t.Errorf("the application got %d webhooks", r.got.Load())
		}
		event := s.lastEvent(1)
		if !strings.Contains(event.Body, `"tenant":{"id":1,"code":"acme"`) {
			t.Errorf("the event is %s", event.Body)
		}
		n.presses("All details")
		n.says("Attempt 1")
	})
}

// setsUp does what the first page and those behind it ask for, and no more.
func (n *newcomer) setsUp(application string) {
	n.t.Helper()
	n.open("/")
	n.reads()
	n.types("email", adminEmail)
	n.types("password", password)
	n.click("Sign in")
	n.says("From an empty system to the first webhook and the first invoice.")
	n.click("New platform")
	n.types("name", "My App")
	if application != "" {
		n.types("webhookUrl", application)
	}
	n.click("Create platform")
	n.click("Next: a product →")
	n.types("name", "CRM")
	n.click("Create product")
	n.click("Next: its features →")
	n.types("name", "Users")
	n.click("Create feature")
	n.click("Next: a plan →")
	n.types("name", "Pro")
	n.ticks("feature:1")
	n.click("Create plan")
	n.click("Next: a price list →")
	n.types("name", "Monthly")
	n.types("currencyId", "EUR")
	n.types("price", "49")
	n.click("Create price list")
	n.says("pro-monthly")
	n.click("Next: an account →")
	n.types("name", "Acme Inc")
	n.types("code", "acme")
	if n.country != "" {
		n.types("billingCountry", n.country)
	}
	n.click("Create account")
	n.click("Next: a subscription →")
	n.click("Preview")
	n.says("Its first webhook.")
	n.click("Create subscription")
	n.says("Acme Inc now has a subscription to Pro Monthly.")
	n.click("See its webhook →")
	n.says("It arrived")
	n.says(`"code": "acme"`)
	n.reads()
}
