package invoicing_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// edge is a customer, what happens to it, and all that it is billed until a day.
type edge struct {
	name    string
	account func(*billing.Account)
	steps   []edgeStep
	until   string
	want    string
}

// edgeStep is done at noon of a day, after what was due on it.
type edgeStep struct {
	on string
	do func(*customer)
}

// customer is the account of an edge with its subscription.
type customer struct {
	*office
	code string
	sub  billing.SubscriptionID
}

func starts(on, list string, with ...func(*subscriptions.NewSubscription)) edgeStep {
	return edgeStep{on, func(c *customer) { c.sub = c.Subscribe(list, c.code, with...).ID }}
}

func starting(on string) func(*subscriptions.NewSubscription) { return servicetest.Starting(on) }

func endingOn(day string) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Draft.EndDate = servicetest.On(day) }
}

func cancels(on string, c subscription.Cancellation) edgeStep {
	return edgeStep{on, func(o *customer) {
		_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, []billing.SubscriptionID{o.sub}, c)
		o.OK(err)
	}}
}

func reinstates(on, from string) edgeStep {
	return edgeStep{on, func(c *customer) {
		var effective *billing.Date
		if from != "" {
			effective = servicetest.On(from)
		}
		_, err := c.Subscriptions.SubscriptionReinstate(c.Ctx, []billing.SubscriptionID{c.sub}, effective)
		c.OK(err)
	}}
}

func orders(on string, unused subscription.UnusedDays, quantities ...int) edgeStep {
	return edgeStep{on, func(c *customer) {
		for _, q := range quantities {
			_, err := c.Subscriptions.SubscriptionQuantityUpdate(c.Ctx, c.sub, subscription.QuantityUpdate{Orders: servicetest.Seats(q), Unused: unused})
			c.OK(err)
		}
	}}
}

func moves(on string, update subscription.PlanUpdate, lists ...string) edgeStep {
	return edgeStep{on, func(c *customer) {
		for _, list := range lists {
			_, err := c.Subscriptions.SubscriptionPlanChange(c.Ctx, c.sub, servicetest.ByCode(list), update)
			c.OK(err)
		}
	}}
}

func updates(on string, u subscription.Update) edgeStep {
	return edgeStep{on, func(c *customer) {
		_, err := c.Subscriptions.SubscriptionUpdate(c.Ctx, c.sub, u)
		c.OK(err)
	}}
}

func edits(on string, edit func(*billing.Account)) edgeStep {
	return edgeStep{on, func(c *customer) {
		a, err := store.Accounts.ByCode(c.Ctx, c.Read(), c.code)
		c.OK(err)
		_, err = c.Customers.AccountUpdate(c.Ctx, a.ID, func(a *billing.Account) error { edit(a); return nil }, nil)
		c.OK(err)
	}}
}

const (
	keep   = subscription.KeepUnused
	credit = subscription.CreditUnused
)

// TestEdges takes a customer through every edge that billing decides, all of them
// at once in one world that is billed day by day. Without tax, and 31.00 is a month,
// unless said.
func TestEdges(t *testing.T) {
	eachOffice(t, func(o *office) {
		branch := o.branch()
		o.edgeLists()
		edges := o.edges(branch)
		customers := make([]*customer, len(edges))
		days := map[string][]func(){}
		for n := range edges {
			c := &customer{office: o, code: fmt.Sprintf("edge-%d", n)}
			customers[n] = c
			o.customer(c.code, func(a *billing.Account) {
				if a.TaxExempt = true; edges[n].account != nil {
					edges[n].account(a)
				}
			})
			for _, s := range edges[n].steps {
				days[s.on] = append(days[s.on], func() { s.do(c) })
			}
		}
		for day := servicetest.Day("2026-01-15"); day.Before(servicetest.Day("2026-07-02")); day = day.AddDays(1) {
			o.at(day.String())
			o.run()
			if steps := days[day.String()]; steps != nil {
				for _, do := range steps {
					do()
				}
				o.run()
				delete(days, day.String())
			}
		}
		if len(days) > 0 {
			t.Errorf("some steps were never done: %v", days)
		}
		for n, e := range edges {
			if have := o.billed(customers[n].code, e.until); have != e.want {
				t.Errorf("%s:\nhave %s\nwant %s", e.name, have, e.want)
			}
		}
		o.numbersWithoutGap()
	})
}

