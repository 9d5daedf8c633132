package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// lastBody is the body of the newest event of a tenant, and its number.
func (s *site) lastEvent(tenant billing.TenantID) webhook.Event {
	s.t.Helper()
	events := must[[]webhook.Event](s)(outbox.RecentEvents(s.ctx, s.service.Read(), tenant, 0, 1))
	if len(events) == 0 {
		return webhook.Event{}
	}
	return events[0]
}

// submitShown submits a form as somebody without scripts does: one that comes
// back with the fields of another price list is sent again.
func (v *visitor) submitShown(page answer, fields ...string) answer {
	v.t.Helper()
	a := v.submit(page, fields...)
	if a.status == 200 && strings.Contains(a.body, `name="shownFor"`) && !strings.Contains(a.body, "Nothing is done yet.") {
		a = v.submit(a, fields...)
	}
	return a
}

// TestActionsArePreviewedAndDone does every action: its form, a mistake in it,
// the preview, which must do nothing, and the deed.
func TestActionsArePreviewedAndDone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := open(t, db.Engine)
		s.fill()
		v := s.as(billing.Editor)
		active, trial, canceled := s.subs["ACTIVE"].ID, s.subs["TRIAL"].ID, s.subs["CANCELED"].ID
		for _, c := range []struct {
			sub     billing.SubscriptionID
			action  string
			wrong   []string
			says    string
			right   []string
			preview string // in the difference
			shows   string // on the page afterwards
			said    string // what has happened
		}{
			{active, "quantities", nil, "", []string{"quantity:seats", "5", "unused", "KEEP"}, `"quantity": 5`, "owed to 31 Jan 2026", "Acme Inc now has 5 seats."},
			{active, "quantities", []string{"quantity:seats", "many"}, "Write a whole number", []string{"quantity:seats", "45"}, `"quantity": 45`, "45", "Acme Inc now has 45 seats."},
			{active, "quantities", []string{"quantity:seats", "9999"}, "5,000, not 9999", []string{"quantity:seats", "46", "when", "day", "startDate", "2026-02-01"}, "same as the last one", "quantity scheduled", "Acme Inc will have 46 seats from 1 Feb 2026."},
			{active, "plan", []string{"when", "now"}, "price list", []string{"priceListId", "6", "when", "now", "quantity:seats", "45", "scheduled", "KEEP"}, `"code": "enterprise"`, "Enterprise", "Acme Inc now has Enterprise Yearly."},
			{active, "plan", []string{"priceListId", "99", "when", "end"}, "There is no price list", []string{"priceListId", "4", "when", "end", "quantity:seats", "46", "scheduled", "KEEP"}, "same as the last one", "Next price list", "The plan of Acme Inc changes on "},
			{active, "renewal", []string{"evergreen", "no", "renewalTermMonths", "0", "endDate", "x"}, "is not a date", []string{"evergreen", "no", "renewalTermMonths", "12", "endDate", "2026-05-31"}, "same as the last one", "Expires at the end", "The subscription of Acme Inc expires after 31 May 2026."},
			{active, "tenant", []string{"code", ""}, "Give the code of a tenant", []string{"code", "tenant-new", "name", "New"}, `"code": "tenant-new"`, "tenant-new", "The subscription of Acme Inc now belongs to the tenant tenant-new."},
			{active, "cancel", []string{"when", "day"}, "Enter the first day without the subscription.", []string{"when", "day", "cancellationDate", "2026-03-01", "unused", "KEEP"}, "same as the last one", "Ends on", "The subscription of Acme Inc ends on 1 Mar 2026."},
			{active, "cancel", []string{"when", "day", "cancellationDate", "2020-01-01"}, "2020-01-01", []string{"when", "now"}, `"state": "canceled"`, "Ended on", "The subscription of Acme Inc ended today."},
			{trial, "extend-trial", []string{"trialEndDate", ""}, "Enter the last day of the trial", []string{"trialEndDate", "2026-02-28"}, `"trial_end_date": "2026-02-28"`, "28 Feb 2026", "The trial of Bäckerei Süß now ends on 28 Feb 2026."},
			{trial, "convert-trial", []string{"priceListId", "1", "quantity:seats", "9999"}, "is sold in quantities of 1 to 5,000, not 9999", []string{"priceListId", "1", "quantity:seats", "20"}, `"state": "active"`, "active", "The trial of Bäckerei Süß is over, and its paid term runs until 14 Feb 2026."},
			{canceled, "reinstate", []string{"effectiveDate", "2030-01-01"}, "2030-01-01", []string{}, `"state": "active"`, "active", "The subscription of Kiosk am Markt is active again, to "},
		} {
			path := fmt.Sprintf("/subscriptions/%d/%s", c.sub, c.action)
			sub := must[*subscription.Subscription](s)(store.Subscriptions.Get(s.ctx, s.service.Read(), c.sub))
			for _, scheduled := range sub.ScheduledChanges() {
				if c.action == "renewal" && scheduled.Kind == subscription.ScheduledPlan || scheduled.Kind == subscription.ScheduledCancellation { // which stands in the way
					must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionScheduledChangeCancel(s.ctx, scheduled.ID))
				}
			}
			before := s.lastEvent(*sub.TenantID)
			page := v.wants(v.get(path), 200)
			if c.wrong != nil {
				page = v.wants(v.submitShown(page, c.wrong...), 422, c.says)
			}
			preview := page
			if c.right != nil {
				preview = v.submitShown(page, c.right...)
			}
			v.wants(preview, 200, "Nothing is done yet.", c.preview)
			if after := s.lastEvent(*sub.TenantID); after.ID != before.ID {
				t.Fatalf("the preview of %s recorded %+v", c.action, after)
			}
			s.clock.Advance(time.Second)
			v.wants(v.submit(preview), 200, c.said, c.shows)
			if after := s.lastEvent(*sub.TenantID); after.ID == before.ID {
				t.Errorf("%s recorded nothing", c.action)
			}
		}
		if page := v.wants(v.get(fmt.Sprintf("/subscriptions/%d", active)), 200, "to Yearly", "was to end on"); strings.Contains(page.body, "price list id") {
			t.Error("the history names a price list by its id")
		}
		v.wants(v.get(fmt.Sprintf("/subscriptions/%d/cancel", active)), 409, "That cannot be done now")
		v.wants(v.get(fmt.Sprintf("/subscriptions/%d/extend-trial", active)), 409)
		admin := s.as(billing.Admin)
		admin.wants(admin.get("/audit?q=subscriptionTrialConvert"), 200, "user editor@example.com")
	})
}

