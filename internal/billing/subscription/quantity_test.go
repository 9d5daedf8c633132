package subscription

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

func fiveSeats(t *testing.T) *story {
	t.Helper()
	y := newStory(t, "2026-01-01", monthlyID, Draft{Evergreen: true, Quantities: []QuantityOrder{order("seats", 5)}})
	y.log = nil
	return y
}

func TestQuantityNowAndLater(t *testing.T) {
	fiveSeats(t).until("2026-01-10").do(quantities("", order("seats", 8))).
		happened("2026-01-10 quantity.changed ACTIVE>ACTIVE").
		has("seats", "5 2026-01-01..2026-01-09", "8 2026-01-10..2026-01-31").
		do(quantities("2026-01-20", order("users", 9), order("space", 2))).
		do(quantities("2026-01-25", order("seats", 10))).
		happened("2026-01-10 quantity.scheduled ACTIVE>ACTIVE", "2026-01-10 quantity.scheduled ACTIVE>ACTIVE").
		has("space", "2 2026-01-20..2026-01-31").
		until("2026-02-01").
		happened("2026-01-20 quantity.changed ACTIVE>ACTIVE", "2026-01-25 quantity.changed ACTIVE>ACTIVE", "2026-02-01 subscription.renewed ACTIVE>ACTIVE").
		has("seats", "5 2026-01-01..2026-01-09", "8 2026-01-10..2026-01-19", "9 2026-01-20..2026-01-24", "10 2026-01-25..2026-02-28")
}

func TestQuantityDetail(t *testing.T) {
	y := fiveSeats(t).do(quantities("2026-01-20", order("users", 9), order("base", 0)))
	want := map[string]any{"quantities": map[string]any{"seats": 9, "base": 0}, "startDate": "2026-01-20"}
	if !reflect.DeepEqual(y.change.Detail, want) {
		t.Errorf("detail is %v", y.change.Detail)
	}
}

// What is scheduled for later refuses another order, unless it says what becomes
// of it.
func TestQuantityBeforeAScheduledOne(t *testing.T) {
	scheduled := func() *story {
		y := fiveSeats(t).do(quantities("2026-01-20", order("seats", 9)))
		y.log = nil
		return y
	}
	seats := func(from string, n int, s Scheduled) action {
		return orderQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", n)}, StartDate: at(d(from)), Scheduled: s})
	}
	scheduled().do(seats("2026-01-10", 7, "")).happened("2026-01-01 NOT_ALLOWED scheduled").said(`A change of "seats" to 9 on 2026-01-20 is scheduled already`)
	scheduled().do(seats("2026-01-01", 7, "")).happened("2026-01-01 NOT_ALLOWED scheduled").said("scheduled: KEEP to have 7 until then")
	scheduled().do(seats("2026-01-20", 7, "")).happened("2026-01-01 NOT_ALLOWED scheduled").said("scheduled: REPLACE to order 7 instead")
	scheduled().do(seats("2026-01-20", 7, KeepScheduled)).happened("2026-01-01 NOT_ALLOWED scheduled")
	scheduled().do(seats("2026-01-20", 9, "")).happened("2026-01-01 nothing")
	scheduled().do(seats("2026-01-25", 7, "")).has("seats", "5 2026-01-01..2026-01-19", "9 2026-01-20..2026-01-24", "7 2026-01-25..2026-01-31")
	scheduled().do(seats("2026-01-10", 7, KeepScheduled)).do(seats("2026-01-01", 6, KeepScheduled)).
		has("seats", "6 2026-01-01..2026-01-09", "7 2026-01-10..2026-01-19", "9 2026-01-20..2026-01-31")
	scheduled().do(seats("2026-01-10", 7, ReplaceScheduled)).has("seats", "5 2026-01-01..2026-01-09", "7 2026-01-10..2026-01-31")
	scheduled().do(seats("2026-01-20", 7, ReplaceScheduled)).has("seats", "5 2026-01-01..2026-01-19", "7 2026-01-20..2026-01-31")
	scheduled().do(seats("2026-01-01", 5, ReplaceScheduled)).has("seats", "5 2026-01-01..2026-01-31").happened("2026-01-01 quantity.changed ACTIVE>ACTIVE")
	scheduled().do(quantities("", order("space", 7))).happened("2026-01-01 quantity.changed ACTIVE>ACTIVE")
}

