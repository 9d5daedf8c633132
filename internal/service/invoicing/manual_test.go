package invoicing_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestExamplesOfTheManual runs the examples of docs/billing.md.
func TestExamplesOfTheManual(t *testing.T) {
	page, err := os.ReadFile("../../../docs/billing.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(page), "```\ncharge ")[1:]
	if len(examples) < 5 {
		t.Fatalf("the page has %d examples", len(examples))
	}
	for n, text := range examples {
		text, _, _ = strings.Cut("charge "+text, "```")
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			eachOffice(t, func(o *office) { (&example{office: o}).run(text) })
		})
	}
}

// example is an example of the manual: charges, and what happens on days with the
// documents that come of it.
type example struct {
	*office
	account *billing.Account
	sub     *subscription.Subscription
}

func (e *example) run(text string) {
	e.T.Helper()
	e.account = e.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
	var want []string
	compare := func() {
		e.T.Helper()
		if have := e.amounts(); strings.Join(have, ", ") != strings.Join(want, ", ") {
			e.T.Errorf("the documents are %q, want %q", have, want)
		}
		want = nil
	}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case words[0] == "charge":
			e.charge(words[1], words[2], words[4], len(words) > 5)
		case strings.HasPrefix(line, " "):
			want = append(want, strings.Join(words, " "))
		default:
			compare()
			e.at(words[0])
			e.do(words[1], words[2:])
			if words[1] != "forgive" {
				_, err := e.Invoicing.AccountInvoice(e.Ctx, e.account.ID, nil)
				e.OK(err)
			}
		}
	}
	compare()
}

// charge makes a price list with one charge.
func (e *example) charge(code, price, period string, each bool) {
	e.T.Helper()
	months, every := 1, catalog.Monthly
	if period == "year" {
		months, every = 12, catalog.Annual
	}
	feature := (*string)(nil)
	if each {
		feature = new("users")
	}
	e.AddPriceList(e.Basic.ID, code, months, 0, catalog.ChargeEdit{FeatureCode: feature, Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.ChargeType = code, code, catalog.Recurring
		flat(price, every)(c)
		return nil
	}})
}

func (e *example) do(action string, words []string) {
	e.T.Helper()
	var err error
	switch action {
	case "subscribe":
		order := e.Order(words[0], "acme")
		if len(words) > 1 {
			order.Draft.Quantities = quantity(words)
		}
		e.sub, err = e.Subscriptions.SubscriptionCreate(e.Ctx, order)
	case "quantity":
		_, err = e.Subscriptions.SubscriptionQuantityUpdate(e.Ctx, e.sub.ID, subscription.QuantityUpdate{Orders: quantity(words)})
	case "plan":
		_, err = e.Subscriptions.SubscriptionPlanChange(e.Ctx, e.sub.ID, servicetest.ByCode(words[0]), subscription.PlanUpdate{})
	case "cancel":
		_, err = e.Subscriptions.SubscriptionCancel(e.Ctx, servicetest.IDs(e.sub), subscription.Cancellation{})
	case "forgive":
		_, err = e.Invoicing.InvoiceCredit(e.Ctx, 1, []invoicing.CreditPart{{InvoiceItemID: 1, Amount: words[0]}}, "goodwill")
	default:
		e.T.Fatalf("there is no action %q", action)
	}
	e.OK(err)
}

func quantity(words []string) []subscription.QuantityOrder {
	n := 0
	fmt.Sscan(words[1], &n)
	return []subscription.QuantityOrder{{Code: words[0], Quantity: &n}}
}

// amounts are the documents since the last call: credits before invoices.
func (e *example) amounts() (all []string) {
	e.T.Helper()
	notes, err := store.CreditNotes.List(e.Ctx, e.Read(), store.Page{After: e.notes, Limit: 100})
	e.OK(err)
	for n := range notes {
		e.notes = int64(notes[n].ID)
		all = append(all, "credit "+notes[n].Currency.Format(notes[n].Amount))
	}
	invoices, err := store.Invoices.List(e.Ctx, e.Read(), store.Page{After: e.told, Limit: 100})
	e.OK(err)
	for n := range invoices {
		e.told = int64(invoices[n].ID)
		all = append(all, "invoice "+invoices[n].Currency.Format(invoices[n].Amount))
	}
	return all
}
