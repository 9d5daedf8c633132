package billing

import (
	"reflect"
	"testing"
)

func TestPlanChangeNow(t *testing.T) {
	y := fiveSeats(t).do(quantities("2026-01-20", order("seats", 60))).until("2026-01-10").do(plan(annualID, false))
	y.is("ACTIVE 2026-01-01..2026-01-31").
		has("seats", "5 2026-01-01..2026-01-09").has("licences", "5 2026-01-10..2026-01-19", "50 2026-01-20..2026-01-31").
		has("setup", "- 2026-01-01..2026-01-01", "- 2026-01-10..2026-01-10").has("base", "- 2026-01-01..2026-01-09", "- 2026-01-10..2026-01-31")
	if y.s.PriceListID != annualID || y.s.RenewalTermMonths != 12 {
		t.Errorf("is on list %d for %d months", y.s.PriceListID, y.s.RenewalTermMonths)
	}
	want := map[string]any{"fromPriceListId": monthlyID, "toPriceListId": annualID}
	if !reflect.DeepEqual(y.change.Detail, want) {
		t.Errorf("detail is %v", y.change.Detail)
	}
	y.until("2026-02-01").is("ACTIVE 2026-02-01..2027-01-31 paid from 2026-01-01").
		happened(
			"2026-01-01 quantity.scheduled ACTIVE>ACTIVE",
			"2026-01-10 plan.changed ACTIVE>ACTIVE",
			"2026-01-20 quantity.changed ACTIVE>ACTIVE",
			"2026-02-01 subscription.renewed ACTIVE>ACTIVE",
		).has("licences", "5 2026-01-10..2026-01-19", "50 2026-01-20..2027-01-31")
}

func TestPlanChangeAtTermEnd(t *testing.T) {
	y := fiveSeats(t).until("2026-01-10").do(plan(annualID, true)).
		is("ACTIVE 2026-01-01..2026-01-31 list 20 on 2026-02-01").
		do(quantities("2026-01-20", order("seats", 8))).until("2026-02-01").
		is("ACTIVE 2026-02-01..2027-01-31 paid from 2026-01-01").
		has("seats", "5 2026-01-01..2026-01-19", "8 2026-01-20..2026-01-31").
		has("licences", "8 2026-02-01..2027-01-31").has("setup", "- 2026-01-01..2026-01-01", "- 2026-02-01..2026-02-01")
	if y.s.PriceListID != annualID {
		t.Errorf("is on list %d", y.s.PriceListID)
	}
}

// Before the first paid term begins, the new list says how long it is.
func TestPlanChangeBeforeThePaidTerm(t *testing.T) {
	pending := SubscriptionDraft{StartDate: at(d("2026-02-01")), Quantities: []QuantityOrder{order("seats", 5)}}
	trial := SubscriptionDraft{Trial: true, Evergreen: true, Quantities: []QuantityOrder{order("seats", 5)}}
	own := trial
	own.EndDate = at(d("2026-06-30"))
	newStory(t, "2026-01-01", monthlyID, pending).do(plan(annualID, false)).
		is("PENDING 2026-02-01..2027-01-31").has("seats").has("licences", "5 2026-02-01..2027-01-31").has("setup", "- 2026-02-01..2026-02-01")
	newStory(t, "2026-01-01", monthlyID, trial).until("2026-01-05").do(cancel("2026-02-15")).do(plan(annualID, false)).
		is("TRIAL 2026-01-15..2027-01-14 trial 2026-01-01..2026-01-14 canceled 2026-02-15").
		has("seats", "5 2026-01-01..2026-01-04").has("licences", "5 2026-01-05..2027-01-14")
	newStory(t, "2026-01-01", monthlyID, own).do(plan(annualID, false)).
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
}

func TestPlanChangeTakenBack(t *testing.T) {
	for _, atTermEnd := range []bool{false, true} {
		fiveSeats(t).do(plan(annualID, true)).do(plan(monthlyID, atTermEnd)).is("ACTIVE 2026-01-01..2026-01-31").until("2026-02-01").
			happened("2026-01-01 plan.scheduled ACTIVE>ACTIVE", "2026-01-01 plan.unscheduled ACTIVE>ACTIVE", "2026-02-01 subscription.renewed ACTIVE>ACTIVE")
	}
}

func TestPlanChangeReplacesASchedule(t *testing.T) {
	fiveSeats(t).do(plan(annualID, true)).do(plan(splitID, true)).is("ACTIVE 2026-01-01..2026-01-31 list 30 on 2026-02-01").
		do(plan(annualID, false)).is("ACTIVE 2026-01-01..2026-12-31")
}

