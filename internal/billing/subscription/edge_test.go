package subscription

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// withSetup is a price list with a charge of 100.00 that is due once.
func withSetup(o *Offer) *Offer {
	o.Charges = append(o.Charges, catalog.Charge{
		ID: billing.ChargeID(o.PriceList.ID) + 2, Code: "setup", Name: "Set-up", ChargeType: catalog.OneTime, BillingPeriod: catalog.Once,
		PricingModel: catalog.Flat, Price: new(billing.Price("100")),
	})
	return o
}

// TestOwedAtEdges does things to subscriptions at 31.00 a month that are easily
// billed wrong, and compares what is owed of each period.
func TestOwedAtEdges(t *testing.T) {
	const month, dear, yen, setup, yearly, year billing.PriceListID = 10, 20, 30, 40, 50, 60
	type act = func(Subscription, billing.Date) (Subscription, Change, error)
	update := func(c *customer, u Update) act {
		return func(s Subscription, today billing.Date) (Subscription, Change, error) {
			return s.Update(u, c.find, today)
		}
	}
	renews := func(on bool) act {
		return func(s Subscription, _ billing.Date) (Subscription, Change, error) { return s.SetAutoRenew(on) }
	}
	orderSetup := func(c *customer, on string) act {
		return func(s Subscription, today billing.Date) (Subscription, Change, error) {
			return s.ChangeQuantities(QuantityUpdate{Orders: []QuantityOrder{order("setup", 2)}, StartDate: at(d(on))}, c.find, today)
		}
	}
	extend := func(c *customer, end string) act {
		return func(s Subscription, today billing.Date) (Subscription, Change, error) {
			return s.ExtendTrial(d(end), c.find, today)
		}
	}
	back := func(s Subscription, today billing.Date) (Subscription, Change, error) { return s.Reinstate(nil, today) }
	for _, c := range []struct {
		name    string
		list    billing.PriceListID
		draft   Draft
		created string
		act     func(*customer)
		through string
		want    string
	}{
		{"changed back later", month, Draft{}, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", c.seats(2))
			c.on("2026-03-21", c.seats(1))
		}, "2026-04-01", "41.00 + 31.00"},
		{"a plan away and back on the same day", month, Draft{}, "2026-03-01", func(c *customer) {
			c.on("2026-03-20", c.plan(dear, PlanUpdate{}))
			c.on("2026-03-20", c.plan(month, PlanUpdate{}))
		}, "2026-03-31", "31.00"},
		{"a plan in another currency", month, Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-20", c.plan(yen, PlanUpdate{})) }, "2026-03-31", "19.00 + 1200"},
		{"a cancellation taken back", yearly, Draft{}, "2026-01-01", func(c *customer) {
			c.on("2026-12-31", c.cancel("2027-01-01"))
			c.on("2026-12-31", back)
		}, "2027-01-01", "365.00 + 365.00"},
		{"no renewal", yearly, Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-10", renews(false)) }, "2027-06-01", "31.00"},
		{"no renewal, taken back", yearly, Draft{}, "2026-03-01", func(c *customer) {
			c.on("2026-03-10", renews(false))
			c.on("2026-03-20", renews(true))
		}, "2026-06-01", "365.00"},
		{"an earlier end, not renewed", month, Draft{}, "2026-03-01", func(c *customer) {
			c.on("2026-03-10", renews(false))
			c.on("2026-03-10", update(c, Update{EndDate: at(d("2026-03-21"))}))
		}, "2026-04-30", "21.00"},
		{"an earlier end, renewed", month, Draft{}, "2026-03-01", func(c *customer) {
			c.on("2026-03-10", update(c, Update{EndDate: at(d("2026-03-21"))}))
		}, "2026-03-31", "21.00 + 31.00"},
		{"a trial with a set-up", setup, Draft{Trial: true}, "2026-01-01", func(*customer) {}, "2026-01-14", ""},
		{"after a trial with a set-up", setup, Draft{Trial: true}, "2026-01-01", func(*customer) {}, "2026-01-15", "31.00 + 100.00"},
		{"a trial with a set-up, extended", setup, Draft{Trial: true}, "2026-01-01", func(c *customer) { c.on("2026-01-10", extend(c, "2026-01-19")) }, "2026-01-19", ""},
		{"after the extension", setup, Draft{Trial: true}, "2026-01-01", func(c *customer) { c.on("2026-01-10", extend(c, "2026-01-19")) }, "2026-01-20", "31.00 + 100.00"},
		{"a trial with a set-up in vain", setup, Draft{Trial: true, TrialExpirationAction: new(catalog.TrialCancel)}, "2026-01-01", func(*customer) {}, "2026-03-01", ""},
		{"a set-up on the first day, canceled", setup, Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-01", c.cancel("2026-03-01")) }, "2026-03-31", ""},
		{"a set-up, canceled later", setup, Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-20", c.cancel("2026-03-20")) }, "2026-03-31", "19.00 + 100.00"},
		{"a set-up and renewals", setup, Draft{}, "2026-03-01", func(*customer) {}, "2026-05-01", "31.00 + 31.00 + 31.00 + 100.00"},
		{"a plan with a set-up", month, Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-20", c.plan(setup, PlanUpdate{})) }, "2026-03-31", "19.00 + 12.00"},
		{"a plan with a set-up at the end of the term", month, Draft{}, "2026-03-01", func(c *customer) { c.on("2026-03-20", c.plan(setup, PlanUpdate{AtTermEnd: true})) }, "2026-04-30", "31.00 + 31.00"},
		{"a charge added to the price list", month, Draft{}, "2026-03-01", func(c *customer) {
			withSetup(c.offers[month])
			c.on("2026-03-10", c.seats(2)) // 1 for 9 days, 2 for 22
		}, "2026-04-01", "53.00 + 62.00"},
		{"a charge added to the price list and ordered", month, Draft{}, "2026-03-01", func(c *customer) {
			withSetup(c.offers[month])
			c.on("2026-03-10", orderSetup(c, "2026-03-10"))
		}, "2026-05-01", "31.00 + 31.00 + 31.00 + 200.00"},
		{"a charge ordered for a later day", month, Draft{}, "2026-03-01", func(c *customer) {
			withSetup(c.offers[month])
			c.on("2026-03-10", orderSetup(c, "2026-03-20"))
		}, "2026-03-19", "31.00"},
		{"a charge ordered for a later day, which has come", month, Draft{}, "2026-03-01", func(c *customer) {
			withSetup(c.offers[month])
			c.on("2026-03-10", orderSetup(c, "2026-03-20"))
		}, "2026-03-20", "31.00 + 200.00"},
		{"a charge ordered for a day after the end", month, Draft{}, "2026-03-01", func(c *customer) {
			withSetup(c.offers[month])
			c.on("2026-03-10", orderSetup(c, "2026-03-20"))
			c.on("2026-03-15", c.cancel("2026-03-15"))
		}, "2026-03-31", "14.00"},
		{"more seats in a leap year", year, Draft{}, "2024-01-01", func(c *customer) { c.on("2024-07-01", c.seats(2)) }, "2024-12-31", "1803.28"},
		{"the clock set back", month, Draft{}, "2026-03-01", func(c *customer) {
			c.on("2026-03-20", c.seats(2))
			c.on("2026-03-10", c.seats(3)) // from the 20th on, to which the subscription has been brought
		}, "2026-03-31", "55.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			customer := &customer{t: t, offers: map[billing.PriceListID]*Offer{
				month: priced(month, "31", 1, catalog.Monthly), dear: priced(dear, "100", 1, catalog.Monthly), yen: priced(yen, "3100", 1, catalog.Monthly),
				setup: withSetup(priced(setup, "31", 1, catalog.Monthly)), yearly: priced(yearly, "365", 1, catalog.Annual), year: priced(year, "1200", 12, catalog.Annual),
			}}
			customer.offers[yen].PriceList.CurrencyID = "JPY"
			c.draft.Evergreen = true
			s, _, err := New(c.draft, customer.offers[c.list], d(c.created))
			if err != nil {
				t.Fatal(err)
			}
			customer.s = s
			c.act(customer)
			if have := customer.owes(c.through); have != c.want {
				t.Errorf("owes %q, want %q", have, c.want)
			}
		})
	}
}

// A charge that is due once can be ordered once.
func TestChargesDueOnceAreOrderedOnce(t *testing.T) {
	c := &customer{t: t, offers: map[billing.PriceListID]*Offer{10: priced(10, "31", 1, catalog.Monthly)}}
	s, _, err := New(Draft{Evergreen: true}, c.offers[10], d("2026-03-01"))
	if err != nil {
		t.Fatal(err)
	}
	c.s = s
	withSetup(c.offers[10])
	u := QuantityUpdate{Orders: []QuantityOrder{order("setup", 1)}}
	c.on("2026-03-10", func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.ChangeQuantities(u, c.find, today)
	})
	if _, _, err := c.s.ChangeQuantities(u, c.find, d("2026-03-20")); err == nil {
		t.Error("it was ordered again on a later day")
	}
	again, change, err := c.s.ChangeQuantities(u, c.find, d("2026-03-10"))
	if err != nil || change.Happened() || len(again.Charges) != 2 {
		t.Errorf("the same order on the same day: %v, %+v", err, again.Charges)
	}
}
