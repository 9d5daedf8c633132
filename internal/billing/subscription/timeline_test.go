package subscription

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// priced is a price list with one charge, for a number of users.
func priced(id billing.PriceListID, price billing.Price, months int, period catalog.BillingPeriod) *Offer {
	charge := catalog.Charge{
		ID: billing.ChargeID(id) + 1, Code: "seats", Name: "Seats", FeatureID: new(usersID), ChargeType: catalog.Recurring,
		BillingPeriod: period, BillingTiming: new(catalog.InAdvance), PricingModel: catalog.Flat, Price: &price,
	}
	return &Offer{
		PriceList: catalog.PriceList{
			ID: id, Code: fmt.Sprint(id), CurrencyID: "EUR", RenewalTermMonths: months,
			TrialAllowed: true, TrialLengthDays: new(14), TrialExpirationAction: new(catalog.TrialActivate),
		},
		ProductID: 1, Charges: []catalog.Charge{charge},
		Features: map[billing.FeatureID]catalog.PricedFeature{usersID: {Code: "users", Kind: catalog.Quantity}},
	}
}

// customer is a subscription that is owed for.
type customer struct {
	t      *testing.T
	s      Subscription
	offers map[billing.PriceListID]*Offer
}

func (c *customer) find(id billing.PriceListID) (*Offer, error) { return c.offers[id], nil }

// on does something on a day, with everything that is due by then done first.
func (c *customer) on(day string, act func(s Subscription, today billing.Date) (Subscription, Change, error)) {
	c.t.Helper()
	s, err := c.s.BroughtTo(d(day), c.find)
	if err == nil {
		s, _, err = act(s, d(day))
	}
	if err != nil {
		c.t.Fatal(day, err)
	}
	c.s = s
}

func (c *customer) seats(n int) func(Subscription, billing.Date) (Subscription, Change, error) {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.ChangeQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", n)}}, c.find, today)
	}
}

func (c *customer) plan(id billing.PriceListID, u PlanUpdate) func(Subscription, billing.Date) (Subscription, Change, error) {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.ChangePlan(c.offers[id], u, c.find, today)
	}
}

func (c *customer) cancel(on string) func(Subscription, billing.Date) (Subscription, Change, error) {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.Cancel(Cancellation{On: at(d(on))}, today)
	}
}

// owes says what is owed for all periods that begin by a day, as amounts of
// each period.
func (c *customer) owes(through string) string {
	c.t.Helper()
	timeline, err := c.s.Timeline(d(through), billing.Date{}, c.find)
	if err != nil {
		c.t.Fatal(err)
	}
	owed, err := timeline.Owed(billing.Date{Year: 2000, Month: 1, Day: 1}, d(through))
	if err != nil {
		c.t.Fatal(err)
	}
	text := ""
	for i := range owed {
		amount, err := money.Round(owed[i].Exact())
		if err != nil {
			c.t.Fatal(err)
		}
		if text != "" {
			text += " + "
		}
		text += owed[i].Currency.Format(amount)
	}
	return text
}