func TestPlanChangeThereAndBackInADay(t *testing.T) {
	fiveSeats(t).until("2026-01-10").do(plan(annualID, false)).do(plan(monthlyID, false)).
		has("licences").has("seats", "5 2026-01-01..2026-01-09", "5 2026-01-10..2026-01-31").
		until("2026-02-01").has("seats", "5 2026-01-01..2026-01-09", "5 2026-01-10..2026-02-28")
}

func TestPlanChangeToAnotherProduct(t *testing.T) {
	for _, atTermEnd := range []bool{false, true} {
		fiveSeats(t).do(plan(foreignID, atTermEnd)).happened("2026-01-01 INVALID priceListCode").said("another product")
	}
}

func TestPlanChangeAtTheEndOfTime(t *testing.T) {
	y := newStory(t, "2026-01-01", monthlyID, SubscriptionDraft{StartDate: at(d("9998-06-01"))})
	y.log = nil
	y.do(plan(annualID, false)).happened("2026-01-01 INVALID priceListCode")
}

// Quantities go on as the charge that is most alike.
func TestPlanChangeMatchesCharges(t *testing.T) {
	split := func() *story {
		return newStory(t, "2026-01-01", splitID, SubscriptionDraft{Evergreen: true, Quantities: []QuantityOrder{order("seats", 30), order("extra", 4)}})
	}
	split().until("2026-01-10").do(quantities("2026-01-20", order("extra", 40))).do(quantities("2026-01-25", order("seats", 1))).do(plan(annualID, false)).
		has("licences", "34 2026-01-10..2026-01-19", "50 2026-01-20..2026-01-24", "41 2026-01-25..2026-01-31")
	split().until("2026-01-10").do(plan(monthlyID, false)).has("seats", "30 2026-01-01..2026-01-09", "34 2026-01-10..2026-01-31")
	fiveSeats(t).until("2026-01-10").do(plan(splitID, false)).
		has("seats", "5 2026-01-01..2026-01-09", "5 2026-01-10..2026-01-31").has("extra", "- 2026-01-10..2026-01-31")
}

func TestLikeness(t *testing.T) {
	line := func(code string, kind ChargeType, feature *FeatureID) *SubscriptionCharge {
		return &SubscriptionCharge{Code: code, Type: kind, FeatureID: feature}
	}
	charge := recurring(1, "seats", ptr(usersID))
	plain := recurring(2, "base", nil)
	once := Charge{Code: "setup", ChargeType: OneTime}
	for _, c := range []struct {
		name   string
		charge Charge
		line   *SubscriptionCharge
		want   int
	}{
		{"same code and feature", charge, line("seats", Recurring, ptr(usersID)), 3},
		{"same feature", charge, line("licences", Recurring, ptr(usersID)), 2},
		{"same code, no feature before", charge, line("seats", Recurring, nil), 1},
		{"same code, no feature after", plain, line("base", Recurring, ptr(usersID)), 1},
		{"same code, another feature", charge, line("seats", Recurring, ptr(storageID)), 0},
		{"another code, no feature", plain, line("seats", Recurring, nil), 0},
		{"another type", charge, line("seats", Usage, ptr(usersID)), 0},
		{"due once", once, line("setup", OneTime, nil), 0},
	} {
		if got := c.charge.likeness(c.line); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// A quantity becomes the nearest that the new charge sells.
func TestPlanChangeKeepsToBounds(t *testing.T) {
	y := newStory(t, "2026-01-01", monthlyID, SubscriptionDraft{Quantities: []QuantityOrder{order("seats", 2)}})
	y.until("2026-01-10").do(plan(annualID, false)).has("licences", "5 2026-01-10..2026-01-31")
	huge := recurring(1, "seats", nil)
	if n := huge.within(ptr(MaxQuantity + 1)); *n != MaxQuantity {
		t.Errorf("%d is more than a quantity may be", *n)
	}
}

// Quantities that no charge quotes stay without one.
func TestPlanChangeWithoutQuantities(t *testing.T) {
	newStory(t, "2026-01-01", monthlyID, SubscriptionDraft{}).until("2026-01-10").do(plan(annualID, false)).
		has("licences", "- 2026-01-10..2026-01-31")
	fiveSeats(t).do(quantities("2026-01-10", QuantityOrder{Code: "seats"})).until("2026-01-10").do(plan(annualID, false)).
		has("licences", "- 2026-01-10..2026-01-31")
}
