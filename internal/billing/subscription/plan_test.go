package subscription

import (
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// Numbers and what is scheduled are carried over, and a term of another length
// starts today.
func TestPlanChangeNow(t *testing.T) {
	y := fiveSeats(t).do(quantities("2026-01-20", order("seats", 50))).until("2026-01-10").do(plan(annualID, false))
	y.is("ACTIVE 2026-01-10..2027-01-09 paid from 2026-01-01").
		has("seats", "5 2026-01-01..2026-01-09").has("licences", "5 2026-01-10..2026-01-19", "50 2026-01-20..2027-01-09").
		has("setup", "- 2026-01-01..2026-01-01").has("base", "- 2026-01-01..2026-01-09", "- 2026-01-10..2027-01-09")
	if y.s.PriceListID != annualID || y.s.RenewalTermMonths != 12 {
		t.Errorf("is on list %d for %d months", y.s.PriceListID, y.s.RenewalTermMonths)
	}
	want := map[string]any{"fromPriceListId": monthlyID, "toPriceListId": annualID, "endDate": "2027-01-09"}
	if !reflect.DeepEqual(y.change.Detail, want) {
		t.Errorf("detail is %v", y.change.Detail)
	}
	y.until("2027-01-10").is("ACTIVE 2027-01-10..2028-01-09 paid from 2026-01-01").
		happened(
			"2026-01-01 quantity.scheduled ACTIVE>ACTIVE",
			"2026-01-10 plan.changed ACTIVE>ACTIVE",
			"2026-01-20 quantity.changed ACTIVE>ACTIVE",
			"2027-01-10 subscription.renewed ACTIVE>ACTIVE",
		).has("licences", "5 2026-01-10..2026-01-19", "50 2026-01-20..2028-01-09")
}

func TestPlanChangeAndTheTerm(t *testing.T) {
	split := PlanUpdate{Quantities: []QuantityOrder{order("extra", 0)}}
	for _, c := range []struct {
		name string
		list billing.PriceListID
		u    PlanUpdate
		term TermChange
		want string
	}{
		{"another length", annualID, PlanUpdate{}, "", "ACTIVE 2026-01-10..2027-01-09 paid from 2026-01-01"},
		{"another length, kept", annualID, PlanUpdate{}, KeepTerm, "ACTIVE 2026-01-01..2026-01-31"},
		{"another length, restarted", annualID, PlanUpdate{}, RestartTerm, "ACTIVE 2026-01-10..2027-01-09 paid from 2026-01-01"},
		{"the same length", splitID, split, "", "ACTIVE 2026-01-01..2026-01-31"},
		{"the same length, kept", splitID, split, KeepTerm, "ACTIVE 2026-01-01..2026-01-31"},
		{"the same length, restarted", splitID, split, RestartTerm, "ACTIVE 2026-01-10..2026-02-09 paid from 2026-01-01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.u.Term = c.term
			fiveSeats(t).until("2026-01-10").do(changePlan(c.list, c.u)).is(c.want)
		})
	}
	fiveSeats(t).until("2026-01-10").do(changePlan(annualID, PlanUpdate{Term: KeepTerm})).until("2026-02-01").
		is("ACTIVE 2026-02-01..2027-01-31 paid from 2026-01-01")
	fiveSeats(t).do(changePlan(annualID, PlanUpdate{AtTermEnd: true, Term: RestartTerm})).happened("2026-01-01 INVALID term")
	// A term from the end of a month has that as its anchor.
	fiveSeats(t).until("2026-01-31").do(changePlan(splitID, PlanUpdate{Quantities: split.Quantities, Term: RestartTerm})).until("2026-03-31").
		is("ACTIVE 2026-03-31..2026-04-29 paid from 2026-01-01")
}

