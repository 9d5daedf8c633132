package console_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/console"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

var (
	anyForm     = regexp.MustCompile(`(?s)<form\b([^>]*)>(.*?)</form>`)
	tokenField  = regexp.MustCompile(`^<input type="hidden" name="once" value="([A-Z2-7]{26})" autocomplete="off">`)
	inputTag    = regexp.MustCompile(`<input\b([^>]*)>`)
	selectTag   = regexp.MustCompile(`(?s)<select\b([^>]*)>(.*?)</select>`)
	optionTag   = regexp.MustCompile(`<option value="([^"]*)"( selected)?>`)
	textareaTag = regexp.MustCompile(`(?s)<textarea\b([^>]*)>\n?(.*?)</textarea>`)
)

func attribute(tag, name string) string {
	return unescape(between(tag, " "+name+`="`, `"`))
}

// filled is what a browser sends of a form, with some values changed.
func filled(form string, changed map[string]string) url.Values {
	values := url.Values{}
	for _, tag := range inputTag.FindAllStringSubmatch(form, -1) {
		if !strings.Contains(tag[1], `type="checkbox"`) || strings.Contains(tag[1], " checked") {
			values.Add(attribute(tag[1], "name"), attribute(tag[1], "value"))
		}
	}
	for _, tag := range selectTag.FindAllStringSubmatch(form, -1) {
		options := optionTag.FindAllStringSubmatch(tag[2], -1)
		chosen := max(0, slices.IndexFunc(options, func(o []string) bool { return o[2] != "" }))
		if len(options) > 0 {
			values.Set(attribute(tag[1], "name"), unescape(options[chosen][1]))
		}
	}
	for _, tag := range textareaTag.FindAllStringSubmatch(form, -1) {
		values.Set(attribute(tag[1], "name"), unescape(tag[2]))
	}
	for name, value := range changed {
		values.Set(name, value)
	}
	return values
}

// formTo is the form of a page that is sent to an address.
func formTo(page answer, action string) (form string, found bool) {
	for _, f := range anyForm.FindAllStringSubmatch(page.body, -1) {
		if attribute(f[1], "action") == action {
			return f[2], true
		}
	}
	return "", false
}

// TestTemplatesHaveNoOtherForms holds that a form is posted, and so gets its
// token, or asks for a page.
func TestTemplatesHaveNoOtherForms(t *testing.T) {
	names, err := filepath.Glob("templates/*/*.html")
	if err != nil {
		t.Fatal(err)
	}
	shared, _ := filepath.Glob("templates/*.html")
	tag := regexp.MustCompile(`<form\b[^>]*>`)
	for _, name := range append(names, shared...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range tag.FindAllString(string(text), -1) {
			if !strings.Contains(form, ` method="post"`) && !strings.Contains(form, ` method="get"`) {
				t.Errorf("%s has %s", name, form)
			}
		}
	}
}

// deed is a form that changes something: the page it is on, the address it is
// sent to, and what is typed into it.
type deed struct {
	page, action string
	typed        map[string]string
	// confirm says that a preview follows, whose form does it.
	confirm bool
	// usual says that something is typed into every field, as in form_field_test.go.
	usual bool
}