// A number for the day on which the plan changes is not shown with the price of
// the plan that is over then.
func TestAScheduledNumberHasThePriceOfItsDay(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	id, list := s.subs["ACTIVE"].ID, billing.PriceListID(6)
	must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionPlanChange(s.ctx, id, subscriptions.PriceListRef{ID: &list}, subscription.PlanUpdate{AtTermEnd: true}))
	orders := []subscription.QuantityOrder{{Code: "seats", Quantity: ptr(46)}}
	must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionQuantityUpdate(s.ctx, id, subscription.QuantityUpdate{Orders: orders, AtTermEnd: true}))
	v := s.as(billing.Viewer)
	v.wants(v.get(fmt.Sprintf("/subscriptions/%d", id)), 200, "46 set by the next price list", "Continues with the next price list")
}

func TestAPreviewThatIsOldIsNotDone(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	sub := s.subs["ACTIVE"]
	path := fmt.Sprintf("/subscriptions/%d/cancel", sub.ID)
	preview := v.submit(v.get(path), "when", "now")
	s.clock.Advance(time.Second)
	must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionQuantityUpdate(s.ctx, sub.ID, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: "seats", Quantity: ptr(99)}}}))
	other := v.submit(v.get(path), "when", "now")
	again := v.wants(v.submit(preview), 409, "The subscription was changed while you were looking at it", `"state": "canceled"`)
	if now := must[*subscription.Subscription](s)(store.Subscriptions.Get(s.ctx, s.service.Read(), sub.ID)); now.State != subscription.StateActive {
		t.Fatalf("it is %s", now.State)
	}
	v.wants(v.submit(again), 200, "The subscription of Acme Inc ended today.")
	v.wants(v.submit(other), 422, "is canceled and cannot be canceled")
}