// Every number fits what the new price list sells, or the call is refused and
// says which does not.
func TestPlanChangeNeedsNumbersThatFit(t *testing.T) {
	seats := func(n int) *story {
		y := newStory(t, "2026-01-01", monthlyID, Draft{Evergreen: true, Quantities: []QuantityOrder{order("seats", n)}}).until("2026-01-10")
		y.log = nil
		return y
	}
	licences := func(n int) PlanUpdate { return PlanUpdate{Quantities: []QuantityOrder{order("licences", n)}} }
	for _, later := range []bool{false, true} {
		update := func(u PlanUpdate) PlanUpdate { u.AtTermEnd = later; return u }
		seats(2).do(changePlan(annualID, update(PlanUpdate{}))).happened("2026-01-10 INVALID quantities").said(`"annual" sells "licences" in quantities of 5 to 50, and the subscription has 2`)
		seats(60).do(changePlan(annualID, update(PlanUpdate{}))).happened("2026-01-10 INVALID quantities").said("and the subscription has 60")
		seats(60).do(changePlan(annualID, update(licences(60)))).happened("2026-01-10 INVALID quantities.0.quantity").said("of 5 to 50, not 60")
		seats(5).do(changePlan(annualID, update(PlanUpdate{Quantities: []QuantityOrder{{Code: "licences"}}}))).happened("2026-01-10 REQUIRED quantities.0.quantity").said(`"licences" is sold by the number: give one (5 to 50)`)
		seats(5).do(changePlan(annualID, update(PlanUpdate{Quantities: []QuantityOrder{order("setup", 1)}}))).happened("2026-01-10 INVALID quantities.0.code").said("due once")
		seats(5).do(changePlan(splitID, update(PlanUpdate{}))).happened("2026-01-10 REQUIRED quantities").said(`sells "extra" by the number, and the subscription has none to carry over`)
		seats(60).do(changePlan(annualID, update(licences(50)))).until("2026-02-01")
	}
	seats(60).do(changePlan(annualID, licences(50))).has("licences", "50 2026-01-10..2027-01-09")
	seats(60).do(changePlan(annualID, PlanUpdate{AtTermEnd: true, Quantities: []QuantityOrder{order("users", 50)}})).until("2026-02-01").
		has("licences", "50 2026-02-01..2027-01-31")
	// Of storage the plan includes a number, so it needs none.
	newStory(t, "2026-01-01", splitID, Draft{Quantities: []QuantityOrder{order("seats", 4)}}).do(plan(monthlyID, false)).
		has("seats", "5 2026-01-01..2026-01-31").has("space")
}

func TestPlanChangeAtTermEnd(t *testing.T) {
	y := fiveSeats(t).until("2026-01-10").do(plan(annualID, true)).
		is("ACTIVE 2026-01-01..2026-01-31 list 20 on 2026-02-01").
		do(quantities("2026-01-20", order("seats", 8))).until("2026-02-01").
		is("ACTIVE 2026-02-01..2027-01-31 paid from 2026-01-01").
		has("seats", "5 2026-01-01..2026-01-19", "8 2026-01-20..2026-01-31").
		has("licences", "8 2026-02-01..2027-01-31").has("setup", "- 2026-01-01..2026-01-01")
	if y.s.PriceListID != annualID {
		t.Errorf("is on list %d", y.s.PriceListID)
	}
}

// Nothing is scheduled for a term that will not be.
func TestPlanChangeAtTheEndOfTheLastTerm(t *testing.T) {
	fiveSeats(t).do(autoRenew(false)).do(plan(annualID, true)).said("does not renew")
	fiveSeats(t).do(cancel("2026-01-20")).do(plan(annualID, true)).said("ends on 2026-01-20")
	newStory(t, "2026-01-01", monthlyID, cancelingTrialDraft).do(plan(annualID, true)).said("ends with its trial")
	newStory(t, "2026-01-01", monthlyID, trialDraft).do(cancel("2026-02-01")).do(plan(annualID, true)).said("after the plan would change")
}

// Once scheduled, a change of plan is possible on its day: what would spoil it
// is refused.
func TestNothingSpoilsAScheduledPlan(t *testing.T) {
	scheduled := func() *story { y := fiveSeats(t).do(plan(annualID, true)); y.log = nil; return y }
	scheduled().do(quantities("", order("seats", 60))).happened("2026-01-01 NOT_ALLOWED quantities").said("The plan is to change on 2026-02-01")
	scheduled().do(quantities("2026-02-01", order("seats", 60))).happened("2026-01-01 NOT_ALLOWED quantities")
	scheduled().do(quantities("2026-02-01", order("seats", 40))).until("2026-02-01").has("licences", "40 2026-02-01..2027-01-31")
	given := fiveSeats(t).do(changePlan(annualID, PlanUpdate{AtTermEnd: true, Quantities: []QuantityOrder{order("licences", 7)}}))
	given.log = nil
	given.do(quantities("", order("seats", 60))).do(quantities("2026-02-01", order("seats", 40))).
		happened("2026-01-01 quantity.changed ACTIVE>ACTIVE", "2026-01-01 NOT_ALLOWED quantities").said("7 is given for the same day")
	fiveSeats(t).do(quantities("", order("seats", 2))).do(quantities("2026-01-20", order("seats", 9))).do(plan(annualID, true)).
		do(takeBack("quantity", "2026-01-20")).said("The plan is to change on 2026-02-01")
}

