package console_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

func TestInTheBrowser(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	s.settled("delivered")
	b := s.browse(t)
	b.signIn(adminEmail)
	t.Run("a webhook is sent again", func(t *testing.T) { b.with(t).resends(r) })
	t.Run("an event shows its difference first", func(t *testing.T) { b.with(t).readsEvent() })
	t.Run("a change is followed until it has arrived", func(t *testing.T) { b.with(t).follows(r) })
	t.Run("a payload program shows what it makes", func(t *testing.T) { b.with(t).previewsProgram() })
	t.Run("two clicks on a slow line", func(t *testing.T) { b.with(t).clicksTwice() })
	t.Run("a line while something takes long", func(t *testing.T) { b.with(t).waitsForALine() })
	t.Run("an edit with a field error", func(t *testing.T) { b.with(t).editsWithAnError() })
	t.Run("a form that is too large", func(t *testing.T) { b.with(t).typesTooMuch() })
	t.Run("a cancellation with its preview", func(t *testing.T) { b.with(t).cancels() })
	t.Run("a plan with its numbers", func(t *testing.T) { b.with(t).changesPlan() })
	t.Run("a number for the next term, taken back", func(t *testing.T) { b.with(t).takesBack() })
	t.Run("searching as one types", func(t *testing.T) { b.with(t).searches() })
	t.Run("moments in the zone of the viewer, days in that of the operator", func(t *testing.T) { b.with(t).seesTimes() })
	t.Run("the curl of a new API client works", func(t *testing.T) { b.with(t).makesClient() })
	t.Run("GraphiQL opens with a token", func(t *testing.T) { b.with(t).opensGraphiQL() })
	t.Run("the keyboard alone", func(t *testing.T) { b.with(t).usesKeys() })
	t.Run("a viewer is refused", func(t *testing.T) { b.with(t).viewerIsRefused() })
	t.Run("too many attempts", func(t *testing.T) { b.with(t).isThrottled() })
}

// with is the same tab for another test.
func (b *browser) with(t *testing.T) *browser {
	site := *b.site
	site.t = t
	return &browser{site: &site, ctx: b.ctx}
}

// resends sends an old event again, after the warning, and sees it arrive; the
// log shows it without being asked.
func (b *browser) resends(r *receiver) {
	before := r.got.Load()
	b.open("/events/1")
	b.presses("Resend")
	b.says("This takes the tenant back in time")
	b.presses("Resend, back in time")
	b.says("Queued for resending.")
	b.says("Attempt 2")
	eventually(b.t, "the webhook to come again", func() bool { return r.got.Load() == before+1 })
	b.open("/events")
	must[*provisioning.TenantSync](b.site)(b.service.Provisioning.TenantSync(b.site.ctx, 1))
	b.says(fmt.Sprintf("event #%d", b.newestEvent(1).Sequence))
}

// readsEvent sees at once what changed and when it was sent; body and headers
// are a click away.
func (b *browser) readsEvent() {
	b.open("/tenants/1/events/2")
	top := func(selector string) float64 {
		return eval[float64](b, `document.querySelector("`+selector+`").getBoundingClientRect().top`)
	}
	if d, a, rest := top("#difference"), top("#attempts"), top("#details"); d >= a || a >= rest || d > 300 {
		b.t.Errorf("the difference is at %v, attempts at %v, details at %v", d, a, rest)
	}
	rows := eval[[]string](b, `[...document.querySelectorAll("#difference tbody tr")].map(r => r.innerText.split(/\s*\t\s*/).join(" | "))`)
	if !slices.Contains(rows, "Features › Users › quantity | 12 | 40") {
		b.t.Errorf("the difference is %q", rows)
	}
	attempts := eval[[]string](b, `[...document.querySelectorAll("#attempts tbody tr")].map(r => r.innerText.split(/\s*\t\s*/).join(" | "))`)
	one := regexp.MustCompile(`^Attempt 1 \| \S.*\d:\d\d.* \| [\d.]+ m?s \| delivered \| 200 \| [\d.]+ m?s$`)
	if len(attempts) != 1 || !one.MatchString(attempts[0]) {
		b.t.Errorf("the attempts are %q", attempts)
	}
	if text := b.text(); strings.Contains(text, "Webhook-Signature") || strings.Contains(text, `"payload"`) {
		b.t.Error("details are shown before they are asked for")
	}
	eval[any](b, `document.querySelectorAll("#details summary").forEach(s => s.click())`)
	b.says("Webhook-Signature")
	b.says(`"type": "TenantProvisioningChange"`)
}

