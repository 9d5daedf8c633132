package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// collectionsBlock has the attempts to collect an invoice, and why each failed.
func collectionsBlock(c *call, i *document.Invoice) (ui.Block, error) {
	b := ui.Block{Title: "Collections", Table: ui.Table{Columns: []string{"Collection", "Begun", "Payment method", "Amount", "Attempt", "Outcome", "Why"}}, Empty: "Nothing was charged for this invoice."}
	rows, _, err := store.CollectionsOfInvoices(c.ctx(), c.q(), []billing.InvoiceID{i.ID})
	if err != nil || len(rows) == 0 {
		return b, err
	}
	attempts, err := store.AttemptsOf(c.ctx(), c.q(), ids(rows, func(r *collect.Collection) billing.PaymentCollectionID { return r.ID }))
	if err != nil {
		return b, err
	}
	methods, err := byID(c, store.PaymentMethods, func(m *collect.Method) billing.PaymentMethodID { return m.ID },
		ids(rows, func(r *collect.Collection) billing.PaymentMethodID { return r.PaymentMethodID }))
	if err != nil {
		return b, err
	}
	for n := range rows {
		r := &rows[n]
		for k := range attempts {
			a := &attempts[k]
			if a.CollectionID != r.ID {
				continue
			}
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{
				ui.Linked(collectionName(r), collectionHref(r.ID)), ui.Moment(a.StartedAt), ui.Linked(methods[r.PaymentMethodID].Words(), methodHref(methods[r.PaymentMethodID])), amount(r.Amount, r.Currency), ui.Plain(ui.IDText(int64(a.Number))), outcomeCell(a), attemptWhy(a),
			})
		}
		if r.IsOpen() {
			b.Note, b.More = openWords(r), &ui.Link{Text: "Look at " + collectionName(r), Href: collectionHref(r.ID)}
		}
	}
	return b, nil
}

// openWords say what is waited for.
func openWords(r *collect.Collection) string {
	const nothing = "Nothing else is charged for this invoice until the outcome is known."
	switch {
	case r.NeedsPerson():
		return nothing + " The payment provider has not told it for a day: look there, and settle the collection."
	case r.Outcome == collect.OutPending:
		return nothing + " The payment provider decides later, as with a bank debit."
	}
	return nothing + " The payment provider is asked."
}

func outcomeCell(a *collect.Attempt) ui.Cell {
	switch a.Outcome {
	case collect.OutSucceeded:
		return ui.Badge("paid", "good")
	case collect.OutDeclined:
		if a.Hard {
			return ui.Badge("declined for good", "bad")
		}
		return ui.Badge("declined", "bad")
	case collect.OutFailed:
		return ui.Badge("failed", "bad")
	case collect.OutReversed:
		return ui.Badge("taken back", "bad")
	case collect.OutPending:
		return ui.Badge("pending", "info")
	case collect.OutUnknown:
		return ui.Badge("unknown", "warn")
	}
	return ui.Badge("under way", "info")
}