// The same change of plan twice is one, also if it may replace what is scheduled.
func TestPlanScheduledTwice(t *testing.T) {
	replace := PlanUpdate{AtTermEnd: true, Scheduled: ReplaceScheduled}
	y := fiveSeats(t).do(plan(annualID, true))
	y.log = nil
	y.do(changePlan(annualID, replace)).happened("2026-01-01 nothing")
	y.log = nil
	y.do(quantities("2026-02-01", order("seats", 6))).do(changePlan(annualID, replace)).
		happened("2026-01-01 quantity.scheduled ACTIVE>ACTIVE", "2026-01-01 plan.scheduled ACTIVE>ACTIVE")
}

// Before the first paid term begins, the new list says how long it is.
func TestPlanChangeBeforeThePaidTerm(t *testing.T) {
	pending := Draft{StartDate: at(d("2026-02-01")), Quantities: []QuantityOrder{order("seats", 5)}}
	trial := Draft{Trial: true, Evergreen: true, Quantities: []QuantityOrder{order("seats", 5)}}
	own := trial
	own.EndDate = at(d("2026-06-30"))
	newStory(t, "2026-01-01", monthlyID, pending).do(plan(annualID, false)).
		is("PENDING 2026-02-01..2027-01-31").has("seats").has("licences", "5 2026-02-01..2027-01-31").has("setup", "- 2026-02-01..2026-02-01")
	newStory(t, "2026-01-01", monthlyID, trial).until("2026-01-05").do(cancel("2026-02-15")).do(plan(annualID, false)).
		is("TRIAL 2026-01-15..2027-01-14 trial 2026-01-01..2026-01-14 canceled 2026-02-15").
		has("seats", "5 2026-01-01..2026-01-04").has("licences", "5 2026-01-05..2027-01-14")
	newStory(t, "2026-01-01", monthlyID, own).do(plan(annualID, false)).
		is("TRIAL 2026-01-15..2027-01-14 trial 2026-01-01..2026-01-14")
	newStory(t, "2026-01-01", monthlyID, own).do(changePlan(annualID, PlanUpdate{Term: KeepTerm})).
		is("TRIAL 2026-01-15..2026-06-30 trial 2026-01-01..2026-01-14")
	newStory(t, "2026-01-01", monthlyID, trial).do(plan(annualID, true)).
		is("TRIAL 2026-01-15..2026-02-14 trial 2026-01-01..2026-01-14 list 20 on 2026-01-15").
		until("2026-01-15").is("ACTIVE 2026-01-15..2027-01-14 trial 2026-01-01..2026-01-14").
		has("seats", "5 2026-01-01..2026-01-14").has("licences", "5 2026-01-15..2027-01-14")
}

func TestPlanChangeThatIsSoAlready(t *testing.T) {
	fiveSeats(t).do(plan(monthlyID, false)).do(plan(monthlyID, true)).
		do(plan(annualID, true)).do(plan(annualID, true)).
		happened("2026-01-01 nothing", "2026-01-01 nothing", "2026-01-01 plan.scheduled ACTIVE>ACTIVE", "2026-01-01 nothing")
	fiveSeats(t).do(changePlan(monthlyID, PlanUpdate{Quantities: []QuantityOrder{order("seats", 6)}})).
		happened("2026-01-01 INVALID quantities").said("change its quantities instead")
}