// deeds are one of every form, in an order in which they can be done.
func (s *site) deeds() []deed {
	active, trial, canceled := s.subs["ACTIVE"].ID, s.subs["TRIAL"].ID, s.subs["CANCELED"].ID
	at := func(path string, typed ...string) deed {
		d := deed{page: path, action: path, typed: map[string]string{}}
		for i := 0; i+1 < len(typed); i += 2 {
			d.typed[typed[i]] = typed[i+1]
		}
		return d
	}
	preview := func(path string, typed ...string) deed {
		d := at(path, typed...)
		d.confirm = true
		return d
	}
	act := func(id billing.SubscriptionID, name string, typed ...string) deed {
		return preview(fmt.Sprintf("/subscriptions/%d/%s", id, name), typed...)
	}
	password := at("/profile/password", "currentPassword", password, "password", "another good password")
	password.page = "/profile"
	plan := act(active, "plan")
	plan.page += "?priceListId=6"
	back := at(fmt.Sprintf("/subscriptions/%d/take-back", active))
	back.page = fmt.Sprintf("/subscriptions/%d", active)
	out := at("/sign-out")
	out.page = "/"
	boxes := at("/features/new", "name", "Boxes", "code", "boxes", "productId", "2")
	boxes.page = "/features/new?productId=2" // which asks for plans
	everywhere := at("/profile/sign-out-everywhere")
	everywhere.page = "/profile"
	invoice := func(id billing.InvoiceID, name string, typed ...string) deed {
		return preview(fmt.Sprintf("/invoices/%d/%s", id, name), typed...)
	}
	// One that waits for longer than the forms take: its account is billed among them.
	waiting := fmt.Sprintf("/accounts/1/items/%d", must[*document.PendingItem](s)(s.service.Invoicing.InvoiceItemCreate(s.ctx, 1, func(p *invoicing.PendingAttributes) error {
		p.LineText, p.Amount, p.CurrencyID, p.On = "Visit", "1.00", "EUR", billing.Date{Year: 2026, Month: 12, Day: 1}
		return nil
	})).ID)
	s.service.Invoicing.Payments.AllowTest = true
	card := must[*collect.Method](s)(s.service.Invoicing.PaymentMethodCreate(s.ctx, 1, collect.Test, "declined"))
	ofCard := fmt.Sprintf("/accounts/1/payment-methods/%d", card.ID)
	_, unknown := s.unanswered(s.accounts[1].ID)
	told := s.tell(s.accounts[0].ID)
	s.drifts(1)
	deeds := []deed{
		preview(fmt.Sprintf("/emails/%d/send", told)),
		at("/tenants/1/repair"), at("/platforms/1/drift/repair"), at("/platforms/1/drift-policy", "driftRepairsPerMinute", "9"),
		preview("/accounts/1/new-payment-method", "provider", "TEST", "token", "stolen"), preview(ofCard + "/default"), invoice(s.office.paid, "collect"), preview(ofCard + "/delete"),
		preview(fmt.Sprintf("/collections/%d/settle", unknown), "succeeded", "yes", "reference", "pi_1"),
		invoice(s.office.draft, "edit", "notes", "Bring a laptop"), invoice(s.office.draft, "issue"), invoice(s.office.other, "delete"), invoice(s.office.open, "credit", "reason", "Sorry", fmt.Sprintf("item:%d", s.office.item), "1.00"), invoice(s.office.open, "void", "reason", "Wrong"),
		invoice(s.office.paid, "pay", "amount", "1.00"), invoice(s.office.paid, "hold", "on", "2026-12-31", "reason", "Asked"), invoice(s.office.paid, "write-off", "reason", "Gone"),
		preview("/accounts/1/pay", "amount", "1.00"), preview("/accounts/1/invoice"),
		preview("/accounts/1/new-invoice", "items.0.lineText", "Training", "items.0.amount", "1.00"), preview("/accounts/1/new-item", "lineText", "Visit", "amount", "1.00"),
		preview(waiting+"/edit", "amount", "2.00"), preview(waiting + "/delete"),
		preview(fmt.Sprintf("/payments/%d/unapply", s.office.payment), "invoiceIds", fmt.Sprint(s.office.paid)), preview(fmt.Sprintf("/payments/%d/refund", s.office.payment), "amount", "0.01"), preview(fmt.Sprintf("/payments/%d/apply", s.office.payment)),
		preview(fmt.Sprintf("/credit-notes/%d/apply", s.office.spare)),
		at("/accounts/new", "name", "Twice", "code", "twice"), at("/accounts/1/edit", "phone", "1"),
		at("/contacts/new", "firstName", "Kim", "accountId", "c-1"), at("/contacts/1/edit", "phone", "1"),
		at("/platforms/new", "name", "Second", "code", "second"), at("/platforms/2/edit", "name", "Other"), at("/platforms/2/delete"),
		at("/event-endpoints/new", "name", "Books", "code", "books", "url", "http://127.0.0.1:1/"), at("/event-endpoints/3/edit", "name", "Ledger"), at("/event-endpoints/3/test"),
		at("/event-endpoints/3/signing"), at("/event-endpoints/3/resume"), at("/event-endpoints/3/delete"),
		at("/products/new", "name", "Mail", "code", "mail", "platformId", "1"), at("/products/2/edit", "name", "Post"),
		at("/plans/new", "name", "Free", "code", "free", "productId", "2"), at("/plans/4/edit", "name", "Gratis"),
		boxes, at("/features/6/edit", "name", "Letters"),
		at("/price-lists/new", "name", "Free", "code", "free-1", "planId", "4", "currencyId", "EUR", "renewalTermMonths", "1"), at("/price-lists/7/edit", "name", "Gratis"),
		at("/charges/new", "name", "Seats", "code", "seats", "priceListId", "7", "price", "1"), at("/charges/13/edit", "name", "Chairs"),
		at("/charges/13/delete"), at("/price-lists/7/delete"), at("/features/6/delete"), at("/plans/4/delete"), at("/products/2/delete"),
		at("/users/new", "email", "bob@example.com", "password", password.typed["password"]), at("/users/2/edit", "name", "Bob"),
		at("/users/2/password", "password", "another good password"), at("/users/2/disable"), at("/users/2/enable"), at("/users/2/delete"),
		at("/api-clients/new", "name", "Orders"), at("/api-clients/2/edit", "name", "Bills"), at("/api-clients/2/renew"), at("/api-clients/2/delete"),
		at("/entities/new", "name", "GmbH", "code", "gmbh", "country", "DE", "invoiceNumberFormat", "G-{000000}", "creditNoteNumberFormat", "GC-{000000}"), at("/entities/1/edit", "phone", "1"),
		at("/test-clocks/new", "name", "Slow"), at("/test-clocks/1/advance"), at("/test-clocks/1/delete"),
		preview("/subscriptions/new?priceListId=1", "accountId", "c-1", "tenantCode", "twice", "quantity:seats", "3"),
		act(active, "quantities", "quantity:seats", "45"), act(active, "quantities", "quantity:seats", "46", "when", "end"), back, plan, act(active, "renewal", "evergreen", "no"), act(active, "invoicing", "poNumber", "PO-7"),
		act(active, "tenant", "code", "moved"), act(active, "cancel"),
		act(trial, "extend-trial", "trialEndDate", "2026-02-28"), act(trial, "convert-trial"), act(canceled, "reinstate"),
		at("/tenants/1/edit", "name", "Renamed"), at("/tenants/1/sync"), at("/events/1/resend"), preview("/events/resend", "filter", "tenant:tenant-2"),
		preview("/products/1/matrix?plans=0&features=0", "1.1", "77"),
		at("/platforms/1/workflow", "recipe.timeoutSeconds", "9"), at("/platforms/1/test"), at("/platforms/1/signing"), at("/platforms/1/resume"),
		at("/contacts/7/delete"), at("/accounts/7/delete"), at("/tenants/1/delete"),
	}
	return slices.Concat(deeds, usualDeeds(deeds), []deed{password, out, everywhere})
}