func TestANewSubscriptionIsPreviewed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := open(t, db.Engine)
		s.fill()
		v := s.as(billing.Editor)
		choose := v.wants(v.get("/subscriptions/new?accountId=1"), 200, "New subscription: Acme Inc", "Choose a price list.", "Team: Yearly")
		if !strings.Contains(choose.body, "/subscriptions/new?priceListId=1&amp;accountId=1") {
			t.Error("the account is forgotten")
		}
		page := v.wants(v.get("/subscriptions/new?priceListId=3"), 200, "Start with a trial of 14 days", "Seats", "EUR 19.00 per user a month (1 to 5,000). If empty, 50 included in the plan.", "100 included in the plan")
		wrong := v.wants(v.submit(page, "accountId", "nobody", "tenantCode", "shop", "quantity:seats", "7"), 422, `There is no account with the code or name "nobody"`, `value="nobody"`, `value="shop"`)
		wrong = v.wants(v.submit(wrong, "accountId", "c-1", "tenantCode", "tenant-2"), 422, "belongs to another account")
		preview := v.wants(v.submit(wrong, "accountId", "c-1", "tenantCode", "shop", "tenantName", "The shop", "trial", "on", "evergreen", "on", "quantity:seats", "7"), 200,
			"New subscription: Acme Inc", "Its first webhook", `"code": "shop"`, `"state": "trial"`, `"quantity": 7`)
		if n := must[int](s)(store.Tenants.Count(s.ctx, s.service.Read(), billing.Filter{Words: []string{"shop"}})); n != 0 {
			t.Fatal("the preview made a tenant")
		}
		v.wants(v.submit(preview), 200, "Acme Inc has a trial of Team Monthly to 28 Jan 2026.", "The shop", "trial")
		silent := v.wants(v.submit(v.get("/subscriptions/new?priceListId=3"), "accountId", "#2"), 200, "No webhook is sent")
		v.wants(v.submit(silent), 200, "Nordwind Spedition GmbH & Co. KG now has a subscription to Team Monthly.")
	})
}

func TestEventsOfATenant(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Viewer)
	v.wants(v.get("/tenants/1"), 200, "Current features", "Users", "40", "#2", "Quantity changed")
	v.wants(v.get("/tenants/1/events/1"), 200, "This is the first event", "TenantProvisioningChange")
	second := v.wants(v.get("/tenants/1/events/2"), 200, `"quantity": 40`)
	if !strings.Contains(second.body, `<span class="gone">-`) || !strings.Contains(second.body, `<span class="new">&#43;`) && !strings.Contains(second.body, `<span class="new">+`) {
		t.Error("there is no difference to the first")
	}
	v.wants(v.get("/tenants/1/events/9"), 404, "There is no such event")
}

// TestHomeTellsWhatNeedsAttention sets a subscription and an account aside.
func TestHomeTellsWhatNeedsAttention(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	sub := s.subs["ACTIVE"]
	if err := s.setAside(sub.ID, "its data are broken"); err != nil {
		t.Fatal(err)
	}
	err := s.store.Write(s.ctx, func(ctx context.Context, tx *store.Tx) error {
		return store.SetBillingProblem(ctx, tx, sub.AccountID, "The account has no country.")
	})
	if err != nil {
		t.Fatal(err)
	}
	v := s.as(billing.Viewer)
	v.wants(v.get("/"), 200, "Needs attention", "was set aside: its data are broken", "needs a person: The account has no country.")
	v.wants(v.get("/subscriptions"), 200, "set aside")
	v.wants(v.get(fmt.Sprintf("/subscriptions/%d", sub.ID)), 200, "It was set aside", "its data are broken")
}

// TestATermIsTheSameEverywhere compares lists with the page of a trial, whose
// paid term starts the day after it, and looks for what a line costs.
func TestATermIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Viewer)
	trial := s.subs["TRIAL"]
	const term = "24 Jan 2026 – 23 Feb 2026"
	for _, path := range []string{"/subscriptions?state=trial", fmt.Sprintf("/subscriptions/%d", trial.ID), fmt.Sprintf("/tenants/%d", *trial.TenantID), fmt.Sprintf("/accounts/%d", trial.AccountID)} {
		v.wants(v.get(path), 200, term)
	}
	v.wants(v.get(fmt.Sprintf("/subscriptions/%d", trial.ID)), 200, "EUR 9.00", "EUR 250.00")
}

