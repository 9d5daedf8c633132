package billing

import (
	"reflect"
	"testing"
)

func fiveSeats(t *testing.T) *story {
	t.Helper()
	y := newStory(t, "2026-01-01", monthlyID, SubscriptionDraft{Evergreen: true, Quantities: []QuantityOrder{order("seats", 5)}})
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
		has("space", "- 2026-01-01..2026-01-19", "2 2026-01-20..2026-01-31").
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

// What was scheduled for later stays.
func TestQuantityBeforeAScheduledOne(t *testing.T) {
	fiveSeats(t).do(quantities("2026-01-20", order("seats", 9))).do(quantities("2026-01-10", order("seats", 7))).do(quantities("", order("seats", 6))).
		has("seats", "6 2026-01-01..2026-01-09", "7 2026-01-10..2026-01-19", "9 2026-01-20..2026-01-31")
}

// A change that is taken back leaves nothing to happen.
func TestQuantityTakenBack(t *testing.T) {
	fiveSeats(t).do(quantities("2026-01-20", order("seats", 9))).do(quantities("2026-01-20", order("seats", 5))).
		has("seats", "5 2026-01-01..2026-01-31").until("2026-01-31").
		happened("2026-01-01 quantity.scheduled ACTIVE>ACTIVE", "2026-01-01 quantity.scheduled ACTIVE>ACTIVE")
	fiveSeats(t).do(quantities("2026-01-20", order("seats", 9))).until("2026-01-10").do(quantities("", order("seats", 9))).
		has("seats", "5 2026-01-01..2026-01-09", "9 2026-01-10..2026-01-31").until("2026-01-31").
		happened("2026-01-01 quantity.scheduled ACTIVE>ACTIVE", "2026-01-10 quantity.changed ACTIVE>ACTIVE")
	y := fiveSeats(t).do(quantities("2026-01-10", order("seats", 7))).do(quantities("2026-01-20", order("seats", 5))).do(quantities("2026-01-10", order("seats", 5))).
		has("seats", "5 2026-01-01..2026-01-31")
	if id := linesOf(&y.s, "seats")[0].ID; id != 2 {
		t.Errorf("the line that stays has id %d", id)
	}
}

// The same beyond the end of a term that was moved.
func TestQuantityTakenBackBeyondTheTerm(t *testing.T) {
	fiveSeats(t).do(quantities("2026-01-25", order("seats", 9))).do(update(SubscriptionUpdate{EndDate: at(d("2026-01-20"))})).
		do(quantities("2026-01-10", order("seats", 9))).
		has("seats", "5 2026-01-01..2026-01-09", "9 2026-01-10..2026-01-20")
}

func TestQuantityThatIsSoAlready(t *testing.T) {
	y := fiveSeats(t)
	before := y.s
	y.until("2026-01-10").do(quantities("", order("seats", 5), QuantityOrder{Code: "space"})).
		do(quantities("2026-01-20", order("users", 5))).
		happened("2026-01-10 nothing", "2026-01-10 nothing")
	if !reflect.DeepEqual(y.s, before) {
		t.Error("something changed")
	}
}

func TestQuantityAgreedNoMore(t *testing.T) {
	fiveSeats(t).do(quantities("2026-01-10", QuantityOrder{Code: "seats"})).
		has("seats", "5 2026-01-01..2026-01-09", "- 2026-01-10..2026-01-31")
}

func TestQuantityOfAPendingSubscription(t *testing.T) {
	y := newStory(t, "2026-01-01", monthlyID, SubscriptionDraft{StartDate: at(d("2026-02-01")), Quantities: []QuantityOrder{order("seats", 5)}})
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
	y := newStory(t, "2026-01-01", monthlyID, SubscriptionDraft{Trial: true, Quantities: []QuantityOrder{order("seats", 5)}})
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
		{"yesterday", "2026-01-09", []QuantityOrder{order("seats", 8)}, []string{"INVALID startDate"}, "from 2026-01-10 to the end of the term (2026-01-31)"},
		{"after the term", "2026-02-01", []QuantityOrder{order("seats", 8)}, []string{"INVALID startDate"}, "not on 2026-02-01"},
		{"none", "", nil, []string{"REQUIRED quantities"}, "at least one"},
		{"negative", "", []QuantityOrder{order("space", -1)}, []string{"INVALID quantities.0.quantity"}, "not negative"},
		{"too many", "", []QuantityOrder{order("seats", 101)}, []string{"INVALID quantities.0.quantity"}, "up to 100"},
		{"too few", "", []QuantityOrder{order("seats", 0)}, []string{"INVALID quantities.0.quantity"}, "from 1 on"},
		{"far too many", "", []QuantityOrder{order("space", MaxQuantity+1)}, []string{"INVALID quantities.0.quantity"}, "at most"},
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
	fiveSeats(t).until("2026-01-10").do(plan(annualID, false)).until("2026-01-20").do(plan(monthlyID, false)).do(quantities("", order("setup", 2))).
		has("setup", "- 2026-01-01..2026-01-01", "- 2026-01-10..2026-01-10", "2 2026-01-20..2026-01-20")
}

// A charge that came to the price list after the subscription can be ordered.
func TestQuantityOfANewCharge(t *testing.T) {
	offer := *offers[monthlyID]
	offer.Charges = append(offer.Charges[:5:5], recurring(106, "support", nil), Charge{ID: 107, Code: "training", ChargeType: OneTime})
	later := func(from string, n *int, code string) action {
		return func(s Subscription, today Date) (Subscription, SubscriptionChange, error) {
			return s.ChangeQuantities([]QuantityOrder{{code, n}}, at(d(from)), &offer, today)
		}
	}
	y := fiveSeats(t).until("2026-01-10").
		do(later("2026-01-10", nil, "support")).happened("2026-01-10 nothing").
		do(later("2026-01-20", ptr(2), "support")).do(later("2026-01-15", ptr(3), "training")).
		do(later("2026-01-12", ptr(1), "support")).
		has("support", "1 2026-01-12..2026-01-19", "2 2026-01-20..2026-01-31").
		has("training", "3 2026-01-15..2026-01-15").
		do(later("2026-01-10", ptr(1), "support")).
		has("support", "1 2026-01-10..2026-01-19", "2 2026-01-20..2026-01-31")
	y.log = nil
	y.until("2026-02-01").happened(
		"2026-01-15 quantity.changed ACTIVE>ACTIVE",
		"2026-01-20 quantity.changed ACTIVE>ACTIVE",
		"2026-02-01 subscription.renewed ACTIVE>ACTIVE",
	).has("support", "1 2026-01-10..2026-01-19", "2 2026-01-20..2026-02-28")
	y.do(later("2026-02-10", ptr(4), "training")).said("due once, on 2026-01-15")
}

// The same, where the next line waits beyond the end of the term.
func TestQuantityOfANewChargeBeforeALaterTerm(t *testing.T) {
	offer := *offers[monthlyID]
	offer.Charges = append(offer.Charges[:5:5], recurring(106, "support", nil))
	later := func(from string, n int) action {
		return func(s Subscription, today Date) (Subscription, SubscriptionChange, error) {
			return s.ChangeQuantities([]QuantityOrder{order("support", n)}, at(d(from)), &offer, today)
		}
	}
	fiveSeats(t).do(later("2026-01-25", 2)).do(update(SubscriptionUpdate{EndDate: at(d("2026-01-10"))})).
		do(later("2026-01-05", 1)).until("2026-02-01").
		has("support", "1 2026-01-05..2026-01-24", "2 2026-01-25..2026-02-10")
}
