package console

import (
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// documentData is the page of an invoice or a credit note.
type documentData struct {
	ui.Details
	// Problem says why the document is not what was issued.
	Problem string
	Columns []string
	Items   []itemData
	// Span is how many columns there are.
	Span int
	// Part says which of the items are shown if they are too many, and Next
	// where the others are.
	Part        string
	Prior, Next *ui.Link
	Sums        []ui.Pair
}

type itemData struct {
	Cells []ui.Cell
	Why   *whyData
}

var documentPage = newPage[documentData]("document")

// itemsShown is how many items a page shows at once.
const itemsShown = 50

// show answers with the page.
func (d *documentData) show(c *call) error {
	d.Span = len(d.Columns)
	return documentPage.show(c, d.Name, *d)
}

// part is the part of n items that the address asks for.
func (d *documentData) part(c *call, n int) (from, to int) {
	from = min(max(0, int(cursor(c, "item"))-1), max(0, n-1))
	to = min(n, from+itemsShown)
	if n <= itemsShown {
		return 0, n
	}
	d.Part = "Items " + ui.Grouped(from+1) + " to " + ui.Grouped(to) + " of " + ui.Grouped(n) + "."
	at := func(text string, first int) *ui.Link {
		return &ui.Link{Text: text, Href: d.Here + "?item=" + strconv.Itoa(first+1)}
	}
	if from > 0 {
		d.Prior = at("Items before", max(0, from-itemsShown))
	}
	if to < n {
		d.Next = at("Items after", to)
	}
	return from, to
}

func showInvoice(c *call, i *document.Invoice) error {
	one := []document.Invoice{*i}
	if err := store.WithItems(c.ctx(), c.q(), one); err != nil {
		return err
	}
	i = &one[0]
	today, err := c.today(i.TestClockID)
	if err != nil {
		return err
	}
	title, err := invoiceTitle(c, i)
	if err != nil {
		return err
	}
	data := documentData{Details: ui.Details{
		Name: title, Kind: "invoice", Here: invoiceHref(i.ID), Crumbs: []ui.Link{invoiceList}, Badges: []ui.Cell{invoiceState(i, today)},
	}}
	if i.Kind == document.ImportedInvoice {
		data.Badges = append(data.Badges, importedBadge)
	}
	if data.Actions = invoiceKind.offered(c, i); i.Number != "" && i.Kind != document.ImportedInvoice {
		data.Actions = append(fileLinks(data.Here), data.Actions...)
	}
	if err := invoiceFacts(c, &data, i); err != nil {
		return err
	}
	invoiceItems(c, &data, i)
	f := func(name string, a money.Amount) {
		data.Sums = append(data.Sums, ui.Pair{Name: name, Value: amountText(a, i.Currency)})
	}
	f("Subtotal", i.Subtotal)
	f("Tax", i.TaxAmount)
	f("Total", i.Amount)
	if i.Credits != 0 {
		f("Credits applied", -i.Credits)
	}
	if i.AmountPaid != 0 {
		f("Paid", -i.AmountPaid)
	}
	data.Sums = append(data.Sums, ui.Pair{Name: "Amount due", Value: dueCell(i).Text})
	data.Blocks = append(data.Blocks, taxBlock(i.Taxes, func(g *tax.Group) (ui.Cell, ui.Cell) { return amount(g.Net, i.Currency), amount(g.Tax, i.Currency) }))
	for _, block := range []func(*call, *document.Invoice) (ui.Block, error){dunningBlock, emailBlock, collectionsBlock, appliedBlock, creditNotesBlock} {
		b, err := block(c, i)
		if err != nil {
			return err
		}
		data.Blocks = append(data.Blocks, b)
	}
	return data.show(c)
}

func invoiceFacts(c *call, data *documentData, i *document.Invoice) error {
	d := &data.Details
	customer, err := accountOf(c, i.AccountID)
	if err != nil {
		return err
	}
	entity, err := entityName(c, i.EntityID)
	if err != nil {
		return err
	}
	d.Fact("Customer", customer)
	d.Fact("Issued by", entity)
	d.Fact("Amount", ui.Plain(amountText(i.Amount, i.Currency)))
	d.Fact("Amount due", ui.Plain(dueCell(i).Text))
	d.Fact("Issued", dayOrDash(i.IssuedAt))
	d.Fact("Due", dayOrDash(i.DueAt))
	if i.PeriodStart != (billing.Date{}) {
		d.Fact("Period", ui.Days(i.PeriodStart, i.PeriodEnd))
	}
	if i.SubscriptionID != nil {
		d.Fact("Subscription", ui.Linked("Subscription "+ui.IDText(*i.SubscriptionID), subscriptionHref(*i.SubscriptionID)))
	}
	if i.PONumber != "" {
		d.Fact("Purchase order", ui.Plain(i.PONumber))
	}
	if i.BuyerReference != "" {
		d.Fact("Buyer reference", ui.Plain(i.BuyerReference))
	}
	if i.Notes != "" {
		d.Fact("Notes", ui.Sentence(i.Notes))
	}
	if i.TestClockID != nil {
		clock, err := clockCell(c, *i.TestClockID)
		if err != nil {
			return err
		}
		d.Fact("Test clock", clock)
	}
	if i.Voided {
		next, err := billedAgain(c, i)
		if err != nil {
			return err
		}
		if next != nil {
			d.Fact("Billed again on", ui.Linked(invoiceName(next), invoiceHref(next.ID)))
		}
	}
	if isDraft(i) {
		d.Fact("Id", ui.Code(ui.IDText(i.ID)))
	}
	switch {
	case i.Kind == document.ImportedInvoice:
		d.Note = "Another system issued this invoice. Its amounts are as they were imported: it has no items and no file here, and it is not verified."
	case i.Number != "":
		data.Problem = hashFact(d, &i.Link, verified(i.Number, &i.Link, i.Canonical, i.Verify))
	case i.IssueAfter != nil:
		d.Fact("Issues itself", ui.Moment(*i.IssueAfter))
	default:
		d.Note = "This is a draft: it has no number, and nobody owes anything until it is issued."
	}
	return nil
}

// billedAgain is the invoice that has the days of one that was voided, nil if there
// is none.
func billedAgain(c *call, i *document.Invoice) (*document.Invoice, error) {
	for n := range i.Items {
		key, counted := i.Items[n].Key()
		if !counted || i.Items[n].SubscriptionID == nil {
			continue
		}
		later, _, err := few(c, store.InvoiceItems, itemsShown, numbered("subscription", *i.Items[n].SubscriptionID))
		if err != nil {
			return nil, err
		}
		for k := len(later) - 1; k >= 0; k-- { // the oldest first
			if same, ok := later[k].Key(); ok && same == key && later[k].InvoiceID > i.ID {
				return store.Invoices.Get(c.ctx(), c.q(), later[k].InvoiceID)
			}
		}
	}
	return nil, nil
}

// invoiceItems adds the items, each with how its amount comes about.
func invoiceItems(c *call, data *documentData, i *document.Invoice) {
	data.Columns = []string{"#", "Item", "Days", "Quantity", "Price", "Tax", "Amount"}
	from, to := data.part(c, len(i.Items))
	for n := from; n < to; n++ {
		item := &i.Items[n]
		quantity, price := ui.Cell{Text: "—", Kind: ui.CellMoney}, ui.Cell{Text: "—", Kind: ui.CellMoney}
		if item.Quantity != "" {
			quantity.Text = item.Quantity
			if item.PreviousQuantity != nil {
				quantity.Sub = "before: " + *item.PreviousQuantity
			}
		}
		if item.IsByUnit() {
			price = ui.Money(*item.Price, i.Currency.Code)
			if item.Inclusive {
				price.Sub = "with tax"
			}
		} else if item.Price == nil && item.ChargeID != nil {
			price.Text = "by tiers"
		}
		days := ui.Muted("—")
		if item.StartDate != (billing.Date{}) {
			days = ui.Days(item.StartDate, item.EndDate)
			if item.PeriodDays > 0 && item.Days != item.PeriodDays {
				days.Sub = strconv.Itoa(item.Days) + " of " + ui.Plural(item.PeriodDays, "day", "days")
			}
		}
		text := ui.Sentence(item.LineText)
		if item.SubscriptionID != nil {
			text = ui.Linked(item.LineText, subscriptionHref(*item.SubscriptionID))
		}
		text.Sub = itemUnder(item, i.Currency)
		worth := amount(item.Amount, i.Currency)
		if item.Credited != 0 {
			worth.Sub = amountText(item.Credited, i.Currency) + " credited"
		}
		rate := ui.Cell{Text: string(item.Tax.Percent) + "%", Kind: ui.CellMoney}
		why := whyOf(item.Explanation, i.Currency, item.StartDate, item.EndDate, "This item", item.Priced, itemQuantities(item)...)
		why.withoutTax(item.Inclusive, item.Priced, item.Amount, i.Currency)
		data.Items = append(data.Items, itemData{Cells: []ui.Cell{ui.Plain(strconv.Itoa(item.Position)), text, days, quantity, price, rate, worth}, Why: why})
	}
}

// appliedBlock is what paid an invoice.
func appliedBlock(c *call, i *document.Invoice) (ui.Block, error) {
	b := ui.Block{Title: "Paid with", Table: ui.Table{Columns: []string{"What", "Applied", "Amount"}}, Empty: "Nothing yet."}
	rows, more, err := few(c, store.Applications, 50, numbered("invoice", i.ID))
	if err != nil {
		return b, err
	}
	if more {
		b.Note = "The last 50."
	}
	notes, err := byID(c, store.CreditNotes, creditNoteID, ids(rows, func(a *document.Application) billing.CreditNoteID { return ui.Deref(a.CreditNoteID) }))
	if err != nil {
		return b, err
	}
	payments, err := byID(c, store.Payments, paymentID, ids(rows, func(a *document.Application) billing.PaymentID { return ui.Deref(a.PaymentID) }))
	if err != nil {
		return b, err
	}
	for _, a := range rows {
		what := ui.Muted("—")
		if n := notes[ui.Deref(a.CreditNoteID)]; n != nil {
			what = ui.Linked("Credit note "+n.Number, creditNoteHref(n.ID))
		}
		if p := payments[ui.Deref(a.PaymentID)]; p != nil {
			what = ui.Linked(paymentName(p), paymentHref(p.ID))
		}
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{what, ui.Days(a.AppliedOn), amount(a.Amount, i.Currency)})
	}
	return b, nil
}

// creditNotesBlock is the credit notes on an invoice.
func creditNotesBlock(c *call, i *document.Invoice) (ui.Block, error) {
	b := ui.Block{Title: "Credit notes on it", Table: ui.Table{Columns: creditNoteColumns}, Empty: "None."}
	notes, err := store.CreditNotesOn(c.ctx(), c.q(), []billing.InvoiceID{i.ID})
	if err != nil {
		return b, err
	}
	b.Table.Rows, err = creditNoteCells(c, notes)
	b.Table = b.Table.Without("Customer") // who is on the page
	return b, err
}
