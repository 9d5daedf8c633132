package invoicing_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestTwoYearsInRealTimeAndOnATestClock takes a customer through two years with a
// trial, seats up and down, plans by the month and by the year, goodwill, a void
// invoice that is billed again, a payment, a cancellation and a reinstatement. Every
// document is in testdata/two_years.golden, the same on both databases;
// TENANTRY_UPDATE=1 writes it anew. On a test clock, the same documents are issued
// up to their numbers.
func TestTwoYearsInRealTimeAndOnATestClock(t *testing.T) {
	const path = "testdata/two_years.golden"
	eachOffice(t, func(o *office) {
		o.twoYearsLists()
		clock := o.NewClock("2026-01-15 12:00")
		tester := o.AccountOn("on a clock", &clock.ID)
		_, err := o.Customers.AccountUpdate(o.Ctx, tester.ID, func(a *billing.Account) error {
			a.BillingCountry, a.BillingDay = new("DE"), 1
			return nil
		}, nil)
		o.OK(err)
		o.twoYears("on a clock", func(day string) {
			_, _, err := o.Subscriptions.TestClockAdvance(o.Ctx, clock.ID, servicetest.Moment(day+" 12:00"))
			o.OK(err)
		})
		tested := o.documentsOf("on a clock")
		o.customer("acme")
		o.twoYears("acme", o.days)
		real := o.documentsOf("acme")
		if os.Getenv("TENANTRY_UPDATE") != "" {
			o.OK(os.WriteFile(path, []byte(real), 0o644))
		}
		want, err := os.ReadFile(path)
		o.OK(err)
		if real != string(want) {
			t.Errorf("the documents are not those of %s:\n%s", path, real)
		}
		numbers := regexp.MustCompile(`(INV|CN|TEST)-[0-9-]+`)
		if have, want := numbers.ReplaceAllString(tested, "#"), numbers.ReplaceAllString(real, "#"); have != want {
			t.Errorf("on a test clock:\n%s\nin real time:\n%s", have, want)
		}
		o.soundDocuments()
		o.numbersWithoutGap()
	})
}

// twoYearsLists are a monthly and an annual price list.
func (o *office) twoYearsLists() {
	seats := func(price string, period catalog.BillingPeriod) catalog.ChargeEdit {
		return catalog.ChargeEdit{FeatureCode: new("users"), Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.Price, c.BillingPeriod, c.QuantityMin = "seats", "Seats", servicetest.Price(price), period, new(1)
			return nil
		}}
	}
	setup := catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.Price, c.ChargeType, c.BillingPeriod = "setup", "Setup", servicetest.Price("50"), catalog.OneTime, catalog.Once
		return nil
	}}
	o.AddPriceList(o.Basic.ID, "team", 1, 14, seats("9.99", catalog.Monthly), setup)
	o.AddPriceList(o.Pro.ID, "team-year", 12, 0, seats("99", catalog.Annual))
}

// twoYears is the story; to lets time pass until noon of a day.
func (o *office) twoYears(account string, to func(day string)) {
	o.T.Helper()
	code := strings.ReplaceAll(account, " ", "-")
	c := &customer{office: o, code: account}
	c.sub = o.Subscribe("team", account, servicetest.WithSeats(5), servicetest.Trial, servicetest.InTenant(code)).ID
	for _, s := range []edgeStep{
		{"2026-01-20", func(c *customer) {
			_, err := c.Subscriptions.SubscriptionTrialExtend(c.Ctx, c.sub, servicetest.Day("2026-02-05"))
			c.OK(err)
		}},
		orders("2026-02-16", credit, 8),
		orders("2026-03-20", credit, 4),
		moves("2026-04-10", subscription.PlanUpdate{Term: subscription.RestartTerm}, "team-year"),
		orders("2026-06-01", credit, 10),
		orders("2026-06-15", keep, 6),
		moves("2026-09-01", subscription.PlanUpdate{Term: subscription.RestartTerm}, "team"),
		{"2026-10-15", func(c *customer) {
			i := c.newest()
			_, err := c.Invoicing.InvoiceCredit(c.Ctx, i.ID, []invoicing.CreditPart{{InvoiceItemID: i.Items[len(i.Items)-1].ID, Amount: "5.00"}}, "An outage")
			c.OK(err)
		}},
		{"2026-11-10", func(c *customer) {
			_, err := c.Invoicing.InvoiceVoid(c.Ctx, c.newest().ID, "Wrong address", true)
			c.OK(err)
		}},
		{"2026-11-20", func(c *customer) {
			_, err := c.Invoicing.PaymentCreate(c.Ctx, invoicing.PaymentAttributes{AccountID: c.newest().AccountID, Amount: "100.00", CurrencyID: "EUR"})
			c.OK(err)
		}},
		cancels("2026-12-20", subscription.Cancellation{}),
		reinstates("2027-02-03", ""),
		cancels("2027-03-20", subscription.Cancellation{AtTermEnd: true, Unused: keep}),
		reinstates("2027-03-25", ""),
		moves("2027-06-10", subscription.PlanUpdate{AtTermEnd: true}, "team-year"),
		{"2028-01-15", func(*customer) {}},
	} {
		to(s.on)
		s.do(c)
		o.run()
	}
}

// newest is the invoice of the customer that was issued last.
func (c *customer) newest() *document.Invoice {
	c.T.Helper()
	all := c.invoicesOf(c.code)
	return &all[len(all)-1]
}

func (o *office) invoicesOf(account string) (mine []document.Invoice) {
	o.T.Helper()
	a := servicetest.Must[*billing.Account](o.World)(store.Accounts.ByCode(o.Ctx, o.Read(), account))
	invoices, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{Limit: 10_000})
	o.OK(err)
	o.OK(store.WithItems(o.Ctx, o.Read(), invoices))
	for n := range invoices {
		if invoices[n].AccountID == a.ID {
			mine = append(mine, invoices[n])
		}
	}
	return mine
}

// documentsOf are all documents of an account, one in a line.
func (o *office) documentsOf(account string) string {
	o.T.Helper()
	var text strings.Builder
	invoices := o.invoicesOf(account)
	for n := range invoices {
		i := &invoices[n]
		fmt.Fprintf(&text, "%s by %s, %s\n", describe(i), i.DueAt, i.State(servicetest.Day("2028-01-15")))
	}
	notes, err := store.CreditNotes.List(o.Ctx, o.Read(), store.Page{Limit: 10_000})
	o.OK(err)
	for n := range notes {
		if notes[n].AccountID == invoices[0].AccountID {
			fmt.Fprintf(&text, "%s %s %s\n", o.describeNote(&notes[n]), notes[n].Kind, notes[n].Reason)
		}
	}
	return text.String()
}
