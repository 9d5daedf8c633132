package console

import (
	"cmp"
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var (
	invoiceList = ui.Link{Text: "Invoices", Href: "/invoices"}
	findInvoice = findIn(store.Invoices, "invoice", invoiceList)
)

func invoiceHref(id billing.InvoiceID) string { return invoiceList.Href + "/" + ui.IDText(id) }

// invoiceName is what an invoice is called. A draft has no number, and its id would be
// taken for one.
func invoiceName(i *document.Invoice) string { return cmp.Or(i.Number, "Draft") }

// invoiceTitle is what an invoice is called where its customer is not beside it.
func invoiceTitle(c *call, i *document.Invoice) (string, error) {
	if i.Number != "" {
		return i.Number, nil
	}
	customer, err := accountOf(c, i.AccountID)
	return "Draft for " + customer.Text, err
}

// dueCell is what is due of an invoice. Nobody owes anything of a draft.
func dueCell(i *document.Invoice) ui.Cell {
	if i.Number == "" {
		return ui.Cell{Text: "—", Kind: ui.CellMoney}
	}
	return amount(i.AmountDue(), i.Currency)
}

// invoiceStage is a state by which the list can be narrowed: whether an invoice is
// due depends on the day alone.
type invoiceStage string

var invoiceStages = []invoiceStage{"DRAFT", "OPEN", "OVERDUE", "PAID", "UNPAID", "VOIDED"}

func listInvoices(c *call) error {
	data := ui.List{
		Title: invoiceList.Text, Path: invoiceList.Href, Hint: "account:acme, state:overdue, number:INV-2026-000017, issued:>=2026-01-01, amount:>100",
		About: "Invoices are issued by themselves once an entity has a day on which invoicing starts. One can also be made for an account by hand.",
	}
	data.Also = &ui.Link{Text: "Verify documents", Href: invoiceList.Href + "/verify"}
	_, always := stateTabs(c, &data, invoiceStages, func(s invoiceStage) string {
		if s == "UNPAID" {
			return "Written off"
		}
		return ui.EnumText(s)
	})
	read := func(ctx context.Context, q store.Queries, p store.Page) (rows []document.Invoice, err error) {
		if p.Filter, err = c.service.Invoicing.InvoiceFilter(ctx, p.Filter); err != nil {
			return nil, err
		}
		return store.Invoices.List(ctx, q, p)
	}
	return showRows(c, data, read, func(i *document.Invoice) billing.InvoiceID { return i.ID }, invoiceColumns, invoiceCells, always)
}

var invoiceColumns = []string{"Number", "Customer", "Issued", "Due", "State", "Amount", "Amount due"}

func invoiceCells(c *call, rows []document.Invoice) ([][]ui.Cell, error) {
	accounts, err := byID(c, store.Accounts, accountPages.id, ids(rows, func(i *document.Invoice) billing.AccountID { return i.AccountID }))
	if err != nil {
		return nil, err
	}
	clocks, err := onClocks(c, ids(rows, func(i *document.Invoice) billing.TestClockID { return ui.Deref(i.TestClockID) }))
	if err != nil {
		return nil, err
	}
	table := make([][]ui.Cell, len(rows))
	todays := map[billing.TestClockID]billing.Date{}
	for n := range rows {
		i := &rows[n]
		clock := ui.Deref(i.TestClockID)
		if _, known := todays[clock]; !known {
			if todays[clock], err = c.today(i.TestClockID); err != nil {
				return nil, err
			}
		}
		name := ui.Named(invoiceName(i), invoiceHref(i.ID))
		if i.TestClockID != nil && i.Number == "" { // numbers of test clocks say so
			name.Sub = clocks[clock]
		}
		if i.Kind == document.ImportedInvoice {
			name.Sub = "imported"
		}
		table[n] = []ui.Cell{
			name, accountCell(accounts, i.AccountID), dayOrDash(i.IssuedAt), dayOrDash(i.DueAt), invoiceState(i, todays[clock]),
			amount(i.Amount, i.Currency), dueCell(i),
		}
	}
	return table, nil
}

// importedBadge marks what another system issued.
var importedBadge = ui.Badge("imported", "")

// invoiceState shows where an invoice is in its life.
func invoiceState(i *document.Invoice, today billing.Date) ui.Cell {
	switch s := i.State(today); s {
	case document.Draft:
		return ui.Badge("draft", "")
	case document.NotDue:
		return ui.Badge("open", "info")
	case document.Due:
		if i.DueAt.Before(today) {
			return ui.Badge("overdue", "bad")
		}
		return ui.Badge("due today", "warn")
	case document.Paid:
		return ui.Badge("paid", "good")
	case document.Unpaid:
		return ui.Badge("written off", "")
	default:
		return ui.Badge("voided", "")
	}
}

// invoiceBlock is the newest invoices of an account.
func invoiceBlock(c *call, account billing.AccountID) (ui.Block, error) {
	rows, more, err := few(c, store.Invoices, 10, term("account", account))
	if err != nil {
		return ui.Block{}, err
	}
	b := ui.Block{Title: "Invoices", Table: ui.Table{Columns: invoiceColumns}, Empty: "None yet."}
	if more {
		b.More = &ui.Link{Text: "All of them", Href: invoiceList.Href + "?q=account%3A" + ui.IDText(account)}
	}
	b.Table.Rows, err = invoiceCells(c, rows)
	b.Table = b.Table.Without("Customer") // who is on the page
	return b, err
}
