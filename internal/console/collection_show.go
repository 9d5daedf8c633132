package console

import (
	"cmp"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

func showCollection(c *call, r *collect.Collection) error {
	d := ui.Details{
		Name: collectionName(r), Kind: "collection", Here: collectionHref(r.ID), Crumbs: []ui.Link{collectionList}, Badges: []ui.Cell{collectionCell(r)},
		Actions: collectionKind.offered(c, r),
	}
	if r.IsOpen() {
		d.Note, d.Calm = openWords(r), !r.NeedsPerson()
	}
	if err := collectionFacts(c, &d, r); err != nil {
		return err
	}
	for _, block := range []func(*call, *collect.Collection) (ui.Block, error){attemptBlock, partBlock} {
		b, err := block(c, r)
		if err != nil {
			return err
		}
		d.Blocks = append(d.Blocks, b)
	}
	return showPage.show(c, d.Name, d)
}

func collectionFacts(c *call, d *ui.Details, r *collect.Collection) error {
	customer, err := accountOf(c, r.AccountID)
	if err != nil {
		return err
	}
	entity, err := entityName(c, r.EntityID)
	if err != nil {
		return err
	}
	method, err := store.PaymentMethods.Get(c.ctx(), c.q(), r.PaymentMethodID)
	if err != nil {
		return err
	}
	d.Fact("Customer", customer)
	d.Fact("Collected by", entity)
	d.Fact("Amount", ui.Plain(amountText(r.Amount, r.Currency)))
	if method != nil {
		d.Fact("Payment method", ui.Linked(method.Words(), methodHref(method)))
	}
	d.Fact("Payment provider", ui.Plain(providerWord(r.Provider)))
	d.OptionalFact("What the customer sees", &r.LineText)
	if r.Reference != "" {
		d.Fact("Name of the charge", ui.Code(r.Reference))
	}
	if r.Fee != 0 {
		d.Fact("Fee", ui.Plain(amountText(r.Fee, r.Currency)))
	}
	if r.PaymentID != nil {
		d.Fact("Payment", ui.Linked("Payment "+ui.IDText(*r.PaymentID), paymentHref(*r.PaymentID)))
	}
	if r.IsOpen() {
		d.Fact("Asked next", ui.OptionalMoment(r.NextAt, "never"))
	}
	if r.TestClockID != nil {
		clock, err := clockCell(c, *r.TestClockID)
		if err != nil {
			return err
		}
		d.Fact("Test clock", clock)
	}
	begun, err := begunAt(c, []collect.Collection{*r})
	if err != nil {
		return err
	}
	d.Fact("Begun", ui.Moment(begun[r.ID]))
	d.Fact("Id", ui.Code(ui.IDText(r.ID)))
	return nil
}

// attemptBlock has the requests to the payment provider.
func attemptBlock(c *call, r *collect.Collection) (ui.Block, error) {
	b := ui.Block{Title: "Attempts", Table: ui.Table{Columns: []string{"Attempt", "Begun", "Known", "Outcome", "Why"}}, Empty: "None yet."}
	attempts, err := store.AttemptsOf(c.ctx(), c.q(), []billing.PaymentCollectionID{r.ID})
	b.Table.Rows = ui.RowsOf(attempts, func(a *collect.Attempt) []ui.Cell {
		return []ui.Cell{ui.Plain(ui.IDText(int64(a.Number))), ui.Moment(a.StartedAt), ui.OptionalMoment(a.FinishedAt, "not yet"), outcomeCell(a), attemptWhy(a)}
	})
	return b, err
}

// attemptWhy is why an attempt failed, or the payment that came of it.
func attemptWhy(a *collect.Attempt) ui.Cell {
	if a.PaymentID != nil && a.Message == "" {
		return ui.Linked("Payment "+ui.IDText(*a.PaymentID), paymentHref(*a.PaymentID))
	}
	return ui.OrDash(cmp.Or(a.Message, a.Code))
}

// partBlock has the invoices that a collection is for.
func partBlock(c *call, r *collect.Collection) (ui.Block, error) {
	b := ui.Block{Title: "Invoices", Table: ui.Table{Columns: []string{"Invoice", "Asked for", "Still due"}}, Empty: "None."}
	parts, err := store.PartsOfCollections(c.ctx(), c.q(), []billing.PaymentCollectionID{r.ID})
	if err != nil {
		return b, err
	}
	invoices, err := byID(c, store.Invoices, func(i *document.Invoice) billing.InvoiceID { return i.ID }, ids(parts, func(p *collect.Part) billing.InvoiceID { return p.InvoiceID }))
	for _, p := range parts {
		if i := invoices[p.InvoiceID]; i != nil {
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Linked(invoiceName(i), invoiceHref(i.ID)), amount(p.Amount, r.Currency), amount(i.AmountDue(), i.Currency)})
		}
	}
	return b, err
}