// TestAnAccountIsShownByName begins a subscription on an account's page, finds
// one by typing, and reads whose it is before it is made.
func TestAnAccountIsShownByName(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	form := v.wants(v.get("/subscriptions/new?priceListId=1&accountId=1"), 200, `value="#1 Acme Inc"`)
	v.wants(v.get("/lookup/accounts?field=q&q=olymp"), 200, `value="#5 Olympia Sport"`)
	v.wants(v.submit(form, "accountId", "#5 Olympia Sport", "quantity:seats", "3"), 200, "#5 Olympia Sport", "Nothing is done yet.")
	v.wants(v.submit(form, "accountId", "c-5", "quantity:seats", "3"), 200, "#5 Olympia Sport", "Nothing is done yet.")
	v.wants(v.submit(form, "accountId", "Olympia", "quantity:seats", "3"), 422, "There is no account with the code or name", `value="Olympia"`)
	v.wants(v.submit(form, "accountId", "olympia sport", "quantity:seats", "3"), 200, "#5 Olympia Sport", "Nothing is done yet.",
		"The term is from 15 Jan 2026 to 14 Feb 2026, and then expires.", "Price: Seats 3 × EUR 9.00 per user a month; Set-up EUR 250.00 once.")
	v.wants(v.submit(form, "accountId", "", "startDate", "x", "endDate", "2020-01-01", "quantity:seats", "9999"), 422,
		`id="e-accountId">Choose the account`, `id="e-startDate">`, `id="e-endDate">The end (1 Jan 2020) is before the start`, `id="e-quantity:seats">The charge`)
	must[*billing.Account](s)(s.service.Customers.AccountCreate(s.ctx, func(a *billing.Account) error { a.Name, a.BillingDay = "Olympia Sport", 1; return nil }, nil))
	v.wants(v.submit(form, "accountId", "Olympia Sport", "quantity:seats", "3"), 422, "There is no account with the code or name")
}

// TestNumbersAreAskedFor goes through the forms that sell numbers: what is
// prefilled, what is beside the fields, and what is refused beside them.
func TestNumbersAreAskedFor(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	needed := must[*catalog.PriceList](s)(s.service.Catalog.PriceListCreate(s.ctx, func(l *catalog.PriceList) error {
		l.PlanID, l.CurrencyID, l.RenewalTermMonths, l.Code, l.Name = s.plans[2].ID, "EUR", 12, "enterprise-big", "Big"
		return nil
	}, []catalog.ChargeEdit{{FeatureCode: ptr("users"), Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.Price, c.QuantityMin = "big", "Big seats", price("10.80"), ptr(50)
		return nil
	}}}))
	big, v := fmt.Sprint(needed.ID), s.as(billing.Editor)
	field := func(value string) string {
		return `name="quantity:big" type="text" inputmode="numeric" value="` + value + `"`
	}

	form := v.wants(v.get("/subscriptions/new?priceListId="+big), 200, field("50"), `Big seats <span class="must">required</span>`, "EUR 10.80 per user a month (at least 50).", "Storage in GB no limit")
	v.wants(v.submit(form, "priceListId", big, "accountId", "c-1", "quantity:big", ""), 422, `<p class="error" id="e-quantity:big">The charge &#34;big&#34; is sold by the number`)
	v.wants(v.submit(form, "priceListId", big, "accountId", "c-1", "quantity:big", "49"), 422, `<p class="error" id="e-quantity:big">The charge &#34;big&#34; is sold in quantities of at least 50, not 49.`)
	v.wants(v.submit(form, "priceListId", big, "accountId", "c-1", "quantity:big", "60"), 200, "Nothing is done yet.", "Big seats 60")
	// Another price list has other numbers, which are shown before anything else.
	other := v.wants(v.submit(form, "priceListId", "1", "accountId", "c-1", "tenantCode", "kept", "quantity:big", "60"), 200, `name="quantity:seats" type="text" inputmode="numeric" value="1"`, `value="kept"`, "If empty, 5 included in the plan")
	v.wants(v.submit(other, "priceListId", "1", "accountId", "c-1", "tenantCode", "kept", "quantity:seats", ""), 200, "what the plan includes applies", `"quantity": 5`)

	path := fmt.Sprintf("/subscriptions/%d/plan", s.subs["ACTIVE"].ID)
	now := v.wants(v.get(path+"?priceListId="+big+"&when=now"), 200, field("40"), "The subscription has 40.", "Keeps its end, 31 May 2026", "Restarts today, ends on 14 Jan 2027")
	v.wants(v.submit(now, "priceListId", big, "when", "now", "term", "KEEP", "quantity:big", "40"), 422, `id="e-quantity:big">The charge &#34;big&#34; is sold in quantities of at least 50, not 40.`)
	v.wants(v.submit(now, "priceListId", big, "when", "now", "term", "KEEP", "quantity:big", "55"), 200, "Nothing is done yet.", "The term keeps its end, 31 May 2026.")
	v.wants(v.submit(now, "priceListId", big, "when", "now", "term", "RESTART", "quantity:big", "55"), 200, "The term restarts today and ends on 14 Jan 2027.")
	for list, chosen := range map[string]string{"4": "", "3": "RESTART", big: "KEEP"} { // a month is not a year
		page := v.get(path + "?priceListId=" + list)
		if got := chosenIn(page, "term"); got != chosen {
			t.Errorf("for list %s the term is %q", list, got)
		}
	}

	trial := fmt.Sprintf("/subscriptions/%d/convert-trial", s.subs["TRIAL"].ID)
	convert := v.wants(v.get(trial), 200, `name="quantity:seats" type="text" inputmode="numeric" value="14"`)
	convert = v.wants(v.submit(convert, "priceListId", big, "quantity:seats", "14"), 200, field("14"), "The subscription has 14.")
	preview := v.wants(v.submit(convert, "priceListId", big, "quantity:big", "51"), 200, "Nothing is done yet.", "The paid term starts today and ends on 14 Jan 2027.")
	v.wants(v.submit(preview), 200, "Big seats big 51 EUR 10.80")

	twice := v.get("/subscriptions/new?priceListId=1")
	if strings.Contains(twice.body, "Allow another trial") {
		t.Error("another trial is offered before it was refused")
	}
	again := []string{"priceListId", "1", "accountId", "c-3", "trial", "on", "quantity:seats", "3"}
	refused := v.wants(v.submit(twice, again...), 422, "has a trial of this product already: subscription 3", "Start without a trial, or allow another one.", "Allow another trial")
	v.wants(v.submit(v.wants(v.submit(refused, append(again, "trialAgain", "on")...), 200, "Nothing is done yet.")), 200, "Bäckerei Süß has a trial of Starter Monthly")
}

