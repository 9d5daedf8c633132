package subscription

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// What was ordered stays what it was, whatever is done to the subscription
// afterwards: it happens on its day, or what would spoil it is refused.
func TestOrdersAreKept(t *testing.T) {
	annualLater := changePlan(annualID, PlanUpdate{AtTermEnd: true})
	trial := func(seats int) *story {
		y := newStory(t, "2026-01-01", monthlyID, Draft{Trial: true, Evergreen: true, Quantities: []QuantityOrder{order("seats", seats)}})
		y.log = nil
		return y
	}
	atTermEnd := func(code string, n int) action {
		return orderQuantities(QuantityUpdate{Orders: []QuantityOrder{order(code, n)}, AtTermEnd: true})
	}
	for _, c := range []struct {
		name string
		y    *story
		acts []action
		last string
		said string
	}{
		{"a cancellation behind a change of plan", trial(5), []action{annualLater, cancel("2026-02-01")}, "NOT_ALLOWED cancellationDate", "scheduled for 2026-01-15, before the cancellation"},
		{"an earlier end of the term", fiveSeats(t), []action{
			quantities("", order("seats", 60)), quantities("2026-01-20", order("seats", 50)), annualLater, update(Update{EndDate: at(d("2026-01-10"))}),
		}, "NOT_ALLOWED quantities", "The plan is to change on 2026-01-11"},
		{"a trial converted early", trial(2), []action{quantities("2026-01-10", order("seats", 20)), annualLater, convert}, "NOT_ALLOWED quantities", "The plan is to change on 2026-01-01"},
		{"a trial cut short", trial(2), []action{quantities("2026-01-10", order("seats", 20)), annualLater, extend("2026-01-05")}, "NOT_ALLOWED quantities", "The plan is to change on 2026-01-06"},
		{"a quantity for the next term and another end", fiveSeats(t), []action{atTermEnd("seats", 3), update(Update{EndDate: at(d("2026-03-31"))})}, "NOT_ALLOWED endDate", "the term would end on 2026-03-31"},
		{"a quantity for the next term and a restart", fiveSeats(t), []action{atTermEnd("seats", 8), plan(annualID, false)}, "NOT_ALLOWED scheduled", "the term would end on 2026-12-31"},
		{"a quantity for the paid term and a conversion", trial(5), []action{atTermEnd("seats", 8), convert}, "NOT_ALLOWED", "Take it back first"},
		{"a charge taken off later and a plan that sells it", fiveSeats(t), []action{
			quantities("", order("space", 40)), quantities("2026-01-20", QuantityOrder{Code: "space"}), func(s Subscription, today billing.Date) (Subscription, Change, error) {
				o := *offers[splitID]
				o.Charges = []catalog.Charge{withBounds(recurring(401, "disk", new(storageID)), 20, 100)}
				o.Features = map[billing.FeatureID]catalog.PricedFeature{storageID: {Code: "storage", Kind: catalog.Quantity}}
				return s.ChangePlan(&o, PlanUpdate{}, only(&o), today)
			},
		}, "NOT_ALLOWED scheduled", "to be taken off on 2026-01-20"},
		{"no renewal", fiveSeats(t), []action{annualLater, autoRenew(false)}, "NOT_ALLOWED evergreen", "for which it must go on"},
		{"no renewal, with a quantity", fiveSeats(t), []action{atTermEnd("seats", 8), update(Update{Evergreen: new(false)})}, "NOT_ALLOWED evergreen", `"seats" to 8 on 2026-02-01 is scheduled, for which it must go on`},
		{"a trial that cancels", trial(5), []action{annualLater, update(Update{TrialExpirationAction: new(catalog.TrialCancel)})}, "NOT_ALLOWED evergreen", "for which it must go on"},
		{"the same plan with a new term", fiveSeats(t), []action{changePlan(monthlyID, PlanUpdate{Term: RestartTerm})}, "INVALID term", "its term stays as it is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.y.t = t
			for i, act := range c.acts {
				c.y.log = nil
				if c.y.do(act); c.y.err != nil && i < len(c.acts)-1 {
					t.Fatal(c.y.err)
				}
			}
			c.y.happened("2026-01-01 " + c.last).said(c.said)
		})
	}
}

// Taking a change back, or replacing it, leaves the past alone.
func TestTakeBackLeavesThePast(t *testing.T) {
	back := func() *story {
		return fiveSeats(t).until("2026-01-10").do(cancel("2026-01-10")).until("2026-01-20").do(reinstate("")).do(quantities("2026-02-01", order("seats", 9)))
	}
	want := []string{"5 2026-01-01..2026-01-09", "5 2026-01-20..2026-02-19"}
	back().do(takeBack("quantity", "2026-02-01")).has("seats", want...)
	back().do(orderQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", 5)}, Scheduled: ReplaceScheduled})).has("seats", want...)
}

// A charge that is due once stays due when the plan changes on its day.
func TestPlanChangeKeepsWhatIsDueOnce(t *testing.T) {
	fiveSeats(t).do(quantities("", order("setup", 3))).do(plan(annualID, false)).has("setup", "3 2026-01-01..2026-01-01").
		do(plan(monthlyID, false)).has("setup", "3 2026-01-01..2026-01-01")
}

// A charge that got its feature after the subscription gives the feature when
// it is ordered.
func TestOrderGivesTheFeatureOfTheCharge(t *testing.T) {
	y := fiveSeats(t)
	for i := range y.s.Charges {
		y.s.Charges[i].FeatureID = nil
	}
	if y.do(quantities("", order("seats", 25))); users(y, "2026-01-01", "") != "25" {
		t.Errorf("gives %s", users(y, "2026-01-01", ""))
	}
}

// A file cannot make what the API would not.
func TestRestoreFollowsTheRules(t *testing.T) {
	today, start := d("2026-01-15"), at(d("2026-01-01"))
	line := func(quantity *int, from, to string) Line {
		c := offers[monthlyID].line(&offers[monthlyID].Charges[1], quantity, d(from), d(to))
		c.Off = quantity == nil
		return c
	}
	for _, c := range []struct {
		name   string
		record Record
		want   string
	}{
		{"a number that has ended", Record{StartDate: start, Lines: []Line{line(new(5), "2026-01-01", "2026-01-10")}}, "no line of it counts on 2026-01-15"},
		{"a number to come", Record{StartDate: start, Lines: []Line{line(new(5), "2026-01-20", "2026-01-31")}}, "no line of it counts on 2026-01-15"},
		{"off without a number in the plan", Record{StartDate: start, Lines: []Line{line(nil, "2026-01-01", "2026-01-31")}}, "cannot be off"},
		{"too many", Record{StartDate: start, Lines: []Line{line(new(5000), "2026-01-01", "2026-01-31")}}, "quantities of 1 to 100, not 5000"},
		{"a plan that does not fit", Record{StartDate: start, Quantities: []QuantityOrder{order("seats", 2)}, NextPriceList: &NextPriceList{ID: annualID, On: d("2026-02-01")}}, "and the subscription has 2"},
		{"a plan after the last term", Record{StartDate: start, Evergreen: new(false), Quantities: []QuantityOrder{order("seats", 5)}, NextPriceList: &NextPriceList{ID: annualID, On: d("2026-02-01")}}, "does not renew"},
	} {
		_, err := Restore(c.record, offers[monthlyID], findOffer, today)
		problems, _ := billing.AsProblems(err)
		if len(problems) != 1 {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		y := &story{t: t, err: err}
		y.said(c.want)
	}
}