// An order with the present number is kept like any other: until its day comes,
// another may be ordered.
func TestQuantityOrderIsKept(t *testing.T) {
	fiveSeats(t).do(quantities("2026-01-20", order("seats", 5))).
		do(orderQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", 20)}, StartDate: at(d("2026-01-10")), Scheduled: KeepScheduled})).
		has("seats", "5 2026-01-01..2026-01-09", "20 2026-01-10..2026-01-19", "5 2026-01-20..2026-01-31")
	fiveSeats(t).do(quantities("2026-01-10", order("seats", 20))).do(quantities("2026-01-20", order("seats", 5))).
		has("seats", "5 2026-01-01..2026-01-09", "20 2026-01-10..2026-01-19", "5 2026-01-20..2026-01-31")
}

// A change that is taken back on its own day leaves nothing behind.
func TestQuantityTakenBackAtOnce(t *testing.T) {
	y := fiveSeats(t).until("2026-01-10").do(quantities("", order("seats", 9))).do(quantities("", order("seats", 5))).
		has("seats", "5 2026-01-01..2026-01-31")
	if id := linesOf(&y.s, "seats")[0].ID; id != 2 {
		t.Errorf("the line that stays has id %d", id)
	}
}

// A quantity can be ordered for the first day of the next term, if there will
// be one.
func TestQuantityFromTheNextTerm(t *testing.T) {
	fewer := orderQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", 3)}, AtTermEnd: true})
	for _, act := range []action{fewer, quantities("2026-02-01", order("seats", 3))} {
		fiveSeats(t).do(act).until("2026-01-31").has("seats", "5 2026-01-01..2026-01-31", "3 2026-02-01..2026-02-01").until("2026-02-01").
			happened("2026-01-01 quantity.scheduled ACTIVE>ACTIVE", "2026-02-01 subscription.renewed ACTIVE>ACTIVE", "2026-02-01 quantity.changed ACTIVE>ACTIVE").
			has("seats", "5 2026-01-01..2026-01-31", "3 2026-02-01..2026-02-28")
	}
	fiveSeats(t).do(autoRenew(false)).do(fewer).said("does not renew")
	fiveSeats(t).do(autoRenew(false)).do(quantities("2026-02-01", order("seats", 3))).said("from 2026-01-01 to 2026-01-31, not on 2026-02-01")
	fiveSeats(t).do(cancel("2026-01-20")).do(fewer).said("ends on 2026-01-20")
	fiveSeats(t).do(cancel("2026-01-20")).do(quantities("2026-01-20", order("seats", 3))).said("to 2026-01-19, not on 2026-01-20")
	fiveSeats(t).do(orderQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", 3)}, AtTermEnd: true, StartDate: at(d("2026-01-20"))})).happened("2026-01-01 INVALID startDate")
	newStory(t, "2026-01-01", monthlyID, trialDraft).do(fewer).has("seats", "5 2026-01-01..2026-01-14", "3 2026-01-15..2026-02-14")
	newStory(t, "2026-01-01", monthlyID, cancelingTrialDraft).do(fewer).said("ends with its trial")
	newStory(t, "2026-01-01", monthlyID, pendingDraft).do(cancel("2026-01-20")).do(quantities("", order("seats", 3))).said("ends on 2026-01-20, before anything could change")
}

func TestQuantityThatIsSoAlready(t *testing.T) {
	y := fiveSeats(t)
	before := y.s
	y.until("2026-01-10").do(quantities("", order("seats", 5), QuantityOrder{Code: "space"}, QuantityOrder{Code: "base"})).
		happened("2026-01-10 nothing")
	if !reflect.DeepEqual(y.s, before) {
		t.Error("something changed")
	}
}

// A charge is taken off where the plan includes a number, and only there.
func TestQuantityTakenOff(t *testing.T) {
	fiveSeats(t).do(quantities("2026-01-10", QuantityOrder{Code: "seats"})).
		happened("2026-01-01 REQUIRED quantities.0.quantity").said(`The charge "seats" is sold by the number: give one (1 to 100)`)
	y := fiveSeats(t).do(quantities("", order("space", 30))).do(quantities("2026-01-10", QuantityOrder{Code: "space"})).
		has("space", "30 2026-01-01..2026-01-09", "off 2026-01-10..2026-01-31").until("2026-02-01").
		has("space", "30 2026-01-01..2026-01-09", "off 2026-01-10..2026-02-28").
		do(quantities("", order("space", 4))).has("space", "30 2026-01-01..2026-01-09", "off 2026-01-10..2026-01-31", "4 2026-02-01..2026-02-28")
	storage := func(day string) string {
		return shown(y.s.FeaturesOn(d(day), &catalog.PlanContents{Features: []catalog.IncludedFeature{included(storageID, "storage", catalog.Quantity, 0, "10")}}))
	}
	if got := storage("2026-02-01"); got != "storage=:4" {
		t.Errorf("gives %s", got)
	}
	y.do(quantities("", QuantityOrder{Code: "space"}))
	if got := storage("2026-02-01"); got != "storage=:10" {
		t.Errorf("taken off it gives %s", got)
	}
	fiveSeats(t).do(quantities("", order("base", 2))).do(quantities("", QuantityOrder{Code: "base"})).has("base", "- 2026-01-01..2026-01-31")
}

// What nobody quotes follows from the charge and the plan, and is never without
// a limit.
func TestQuantityThatNobodyQuoted(t *testing.T) {
	charge := func(least, most *int, kind catalog.ChargeType) catalog.Charge {
		return catalog.Charge{ID: 1, Code: "seats", FeatureID: new(usersID), ChargeType: kind, QuantityMin: least, QuantityMax: most}
	}
	for _, c := range []struct {
		name     string
		charge   catalog.Charge
		kind     catalog.FeatureKind
		included *int
		want     string
	}{
		{"the minimum", charge(new(50), nil, catalog.Recurring), catalog.Quantity, nil, "50"},
		{"the minimum, although some are included", charge(new(50), nil, catalog.Recurring), catalog.Quantity, new(5), "50"},
		{"none, where some are included", charge(nil, nil, catalog.Recurring), catalog.Quantity, new(5), "no line"},
		{"one", charge(nil, new(9), catalog.Recurring), catalog.Quantity, nil, "1"},
		{"none of what is not sold", charge(nil, new(0), catalog.Recurring), catalog.Quantity, nil, "0"},
		{"one, due once", charge(nil, nil, catalog.OneTime), catalog.Quantity, nil, "1"},
		{"no number of what is counted", charge(nil, nil, catalog.Usage), catalog.Quantity, nil, "-"},
		{"no number of what is there or not", charge(nil, nil, catalog.Recurring), catalog.Boolean, nil, "-"},
	} {
		o := &Offer{
			PriceList: catalog.PriceList{ID: 1, RenewalTermMonths: 1}, Charges: []catalog.Charge{c.charge},
			Features: map[billing.FeatureID]catalog.PricedFeature{usersID: {Code: "users", Kind: c.kind, Included: c.included}},
		}
		s, _, err := New(Draft{}, o, d("2026-01-01"))
		if err != nil {
			t.Fatal(err)
		}
		got := "no line"
		if len(s.Charges) > 0 {
			got = strings.Replace(inWords(s.Charges[0].Quantity), "none", "-", 1)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	_, _, err := New(Draft{Quantities: []QuantityOrder{{Code: "seats"}}}, offers[monthlyID], d("2026-01-01"))
	if problems, _ := billing.AsProblems(err); !strings.Contains(problems.Error(), "sold by the number") {
		t.Error(err)
	}
}

func TestQuantityOfAPendingSubscription(t *testing.T) {
	y := newStory(t, "2026-01-01", monthlyID, Draft{StartDate: at(d("2026-02-01")), Quantities: []QuantityOrder{order("seats", 5)}})
	y.do(quantities("", order("seats", 6))).do(quantities("2026-01-01", order("seats", 7))).do(quantities("2026-02-10", order("seats", 8))).
		do(quantities("2026-01-31", order("seats", 9))).
		has("seats", "7 2026-02-01..2026-02-09", "8 2026-02-10..2026-02-28").until("2026-02-10").
		happened(
			"2026-01-01 subscription.created >PENDING",
			"2026-01-01 quantity.changed PENDING>PENDING",
			"2026-01-01 quantity.changed PENDING>PENDING",
			"2026-01-01 quantity.scheduled PENDING>PENDING",
			"2026-01-01 INVALID startDate",
			"2026-02-01 state.changed PENDING>ACTIVE",
			"2026-02-10 quantity.changed ACTIVE>ACTIVE",
		)
}

// In a trial, the paid term behind it is open for orders too.
func TestQuantityOfATrial(t *testing.T) {
	y := newStory(t, "2026-01-01", monthlyID, Draft{Trial: true, Quantities: []QuantityOrder{order("seats", 5)}})
	y.do(quantities("2026-01-14", order("seats", 6))).do(quantities("2026-02-14", order("seats", 7))).
		has("seats", "5 2026-01-01..2026-01-13", "6 2026-01-14..2026-02-13", "7 2026-02-14..2026-02-14")
}

func TestQuantityRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		from   string
		orders []QuantityOrder
		want   []string
		part   string
	}{
		{"yesterday", "2026-01-09", []QuantityOrder{order("seats", 8)}, []string{"INVALID startDate"}, "from 2026-01-10 to 2026-02-01, not on 2026-01-09"},
		{"after the next term has begun", "2026-02-02", []QuantityOrder{order("seats", 8)}, []string{"INVALID startDate"}, "not on 2026-02-02"},
		{"none", "", nil, []string{"REQUIRED quantities"}, "at least one"},
		{"negative", "", []QuantityOrder{order("space", -1)}, []string{"INVALID quantities.0.quantity"}, "not negative"},
		{"too many", "", []QuantityOrder{order("seats", 101)}, []string{"INVALID quantities.0.quantity"}, "of 1 to 100, not 101"},
		{"too few", "", []QuantityOrder{order("seats", 0)}, []string{"INVALID quantities.0.quantity"}, "of 1 to 100, not 0"},
		{"far too many", "", []QuantityOrder{order("space", billing.MaxQuantity+1)}, []string{"INVALID quantities.0.quantity"}, "at most"},
		{"unknown", "", []QuantityOrder{order("licences", 8)}, []string{"NOT_FOUND quantities.0.code"}, "no charge"},
		{"due once", "", []QuantityOrder{order("seats", 8), order("setup", 2)}, []string{"INVALID quantities.1.code"}, "due once, on 2026-01-01"},
		{"several", "", []QuantityOrder{order("x", 8), order("seats", 101), order("seats", 8)}, []string{"NOT_FOUND quantities.0.code", "INVALID quantities.1.quantity", "INVALID quantities.2.code"}, "named twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := fiveSeats(t).until("2026-01-10")
			before := y.s
			for i := range c.want {
				c.want[i] = "2026-01-10 " + c.want[i]
			}
			y.do(quantities(c.from, c.orders...)).happened(c.want...).said(c.part)
			if !reflect.DeepEqual(y.s, before) {
				t.Error("something changed")
			}
		})
	}
}

func TestQuantityOfAOneTimeChargeOnItsDay(t *testing.T) {
	fiveSeats(t).do(quantities("", order("setup", 2))).has("setup", "2 2026-01-01..2026-01-01")
	fiveSeats(t).until("2026-01-10").do(plan(annualID, false)).do(quantities("", order("setup", 2))).
		has("setup", "- 2026-01-01..2026-01-01", "2 2026-01-10..2026-01-10")
}

// A charge that came to the price list after the subscription can be ordered.
func TestQuantityOfANewCharge(t *testing.T) {
	offer := *offers[monthlyID]
	offer.Charges = append(offer.Charges[:5:5], recurring(106, "support", nil), catalog.Charge{ID: 107, Code: "training", ChargeType: catalog.OneTime})
	later := func(from string, n *int, code string) action {
		return func(s Subscription, today billing.Date) (Subscription, Change, error) {
			return s.ChangeQuantities(QuantityUpdate{Orders: []QuantityOrder{{code, n}}, StartDate: at(d(from)), Scheduled: KeepScheduled}, only(&offer), today)
		}
	}
	y := fiveSeats(t).until("2026-01-10").
		do(later("2026-01-10", nil, "support")).happened("2026-01-10 nothing").
		do(later("2026-01-20", new(2), "support")).do(later("2026-01-15", new(3), "training")).
		do(later("2026-01-12", new(1), "support")).
		has("support", "1 2026-01-12..2026-01-19", "2 2026-01-20..2026-01-31").
		has("training", "3 2026-01-15..2026-01-15").
		do(later("2026-01-10", new(1), "support")).
		has("support", "1 2026-01-10..2026-01-11", "1 2026-01-12..2026-01-19", "2 2026-01-20..2026-01-31")
	y.log = nil
	y.until("2026-02-01").happened(
		"2026-01-12 quantity.changed ACTIVE>ACTIVE",
		"2026-01-15 quantity.changed ACTIVE>ACTIVE",
		"2026-01-20 quantity.changed ACTIVE>ACTIVE",
		"2026-02-01 subscription.renewed ACTIVE>ACTIVE",
	).has("support", "1 2026-01-10..2026-01-11", "1 2026-01-12..2026-01-19", "2 2026-01-20..2026-02-28")
	y.do(later("2026-02-10", new(4), "training")).said("due once, on 2026-01-15")
}

// The same, where the next line waits beyond the end of the term.
func TestQuantityOfANewChargeBeforeALaterTerm(t *testing.T) {
	offer := *offers[monthlyID]
	offer.Charges = append(offer.Charges[:5:5], recurring(106, "support", nil))
	later := func(from string, n int) action {
		return func(s Subscription, today billing.Date) (Subscription, Change, error) {
			return s.ChangeQuantities(QuantityUpdate{Orders: []QuantityOrder{order("support", n)}, StartDate: at(d(from)), Scheduled: KeepScheduled}, only(&offer), today)
		}
	}
	fiveSeats(t).do(later("2026-01-25", 2)).do(update(Update{EndDate: at(d("2026-01-10"))})).
		do(later("2026-01-05", 1)).until("2026-02-01").
		has("support", "1 2026-01-05..2026-01-24", "2 2026-01-25..2026-02-10")
}