func TestPlanChangeTakenBack(t *testing.T) {
	for _, back := range []action{plan(monthlyID, false), plan(monthlyID, true), takeBack("plan", "2026-02-01")} {
		fiveSeats(t).do(plan(annualID, true)).do(back).is("ACTIVE 2026-01-01..2026-01-31").until("2026-02-01").
			happened("2026-01-01 plan.scheduled ACTIVE>ACTIVE", "2026-01-01 plan.unscheduled ACTIVE>ACTIVE", "2026-02-01 subscription.renewed ACTIVE>ACTIVE")
	}
}

// A change of plan that is scheduled stays, goes or refuses another one, as the
// caller says.
func TestPlanChangeWithAnotherScheduled(t *testing.T) {
	extra := []QuantityOrder{order("extra", 0)}
	scheduled := func() *story { y := fiveSeats(t).do(plan(annualID, true)); y.log = nil; return y }
	now, later := PlanUpdate{Quantities: extra}, PlanUpdate{Quantities: extra, AtTermEnd: true}
	with := func(u PlanUpdate, s Scheduled) PlanUpdate { u.Scheduled = s; return u }
	scheduled().do(changePlan(splitID, now)).happened("2026-01-01 NOT_ALLOWED scheduled").said("scheduled for 2026-02-01 already")
	scheduled().do(changePlan(splitID, later)).happened("2026-01-01 NOT_ALLOWED scheduled").said("scheduled: REPLACE")
	scheduled().do(changePlan(splitID, with(later, KeepScheduled))).happened("2026-01-01 NOT_ALLOWED scheduled")
	scheduled().do(changePlan(splitID, with(later, ReplaceScheduled))).is("ACTIVE 2026-01-01..2026-01-31 list 30 on 2026-02-01")
	scheduled().do(changePlan(splitID, with(now, ReplaceScheduled))).is("ACTIVE 2026-01-01..2026-01-31")
	scheduled().do(changePlan(splitID, with(now, KeepScheduled))).is("ACTIVE 2026-01-01..2026-01-31 list 20 on 2026-02-01").
		until("2026-02-01").has("seats", "5 2026-01-01..2026-01-31").has("licences", "5 2026-02-01..2027-01-31")
	scheduled().do(changePlan(annualID, PlanUpdate{Scheduled: KeepScheduled})).said("give scheduled: REPLACE to make it now")
	scheduled().do(changePlan(annualID, PlanUpdate{Scheduled: ReplaceScheduled})).is("ACTIVE 2026-01-01..2026-12-31")
	restart := with(now, KeepScheduled)
	restart.Term = RestartTerm
	scheduled().until("2026-01-10").do(changePlan(splitID, restart)).said("a term that restarts would end on 2026-02-09")
}

// What is scheduled stays on its day, or the change is refused.
func TestPlanChangeKeepsSchedules(t *testing.T) {
	fiveSeats(t).do(cancel("")).until("2026-01-10").do(plan(annualID, false)).happened(
		"2026-01-01 cancellation.scheduled ACTIVE>ACTIVE", "2026-01-10 NOT_ALLOWED term").said("to end on 2026-02-01")
	fiveSeats(t).do(cancel("")).do(changePlan(annualID, PlanUpdate{Term: KeepTerm})).is("ACTIVE 2026-01-01..2026-01-31 canceled 2026-02-01")
	fiveSeats(t).do(cancel("2026-01-20")).do(plan(annualID, false)).is("ACTIVE 2026-01-01..2026-12-31 canceled 2026-01-20")

	space := func() *story {
		y := fiveSeats(t).do(quantities("2026-01-20", order("space", 30)))
		y.log = nil
		return y
	}
	space().do(plan(annualID, false)).happened("2026-01-01 NOT_ALLOWED scheduled").said(`A change of "space" to 30 on 2026-01-20 is scheduled, and the price list "annual" has no such charge`)
	space().do(changePlan(annualID, PlanUpdate{Scheduled: ReplaceScheduled})).is("ACTIVE 2026-01-01..2026-12-31").has("space")

	many := func() *story {
		y := fiveSeats(t).do(quantities("2026-01-20", order("seats", 60)))
		y.log = nil
		return y
	}
	many().do(plan(annualID, false)).happened("2026-01-01 INVALID scheduled").said("60 is scheduled for 2026-01-20")
	fewer := PlanUpdate{Quantities: []QuantityOrder{order("licences", 8)}}
	some := func() *story {
		y := fiveSeats(t).do(quantities("2026-01-20", order("seats", 20)))
		y.log = nil
		return y
	}
	some().do(changePlan(annualID, fewer)).happened("2026-01-01 NOT_ALLOWED scheduled").said("KEEP to have 8 until then")
	fewer.Scheduled = KeepScheduled
	some().do(changePlan(annualID, fewer)).has("licences", "8 2026-01-01..2026-01-19", "20 2026-01-20..2026-12-31")
	fewer.Scheduled = ReplaceScheduled
	some().do(changePlan(annualID, fewer)).has("licences", "8 2026-01-01..2026-12-31")
	many().do(changePlan(annualID, PlanUpdate{Scheduled: ReplaceScheduled})).has("licences", "5 2026-01-01..2026-12-31")
}

