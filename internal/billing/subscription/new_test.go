package subscription

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

func TestNewSubscription(t *testing.T) {
	for _, c := range []struct {
		name  string
		list  billing.PriceListID
		draft Draft
		want  string
	}{
		{"from today", monthlyID, Draft{}, "ACTIVE 2026-01-15..2026-02-14"},
		{"for a year", annualID, Draft{}, "ACTIVE 2026-01-15..2027-01-14"},
		{"for a month", annualID, Draft{RenewalTermMonths: new(1)}, "ACTIVE 2026-01-15..2026-02-14"},
		{"own length", monthlyID, Draft{RenewalTermMonths: new(3)}, "ACTIVE 2026-01-15..2026-04-14"},
		{"own end", monthlyID, Draft{EndDate: at(d("2026-01-31"))}, "ACTIVE 2026-01-15..2026-01-31"},
		{"ends on its first day", monthlyID, Draft{EndDate: at(d("2026-01-15"))}, "ACTIVE 2026-01-15..2026-01-15"},
		{"starts tomorrow", monthlyID, Draft{StartDate: at(d("2026-01-16"))}, "PENDING 2026-01-16..2026-02-15"},
		{"trial", monthlyID, Draft{Trial: true}, "TRIAL 2026-01-29..2026-02-27 trial 2026-01-15..2026-01-28"},
		{"trial and own end", monthlyID, Draft{Trial: true, EndDate: at(d("2026-12-31"))}, "TRIAL 2026-01-29..2026-12-31 trial 2026-01-15..2026-01-28"},
		{"trial later", monthlyID, Draft{Trial: true, TrialStartDate: at(d("2026-02-01"))}, "PENDING 2026-02-15..2026-03-14 trial 2026-02-01..2026-02-14"},
		{"trial from the start", monthlyID, Draft{Trial: true, StartDate: at(d("2026-02-01"))}, "PENDING 2026-02-15..2026-03-14 trial 2026-02-01..2026-02-14"},
		{"trial and first paid day", monthlyID, Draft{Trial: true, TrialStartDate: at(d("2026-01-15")), StartDate: at(d("2026-03-01"))}, "TRIAL 2026-03-01..2026-03-31 trial 2026-01-15..2026-02-28"},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newStory(t, "2026-01-15", c.list, c.draft).is(c.want)
			if y.s.AsOf != d("2026-01-15") {
				t.Errorf("as of %s", y.s.AsOf)
			}
		})
	}
}

// A start in the past brings the subscription to today's term with one change.
func TestNewSubscriptionInThePast(t *testing.T) {
	for _, c := range []struct {
		name  string
		draft Draft
		want  string
	}{
		{"within the first term", Draft{StartDate: at(d("2026-06-01"))}, "ACTIVE 2026-06-01..2026-06-30"},
		{"renews today", Draft{StartDate: at(d("2026-05-15")), Evergreen: true}, "ACTIVE 2026-06-15..2026-07-14 paid from 2026-05-15"},
		{"ends today", Draft{StartDate: at(d("2026-05-16"))}, "ACTIVE 2026-05-16..2026-06-15"},
		{"ended yesterday", Draft{StartDate: at(d("2026-05-15"))}, "EXPIRED 2026-05-15..2026-06-14"},
		{"ten years", Draft{StartDate: at(d("2016-01-31")), Evergreen: true}, "ACTIVE 2026-05-31..2026-06-29 paid from 2016-01-31"},
		{"own end long ago", Draft{StartDate: at(d("2020-01-01")), EndDate: at(d("2020-01-10")), Evergreen: true}, "ACTIVE 2026-06-11..2026-07-10 paid from 2020-01-01"},
		{"in its trial", Draft{Trial: true, TrialStartDate: at(d("2026-06-10"))}, "TRIAL 2026-06-24..2026-07-23 trial 2026-06-10..2026-06-23"},
		{"after its trial", Draft{Trial: true, TrialStartDate: at(d("2026-04-01")), Evergreen: true}, "ACTIVE 2026-06-15..2026-07-14 paid from 2026-04-15 trial 2026-04-01..2026-04-14"},
		{"its trial canceled it", Draft{Trial: true, TrialStartDate: at(d("2026-04-01")), TrialExpirationAction: new(catalog.TrialCancel)}, "TRIAL_EXPIRED 2026-04-15..2026-05-14 trial 2026-04-01..2026-04-14"},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newStory(t, "2026-06-15", monthlyID, c.draft).is(c.want)
			y.happened("2026-06-15 subscription.created >" + string(y.s.State))
			if due, some := y.s.Due(); some && !due.After(y.today) {
				t.Errorf("something is due on %s still", due)
			}
			if y.s.AsOf != y.today {
				t.Errorf("as of %s", y.s.AsOf)
			}
		})
	}
}