// follows changes a quantity while the application takes its time: the page says
// that it is being told, in no alarming colour, and by itself that it was.
func (b *browser) follows(r *receiver) {
	r.held.Lock()
	release := sync.OnceFunc(r.held.Unlock)
	defer release()
	b.open("/subscriptions/1/quantities")
	b.fills("quantity:seats", "41")
	b.presses("Preview")
	b.presses("Change quantities")
	b.says("Acme Inc now has 41 seats.")
	b.says("sending…")
	const shown = `[...document.querySelectorAll("#thing .badge")].map(e => e.className + " " + e.innerText).join()`
	if badge := eval[string](b, shown); badge != "badge info sending…" {
		b.t.Errorf("the page shows %q", badge)
	}
	eval[bool](b, `window.same = true`)
	release()
	b.waits("the page to say delivered by itself", `window.same && document.querySelector("#thing .badge.good")?.innerText === "delivered" && !document.querySelector("#thing[hx-get]")`)
}

func (b *browser) previewsProgram() {
	b.open("/platforms/1/workflow")
	b.fills("previewTenant", "tenant-1")
	b.fills("recipe.payloadProgram", "{who: .payload.tenant.name}")
	b.says(`"who": "Acme Inc"`)
	const beside = `(() => { const a = document.querySelector("textarea[name=\"recipe.payloadProgram\"]").getBoundingClientRect(), b = document.querySelector("#preview").getBoundingClientRect();
		return b.left >= a.right ? "beside" : b.top >= a.bottom ? "below" : "over"; })()`
	for width, want := range map[int64]string{1280: "beside", 390: "below"} {
		b.size(width, false)
		if where := eval[string](b, beside); where != want {
			b.t.Errorf("at %d pixels the preview is %s the program", width, where)
		}
	}
	b.size(1280, false)
	if font := eval[string](b, `getComputedStyle(document.querySelector("textarea.program")).fontFamily`); !strings.Contains(font, "monospace") {
		b.t.Errorf("the program is written in %s", font)
	}
	eval[any](b, `document.querySelector("button[name=reset]").click()`)
	b.says(`"type": "TenantProvisioningChange"`)
	if text := eval[string](b, `document.querySelector("textarea.program").value`); text != "" {
		b.t.Errorf("after the reset the program is %q", text)
	}
	b.fills("recipe.payloadProgram", "{who: .payload.tenant.name}")
	b.presses("Save")
	b.says("Saved ")
}

func (b *browser) editsWithAnError() {
	b.open("/accounts/1/edit")
	b.fills("billingDay", "40")
	b.fills("phone", "+49 30 1234")
	b.presses("Save")
	b.says("The billing day is a day of the month, 1 to 31, not 40.")
	if focused := eval[string](b, `document.activeElement.name`); focused != "billingDay" {
		b.t.Errorf("the field %q has the focus", focused)
	}
	b.fills("billingDay", "15")
	b.presses("Save")
	b.says("Saved ")
	b.says("+49 30 1234")
}

// typesTooMuch has a form for which the server would have no room: it is not
// sent, and what was typed stays.
func (b *browser) typesTooMuch() {
	b.open("/accounts/1/edit")
	if most := eval[string](b, `document.querySelector("form.form").dataset.most`); most != "16777216" {
		b.t.Errorf("the form may have %s bytes", most)
	}
	eval[bool](b, `(() => { document.querySelector("form.form").dataset.most = 2 ** 20; return true; })()`)
	b.fills("description", strings.Repeat("long ", 300_000))
	b.fills("phone", "+49 30 99")
	eval[bool](b, `(() => { document.querySelector("form.form button").click(); return true; })()`)
	b.says("That is too much: a form may have up to 1 MiB.")
	if phone := eval[string](b, `document.querySelector("[name=phone]").value`); phone != "+49 30 99" {
		b.t.Errorf("of what was typed there is %q", phone)
	}
	b.fills("description", "short")
	b.presses("Save")
	b.says("Saved ")
	b.says("+49 30 99")
}

func (b *browser) cancels() {
	sub := b.subs["ACTIVE"].ID
	b.open(fmt.Sprintf("/subscriptions/%d", sub))
	b.says("Acme Inc — Team Yearly")
	b.presses("End subscription")
	b.says("Keep it")
	b.fills("when", "now")
	b.presses("Preview")
	b.says("Nothing is done yet.")
	b.says("Subscriptions › Team (1) › state")
	if open := eval[bool](b, `[...document.querySelectorAll("main pre")].some(e => !e.closest("details:not([open])"))`); open {
		b.t.Error("the body is shown before it is asked for")
	}
	eval[any](b, `document.querySelector(".hook summary").click()`)
	b.says(`"state": "canceled"`)
	if state := must[*subscription.Subscription](b.site)(store.Subscriptions.Get(b.site.ctx, b.service.Read(), sub)).State; state != subscription.StateActive {
		b.t.Fatalf("the preview left it %s", state)
	}
	b.presses("End subscription")
	b.says("The subscription of Acme Inc ended today.")
	b.presses("Reinstate")
	b.presses("Preview")
	b.presses("Reinstate")
	b.says("The subscription of Acme Inc is active again, to ")
}