// noForms are addresses that take what is posted but not from a form, or from
// somebody who is not signed in, or that TestResumingOnce tries.
var noForms = []string{"POST /sign-in", "POST /receiver", "POST /session/token", "POST /lifecycle/resume"}

// done counts all that operations leave behind.
func (s *site) done() string {
	s.t.Helper()
	audit := must[int](s)(store.AuditEntries.Count(s.ctx, s.service.Read(), billing.Filter{}))
	events := must[int](s)(log.CountEvents(s.ctx, s.service.Read(), billing.Filter{}))
	jobs := must[int](s)(store.Jobs.Count(s.ctx, s.service.Read(), billing.Filter{}))
	return fmt.Sprintf("%d audit entries, %d events, %d jobs", audit, events, jobs)
}

// TestEveryFormIsDoneOnce sends every form of the console twice. The second time
// nothing is done, and the page that follows is that of the first.
func TestEveryFormIsDoneOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) { doEveryFormOnce(t, openOn(t, db)) })
}

func doEveryFormOnce(t *testing.T, s *site) {
	s.receive()
	s.fill()
	s.bill()
	s.settled("delivered")
	mux, left := http.NewServeMux(), map[string]bool{}
	for _, pattern := range console.FormPatterns() {
		mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
		left[pattern] = !slices.Contains(noForms, pattern)
	}
	v := s.as(billing.Admin)
	tokens, made := map[string]bool{}, ""
	for _, d := range s.deeds() {
		if d.usual && strings.Contains(d.page, "{id}") {
			d.page = made + d.page[strings.LastIndex(d.page, "/"):]
			d.action = d.page
		}
		switch d.page {
		case "/platforms/1/resume":
			s.pause("It is gone.")
		case "/event-endpoints/3/resume":
			s.pauseAt(3, "It is gone.")
		}
		page := v.wants(v.get(d.page), 200)
		form, found := formTo(page, d.action)
		if !found {
			t.Errorf("%s has no form to %s", d.page, d.action)
			continue
		}
		if d.usual {
			d.typeInto(form)
		}
		if d.confirm && len(inputTag.FindAllString(form, -1)) > 0 && !strings.Contains(form, `name="step"`) {
			page = v.wants(v.send(http.MethodPost, d.action, filled(form, d.typed)), 200)
			form, _ = formTo(page, d.action)
			d.typed = nil
		}
		token := tokenField.FindStringSubmatch(form)
		if token == nil || tokens[token[1]] {
			t.Errorf("the form to %s on %s has no token of its own", d.action, d.page)
			continue
		}
		tokens[token[1]] = true
		sent := filled(form, d.typed)
		first := v.wants(v.send(http.MethodPost, d.action, sent), 200)
		made = first.path
		s.idle()
		before := s.done()
		second := v.wants(v.send(http.MethodPost, d.action, sent), 200)
		if after := s.done(); after != before {
			t.Errorf("%s: first %s, then %s", d.action, before, after)
		}
		if shown := strings.Contains(first.body, `id="client-secret"`); shown {
			v.wants(second, 200, "The secret was already shown")
		} else if first.path != second.path || flashOf(first) != flashOf(second) {
			t.Errorf("%s leads to %s (%s), then to %s (%s)", d.action, first.path, flashOf(first), second.path, flashOf(second))
		}
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, d.action, nil)
		_, pattern := mux.Handler(request)
		delete(left, pattern)
		if first.path == "/sign-in" {
			v.post("/sign-in", "email", adminEmail, "password", "another good password")
		}
	}
	maps.DeleteFunc(left, func(_ string, form bool) bool { return !form })
	if len(left) > 0 {
		t.Errorf("nobody has tried %q", slices.Sorted(maps.Keys(left)))
	}
}

