package invoicing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestCatalogChangesNoAmount changes every price of the catalog, and how it is
// asked for, while something is accrued. What is accrued and what will be billed
// stays the same, and is billed.
func TestCatalogChangesNoAmount(t *testing.T) {
	eachOffice(t, func(o *office) {
		var accounts []billing.AccountID
		var customers []*customer
		lists := o.storyLists()
		for _, list := range lists {
			c := &customer{office: o, code: "on-" + list}
			accounts = append(accounts, o.customer(c.code, func(a *billing.Account) { a.BillingDay = 28 }).ID)
			starts("", list, servicetest.WithSeats(5), servicetest.InTenant(c.code)).do(c)
			customers = append(customers, c)
		}
		o.run()
		o.at("2026-01-20")
		for _, c := range customers {
			orders("", credit, 25).do(c)
		}
		o.run()
		before := o.owed(accounts)
		if strings.Count(before, "accrued") < 3 {
			o.T.Errorf("too little is accrued:\n%s", before)
		}
		for _, change := range []struct {
			name string
			edit func(*catalog.Charge)
		}{
			{"other prices", func(c *catalog.Charge) {
				if c.Price != nil {
					c.Price = servicetest.Price("77.77")
				}
				for n := range c.Tiers {
					c.Tiers[n].Price = "66.66"
				}
			}},
			{"other tiers", func(c *catalog.Charge) {
				if len(c.Tiers) > 0 {
					c.Tiers = []catalog.Tier{{Starts: 1, Price: "5"}, {Starts: 3, Price: "1"}}
				}
			}},
			{"another model", func(c *catalog.Charge) {
				if c.ChargeType == catalog.Recurring {
					c.PricingModel, c.Tiers, c.Price = catalog.Flat, nil, servicetest.Price("11")
				}
			}},
			{"another period", func(c *catalog.Charge) {
				if c.ChargeType == catalog.Recurring {
					c.BillingPeriod = catalog.SemiAnnual
				}
			}},
			{"another timing", func(c *catalog.Charge) {
				if timing := catalog.InArrears; c.BillingTiming != nil {
					if *c.BillingTiming == catalog.InArrears {
						timing = catalog.InAdvance
					}
					c.BillingTiming = &timing
				}
			}},
		} {
			o.eachCharge(lists, func(code string, c *catalog.Charge) {
				edit := catalog.ChargeEdit{Edit: func(c *catalog.Charge) error { change.edit(c); return nil }}
				if code == "seats" {
					edit.FeatureCode = new("users")
				}
				_, err := o.Catalog.ChargeUpdate(o.Ctx, c.ID, edit)
				o.OK(err)
			})
			o.Equal(change.name, o.owed(accounts), before)
		}
		o.eachCharge(lists, func(_ string, c *catalog.Charge) {
			_, err := o.Catalog.ChargeDelete(o.Ctx, c.ID)
			o.OK(err)
		})
		o.Equal("without charges", o.owed(accounts), before)
		for _, account := range accounts {
			var seen [2]int
			o.since(account, &seen)
			items, err := o.Invoicing.AccruedItems(o.Ctx, account)
			o.OK(err)
			_, err = o.Invoicing.AccountInvoice(o.Ctx, account, nil)
			o.OK(err)
			var billed money.Amount
			invoices, notes := o.since(account, &seen)
			for _, i := range invoices {
				billed += i.Subtotal
			}
			for n := range notes {
				billed -= notes[n].Subtotal
			}
			for n := range items {
				billed -= items[n].Amount
			}
			o.Equal("billed beyond what was accrued", billed, money.Amount(0))
		}
	})
}

// eachCharge does something to every charge of price lists.
func (o *office) eachCharge(lists []string, do func(code string, c *catalog.Charge)) {
	o.T.Helper()
	for _, list := range lists {
		for _, code := range []string{"seats", "fee", "setup"} {
			if code != "setup" || list == "flat-month" || list == "volume-quarter" {
				do(code, o.ChargeOf(list, code))
			}
		}
	}
}

// owed is what accounts owe by now, and what they will be billed on the next days.
func (o *office) owed(accounts []billing.AccountID) string {
	o.T.Helper()
	var text strings.Builder
	for _, id := range accounts {
		items, err := o.Invoicing.AccruedItems(o.Ctx, id)
		o.OK(err)
		for n := range items {
			fmt.Fprintf(&text, "account %d, accrued: %s %s to %s %s\n", id, items[n].LineText, items[n].StartDate, items[n].EndDate, items[n].Currency.Format(items[n].Amount))
		}
		p, err := o.Invoicing.InvoicePreview(o.Ctx, id, nil)
		o.OK(err)
		fmt.Fprintf(&text, "account %d, next: %s\n", id, previewText(p))
	}
	return text.String()
}