// branch is a second entity, with numbers of its own.
func (o *office) branch() billing.EntityID {
	o.T.Helper()
	return o.branchFrom("2026-01-01")
}

// branchFrom is a second entity that invoices from a day on.
func (o *office) branchFrom(start string) billing.EntityID {
	o.T.Helper()
	e := billing.NewEntity()
	e.Code, e.Name, e.Country, e.InvoicingStartsOn = "branch", "Branch GmbH", "DE", servicetest.On(start)
	e.InvoiceNumberFormat, e.CreditNoteNumberFormat = "B-{0000}", "BC-{0000}"
	o.OK(o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error { return store.Entities.Insert(ctx, tx, &e) }))
	return e.ID
}

// edgeLists are the price lists of the edges.
func (o *office) edgeLists() {
	o.list("month", 1, flat("31", catalog.Monthly))
	o.list("double", 1, flat("62", catalog.Monthly))
	o.list("month-49", 1, flat("49", catalog.Monthly))
	o.list("month-120", 1, flat("120", catalog.Monthly))
	o.list("year", 12, flat("1200", catalog.Annual))
	o.list("quarters", 12, flat("92", catalog.Quarterly))
	o.list("cheaper", 1, flat("31", catalog.Monthly))
	o.list("deleted", 1, flat("31", catalog.Monthly))
	o.list("enlarged", 1, flat("31", catalog.Monthly))
	o.list("arrears", 1, func(c *catalog.Charge) {
		c.Price, c.BillingTiming = servicetest.Price("31"), new(catalog.InArrears)
	})
	for _, l := range []struct{ code, currency, price string }{{"eur", "EUR", "10"}, {"jpy", "JPY", "1000"}, {"kwd", "KWD", "10"}, {"yen", "JPY", "3100"}} {
		list := o.list(l.code, 1, flat(l.price, catalog.Monthly))
		_, err := o.Catalog.PriceListUpdate(o.Ctx, list.ID, func(p *catalog.PriceList) error { p.CurrencyID = l.currency; return nil })
		o.OK(err)
	}
	seats := func(code string, edit func(*catalog.Charge)) {
		o.AddPriceList(o.Pro.ID, code, 1, 0, catalog.ChargeEdit{FeatureCode: new("users"), Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.QuantityMin, c.QuantityMax = "seats", "Seats", new(1), new(500)
			edit(c)
			return nil
		}})
	}
	seats("seats-31", func(c *catalog.Charge) { c.Price = servicetest.Price("31") })
	seats("volume", func(c *catalog.Charge) {
		c.PricingModel, c.Tiers = catalog.Volume, []catalog.Tier{{Starts: 1, Price: "2"}, {Starts: 101, Price: "1"}}
	})
	o.AddPriceList(o.Basic.ID, "trial", 1, 14, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.Price = "fee", "Fee", servicetest.Price("31")
		return nil
	}}, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.Price, c.ChargeType, c.BillingPeriod = "setup", "Setup", servicetest.Price("100"), catalog.OneTime, catalog.Once
		return nil
	}})
}