func TestNewLines(t *testing.T) {
	y := newStory(t, "2026-01-15", monthlyID, Draft{
		Trial: true, Quantities: []QuantityOrder{order("users", 5), order("calls", 0), {Code: "storage"}},
	})
	y.has("base", "- 2026-01-15..2026-02-27").has("seats", "5 2026-01-15..2026-02-27").
		has("space").has("setup", "- 2026-01-15..2026-01-15").has("calls", "0 2026-01-15..2026-02-27")
	line := linesOf(&y.s, "seats")[0]
	if line.PriceListID != monthlyID || line.ChargeID != 102 || line.Name != "SEATS" || *line.FeatureID != usersID || line.Type != catalog.Recurring || *line.Price != "9.9" {
		t.Errorf("line is %+v", line)
	}
}

func TestNewSubscriptionRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		list  billing.PriceListID
		draft Draft
		code  billing.Code
		field string
		part  string
	}{
		{"end before start", monthlyID, Draft{EndDate: at(d("2026-01-14"))}, billing.Invalid, "endDate", "2026-01-14) is before the start (2026-01-15"},
		{"end in the trial", monthlyID, Draft{Trial: true, EndDate: at(d("2026-01-28"))}, billing.Invalid, "endDate", "before the start (2026-01-29"},
		{"no trial allowed", annualID, Draft{Trial: true}, billing.Invalid, "trial", `"annual" allows no trial`},
		{"trial start without trial", monthlyID, Draft{TrialStartDate: at(d("2026-01-15"))}, billing.Invalid, "trialStartDate", "trial: true"},
		{"trial action without trial", monthlyID, Draft{TrialExpirationAction: new(catalog.TrialCancel)}, billing.Invalid, "trialExpirationAction", "trial: true"},
		{"paid before the trial", monthlyID, Draft{Trial: true, TrialStartDate: at(d("2026-02-01")), StartDate: at(d("2026-02-01"))}, billing.Invalid, "startDate", "1 to 3650 days after"},
		{"trial too long", monthlyID, Draft{Trial: true, TrialStartDate: at(d("2026-02-01")), StartDate: at(d("2036-02-01"))}, billing.Invalid, "startDate", "1 to 3650 days after"},
		{"no months", monthlyID, Draft{RenewalTermMonths: new(0)}, billing.Invalid, "renewalTermMonths", "1 to 120 months"},
		{"many months", monthlyID, Draft{RenewalTermMonths: new(121)}, billing.Invalid, "renewalTermMonths", "1 to 120 months"},
		{"end of time", monthlyID, Draft{EndDate: at(d("9999-12-31"))}, billing.Invalid, "endDate", "before the year 9999"},
		{"start at the end of time", monthlyID, Draft{StartDate: at(d("9999-01-01"))}, billing.Invalid, "startDate", "before the year 9999"},
		{"trial at the end of time", monthlyID, Draft{Trial: true, TrialStartDate: at(d("9998-12-20"))}, billing.Invalid, "trialStartDate", "before the year 9999"},
		{"negative quantity", monthlyID, Draft{Quantities: []QuantityOrder{order("space", -1)}}, billing.Invalid, "quantities.0.quantity", "not negative"},
		{"huge quantity", monthlyID, Draft{Quantities: []QuantityOrder{order("space", billing.MaxQuantity+1)}}, billing.Invalid, "quantities.0.quantity", "at most 1000000000"},
		{"over the maximum", monthlyID, Draft{Quantities: []QuantityOrder{order("space", 1), order("seats", 101)}}, billing.Invalid, "quantities.1.quantity", "of 1 to 100, not 101"},
		{"below the minimum", monthlyID, Draft{Quantities: []QuantityOrder{order("seats", 0)}}, billing.Invalid, "quantities.0.quantity", "of 1 to 100, not 0"},
		{"unknown charge", monthlyID, Draft{Quantities: []QuantityOrder{order("licences", 5)}}, billing.NotFound, "quantities.0.code", `"monthly" has no charge "licences"`},
		{"no code", monthlyID, Draft{Quantities: []QuantityOrder{order("", 5)}}, billing.Required, "quantities.0.code", "Name the charge"},
		{"same charge twice", monthlyID, Draft{Quantities: []QuantityOrder{order("seats", 5), order("users", 5)}}, billing.Invalid, "quantities.1.code", `"seats" is named twice`},
		{"which charge", splitID, Draft{Quantities: []QuantityOrder{order("users", 5)}}, billing.Invalid, "quantities.0.code", "name one of: extra, seats"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, change, err := New(c.draft, offers[c.list], d("2026-01-15"))
			problems, _ := billing.AsProblems(err)
			if len(problems) != 1 {
				t.Fatalf("problems are %v", err)
			}
			p := problems[0]
			if p.Code != c.code || strings.Join(p.Field, ".") != c.field || !strings.Contains(p.Message, c.part) {
				t.Errorf("got %s %v %q, want %s %s saying %q", p.Code, p.Field, p.Message, c.code, c.field, c.part)
			}
			if s.State != "" || change.Happened() {
				t.Error("made something all the same")
			}
		})
	}
}

