package subscription

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// TestUnusedDays reduces and cancels subscriptions whose unused days are kept, and
// compares what is owed with the examples of the rules of billing.
func TestUnusedDays(t *testing.T) {
	const month, dear, yearly, arrears, free billing.PriceListID = 10, 20, 40, 60, 70
	type act = func(Subscription, billing.Date) (Subscription, Change, error)
	seats := func(c *customer, n int, u QuantityUpdate) act {
		return func(s Subscription, today billing.Date) (Subscription, Change, error) {
			u.Orders = []QuantityOrder{order("seats", n)}
			return s.ChangeQuantities(u, c.find, today)
		}
	}
	keep := func(c *customer, n int) act { return seats(c, n, QuantityUpdate{Unused: KeepUnused}) }
	cancelKeep := func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.Cancel(Cancellation{Unused: KeepUnused}, today)
	}
	again := func(s Subscription, today billing.Date) (Subscription, Change, error) { return s.Reinstate(nil, today) }
	takeBack := func(c *customer) act {
		return func(s Subscription, today billing.Date) (Subscription, Change, error) {
			return s.TakeBack(s.ScheduledChanges()[0].ID, c.find, today)
		}
	}
	for _, c := range []struct {
		name    string
		list    billing.PriceListID
		seats   int
		created string
		act     func(*customer)
		through string
		want    string
		kept    string // the last day that is kept
	}{
		{"fewer seats", month, 10, "2026-03-01", func(c *customer) { c.on("2026-03-11", keep(c, 5)) }, "2026-04-01", "310.00 + 155.00", "2026-03-31"},
		{"fewer seats, then more than there were", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", keep(c, 5))
			c.on("2026-03-21", c.seats(15)) // 5 more than the 10 that were kept: 11 of 31 days
		}, "2026-03-31", "365.00", "2026-03-31"},
		{"fewer seats, then some more", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", keep(c, 5))
			c.on("2026-03-21", c.seats(8))
		}, "2026-03-31", "310.00", "2026-03-31"},
		{"more seats, then fewer than there were", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", keep(c, 15)) // nothing is kept of what costs less
			c.on("2026-03-21", c.seats(5))  // 15 for 10 days, 5 for 11
		}, "2026-03-31", "305.00", ""},
		{"fewer seats on the first day", month, 10, "2026-03-01", func(c *customer) { c.on("2026-03-01", keep(c, 5)) }, "2026-03-31", "155.00", ""},
		{"fewer seats on the first day of a period", month, 10, "2026-03-01", func(c *customer) { c.on("2026-04-01", keep(c, 5)) }, "2026-04-01", "310.00 + 155.00", ""},
		{"fewer seats and back in a day", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", keep(c, 5))
			c.on("2026-03-11", c.seats(10))
			c.on("2026-03-21", c.seats(5))
		}, "2026-03-31", "255.00", ""},
		{"fewer seats, credited after all", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", keep(c, 5))
			c.on("2026-03-11", c.seats(6))
		}, "2026-03-31", "226.00", ""},
		{"fewer seats later", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", seats(c, 5, QuantityUpdate{StartDate: at(d("2026-03-21")), Unused: KeepUnused}))
		}, "2026-04-01", "310.00 + 155.00", "2026-03-31"},
		{"fewer seats later, taken back", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", seats(c, 5, QuantityUpdate{StartDate: at(d("2026-03-21")), Unused: KeepUnused}))
			c.on("2026-03-12", takeBack(c))
			c.on("2026-03-22", c.seats(5))
		}, "2026-03-31", "260.00", ""},
		{"fewer seats later, and others until then", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", seats(c, 5, QuantityUpdate{StartDate: at(d("2026-03-21")), Unused: KeepUnused}))
			c.on("2026-03-11", seats(c, 8, QuantityUpdate{Scheduled: KeepScheduled})) // 10 for 10 days, 8 for 21
		}, "2026-03-31", "268.00", "2026-03-31"},
		{"fewer seats of a yearly charge for the next term", yearly, 2, "2026-01-01", func(c *customer) {
			c.on("2026-01-10", seats(c, 1, QuantityUpdate{AtTermEnd: true, Unused: KeepUnused}))
		}, "2027-01-01", "730.00 + 365.00", "2026-12-31"},
		{"fewer seats, then another plan", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", keep(c, 1))
			c.on("2026-03-21", c.plan(dear, PlanUpdate{})) // 10 for 20 days, then 31/31 of 100 for 11
		}, "2026-03-31", "200.00 + 35.48", "2026-03-20"},
		{"fewer seats, then a plan for nothing", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", keep(c, 1))
			c.on("2026-03-21", c.plan(free, PlanUpdate{}))
		}, "2026-03-31", "200.00", "2026-03-20"},
		{"fewer seats later, and another plan until then", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", seats(c, 5, QuantityUpdate{StartDate: at(d("2026-03-21")), Unused: KeepUnused}))
			c.on("2026-03-11", c.plan(dear, PlanUpdate{Scheduled: KeepScheduled})) // 10 at 31.00 for 10 days, 10 at 100.00 for 21
		}, "2026-03-31", "100.00 + 677.42", "2026-03-31"},
		{"fewer seats, then canceled", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", keep(c, 5))
			c.on("2026-03-21", c.cancel("2026-03-21"))
		}, "2026-04-30", "200.00", "2026-03-20"},
		{"fewer seats, then canceled and kept", month, 10, "2026-03-01", func(c *customer) {
			c.on("2026-03-11", keep(c, 5))
			c.on("2026-03-21", cancelKeep)
		}, "2026-04-30", "310.00", "2026-03-31"},
		{"canceled", month, 1, "2026-03-01", func(c *customer) { c.on("2026-03-20", cancelKeep) }, "2026-04-30", "31.00", "2026-03-31"},
		{"canceled on its first day", month, 1, "2026-03-01", func(c *customer) { c.on("2026-03-01", cancelKeep) }, "2026-04-30", "", ""},
		{"canceled on the first day of a period", month, 1, "2026-03-01", func(c *customer) { c.on("2026-04-01", cancelKeep) }, "2026-04-30", "31.00", ""},
		{"canceled in arrears", arrears, 1, "2026-03-01", func(c *customer) { c.on("2026-03-20", cancelKeep) }, "2026-04-30", "19.00", ""},
		{"to be canceled", yearly, 1, "2026-01-01", func(c *customer) {
			c.on("2026-12-31", func(s Subscription, today billing.Date) (Subscription, Change, error) {
				return s.Cancel(Cancellation{AtTermEnd: true, Unused: KeepUnused}, today)
			})
		}, "2027-06-01", "365.00", ""},
		{"to be canceled in a later year", yearly, 1, "2026-01-01", func(c *customer) {
			c.on("2027-02-10", func(s Subscription, today billing.Date) (Subscription, Change, error) {
				return s.Cancel(Cancellation{AtTermEnd: true, Unused: KeepUnused}, today)
			})
		}, "2028-06-01", "365.00 + 365.00", "2027-12-31"},
		{"to be canceled, taken back", month, 1, "2026-03-01", func(c *customer) {
			c.on("2026-03-05", func(s Subscription, today billing.Date) (Subscription, Change, error) {
				return s.Cancel(Cancellation{On: at(d("2026-03-20")), Unused: KeepUnused}, today)
			})
			c.on("2026-03-06", again)
			c.on("2026-03-20", c.cancel("2026-03-20"))
		}, "2026-04-30", "19.00", ""},
		{"to be canceled, credited after all", month, 1, "2026-03-01", func(c *customer) {
			c.on("2026-03-05", func(s Subscription, today billing.Date) (Subscription, Change, error) {
				return s.Cancel(Cancellation{On: at(d("2026-03-20")), Unused: KeepUnused}, today)
			})
			c.on("2026-03-06", c.cancel("2026-03-20"))
		}, "2026-04-30", "19.00", ""},
		{"reinstated after days were kept", month, 1, "2026-03-01", func(c *customer) {
			c.on("2026-03-20", cancelKeep)
			c.on("2026-03-25", again)
		}, "2026-03-31", "24.00 + 31.00", "2026-03-24"},
		{"reinstated from an earlier day", month, 1, "2026-03-01", func(c *customer) {
			c.on("2026-03-20", cancelKeep)
			c.on("2026-03-25", func(s Subscription, today billing.Date) (Subscription, Change, error) {
				return s.Reinstate(at(d("2026-03-10")), today)
			})
		}, "2026-03-31", "9.00 + 31.00", ""},
		{"reinstated after the kept days", month, 1, "2026-03-01", func(c *customer) {
			c.on("2026-03-20", cancelKeep)
			c.on("2026-04-10", again)
		}, "2026-04-30", "31.00 + 31.00", "2026-03-31"},
		{"reinstated and canceled again on that day", month, 1, "2026-03-01", func(c *customer) {
			c.on("2026-03-20", cancelKeep)
			c.on("2026-03-25", again)
			c.on("2026-03-25", cancelKeep)
		}, "2026-04-30", "24.00", "2026-03-24"},
	} {
		t.Run(c.name, func(t *testing.T) {
			customer := &customer{t: t, offers: map[billing.PriceListID]*Offer{
				month: priced(month, "31", 1, catalog.Monthly), dear: priced(dear, "100", 1, catalog.Monthly),
				yearly: priced(yearly, "365", 1, catalog.Annual), arrears: priced(arrears, "31", 1, catalog.Monthly), free: priced(free, "0", 1, catalog.Monthly),
			}}
			*customer.offers[arrears].Charges[0].BillingTiming = catalog.InArrears
			customer.offers[free].Charges = nil
			s, _, err := New(Draft{Evergreen: true, Quantities: []QuantityOrder{order("seats", c.seats)}}, customer.offers[c.list], d(c.created))
			if err != nil {
				t.Fatal(err)
			}
			customer.s = s
			c.act(customer)
			if have := customer.owes(c.through); have != c.want {
				t.Errorf("owes %q, want %q", have, c.want)
			}
			then, err := customer.s.BroughtTo(d(c.through), customer.find)
			if err != nil {
				t.Fatal(err)
			}
			kept := then.keptDays()["seats"]
			if c.kept == "" && kept != (billing.Date{}) || c.kept != "" && kept != d(c.kept) {
				t.Errorf("kept to %s, want %q: %+v", kept, c.kept, then.Charges)
			}
		})
	}
}

