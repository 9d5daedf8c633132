package console

import (
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var (
	creditNoteList = ui.Link{Text: "Credit notes", Href: "/credit-notes"}
	findCreditNote = findIn(store.CreditNotes, "credit note", creditNoteList)
)

func creditNoteHref(id billing.CreditNoteID) string { return creditNoteList.Href + "/" + ui.IDText(id) }

func creditNoteID(n *document.CreditNote) billing.CreditNoteID { return n.ID }

// creditKinds say why a credit note was issued.
var creditKinds = map[document.CreditKind]string{
	document.DifferenceCredit: "subscription changed", document.ManualCredit: "credited by hand", document.CancellationCredit: "invoice voided", document.WriteOffCredit: "written off",
}

// usedStates are those of credit notes and payments.
var usedStates = []document.CreditNoteState{document.Ready, document.PartiallyApplied, document.Applied}

// usedWord is a state for people: what is ready has not been applied.
func usedWord(s document.CreditNoteState) string {
	if s == document.Ready {
		return "Not applied"
	}
	return ui.EnumText(s)
}

func listCreditNotes(c *call) error {
	data := ui.List{
		Title: creditNoteList.Text, Path: creditNoteList.Href, Hint: "account:acme, number:CN-2026-000003, issued:>=2026-01-01, kind:write_off",
		About: "A credit note gives back what an invoice asked for: because a subscription changed, or because somebody credited, voided or wrote off the invoice.",
	}
	_, always := stateTabs(c, &data, usedStates, usedWord)
	return showList(c, data, store.CreditNotes, creditNoteID, creditNoteColumns, creditNoteCells, always)
}

var creditNoteColumns = []string{"Number", "Customer", "Issued", "Kind", "State", "Amount", "Not applied"}

func creditNoteCells(c *call, rows []document.CreditNote) ([][]ui.Cell, error) {
	accounts, err := byID(c, store.Accounts, accountPages.id, ids(rows, func(n *document.CreditNote) billing.AccountID { return n.AccountID }))
	return ui.RowsOf(rows, func(n *document.CreditNote) []ui.Cell {
		return []ui.Cell{
			ui.Named(n.Number, creditNoteHref(n.ID)), accountCell(accounts, n.AccountID), ui.Days(n.IssuedAt), ui.Plain(creditKinds[n.Kind]).WithSub(n.Reason), usedCell(n.State()),
			amount(n.Amount, n.Currency), amount(n.AmountUnapplied(), n.Currency),
		}
	}), err
}

func showCreditNote(c *call, n *document.CreditNote) error {
	items, err := store.CreditItemsOf(c.ctx(), c.q(), []billing.CreditNoteID{n.ID})
	if err != nil {
		return err
	}
	n.Items = items
	customer, err := accountOf(c, n.AccountID)
	if err != nil {
		return err
	}
	entity, err := entityName(c, n.EntityID)
	if err != nil {
		return err
	}
	data := documentData{Details: ui.Details{
		Name: n.Number, Kind: "credit note", Here: creditNoteHref(n.ID), Crumbs: []ui.Link{creditNoteList}, Badges: []ui.Cell{usedCell(n.State())},
	}}
	data.Actions = append(fileLinks(data.Here), creditNoteKind.offered(c, n)...)
	d := &data.Details
	d.Fact("Customer", customer)
	d.Fact("Issued by", entity)
	d.Fact("Issued", ui.Days(n.IssuedAt))
	d.Fact("Kind", ui.Plain(creditKinds[n.Kind]))
	if n.Reason != "" {
		d.Fact("Reason", ui.Sentence(n.Reason))
	}
	d.Fact("Amount", ui.Plain(amountText(n.Amount, n.Currency)))
	d.Fact("Not applied", ui.Plain(amountText(n.AmountUnapplied(), n.Currency)))
	if n.TestClockID != nil {
		clock, err := clockCell(c, *n.TestClockID)
		if err != nil {
			return err
		}
		d.Fact("Test clock", clock)
	}
	data.Problem = hashFact(d, &n.Link, verified(n.Number, &n.Link, n.Canonical, n.Verify))
	creditItems(c, &data, n)
	data.Sums = []ui.Pair{
		{Name: "Subtotal", Value: amountText(n.Subtotal, n.Currency)}, {Name: "Tax", Value: amountText(n.TaxAmount, n.Currency)}, {Name: "Total", Value: amountText(n.Amount, n.Currency)},
	}
	data.Blocks = append(data.Blocks, taxBlock(n.Taxes, func(g *tax.Group) (ui.Cell, ui.Cell) { return amount(g.Net, n.Currency), amount(g.Tax, n.Currency) }))
	used, err := usedBlock(c, numbered("creditNote", n.ID))
	if err != nil {
		return err
	}
	data.Blocks = append(data.Blocks, used)
	return data.show(c)
}

// creditItems adds the items, each with how its amount comes about.
func creditItems(c *call, data *documentData, n *document.CreditNote) {
	data.Columns = []string{"#", "Item", "Of invoice", "Days", "Tax", "Amount"}
	from, to := data.part(c, len(n.Items))
	for k := from; k < to; k++ {
		item := &n.Items[k]
		days := ui.Muted("—")
		if item.StartDate != (billing.Date{}) {
			days = ui.Days(item.StartDate, item.EndDate)
		}
		of := ui.Linked(item.InvoiceNumber, invoiceHref(item.InvoiceID))
		if item.ItemPosition > 0 {
			of.Sub = "item " + strconv.Itoa(item.ItemPosition)
		}
		rate := ui.Cell{Text: string(item.Tax.Percent) + "%", Kind: ui.CellMoney}
		why := whyOf(item.Explanation, n.Currency, item.StartDate, item.EndDate, "This credit", item.Priced)
		why.withoutTax(item.Priced != item.Amount, item.Priced, item.Amount, n.Currency)
		data.Items = append(data.Items, itemData{Cells: []ui.Cell{ui.Plain(strconv.Itoa(item.Position)), ui.Sentence(item.LineText), of, days, rate, amount(item.Amount, n.Currency)}, Why: why})
	}
}

// usedBlock is the invoices that a credit note or a payment was applied to.
func usedBlock(c *call, narrow []billing.Term) (ui.Block, error) {
	b := ui.Block{Title: "Applied to", Table: ui.Table{Columns: []string{"Invoice", "Applied", "Amount"}}, Empty: "Nothing yet: it waits as credit."}
	rows, more, err := few(c, store.Applications, 50, narrow)
	if err != nil {
		return b, err
	}
	if more {
		b.Note = "The last 50."
	}
	invoices, err := byID(c, store.Invoices, func(i *document.Invoice) billing.InvoiceID { return i.ID }, ids(rows, func(a *document.Application) billing.InvoiceID { return a.InvoiceID }))
	if err != nil {
		return b, err
	}
	for _, a := range rows {
		if i := invoices[a.InvoiceID]; i != nil {
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Linked(invoiceName(i), invoiceHref(i.ID)), ui.Days(a.AppliedOn), amount(a.Amount, i.Currency)})
		}
	}
	return b, nil
}