// What is just within the bounds is allowed.
func TestNewSubscriptionAtItsBounds(t *testing.T) {
	trial := func(paidFrom string) Draft {
		return Draft{Trial: true, TrialStartDate: at(d("2026-01-15")), StartDate: at(d(paidFrom))}
	}
	newStory(t, "2026-01-15", monthlyID, trial("2026-01-16")).is("TRIAL 2026-01-16..2026-02-15 trial 2026-01-15..2026-01-15")
	newStory(t, "2026-01-15", monthlyID, trial("2036-01-13")).is("TRIAL 2036-01-13..2036-02-12 trial 2026-01-15..2036-01-12")
	newStory(t, "2026-01-15", monthlyID, Draft{RenewalTermMonths: new(120), EndDate: at(d("9998-12-31"))}).is("ACTIVE 2026-01-15..9998-12-31")
	newStory(t, "2026-01-15", monthlyID, Draft{Quantities: []QuantityOrder{order("seats", 100), order("space", billing.MaxQuantity)}}).
		has("seats", "100 2026-01-15..2026-02-14").has("space", "1000000000 2026-01-15..2026-02-14")
}

// A length alone does not make a trial allowed, nor does leave alone.
func TestTrialNeedsLeaveAndLength(t *testing.T) {
	for _, list := range []catalog.PriceList{
		{ID: 1, RenewalTermMonths: 1, TrialLengthDays: new(14)},
		{ID: 1, RenewalTermMonths: 1, TrialAllowed: true},
	} {
		if _, _, err := New(Draft{Trial: true}, &Offer{PriceList: list}, d("2026-01-15")); !billing.Is(err, billing.Invalid) {
			t.Errorf("%+v: %v", list, err)
		}
	}
}

func TestNewSubscriptionNamesAllProblems(t *testing.T) {
	_, _, err := New(Draft{
		Trial: true, EndDate: at(d("2020-01-01")), RenewalTermMonths: new(-1), Quantities: []QuantityOrder{order("x", 1), order("base", -1)},
	}, offers[annualID], d("2026-01-15"))
	problems, _ := billing.AsProblems(err)
	var fields []string
	for _, p := range problems {
		fields = append(fields, strings.Join(p.Field, "."))
	}
	want := []string{"renewalTermMonths", "trial", "endDate", "quantities.0.code", "quantities.1.quantity"}
	if !slices.Equal(fields, want) {
		t.Errorf("named %q, want %q", fields, want)
	}
}

func TestChargeCodeComesBeforeFeatureCode(t *testing.T) {
	offer := &Offer{
		PriceList: catalog.PriceList{ID: 1, RenewalTermMonths: 1},
		Charges:   []catalog.Charge{recurring(1, "a", new(usersID)), recurring(2, "users", nil)},
		Features:  map[billing.FeatureID]catalog.PricedFeature{usersID: {Code: "users", Kind: catalog.Quantity}},
	}
	s, _, err := New(Draft{Quantities: []QuantityOrder{order("users", 5)}}, offer, d("2026-01-15"))
	if err != nil || *s.Charges[0].Quantity != 1 || *s.Charges[1].Quantity != 5 {
		t.Errorf("%+v, %v", s.Charges, err)
	}
}

func TestTrialEndsAsThePriceListSays(t *testing.T) {
	for _, c := range []struct {
		list  billing.PriceListID
		asked *catalog.TrialExpirationAction
		want  catalog.TrialExpirationAction
	}{
		{monthlyID, nil, catalog.TrialActivate},
		{splitID, nil, catalog.TrialCancel},
		{monthlyID, new(catalog.TrialCancel), catalog.TrialCancel},
		{splitID, new(catalog.TrialActivate), catalog.TrialActivate},
	} {
		y := newStory(t, "2026-01-15", c.list, Draft{Trial: true, TrialExpirationAction: c.asked})
		if *y.s.TrialExpirationAction != c.want {
			t.Errorf("list %d: ends with %s, want %s", c.list, *y.s.TrialExpirationAction, c.want)
		}
	}
	if y := newStory(t, "2026-01-15", monthlyID, Draft{}); y.s.TrialExpirationAction != nil {
		t.Error("an action without a trial")
	}
}