// Days in a trial are not paid, so that none is kept of them.
func TestUnusedDaysOfATrial(t *testing.T) {
	customer := &customer{t: t, offers: map[billing.PriceListID]*Offer{10: priced(10, "31", 1, catalog.Monthly)}}
	s, _, err := New(Draft{Trial: true, Evergreen: true, Quantities: []QuantityOrder{order("seats", 2)}}, customer.offers[10], d("2026-01-01"))
	if err != nil {
		t.Fatal(err)
	}
	customer.s = s
	on := func(day, start string, n int) {
		customer.on(day, func(s Subscription, today billing.Date) (Subscription, Change, error) {
			return s.ChangeQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", n)}, StartDate: at(d(start)), Unused: KeepUnused}, customer.find, today)
		})
	}
	on("2026-01-05", "2026-01-20", 1)
	customer.on("2026-01-06", func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.ExtendTrial(d("2026-01-25"), customer.find, today)
	})
	if have := customer.owes("2026-01-26"); have != "31.00" {
		t.Errorf("owes %q", have)
	}
	customer.on("2026-01-10", func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.ConvertTrial(customer.find, today)
	})
	if have := customer.owes("2026-02-09"); have != "62.00" { // the days from 10 January on are paid, those from the 20th kept
		t.Errorf("owes %q", have)
	}
}
