package console

import (
	"fmt"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var overdueLink = ui.Link{Text: "Overdue", Href: "/overdue"}

// How many customers and invoices the page shows: those with the most to pay, and the
// oldest.
const (
	overdueCustomers = 100
	overdueInvoices  = 50
)

// overdueTime is whose invoices are looked at, and what day it is for them.
type overdueTime struct {
	clock *billing.TestClock // nil for accounts on real time
	today billing.Date
}

func (t *overdueTime) clockID() *billing.TestClockID {
	if t.clock == nil {
		return nil
	}
	return &t.clock.ID
}

// overdueNow returns the oldest overdue invoices of accounts on real time, at most limit
// of them. Where there are none, as with made-up customers, they are those on the newest
// test clock.
func overdueNow(c *call, limit int) (on overdueTime, rows []document.Invoice, err error) {
	read := func() error {
		if on.today, err = c.today(on.clockID()); err == nil {
			rows, err = store.OverdueInvoices(c.ctx(), c.q(), on.clockID(), on.today, limit)
		}
		return err
	}
	if err := read(); err != nil || len(rows) > 0 {
		return on, rows, err
	}
	clocks, err := store.TestClocks.List(c.ctx(), c.q(), store.Page{Limit: 1, Backwards: true})
	if err != nil || len(clocks) == 0 {
		return on, nil, err
	}
	on.clock = &clocks[0]
	if err := read(); err != nil || len(rows) > 0 {
		return on, rows, err
	}
	on = overdueTime{}
	on.today, err = c.today(nil)
	return on, nil, err
}

// showOverdue is what should have been paid by now: by customer and age, and the oldest
// invoices.
func showOverdue(c *call) error {
	on, rows, err := overdueNow(c, overdueInvoices+1)
	if err != nil {
		return err
	}
	data := ui.Details{Name: overdueLink.Text, Kind: "overdue invoices", Here: overdueLink.Href, Calm: true}
	if on.clock != nil {
		data.Note = "These are made-up customers, on the test clock " + on.clock.Name + ": nobody else has to pay anything."
	}
	customers, err := overdueByCustomer(c, on)
	if err != nil {
		return err
	}
	invoices, err := overdueByInvoice(c, on, rows)
	if err != nil {
		return err
	}
	data.Blocks = []ui.Block{customers, invoices}
	return showPage.show(c, data.Name, data)
}

// ageColumns are the groups of ages for people.
func ageColumns() (names []string) {
	first := 1
	for _, last := range document.AgeEnds {
		names = append(names, fmt.Sprintf("%d–%d days", first, last))
		first = last + 1
	}
	return append(names, "More than "+strconv.Itoa(first-1)+" days")
}

func overdueByCustomer(c *call, on overdueTime) (ui.Block, error) {
	b := ui.Block{Title: "By customer", Empty: "Nothing is overdue."}
	b.Table.Columns = append(append([]string{"Customer"}, ageColumns()...), "Total")
	rows, totals, err := store.OverdueByAge(c.ctx(), c.q(), on.clockID(), on.today, overdueCustomers)
	if err != nil {
		return b, err
	}
	accounts, err := byID(c, store.Accounts, accountPages.id, ids(rows, func(o *store.Overdue) billing.AccountID { return o.AccountID }))
	if err != nil {
		return b, err
	}
	all := 0
	for n := range totals { // each currency with its own total
		total := &totals[n]
		for k := range rows {
			if r := &rows[k]; r.Currency == total.Currency {
				b.Table.Rows = append(b.Table.Rows, agingCells(accountCell(accounts, r.AccountID).WithHref(accountBillingHref(r.AccountID)), r))
			}
		}
		name := ui.Plain("Total in " + total.Currency.Code).WithSub(ui.Plural(total.Accounts, "customer", "customers"))
		b.Table.Rows = append(b.Table.Rows, agingCells(name, total))
		all += total.Accounts
	}
	if all > len(rows) {
		b.Note = "The " + ui.Grouped(len(rows)) + " with the most to pay. The totals are those of all."
	}
	return b, nil
}

func agingCells(name ui.Cell, o *store.Overdue) []ui.Cell {
	cells := []ui.Cell{name}
	for _, due := range o.Due {
		cell := amount(due, o.Currency)
		if due == 0 {
			cell.Text = "—"
		}
		cells = append(cells, cell)
	}
	return append(cells, amount(o.Due.Total(), o.Currency))
}

func overdueByInvoice(c *call, on overdueTime, rows []document.Invoice) (ui.Block, error) {
	b := ui.Block{Title: "Invoices, the oldest first", Empty: "Nothing is overdue."}
	b.Table.Columns = []string{"Number", "Customer", "Due", "Days overdue", "Amount due", "Standing", "Next step"}
	if len(rows) > overdueInvoices {
		rows = rows[:overdueInvoices]
		b.Note = "The first " + ui.Grouped(overdueInvoices) + " of them."
		b.More = &ui.Link{Text: "All of them", Href: invoiceList.Href + "?state=overdue"}
	}
	accounts, err := byID(c, store.Accounts, accountPages.id, ids(rows, func(i *document.Invoice) billing.AccountID { return i.AccountID }))
	if err != nil {
		return b, err
	}
	dunned, err := c.service.Invoicing.DunningOf(c.ctx(), rows)
	if err != nil {
		return b, err
	}
	b.Table.Rows = ui.RowsOf(rows, func(i *document.Invoice) []ui.Cell {
		standing, next := ui.Muted("—"), ui.Muted("—")
		if d := dunned[i.ID]; d != nil {
			standing = ui.Plain(standingWord(d.Standing))
			if len(d.Upcoming) > 0 {
				next = ui.Plain(actionWord(d.Upcoming[0].Step.Action)).WithSub(ui.DayText(d.Upcoming[0].Day))
			}
		}
		return []ui.Cell{
			ui.Linked(invoiceName(i), invoiceHref(i.ID)), accountCell(accounts, i.AccountID).WithHref(accountBillingHref(i.AccountID)), ui.Days(i.DueAt),
			ui.Number(i.DueAt.DaysUntil(on.today)), amount(i.AmountDue(), i.Currency), standing, next,
		}
	})
	return b, nil
}
