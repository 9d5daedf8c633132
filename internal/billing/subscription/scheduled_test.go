package subscription

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"pgregory.net/rapid"
)

// listed is what is scheduled, a line each.
func listed(s *Subscription) string {
	var lines []string
	for _, c := range s.ScheduledChanges() {
		line := fmt.Sprintf("%s %s %s", c.ID, c.Kind, c.On)
		for _, q := range c.Quantities {
			line += fmt.Sprintf(" %s=%s", q.Code, inWords(q.Quantity))
		}
		if c.PriceListID != nil {
			line += fmt.Sprintf(" list %d", *c.PriceListID)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestScheduledChanges(t *testing.T) {
	y := fiveSeats(t).until("2026-01-10").do(quantities("", order("space", 30))).
		do(quantities("2026-01-20", order("seats", 9), QuantityOrder{Code: "space"})).
		do(changePlan(annualID, PlanUpdate{AtTermEnd: true, Quantities: []QuantityOrder{order("licences", 7)}})).
		do(cancel("2026-02-01"))
	const want = `7-quantity-2026-01-20-b4dc7684 QUANTITY 2026-01-20 seats=9 space=none
7-cancellation-2026-02-01 CANCELLATION 2026-02-01
7-plan-2026-02-01-2263ef10 PLAN 2026-02-01 licences=7 list 20`
	if got := listed(&y.s); got != want {
		t.Fatalf("scheduled:\n%s\nwant\n%s", got, want)
	}
	y.log = nil
	y.do(takeBack("quantity", "2026-01-20")).do(takeBack("cancellation", "2026-02-01")).do(takeBack("plan", "2026-02-01")).
		happened("2026-01-10 quantity.unscheduled ACTIVE>ACTIVE", "2026-01-10 cancellation.unscheduled ACTIVE>ACTIVE", "2026-01-10 plan.unscheduled ACTIVE>ACTIVE").
		has("seats", "5 2026-01-01..2026-01-31").has("space", "30 2026-01-10..2026-01-31").is("ACTIVE 2026-01-01..2026-01-31")
	if got := listed(&y.s); got != "" {
		t.Errorf("still scheduled:\n%s", got)
	}
	y.do(takeBack("plan", "2026-02-01")).happened("2026-01-10 NOT_FOUND id").said("it has happened, or was taken back or replaced")
}

// Somebody who takes back 9 seats does not take back the 8 that another person
// has ordered in their place, nor another plan.
func TestTakeBackOnlyWhatWasMeant(t *testing.T) {
	y := fiveSeats(t).until("2026-01-10").do(quantities("2026-01-20", order("seats", 9)))
	y.do(changePlan(annualID, PlanUpdate{AtTermEnd: true, Scheduled: KeepScheduled, Quantities: []QuantityOrder{order("licences", 7)}}))
	seen := y.s.ScheduledChanges()
	if len(seen) != 2 {
		t.Fatalf("scheduled:\n%s", listed(&y.s))
	}
	y.do(func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.ChangeQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", 8)}, StartDate: at(d("2026-01-20")), Scheduled: ReplaceScheduled}, findOffer, today)
	})
	y.do(changePlan(annualID, PlanUpdate{AtTermEnd: true, Scheduled: ReplaceScheduled, Quantities: []QuantityOrder{order("licences", 8)}}))
	for _, c := range seen {
		if _, _, err := y.s.TakeBack(c.ID, findOffer, d("2026-01-10")); !billing.Is(err, billing.NotFound) {
			t.Errorf("taking back %s, which was replaced: %v, of\n%s", c.ID, err, listed(&y.s))
		}
	}
}

// What begins with the subscription is no change, nor is what has happened.
func TestScheduledChangesAreToCome(t *testing.T) {
	for _, draft := range []Draft{pendingDraft, laterTrialDraft, trialDraft, plainDraft} {
		if got := listed(&newStory(t, "2026-01-01", monthlyID, draft).s); got != "" {
			t.Errorf("scheduled:\n%s", got)
		}
	}
	y := fiveSeats(t).do(quantities("2026-01-20", order("seats", 9))).until("2026-01-20")
	if got := listed(&y.s); got != "" {
		t.Errorf("scheduled:\n%s", got)
	}
	y.do(takeBack("quantity", "2026-01-20")).said("no scheduled change")
	if got := listed(&inState(t, StateCanceled).s); got != "" {
		t.Errorf("scheduled on one that is over:\n%s", got)
	}
}

// Taking one of several back leaves the others on their days.
func TestTakeBackOneOfSeveral(t *testing.T) {
	scheduled := func() *story {
		return fiveSeats(t).do(quantities("2026-01-10", order("seats", 7))).do(quantities("2026-01-20", order("seats", 9))).
			do(orderQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", 3)}, AtTermEnd: true}))
	}
	scheduled().do(takeBack("quantity", "2026-01-10")).has("seats", "5 2026-01-01..2026-01-19", "9 2026-01-20..2026-01-31", "3 2026-02-01..2026-02-01")
	scheduled().do(takeBack("quantity", "2026-01-20")).has("seats", "5 2026-01-01..2026-01-09", "7 2026-01-10..2026-01-31", "3 2026-02-01..2026-02-01")
	scheduled().do(takeBack("quantity", "2026-02-01")).has("seats", "5 2026-01-01..2026-01-09", "7 2026-01-10..2026-01-19", "9 2026-01-20..2026-01-31").
		until("2026-02-01").has("seats", "5 2026-01-01..2026-01-09", "7 2026-01-10..2026-01-19", "9 2026-01-20..2026-02-28")
}

// The order in which orders are given does not change what counts on a day.
func TestOrdersInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start, _, err := New(withFiveSeats(Draft{Trial: rapid.Bool().Draw(t, "trial")}), offers[monthlyID], d("2026-01-01"))
		if err != nil {
			t.Fatal(err)
		}
		start.ID = 7
		today := start.FirstDay().AddDays(rapid.IntRange(0, 10).Draw(t, "today"))
		orders := drawDatedOrders(t, &start, today)
		want := start
		for _, order := range orders {
			want = accepted(t, order, want, today)
		}
		got := start
		for _, order := range rapid.Permutation(orders).Draw(t, "in another order") {
			got = accepted(t, order, got, today)
		}
		for day := today; day.Before(today.AddDays(90)); day = day.AddDays(1) {
			if a, b := countingOn(t, want, day), countingOn(t, got, day); a != b {
				t.Fatalf("on %s it is %s, in another order %s", day, a, b)
			}
		}
		if a, b := listed(&want), listed(&got); a != b {
			t.Fatalf("scheduled:\n%s\nin another order\n%s", a, b)
		}
	})
}