func TestPlanChangeThereAndBackInADay(t *testing.T) {
	fiveSeats(t).until("2026-01-10").do(changePlan(annualID, PlanUpdate{Term: KeepTerm})).do(changePlan(monthlyID, PlanUpdate{Term: KeepTerm})).
		has("licences").has("seats", "5 2026-01-01..2026-01-09", "5 2026-01-10..2026-01-31").
		until("2026-02-01").has("seats", "5 2026-01-01..2026-01-09", "5 2026-01-10..2026-02-28")
}

func TestPlanChangeToAnotherProduct(t *testing.T) {
	for _, atTermEnd := range []bool{false, true} {
		fiveSeats(t).do(plan(foreignID, atTermEnd)).happened("2026-01-01 INVALID priceListCode").said("another product")
	}
}

func TestPlanChangeAtTheEndOfTime(t *testing.T) {
	y := newStory(t, "2026-01-01", monthlyID, Draft{StartDate: at(d("9998-06-01")), Quantities: []QuantityOrder{order("seats", 5)}})
	y.log = nil
	y.do(plan(annualID, false)).happened("2026-01-01 INVALID priceListCode")
}

// Quantities go on as the charge that is most alike.
func TestPlanChangeMatchesCharges(t *testing.T) {
	split := func() *story {
		return newStory(t, "2026-01-01", splitID, Draft{Evergreen: true, Quantities: []QuantityOrder{order("seats", 30), order("extra", 4)}})
	}
	split().until("2026-01-10").do(quantities("2026-01-20", order("extra", 20))).do(quantities("2026-01-25", order("seats", 1))).do(plan(annualID, false)).
		has("licences", "34 2026-01-10..2026-01-19", "50 2026-01-20..2026-01-24", "21 2026-01-25..2027-01-09")
	split().until("2026-01-10").do(plan(monthlyID, false)).has("seats", "30 2026-01-01..2026-01-09", "34 2026-01-10..2026-01-31")
	fiveSeats(t).until("2026-01-10").do(changePlan(splitID, PlanUpdate{Quantities: []QuantityOrder{order("extra", 3)}})).
		has("seats", "5 2026-01-01..2026-01-09", "5 2026-01-10..2026-01-31").has("extra", "3 2026-01-10..2026-01-31")
}

func TestLikeness(t *testing.T) {
	line := func(code string, kind catalog.ChargeType, feature *billing.FeatureID) *Line {
		return &Line{Code: code, Type: kind, FeatureID: feature}
	}
	charge := recurring(1, "seats", new(usersID))
	plain := recurring(2, "base", nil)
	once := catalog.Charge{Code: "setup", ChargeType: catalog.OneTime}
	for _, c := range []struct {
		name   string
		charge catalog.Charge
		line   *Line
		want   int
	}{
		{"same code and feature", charge, line("seats", catalog.Recurring, new(usersID)), 3},
		{"same feature", charge, line("licences", catalog.Recurring, new(usersID)), 2},
		{"same code, no feature before", charge, line("seats", catalog.Recurring, nil), 1},
		{"same code, no feature after", plain, line("base", catalog.Recurring, new(usersID)), 1},
		{"same code, another feature", charge, line("seats", catalog.Recurring, new(storageID)), 0},
		{"another code, no feature", plain, line("seats", catalog.Recurring, nil), 0},
		{"another type", charge, line("seats", catalog.Usage, new(usersID)), 0},
		{"due once", once, line("setup", catalog.OneTime, nil), 0},
	} {
		if got := c.line.likeness(&c.charge); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