// flashOf is what a page has to say once.
func flashOf(a answer) string { return between(a.body, `role="status">`, "<") }

// idle waits for jobs to end.
func (s *site) idle() {
	s.t.Helper()
	eventually(s.t, "jobs to end", func() bool {
		for _, kind := range []string{billing.JobFanOut, billing.JobProvisioning, billing.JobResend, billing.JobClockAdvance} {
			if len(must[[]billing.Job](s)(store.OpenJobs(s.ctx, s.service.Read(), kind))) > 0 {
				s.clock.Advance(time.Second) // some rest in between
				return false
			}
		}
		return true
	})
}

// TestManyClicksMakeOneSubscription sends one form from several connections at
// the same time, on PostgreSQL to two servers. All of them lead to the one
// subscription that is made.
func TestManyClicksMakeOneSubscription(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		addresses := []string{s.url}
		if db.Engine == "postgres" {
			addresses = append(addresses, openOn(t, db).url)
		}
		v := s.as(billing.Editor)
		preview := v.submit(v.get("/subscriptions/new?priceListId=1"), "accountId", "c-1", "tenantCode", "clicked", "quantity:seats", "3")
		form, _ := formTo(preview, "/subscriptions/new?priceListId=1")
		before := must[int](s)(store.Subscriptions.Count(s.ctx, s.service.Read(), billing.Filter{}))
		pages := make(chan answer)
		const clicks = 8
		for i := range clicks {
			one, site := *v, *s
			site.url = addresses[i%len(addresses)]
			one.site = &site
			go func() { pages <- one.send(http.MethodPost, "/subscriptions/new?priceListId=1", filled(form, nil)) }()
		}
		led := map[string]bool{}
		for range clicks {
			led[v.wants(<-pages, 200, "Acme Inc now has a subscription to Starter Monthly.", "clicked").path] = true
		}
		if made := must[int](s)(store.Subscriptions.Count(s.ctx, s.service.Read(), billing.Filter{})) - before; made != 1 || len(led) != 1 {
			t.Errorf("%d subscriptions were made, and the clicks led to %v", made, led)
		}
	})
}