func (b *browser) searches() {
	b.open("/accounts")
	b.says("Olympia Sport")
	b.fills("q", "nordwind")
	b.waits("the list to be searched", `!document.body.innerText.includes("Olympia Sport")`)
	b.says("Nordwind Spedition")
	if at := eval[string](b, `location.search`); at != "?q=nordwind" {
		b.t.Errorf("the address has %q", at)
	}
	b.fills("q", "size:3")
	b.says("There is no filter field")
}

// seesTimes looks at a subscription from Los Angeles, where the days of the
// operator begin in the afternoon before: moments are in that zone, days of
// business are those of the operator.
func (b *browser) seesTimes() {
	if _, err := chromedp.Call(b.ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/Los_Angeles"}); err != nil {
		b.t.Fatal(err)
	}
	defer func() {
		if _, err := chromedp.Call(b.ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"}); err != nil {
			b.t.Error(err)
		}
	}()
	clock := must[*billing.TestClock](b.site)(b.service.Subscriptions.TestClockCreate(b.site.ctx, "Spring", time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)))
	account := must[*billing.Account](b.site)(b.service.Customers.AccountCreate(b.site.ctx, func(a *billing.Account) error {
		a.Name, a.BillingDay, a.TestClockID = "Pacific", 1, &clock.ID
		return nil
	}, nil))
	sub := must[*subscription.Subscription](b.site)(b.service.Subscriptions.SubscriptionCreate(b.site.ctx, subscriptions.NewSubscription{
		AccountID: &account.ID, PriceList: subscriptions.PriceListRef{ID: &b.lists[0].ID}, Draft: subscription.Draft{Evergreen: true},
	}))
	if _, _, err := b.service.Subscriptions.TestClockAdvance(b.site.ctx, clock.ID, time.Date(2026, 4, 2, 12, 0, 0, 0, time.UTC)); err != nil {
		b.t.Fatal(err)
	}
	b.open(fmt.Sprintf("/subscriptions/%d", sub.ID))
	b.says("2 Apr 2026 – 1 May 2026")
	renewed := eval[string](b, `[...document.querySelectorAll("tr")].find(r => r.innerText.includes("renewed")).innerText`)
	if !strings.HasPrefix(renewed, "2 Apr 2026") || strings.Contains(renewed, "Apr 2026,") {
		b.t.Errorf("the renewal is %q", renewed)
	}
	b.waits("moments to be local", `document.querySelector("time[data-local]") !== null`)
	shown := eval[[]string](b, `(() => { const t = document.querySelector("dd time"); return [t.textContent, t.title]; })()`)
	if shown[0] != "15 Jan 2026, 04:00:00 PST" || shown[1] != "15 Jan 2026, 12:00:00 UTC" {
		b.t.Errorf("a moment is %q, with %q on hover", shown[0], shown[1])
	}
	// So they are in sentences, in what is said once, and on a test clock.
	page := fmt.Sprintf("/test-clocks/%d", clock.ID)
	b.open(page + "/advance")
	b.says("It shows 2 Apr 2026, 05:00:00 PDT. Everything that falls due")
	b.fills("to", "2026-04-01 12:00")
	b.presses("Advance")
	b.says("A clock cannot go back: it shows 2 Apr 2026, 05:00:00 PDT.")
	b.fills("to", "2026-04-03 12:00")
	b.presses("Advance")
	b.says("The clock now shows 3 Apr 2026, 05:00:00 PDT.")
	for _, path := range []string{"/test-clocks", page} {
		b.open(path)
		b.says("3 Apr 2026, 05:00:00 PDT")
		if strings.Contains(b.text(), "UTC") {
			b.t.Errorf("%s still has UTC: %s", path, b.text())
		}
	}
}

func (b *browser) makesClient() {
	if _, err := exec.LookPath("curl"); err != nil {
		if os.Getenv("CI") == "true" {
			b.t.Fatal("curl is not installed")
		}
		b.t.Skip("curl is not installed: skipped")
	}
	b.open("/api-clients/new")
	b.fills("name", "Order system")
	b.presses("Create API client")
	b.says("Copy the secret now")
	command := eval[string](b, `document.querySelector("#curl").textContent`)
	text, err := exec.CommandContext(b.t.Context(), "sh", "-c", command).Output()
	if err != nil || !strings.Contains(string(text), `"access_token":"`) {
		b.t.Errorf("%s prints %s (%v)", command, text, err)
	}
	if n := eval[int](b, `document.querySelectorAll(".copy button").length`); n != 2 {
		b.t.Errorf("there are %d buttons to copy", n)
	}
}