// drawDatedOrders draws orders for different days, of which each can be given
// at any time, and a change of plan at the end of the term.
func drawDatedOrders(t *rapid.T, s *Subscription, today billing.Date) []action {
	type dated struct {
		code string
		on   billing.Date
	}
	var orders []action
	given := map[dated]bool{}
	for range rapid.IntRange(2, 6).Draw(t, "orders") {
		o := dated{rapid.SampledFrom([]string{"seats", "space", "base"}).Draw(t, "code"), today.AddDays(rapid.IntRange(0, today.DaysUntil(s.EndDate)+1).Draw(t, "day"))}
		n := rapid.SampledFrom([]int{5, 5, 6, 7, 50}).Draw(t, "quantity")
		if given[o] {
			continue
		}
		given[o] = true
		orders = append(orders, orderQuantities(QuantityUpdate{Orders: []QuantityOrder{order(o.code, n)}, StartDate: &o.on, Scheduled: KeepScheduled}))
	}
	lost := slices.Collect(func(yield func(dated) bool) {
		for o := range given {
			if o.code == "space" && !o.on.Before(s.TermEnd()) && !yield(o) {
				return
			}
		}
	})
	if rapid.Bool().Draw(t, "plan") && len(lost) == 0 {
		orders = append(orders, plan(annualID, true))
	}
	return orders
}

func accepted(t *rapid.T, order action, s Subscription, today billing.Date) Subscription {
	next, _, err := order(s, today)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return next
}

// countingOn is what counts on a day, if nobody does anything until then.
func countingOn(t *rapid.T, s Subscription, day billing.Date) string {
	then, err := s.BroughtTo(day, findOffer)
	if err != nil {
		t.Fatal(err)
	}
	var counting []string
	for i := range then.Charges {
		if line := &then.Charges[i]; line.covers(day) && !line.Off {
			counting = append(counting, fmt.Sprintf("%s=%s", line.Code, inWords(line.Quantity)))
		}
	}
	slices.Sort(counting)
	return fmt.Sprint(then.State, counting)
}