// chosenIn is the value that a field to choose in shows.
func chosenIn(page answer, name string) string {
	_, field, _ := strings.Cut(page.body, `name="`+name+`"`)
	field, _, _ = strings.Cut(field, "</select>")
	before, _, found := strings.Cut(field, `" selected`)
	if !found {
		return ""
	}
	return before[strings.LastIndex(before, `"`)+1:]
}

// TestSchedulesAreShownAndTakenBack schedules numbers, a plan and a cancellation
// in the forms, which ask what becomes of what is scheduled, and takes them
// back.
func TestSchedulesAreShownAndTakenBack(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	here := fmt.Sprintf("/subscriptions/%d", s.subs["ACTIVE"].ID)
	do := func(action string, fields ...string) answer {
		t.Helper()
		preview := v.wants(v.submitShown(v.get(here+"/"+action), fields...), 200, "Nothing is done yet.")
		s.clock.Advance(time.Second)
		return v.wants(v.submit(preview), 200)
	}
	v.wants(v.get("/subscriptions/new?priceListId=3"), 200, "EUR 250.00 once. If empty, 1.")
	v.wants(v.get(here+"/quantities"), 200, "From the next term (1 Jun 2026)")
	v.wants(v.submit(v.get(here+"/quantities"), "quantity:seats", "9999", "when", "day"), 422, `id="e-startDate">Enter the first day.`)
	v.wants(v.submit(v.get(here+"/quantities"), "quantity:seats", "40", "when", "now"), 422, "Nothing would change")
	v.wants(v.submit(v.get(here+"/quantities"), "quantity:seats", "41", "when", "now", "startDate", "2026-02-01"), 422, "Choose “From a day”")
	v.wants(do("quantities", "quantity:seats", "5", "when", "end"), 200, "Seats 5 1 Jun 2026", "Take back", "Seats seats 5 EUR 19.00 EUR 95.00 a month 1 Jun 2026", "scheduled")

	form := v.wants(v.get(here+"/quantities"), 200, "Already scheduled", "Seats 5 from 1 Jun 2026.", "What is scheduled", "Keep it: a new quantity applies only until then", "Drop it")
	v.wants(v.submit(form, "quantity:seats", "20", "when", "now"), 422, `is scheduled already. Choose “Keep it” to have 20 until then, or “Drop it” to drop that change.`)
	v.wants(v.submit(form, "quantity:seats", "20", "when", "now", "scheduled", "KEEP"), 200, "20 applies only until 1 Jun 2026, when 5 is scheduled.")
	v.wants(v.submit(form, "quantity:seats", "40", "when", "now", "scheduled", "REPLACE"), 200, "No longer scheduled: Seats 5 from 1 Jun 2026.")

	v.wants(v.submitShown(v.get(here+"/plan"), "priceListId", "6", "when", "end", "quantity:seats", "5"), 422, "choose whether to keep it")
	planned := do("plan", "priceListId", "6", "when", "end", "quantity:seats", "5", "scheduled", "KEEP")
	v.wants(planned, 200, "Plan Enterprise 1 Jun 2026", "Plan Enterprise: Yearly", "Renews")
	v.wants(v.get(here+"/plan?priceListId=2&when=now"), 200, "Plan Enterprise: Yearly from 1 Jun 2026; Seats 5 from 1 Jun 2026.")

	back := func(page answer, what string) answer {
		t.Helper()
		form, _, _ := strings.Cut(page.body, `aria-label="Take back: `+what+`"`)
		page.body = form[strings.LastIndex(form, "<form"):] + "></button></form>"
		return v.submit(page)
	}
	early := v.get(here)
	gone := v.wants(back(planned, "Plan Enterprise: Yearly from 1 Jun 2026"), 200, "Taken back: Plan Enterprise: Yearly from 1 Jun 2026.", "Seats 5 1 Jun 2026")
	if strings.Contains(gone.text(), "Plan Enterprise 1 Jun") {
		t.Error("the plan is still on the time line")
	}
	v.wants(back(early, "Plan Enterprise: Yearly from 1 Jun 2026"), 409, "There is nothing to take back")
	// The same day, another number: what the old page offers is not what it showed.
	s.clock.Advance(time.Second)
	must[*subscription.Subscription](s)(s.service.Subscriptions.SubscriptionQuantityUpdate(s.ctx, s.subs["ACTIVE"].ID, subscription.QuantityUpdate{
		Orders: []subscription.QuantityOrder{{Code: "seats", Quantity: ptr(7)}}, AtTermEnd: true, Scheduled: subscription.ReplaceScheduled,
	}))
	v.wants(back(gone, "Seats 5 from 1 Jun 2026"), 409, "There is nothing to take back", "nothing was done. Now scheduled: Seats 7 from 1 Jun 2026.")
	gone = v.wants(v.get(here), 200, "Seats 7 1 Jun 2026")
	empty := v.wants(back(gone, "Seats 7 from 1 Jun 2026"), 200, "Taken back: Seats 7 from 1 Jun 2026.", "quantity change taken back")
	if strings.Contains(empty.body, "Take back") {
		t.Error("there is still something to take back")
	}
	ends := v.wants(do("cancel", "when", "end"), 200, "Take back")
	if strings.Contains(ends.body, "Reinstate") {
		t.Error("there are two ways to take an end back")
	}
	v.wants(v.get(here+"/reinstate"), 409, "That cannot be done now")
	if text := ends.text(); strings.Contains(text, "enews") || !strings.Contains(text, "None: it ends on 1 Jun 2026") {
		t.Errorf("after a cancellation the page says %s", text)
	}
	v.wants(back(ends, "Ends on 1 Jun 2026"), 200, "Taken back: Ends on 1 Jun 2026.", "Renews for 12 months")
	// What comes after the end is kept, in case that is taken back, but promised nowhere.
	do("quantities", "quantity:seats", "5", "when", "end")
	v.wants(v.submit(v.get(here+"/cancel"), "when", "end"), 200, "Its features end on ", "Will not happen, because the subscription ends first: Seats 5 from 1 Jun 2026.")
	over := v.wants(do("cancel", "when", "end"), 200, "Seats 5 Will not happen: the subscription ends first.", "Seats seats 5 EUR 19.00 EUR 95.00 a month 1 Jun 2026 — ends first")
	if strings.Contains(over.text(), "Seats 5 1 Jun 2026") {
		t.Errorf("the time line promises a number after the end: %s", over.text())
	}
	if viewer := s.as(billing.Viewer); strings.Contains(viewer.get(here).body, "Take back") {
		t.Error("a viewer is offered to take something back")
	}
}