// TestTimeline does things to subscriptions and compares what is owed with the
// amounts that the rules of billing give as examples.
func TestTimeline(t *testing.T) {
	const month, dear, year, yearly, half billing.PriceListID = 10, 20, 30, 40, 50
	for _, c := range []struct {
		name    string
		list    billing.PriceListID
		price   billing.Price
		draft   Draft
		created string
		act     func(*customer)
		through string
		want    string
	}{
		{"a month", month, "31", Draft{}, "2026-03-01", func(*customer) {}, "2026-03-31", "31.00"},
		{"a second month", month, "31", Draft{}, "2026-03-01", func(*customer) {}, "2026-04-01", "31.00 + 31.00"},
		{"made in the past", month, "31", Draft{StartDate: at(d("2026-01-01"))}, "2026-03-10", func(*customer) {}, "2026-03-10", "31.00 + 31.00 + 31.00"},
		{"more seats, then fewer", month, "10", Draft{Quantities: []QuantityOrder{order("seats", 5)}}, "2026-01-01", func(c *customer) { c.on("2026-01-16", c.seats(8)) }, "2026-01-31", "65.48"},
		{"fewer seats", month, "10", Draft{Quantities: []QuantityOrder{order("seats", 5)}}, "2026-01-01", func(c *customer) {
			c.on("2026-01-16", c.seats(8))
			c.on("2026-01-25", c.seats(4))
		}, "2026-01-31", "56.45"},
		{"there and back in a day", month, "31", Draft{}, "2026-03-01", func(c *customer) {
			c.on("2026-03-10", c.seats(9))
			c.on("2026-03-10", c.seats(1))
		}, "2026-03-31", "31.00"},
		{"a dearer plan", month, "30", Draft{}, "2026-11-01", func(c *customer) { c.on("2026-11-16", c.plan(dear, PlanUpdate{})) }, "2026-11-30", "15.00 + 50.00"},
		{"a plan at the end of the term", month, "31", Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-16", c.plan(dear, PlanUpdate{AtTermEnd: true})) }, "2026-04-01", "31.00 + 100.00"},
		{"a plan during the trial", month, "31", Draft{Trial: true}, "2026-01-01", func(c *customer) { c.on("2026-01-10", c.plan(dear, PlanUpdate{})) }, "2026-01-15", "100.00"},
		{"a trial", month, "31", Draft{Trial: true}, "2026-01-01", func(*customer) {}, "2026-01-14", ""},
		{"after the trial", month, "31", Draft{Trial: true}, "2026-01-01", func(*customer) {}, "2026-02-14", "31.00"},
		{"a trial converted on its first day", month, "31", Draft{Trial: true}, "2026-01-01", func(c *customer) {
			c.on("2026-01-01", func(s Subscription, today billing.Date) (Subscription, Change, error) {
				return s.ConvertTrial(c.find, today)
			})
		}, "2026-01-01", "31.00"},
		{"canceled", month, "31", Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-20", c.cancel("2026-03-20")) }, "2026-04-30", "19.00"},
		{"canceled on its first day", month, "31", Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-01", c.cancel("2026-03-01")) }, "2026-04-30", ""},
		{"to be canceled", month, "31", Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-05", c.cancel("2026-03-20")) }, "2026-04-30", "19.00"},
		{"a year canceled", year, "1200", Draft{}, "2026-01-15", func(c *customer) { c.on("2026-04-01", c.cancel("2026-04-01")) }, "2026-12-31", "249.86"},
		{"from a year to months", year, "1200", Draft{}, "2026-01-15", func(c *customer) { c.on("2026-03-20", c.plan(half, PlanUpdate{})) }, "2026-03-31", "210.41 + 120.00"},
		{"from a year to months in the term", year, "1200", Draft{}, "2026-01-15", func(c *customer) { c.on("2026-03-20", c.plan(half, PlanUpdate{Term: KeepTerm})) }, "2026-03-31", "210.41 + 100.65"},
		{"from months to a year", half, "120", Draft{}, "2026-01-15", func(c *customer) { c.on("2026-01-25", c.plan(year, PlanUpdate{})) }, "2026-03-31", "38.71 + 1200.00"},
		{"from months to a year in the term", half, "120", Draft{}, "2026-01-15", func(c *customer) { c.on("2026-01-25", c.plan(year, PlanUpdate{Term: KeepTerm})) }, "2026-03-31", "38.71 + 69.04 + 1200.00"},
		{"an end that was chosen", month, "49", Draft{EndDate: at(d("2026-01-31"))}, "2026-01-10", func(*customer) {}, "2026-02-01", "34.77 + 49.00"},
		{"a longer term", month, "49", Draft{}, "2026-01-15", func(c *customer) {
			c.on("2026-01-20", func(s Subscription, today billing.Date) (Subscription, Change, error) {
				return s.Update(Update{EndDate: at(d("2026-02-28"))}, c.find, today)
			})
		}, "2026-03-01", "49.00 + 24.50 + 49.00"},
		{"from the 31st", month, "31", Draft{}, "2026-01-31", func(*customer) {}, "2026-04-30", "31.00 + 31.00 + 31.00 + 31.00"},
		{"a yearly charge on monthly terms", yearly, "1200", Draft{}, "2026-01-01", func(*customer) {}, "2026-12-31", "1200.00"},
		{"a yearly charge that ends after two months of a year", yearly, "1200", Draft{}, "2025-01-01", func(c *customer) { c.on("2026-02-10", c.cancel("2026-03-01")) }, "2026-03-31", "1200.00 + 193.97"},
		{"reinstated after a gap", month, "31", Draft{}, "2026-03-01", func(c *customer) {
			c.on("2026-03-20", c.cancel("2026-03-20"))
			c.on("2026-03-25", func(s Subscription, today billing.Date) (Subscription, Change, error) { return s.Reinstate(nil, today) })
		}, "2026-03-31", "19.00 + 31.00"},
		{"reinstated from an earlier day", month, "31", Draft{}, "2026-03-01", func(c *customer) {
			c.on("2026-03-20", c.cancel("2026-03-20"))
			c.on("2026-03-25", func(s Subscription, today billing.Date) (Subscription, Change, error) {
				return s.Reinstate(at(d("2026-03-10")), today)
			})
		}, "2026-03-31", "9.00 + 31.00"},
		{"a changed catalog", month, "31", Draft{}, "2026-03-01", func(c *customer) {
			charge := &c.offers[month].Charges[0]
			*charge.Price, charge.BillingPeriod, *charge.BillingTiming = "99", catalog.Annual, catalog.InArrears
			c.on("2026-04-01", c.seats(2))
		}, "2026-04-30", "31.00 + 62.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			customer := &customer{t: t, offers: map[billing.PriceListID]*Offer{
				month: priced(month, "31", 1, catalog.Monthly), dear: priced(dear, "100", 1, catalog.Monthly), year: priced(year, "1200", 12, catalog.Annual),
				yearly: priced(yearly, "1200", 1, catalog.Annual), half: priced(half, "120", 1, catalog.Monthly),
			}}
			*customer.offers[c.list].Charges[0].Price = c.price
			c.draft.Evergreen = true
			s, _, err := New(c.draft, customer.offers[c.list], d(c.created))
			if err != nil {
				t.Fatal(err)
			}
			customer.s = s
			c.act(customer)
			if have := customer.owes(c.through); have != c.want {
				t.Errorf("owes %q, want %q: %+v", have, c.want, customer.s.Epochs)
			}
		})
	}
}
