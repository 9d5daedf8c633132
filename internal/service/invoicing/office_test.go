package invoicing_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// office is a world that issues invoices: in Germany, from 1 January 2026 on.
type office struct {
	*servicetest.World
	entity billing.Entity
	// told is how many invoices and credit notes were told of.
	told, notes int64
}

func eachOffice(t *testing.T, test func(o *office)) {
	t.Helper()
	servicetest.Each(t, func(w *servicetest.World) {
		o := openOffice(w)
		test(o)
		o.verify()
	})
}

func openOffice(w *servicetest.World) *office {
	w.T.Helper()
	o := &office{World: w, entity: billing.NewEntity()}
	w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
		o.entity.Code, o.entity.Name, o.entity.Country, o.entity.InvoicingStartsOn = "main", "Seller GmbH", "DE", servicetest.On("2026-01-01")
		return store.Entities.Insert(ctx, tx, &o.entity)
	}))
	return o
}

// list makes a price list in EUR with one charge.
func (o *office) list(code string, months int, edit func(*catalog.Charge)) *catalog.PriceList {
	o.T.Helper()
	o.Lists[code] = o.AddPriceList(o.Basic.ID, code, months, 0, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.ChargeType, c.BillingPeriod = code, "Fee of "+code, catalog.Recurring, catalog.Monthly
		edit(c)
		return nil
	}})
	return o.Lists[code]
}

// flat is a charge of a flat price for a period.
func flat(price string, period catalog.BillingPeriod) func(*catalog.Charge) {
	return func(c *catalog.Charge) { c.Price, c.BillingPeriod = servicetest.Price(price), period }
}

// customer is an account in Germany.
func (o *office) customer(name string, edit ...func(*billing.Account)) *billing.Account {
	o.T.Helper()
	a := o.Account(name)
	return servicetest.Must[*billing.Account](o.World)(o.Customers.AccountUpdate(o.Ctx, a.ID, func(a *billing.Account) error {
		country := "DE"
		a.BillingCountry, a.BillingDay = &country, 1
		for _, f := range edit {
			f(a)
		}
		return nil
	}, nil))
}

// verify recomputes everything that was issued, and adds up the statements.
func (o *office) verify() {
	o.T.Helper()
	v, err := o.Invoicing.DocumentsVerify(o.Ctx, nil, nil, nil)
	o.OK(err)
	for _, finding := range v.Findings {
		o.T.Error(finding)
	}
	accounts, err := store.Accounts.List(o.Ctx, o.Read(), store.Page{Limit: 1000})
	o.OK(err)
	for n := range accounts {
		o.verifyBalance(&accounts[n])
	}
}

// verifyBalance checks that the statement of an account is what its documents add
// up to.
func (o *office) verifyBalance(a *billing.Account) {
	o.T.Helper()
	balances, err := store.Balances(o.Ctx, o.Read(), []billing.AccountID{a.ID}, servicetest.Day("2026-01-01"))
	o.OK(err)
	for _, b := range balances {
		due := o.QueryText(fmt.Sprintf(`SELECT CAST(COALESCE(SUM(amount_due), 0) AS BIGINT) FROM invoice WHERE account_id = %d AND entity_id = %d AND currency_id = '%s' AND number <> ''`, a.ID, b.EntityID, b.Currency.Code))
		if want := fmt.Sprint(int64(b.Balance + b.Credit)); due != want {
			o.T.Errorf("account %d owes %s by its invoices, and %s by its statement", a.ID, due, want)
		}
	}
}

// at moves the clock to noon of a day.
func (o *office) at(day string) {
	o.T.Helper()
	o.Clock.Set(servicetest.Moment(day + " 12:00"))
}

// run does everything that is due: on subscriptions, and then bills.
func (o *office) run() {
	o.T.Helper()
	for range 10_000 {
		moved, _, err := o.Subscriptions.RunDue(o.Ctx, o.Clock.Now())
		o.OK(err)
		billed, _, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now())
		o.OK(err)
		asked, next, err := o.Invoicing.RunCollections(o.Ctx)
		o.OK(err)
		if moved+billed+asked == 0 && (next.IsZero() || next.After(o.Clock.Now())) {
			return
		}
	}
	o.T.Fatal("billing does not come to an end")
}

// days runs what is due on every day up to one.
func (o *office) days(to string) {
	o.T.Helper()
	for day := billing.DateOf(o.Clock.Now(), servicetest.Moment("2026-01-01 00:00").Location()); !day.After(servicetest.Day(to)); day = day.AddDays(1) {
		o.at(day.String())
		o.run()
	}
}

// news are the documents since the last call, as text.
func (o *office) news() string {
	o.T.Helper()
	var lines []string
	invoices, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{After: o.told, Limit: 1000})
	o.OK(err)
	notes, err := store.CreditNotes.List(o.Ctx, o.Read(), store.Page{After: o.notes, Limit: 1000})
	o.OK(err)
	for n := range notes {
		note := &notes[n]
		o.notes = int64(note.ID)
		lines = append(lines, o.describeNote(note))
	}
	o.OK(store.WithItems(o.Ctx, o.Read(), invoices))
	for n := range invoices {
		o.told = int64(invoices[n].ID)
		lines = append(lines, describe(&invoices[n]))
	}
	return strings.Join(lines, "; ")
}

func describe(i *document.Invoice) string {
	f := i.Currency.Format
	var items []string
	for n := range i.Items {
		item := &i.Items[n]
		quantity := item.Quantity
		if item.PreviousQuantity != nil {
			quantity = *item.PreviousQuantity + "→" + quantity
		}
		items = append(items, fmt.Sprintf("%s ×%s %s–%s %s", item.LineText, quantity, item.StartDate, item.EndDate, f(item.Amount)))
	}
	text := fmt.Sprintf("%s %s: %s = %s+%s", i.Number, i.IssuedAt, strings.Join(items, ", "), f(i.Subtotal), f(i.TaxAmount))
	if due := i.AmountDue(); due != i.Amount {
		text += ", due " + f(due)
	}
	return text
}

func (o *office) describeNote(note *document.CreditNote) string {
	o.T.Helper()
	items, err := store.CreditItemsOf(o.Ctx, o.Read(), []billing.CreditNoteID{note.ID})
	o.OK(err)
	f := note.Currency.Format
	var parts []string
	for n := range items {
		parts = append(parts, fmt.Sprintf("%s/%d %s", items[n].InvoiceNumber, items[n].ItemPosition, f(items[n].Amount)))
	}
	text := fmt.Sprintf("%s %s: %s = %s+%s", note.Number, note.IssuedAt, strings.Join(parts, ", "), f(note.Subtotal), f(note.TaxAmount))
	if left := note.AmountUnapplied(); left != 0 {
		text += ", waiting " + f(left)
	}
	return text
}

// expect runs what is due and compares the documents that came of it.
func (o *office) expect(what, want string) {
	o.T.Helper()
	o.run()
	if have := o.news(); have != want {
		o.T.Errorf("%s:\nhave %s\nwant %s", what, have, want)
	}
}