// opensGraphiQL finds it in the frame of the console, signed in already, with a
// name for each editor.
func (b *browser) opensGraphiQL() {
	b.open("/graphiql")
	b.says("You are " + adminEmail)
	b.says("signed in to the console; no token is needed")
	b.waits("the menu of the console", `document.querySelector(".wide-menu [aria-current]")?.innerText === "GraphiQL" && document.querySelectorAll(".wide-menu [aria-current]").length === 1`)
	b.waits("names of the editors", `document.querySelectorAll(".CodeMirror textarea").length > 1 && ![...document.querySelectorAll(".CodeMirror textarea")].some(e => !e.ariaLabel)`)
	if names := eval[[]string](b, `[...document.querySelectorAll(".graphiql-query-editor textarea, .result-window textarea")].map(e => e.ariaLabel)`); !slices.Equal(names, []string{"Query", "Answer"}) {
		b.t.Errorf("the editors are called %q", names)
	}
	const colours = `[...document.querySelectorAll("body, .side, .bar")].map(e => getComputedStyle(e).backgroundColor).concat(getComputedStyle(document.querySelector(".side [aria-current]")).color).join(" ")`
	for dark, want := range map[bool]string{false: "rgb(245, 246, 248) rgb(255, 255, 255) rgb(255, 255, 255) rgb(44, 79, 181)", true: "rgb(16, 20, 28) rgb(23, 28, 38) rgb(23, 28, 38) rgb(146, 171, 255)"} {
		b.size(1280, dark)
		if got := eval[string](b, colours); got != want {
			b.t.Errorf("dark %v: the colours are %s, want %s", dark, got, want)
		}
	}
	eval[any](b, axe(b.t)+"; null")
	for _, f := range eval[[]finding](b, strings.Replace(runAxe, "axe.run(document,", `axe.run({exclude: [".graphiql-container"]},`, 1)) {
		if f.Impact == "serious" || f.Impact == "critical" {
			b.t.Errorf("%s: %s\n%s", f.ID, f.Help, f.Where)
		}
	}
	for _, f := range eval[[]finding](b, strings.Replace(runAxe, "{resultTypes", `{runOnly: ["label", "button-name", "aria-input-field-name"], resultTypes`, 1)) {
		b.t.Errorf("%s: %s\n%s", f.ID, f.Help, f.Where)
	}
	b.size(1280, false)
}

// usesKeys goes from the first page to the form of an account without a mouse.
func (b *browser) usesKeys() {
	b.open("/accounts")
	b.press("\t\r") // the link that skips the menu
	if focused := eval[string](b, `document.activeElement.id`); focused != "main" {
		b.t.Errorf("after skipping, %q has the focus", focused)
	}
	b.press("/")
	if focused := eval[string](b, `document.activeElement.id`); focused != "q" {
		b.t.Errorf("after /, %q has the focus", focused)
	}
	b.open("/accounts/1/edit")
	var seen []string
	for range 80 {
		b.press("\t")
		name := eval[string](b, `document.activeElement.name || document.activeElement.innerText || ""`)
		seen = append(seen, name)
		if name == "Save" {
			break
		}
		if visible := eval[bool](b, `(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0; })()`); !visible {
			b.t.Errorf("one cannot see that %q has the focus", name)
		}
	}
	if seen[len(seen)-1] != "Save" || !strings.Contains(strings.Join(seen, "\n"), "billingDay") {
		b.t.Errorf("the keyboard reaches only %q", seen)
	}
	b.press("\r")
	b.says("Saved ")
}

// press types keys.
func (b *browser) press(keys string) {
	b.t.Helper()
	for _, key := range keys {
		if _, err := run(b, chromedp.KeyEvent(string(key))); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *browser) viewerIsRefused() {
	b.as(billing.Viewer)
	b.open("/")
	b.presses("Sign out")
	b.signIn("viewer@example.com")
	b.open("/accounts")
	if strings.Contains(b.text(), "New account") || strings.Contains(b.text(), "Users") {
		b.t.Error("a viewer is offered what is refused")
	}
	b.open("/accounts/new")
	b.says("Your role is viewer.")
}

func (b *browser) isThrottled() {
	b.open("/")
	b.presses("Sign out")
	for range 11 { // a browser that was signed in has ten
		b.open("/sign-in")
		b.fills("email", "viewer@example.com")
		b.fills("password", "wrong wrong wrong")
		b.presses("Sign in")
	}
	b.says("Too many attempts.")
}