// TestAFormThatWasCutOff sends a form again whose server died after it was done
// and before it was answered.
func TestAFormThatWasCutOff(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Editor)
	page := v.get("/accounts/new")
	first := v.wants(v.submit(page, "name", "Acme", "billingDay", "1"), 200, "Created account “Acme”.")
	s.change(`DELETE FROM idempotency_step WHERE step = 'answer'`)
	if second := v.wants(v.submit(page, "name", "Acme", "billingDay", "1"), 200, "Created account “Acme”."); second.path != first.path {
		t.Errorf("it leads to %s, then to %s", first.path, second.path)
	}
	v.wants(v.submit(page, "name", "Other", "billingDay", "1"), 409, "This form was already sent", "nothing was done this time")
	if n := must[int](s)(store.Accounts.Count(s.ctx, s.service.Read(), billing.Filter{})); n != 1 {
		t.Errorf("%d accounts were made", n)
	}
	// Somebody else's token is another one.
	admin := s.as(billing.Admin)
	admin.wants(admin.submit(page, "name", "Other", "billingDay", "1"), 200, "Created account “Other”.")
}

// reportLine asks for an address, which the server logs, as soon as the line on
// top is there: a page that waits for the next one answers no questions.
const reportLine = `(() => { const timer = setInterval(() => {
	if (getComputedStyle(document.getElementById("progress")).visibility !== "visible") return;
	clearInterval(timer);
	const button = document.querySelector("form.form button");
	fetch("/line/" + button.getAttribute("aria-busy") + "/" + getComputedStyle(button, "::before").animationName);
}, 20); return true; })()`

// clicksTwice makes an account on a slow line, with two clicks.
func (b *browser) clicksTwice() {
	for _, c := range []struct{ name, click, line string }{
		{"By clicks", `(() => { const button = document.querySelector("form.form button"); button.click(); button.click(); return true; })()`, "/line/true/around"},
		// As without scripts: nothing holds the second one back but the token.
		{"By sending", `(() => { const form = document.querySelector("form.form"); form.dataset.guard = ""; form.submit(); setTimeout(() => form.submit(), 50); return true; })()`, "/line/null/none"},
	} {
		b.open("/accounts/new")
		b.fills("name", c.name)
		eval[bool](b, reportLine)
		release := b.slow()
		eval[bool](b, c.click)
		eventually(b.t, "the line on top", func() bool { return strings.Contains(b.log.String(), c.line) })
		release()
		b.says("Created account “" + c.name + "”.")
		filter := must[billing.Filter](b.site)(billing.ParseFilter(`"` + c.name + `"`))
		if n := must[int](b.site)(store.Accounts.Count(b.site.ctx, b.service.Read(), filter)); n != 1 {
			b.t.Errorf("%s: %d accounts were made", c.name, n)
		}
	}
}

// slow makes every change wait until release is called.
func (b *browser) slow() (release func()) {
	held, free, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- b.store.Write(b.site.ctx, func(context.Context, *store.Tx) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	release = sync.OnceFunc(func() {
		close(free)
		if err := <-done; err != nil {
			b.t.Error(err)
		}
	})
	b.t.Cleanup(release)
	return release
}

// waitsForALine has the line also for what htmx asks for, and none that moves
// for those who do not want it.
func (b *browser) waitsForALine() {
	b.open("/accounts")
	const mark = `(() => { document.querySelector("#list").classList.add("htmx-request"); return true; })()`
	eval[bool](b, mark)
	b.waits("the line on top", `getComputedStyle(document.getElementById("progress")).visibility === "visible"`)
	moves := `getComputedStyle(document.getElementById("progress"), "::before").animationName`
	if name := eval[string](b, moves); name != "along" {
		b.t.Errorf("the line has the animation %q", name)
	}
	b.media("prefers-reduced-motion", "reduce")
	if name := eval[string](b, moves); name != "none" {
		b.t.Errorf("the line moves for those who do not want it: %q", name)
	}
	b.media("prefers-reduced-motion", "no-preference")
}