// edges are the rows.
func (o *office) edges(branch billing.EntityID) []edge {
	march := starts("2026-03-01", "month")
	trial := starts("2026-03-01", "trial", servicetest.Trial)
	pending := starts("2026-02-27", "month", starting("2026-03-01"))
	stub := []func(*subscriptions.NewSubscription){starting("2026-03-22"), endingOn("2026-03-31")}
	return []edge{
		{"quantity up", nil, []edgeStep{starts("2026-03-01", "seats-31", servicetest.WithSeats(5)), orders("2026-03-11", credit, 8)}, "2026-04-30",
			"2026-03-01 155.00; 2026-04-01 63.00 248.00"},
		{"quantity down, unused days credited", nil, []edgeStep{starts("2026-03-01", "seats-31", servicetest.WithSeats(10)), orders("2026-03-11", credit, 5)}, "2026-04-30",
			"2026-03-01 310.00; 2026-04-01 155.00 -105.00"},
		{"quantity down, unused days kept", nil, []edgeStep{starts("2026-03-01", "seats-31", servicetest.WithSeats(10)), orders("2026-03-11", keep, 5)}, "2026-04-30",
			"2026-03-01 310.00; 2026-04-01 155.00"},
		{"quantity down, unused days kept, then up", nil, []edgeStep{starts("2026-03-01", "seats-31", servicetest.WithSeats(10)), orders("2026-03-11", keep, 5),
			orders("2026-03-21", credit, 15)}, "2026-04-30", "2026-03-01 310.00; 2026-04-01 55.00 465.00"},
		{"several changes on one day", nil, []edgeStep{starts("2026-03-01", "seats-31", servicetest.WithSeats(5)), orders("2026-03-11", credit, 9, 5)}, "2026-04-30",
			"2026-03-01 155.00; 2026-04-01 155.00"},
		{"change back later", nil, []edgeStep{starts("2026-03-01", "seats-31", servicetest.WithSeats(5)), orders("2026-03-11", credit, 6), orders("2026-03-21", credit, 5)}, "2026-04-30",
			"2026-03-01 155.00; 2026-04-01 10.00 155.00"},
		{"more units that cost less", nil, []edgeStep{starts("2026-06-01", "volume", servicetest.WithSeats(100)), orders("2026-06-16", credit, 101)}, "2026-07-01",
			"2026-06-01 200.00; 2026-07-01 101.00 -49.50"},

		{"plan change now", nil, []edgeStep{march, moves("2026-03-20", subscription.PlanUpdate{}, "double")}, "2026-04-30",
			"2026-03-01 31.00; 2026-03-20 24.00 -12.00; 2026-04-01 62.00"},
		{"plan change at term end", nil, []edgeStep{march, moves("2026-03-20", subscription.PlanUpdate{AtTermEnd: true}, "double")}, "2026-04-30",
			"2026-03-01 31.00; 2026-04-01 62.00"},
		{"plan change in the trial", nil, []edgeStep{starts("2026-03-01", "basic-monthly", servicetest.Trial, servicetest.WithSeats(3)), moves("2026-03-10", subscription.PlanUpdate{}, "double")}, "2026-04-01", "2026-03-15 62.00"},
		{"plan with a set-up left in the trial", nil, []edgeStep{trial, moves("2026-03-10", subscription.PlanUpdate{}, "double")}, "2026-04-01", "2026-03-15 62.00"},
		{"plan with a set-up left when the trial ends", nil, []edgeStep{trial, moves("2026-03-10", subscription.PlanUpdate{AtTermEnd: true}, "double")}, "2026-04-01", "2026-03-15 62.00"},
		{"plan with a set-up left in the trial and taken again", nil, []edgeStep{trial, moves("2026-03-10", subscription.PlanUpdate{}, "double"),
			moves("2026-03-12", subscription.PlanUpdate{}, "trial")}, "2026-04-01", "2026-03-15 31.00 100.00"},
		{"plan to another currency", nil, []edgeStep{march, moves("2026-03-20", subscription.PlanUpdate{}, "yen")}, "2026-04-30",
			"2026-03-01 31.00; 2026-03-20 JPY 1200 -12.00; 2026-04-01 JPY 3100"},
		{"plan changed away and back on the same day", nil, []edgeStep{march, moves("2026-03-20", subscription.PlanUpdate{}, "double", "month")}, "2026-04-30",
			"2026-03-01 31.00; 2026-04-01 31.00"},
		{"a year to a month, term restarts", nil, []edgeStep{starts("2026-01-15", "year"), moves("2026-03-20", subscription.PlanUpdate{Term: subscription.RestartTerm}, "month-120")}, "2026-04-30",
			"2026-01-15 1200.00; 2026-03-20 120.00 -989.59; 2026-04-20 120.00"},
		{"a year to a month, term kept", nil, []edgeStep{starts("2026-01-15", "year"), moves("2026-03-20", subscription.PlanUpdate{Term: subscription.KeepTerm}, "month-120")}, "2026-04-30",
			"2026-01-15 1200.00; 2026-03-20 100.65 -989.59; 2026-04-15 120.00"},
		{"a month to a year, term restarts", nil, []edgeStep{starts("2026-01-15", "month-120"), moves("2026-01-25", subscription.PlanUpdate{Term: subscription.RestartTerm}, "year")}, "2026-04-30",
			"2026-01-15 120.00; 2026-01-25 1200.00 -81.29"},
		{"a month to a year, term kept", nil, []edgeStep{starts("2026-01-15", "month-120"), moves("2026-01-25", subscription.PlanUpdate{Term: subscription.KeepTerm}, "year")}, "2026-04-30",
			"2026-01-15 120.00; 2026-01-25 69.04 -81.29; 2026-02-15 1200.00"},

		{"cancel, unused days credited", nil, []edgeStep{march, cancels("2026-03-20", subscription.Cancellation{Unused: credit})}, "2026-06-30", "2026-03-01 31.00; 2026-03-20 -12.00"},
		{"cancel, unused days kept", nil, []edgeStep{march, cancels("2026-03-20", subscription.Cancellation{Unused: keep})}, "2026-06-30", "2026-03-01 31.00"},
		{"cancel on the first day", nil, []edgeStep{pending, cancels("2026-03-01", subscription.Cancellation{Unused: credit})}, "2026-06-30", "2026-03-01 31.00 -31.00"},
		{"cancel on the first day, kept", nil, []edgeStep{pending, cancels("2026-03-01", subscription.Cancellation{Unused: keep})}, "2026-06-30", "2026-03-01 31.00 -31.00"},
		{"cancel at term end", nil, []edgeStep{march, cancels("2026-03-20", subscription.Cancellation{AtTermEnd: true})}, "2026-06-30", "2026-03-01 31.00"},
		{"cancellation scheduled", nil, []edgeStep{starts("2026-02-01", "quarters"), cancels("2026-04-20", subscription.Cancellation{On: servicetest.On("2026-06-01")})}, "2026-06-30",
			"2026-02-01 92.00; 2026-05-01 31.00"},
		{"cancellation taken back", nil, []edgeStep{starts("2026-02-01", "quarters"), cancels("2026-04-20", subscription.Cancellation{On: servicetest.On("2026-06-01")}),
			reinstates("2026-05-10", "")}, "2026-06-30", "2026-02-01 92.00; 2026-05-01 31.00; 2026-06-01 61.00"},
		{"expiry", nil, []edgeStep{starts("2026-03-01", "month", servicetest.WithoutRenewal)}, "2026-06-30", "2026-03-01 31.00"},
		{"reinstate", nil, []edgeStep{march, cancels("2026-03-20", subscription.Cancellation{}), reinstates("2026-03-25", "")}, "2026-04-30",
			"2026-03-01 31.00; 2026-03-20 -12.00; 2026-03-25 31.00; 2026-04-25 31.00"},
		{"reinstate, effective earlier", nil, []edgeStep{march, cancels("2026-03-20", subscription.Cancellation{}), reinstates("2026-03-25", "2026-03-10")}, "2026-04-30",
			"2026-03-01 31.00; 2026-03-20 -12.00; 2026-03-25 31.00 -10.00; 2026-04-10 31.00"},
		{"reinstate after unused days were kept", nil, []edgeStep{march, cancels("2026-03-20", subscription.Cancellation{Unused: keep}), reinstates("2026-03-25", "")}, "2026-04-30",
			"2026-03-01 31.00; 2026-03-25 31.00 -7.00; 2026-04-25 31.00"},

		{"trial, then active", nil, []edgeStep{trial}, "2026-04-30", "2026-03-15 31.00 100.00; 2026-04-15 31.00"},
		{"trial converted on its first day", nil, []edgeStep{trial, {"2026-03-01", func(c *customer) {
			_, err := c.Subscriptions.SubscriptionTrialConvert(c.Ctx, c.sub, subscriptions.PriceListRef{}, nil)
			c.OK(err)
		}}}, "2026-04-30", "2026-03-01 31.00 100.00; 2026-04-01 31.00"},
		{"trial extended", nil, []edgeStep{trial, {"2026-03-10", func(c *customer) {
			_, err := c.Subscriptions.SubscriptionTrialExtend(c.Ctx, c.sub, servicetest.Day("2026-03-20"))
			c.OK(err)
		}}}, "2026-04-30", "2026-03-21 31.00 100.00; 2026-04-21 31.00"},
		{"trial canceled", nil, []edgeStep{trial, cancels("2026-03-10", subscription.Cancellation{})}, "2026-06-30", ""},

		{"start in the past", nil, []edgeStep{starts("2026-03-10", "month", starting("2026-01-01"))}, "2026-04-30", "2026-03-10 31.00 31.00 31.00; 2026-04-01 31.00"},
		{"start before invoicing does", nil, []edgeStep{starts("2026-01-15", "month", starting("2025-12-17"))}, "2026-01-31", "2026-01-15 16.00; 2026-01-17 31.00"},
		{"first term with a chosen end", nil, []edgeStep{starts("2026-02-01", "month-49", starting("2026-01-10"), endingOn("2026-01-31"))}, "2026-02-28", "2026-02-01 34.77 49.00"},
		{"term made longer", nil, []edgeStep{starts("2026-01-15", "month-49"), updates("2026-02-10", subscription.Update{EndDate: servicetest.On("2026-02-28")})}, "2026-03-31",
			"2026-01-15 49.00; 2026-02-15 24.50; 2026-03-01 49.00"},
		{"term made shorter", nil, []edgeStep{starts("2026-03-01", "month", servicetest.WithoutRenewal), updates("2026-03-10", subscription.Update{EndDate: servicetest.On("2026-03-20")})},
			"2026-06-30", "2026-03-01 31.00; 2026-03-21 -11.00"},
		{"arrears", nil, []edgeStep{starts("2026-03-01", "arrears"), cancels("2026-04-11", subscription.Cancellation{})}, "2026-06-30", "2026-04-01 31.00; 2026-04-11 10.33"},
		{"10 of 31 days in EUR", nil, []edgeStep{starts("2026-03-22", "eur", stub...)}, "2026-03-31", "2026-03-22 3.23"},
		{"10 of 31 days in JPY", nil, []edgeStep{starts("2026-03-22", "jpy", stub...)}, "2026-03-31", "2026-03-22 JPY 323"},
		{"10 of 31 days in KWD", nil, []edgeStep{starts("2026-03-22", "kwd", stub...)}, "2026-03-31", "2026-03-22 KWD 3.226"},

		{"price in the catalog lower", nil, []edgeStep{starts("2026-03-01", "cheaper"), {"2026-03-10", func(c *customer) {
			_, err := c.Catalog.ChargeUpdate(c.Ctx, c.ChargeOf("cheaper", "cheaper").ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
				c.Price = servicetest.Price("10")
				return nil
			}})
			c.OK(err)
		}}}, "2026-04-30", "2026-03-01 31.00; 2026-04-01 31.00"},
		{"charge deleted", nil, []edgeStep{starts("2026-03-01", "deleted"), {"2026-03-10", func(c *customer) {
			_, err := c.Catalog.ChargeDelete(c.Ctx, c.ChargeOf("deleted", "deleted").ID)
			c.OK(err)
		}}}, "2026-04-30", "2026-03-01 31.00; 2026-04-01 31.00"},
		{"charge added, and ordered later", nil, []edgeStep{starts("2026-03-01", "enlarged"), {"2026-03-10", func(c *customer) {
			_, err := c.Catalog.ChargeCreate(c.Ctx, c.ChargeOf("enlarged", "enlarged").PriceListID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
				c.Code, c.Name, c.Price, c.ChargeType, c.BillingPeriod = "training", "Training", servicetest.Price("100"), catalog.OneTime, catalog.Once
				return nil
			}})
			c.OK(err)
		}}, {"2026-04-10", func(c *customer) {
			_, err := c.Subscriptions.SubscriptionQuantityUpdate(c.Ctx, c.sub, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: "training", Quantity: new(2)}}})
			c.OK(err)
		}}}, "2026-04-30", "2026-03-01 31.00; 2026-04-01 31.00; 2026-04-10 200.00"},

		{"account changes entity", nil, []edgeStep{march, edits("2026-03-10", func(a *billing.Account) { a.EntityID = &branch })}, "2026-04-30", "2026-03-01 31.00; 2026-04-01 B 31.00"},
		{"account changes entity, and cancels", nil, []edgeStep{march, edits("2026-03-10", func(a *billing.Account) { a.EntityID = &branch }),
			cancels("2026-03-20", subscription.Cancellation{})}, "2026-04-30", "2026-03-01 31.00; 2026-03-20 -12.00"},
		{"account moves abroad", func(a *billing.Account) { a.TaxExempt = false }, []edgeStep{march, edits("2026-03-10", func(a *billing.Account) { a.BillingCountry = new("US") })}, "2026-04-30",
			"2026-03-01 31.00+5.89; 2026-04-01 31.00"},
		{"account's time zone", nil, []edgeStep{march, edits("2026-03-31", func(a *billing.Account) { a.Timezone = new("Pacific/Auckland") })}, "2026-04-30", "2026-03-01 31.00; 2026-04-01 31.00"},
		{"billing day changed, sooner", nil, []edgeStep{starts("2026-03-10", "seats-31", servicetest.WithSeats(5)), orders("2026-03-12", credit, 6),
			edits("2026-03-13", func(a *billing.Account) { a.BillingDay = 20 })}, "2026-04-30", "2026-03-10 155.00; 2026-03-20 29.00; 2026-04-10 186.00"},
		{"billing day changed, later", nil, []edgeStep{starts("2026-03-10", "seats-31", servicetest.WithSeats(5)), orders("2026-03-12", credit, 6),
			edits("2026-03-13", func(a *billing.Account) { a.BillingDay = 5 })}, "2026-04-30", "2026-03-10 155.00; 2026-04-01 29.00; 2026-04-10 186.00"},
		{"collected on the billing day", func(a *billing.Account) { a.Collection, a.BillingDay = billing.CollectOnBillingDay, 20 }, []edgeStep{march}, "2026-05-30",
			"2026-03-20 31.00; 2026-04-20 31.00; 2026-05-20 31.00"},
	}
}

// billed is everything that an account was billed until a day: of each day the
// items of its invoices with their tax, and then its credits.
func (o *office) billed(account, until string) string {
	o.T.Helper()
	a, err := store.Accounts.ByCode(o.Ctx, o.Read(), account)
	o.OK(err)
	var days []string
	texts := map[string]string{}
	add := func(on billing.Date, text string) {
		day := on.String()
		if day > until {
			return
		}
		if texts[day] == "" {
			days = append(days, day)
		}
		texts[day] += " " + text
	}
	invoices, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{Limit: 10_000})
	o.OK(err)
	o.OK(store.WithItems(o.Ctx, o.Read(), invoices))
	for n := range invoices {
		i := &invoices[n]
		if i.AccountID != a.ID {
			continue
		}
		for m := range i.Items {
			text := i.Currency.Format(i.Items[m].Amount)
			if i.Currency.Code != "EUR" {
				text = i.Currency.Code + " " + text
			}
			if m == 0 && strings.HasPrefix(i.Number, "B") {
				text = "B " + text
			}
			if m == len(i.Items)-1 && i.TaxAmount > 0 {
				text += "+" + i.Currency.Format(i.TaxAmount)
			}
			add(i.IssuedAt, text)
		}
	}
	notes, err := store.CreditNotes.List(o.Ctx, o.Read(), store.Page{Limit: 10_000})
	o.OK(err)
	for n := range notes {
		if c := &notes[n]; c.AccountID == a.ID {
			text := "-" + c.Currency.Format(c.Amount)
			if strings.HasPrefix(c.Number, "BC") {
				text = "B " + text
			}
			add(c.IssuedAt, text)
		}
	}
	slices.Sort(days)
	var parts []string
	for _, day := range days {
		parts = append(parts, day+texts[day])
	}
	return strings.Join(parts, "; ")
}

// numbersWithoutGap checks that the numbers of each series are 1, 2, 3 … in the order
// of issue, each once.
func (o *office) numbersWithoutGap() {
	o.T.Helper()
	series, err := store.AllSeries(o.Ctx, o.Read(), 0)
	o.OK(err)
	for n := range series {
		s := &series[n]
		have := o.QueryText(fmt.Sprintf(`SELECT count(*) || ' ' || count(DISTINCT number) || ' ' || COALESCE(min(place), 0) || ' ' || COALESCE(max(place), 0) FROM (
			SELECT number, place FROM invoice WHERE series_id = %d UNION ALL SELECT number, place FROM credit_note WHERE series_id = %d) AS documents`, s.ID, s.ID))
		first := 1
		if s.Documents == 0 {
			first = 0
		}
		if want := fmt.Sprintf("%d %d %d %d", s.Documents, s.Documents, first, s.Documents); have != want {
			o.T.Errorf("series %d has documents, numbers, first and last place %s, want %s", s.ID, have, want)
		}
	}
}
