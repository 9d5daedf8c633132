package console

import (
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// priceCell is what a subscription costs by the period, as it is now or when it
// begins.
func priceCell(s *subscription.Subscription) ui.Cell {
	sums := recurringOf(s, s.Earliest(s.AsOf))
	if len(sums) == 0 {
		return ui.Cell{Text: "—", Kind: ui.CellMoney}
	}
	var words []string
	for _, k := range inOrder(sums) {
		words = append(words, k.words(sums[k]))
	}
	cell := ui.Cell{Text: words[0], Kind: ui.CellMoney, Sub: strings.Join(words[1:], ", ")}
	if s.StartDate.After(s.AsOf) {
		cell.Sub = strings.TrimPrefix(cell.Sub+", from "+ui.DayText(s.StartDate), ", ")
	}
	return cell
}

// priceInList is priceCell in less width.
func priceInList(s *subscription.Subscription) ui.Cell {
	sums := recurringOf(s, s.Earliest(s.AsOf))
	if len(sums) != 1 {
		return priceCell(s)
	}
	k := inOrder(sums)[0]
	return ui.Cell{Text: k.money(sums[k]), Kind: ui.CellMoney, Sub: k.every()}
}

// totalNote says what the charges of a subscription come to by the period.
func totalNote(s *subscription.Subscription, list *catalog.PriceList) string {
	sums := recurringOf(s, s.Earliest(s.AsOf))
	if len(sums) == 0 || len(s.Charges) == 1 { // which needs no total
		return ""
	}
	var words []string
	for _, k := range inOrder(sums) {
		words = append(words, k.words(sums[k]))
	}
	tax := "before tax"
	if list != nil && list.PricesIncludeTax {
		tax = "with tax"
	}
	return "Together " + ui.Enumerated(words) + ", " + tax + "."
}

// lineAmount is what a line costs in a period.
func lineAmount(line *subscription.Line) ui.Cell {
	none := ui.Cell{Text: "—", Kind: ui.CellMoney}
	if line.Type == catalog.Usage {
		none.Text = "by usage"
	}
	value := line.Value()
	if value == nil {
		return none
	}
	period := recurring{line.CurrencyID, line.Rate.BillingPeriod}
	worth := ui.Cell{Text: period.money(value), Kind: ui.CellMoney, Sub: periodWords[line.Rate.BillingPeriod]}
	if line.Type == catalog.OneTime {
		worth.Sub = "once"
	}
	return worth
}

func subscriptionBillingHref(id billing.SubscriptionID) string {
	return subscriptionHref(id) + "/billing"
}

// billingOfSubscription is where to find what a subscription is billed, empty if
// its account gets no invoices or the user may not see them.
func billingOfSubscription(c *call, s *subscription.Subscription, names subscriptionNames) (string, error) {
	if !c.may(billing.BillingRead) {
		return "", nil
	}
	seller, err := sellerOf(c, names.accounts[s.AccountID])
	if err != nil || seller == nil {
		return "", err
	}
	return subscriptionBillingHref(s.ID), nil
}

// showSubscriptionBilling is what a subscription owes, will be billed and was
// billed.
func showSubscriptionBilling(c *call, s *subscription.Subscription) error {
	name, err := titleOf(c, s)
	if err != nil {
		return err
	}
	data := ui.Details{
		Name: "Billing of " + name, Kind: "subscription", Here: subscriptionBillingHref(s.ID),
		Crumbs:  []ui.Link{{Text: "Subscriptions", Href: "/subscriptions"}, {Text: name, Href: subscriptionHref(s.ID)}},
		Actions: []ui.Action{{Text: "Billing of the account", Href: accountBillingHref(s.AccountID)}},
	}
	account, err := store.Accounts.Get(c.ctx(), c.q(), s.AccountID)
	if err != nil || account == nil {
		return err
	}
	if data.Note, err = notBilled(c, account); err != nil {
		return err
	}
	for _, block := range []func(*call, *subscription.Subscription) (ui.Block, error){accruedOf, nextItemsOf, billedItems} {
		b, err := block(c, s)
		if err != nil {
			return err
		}
		data.Blocks = append(data.Blocks, b)
	}
	return showPage.show(c, data.Name, data)
}

// accruedOf is what a subscription owes by now and that is on no document.
func accruedOf(c *call, s *subscription.Subscription) (ui.Block, error) {
	items, err := c.service.Invoicing.AccruedItems(c.asking(), s.AccountID)
	return accruedItems(slices.DeleteFunc(items, func(i invoicing.AccruedItem) bool { return !isOf(&i.Item, s.ID) }), err)
}

func isOf(i *document.Item, id billing.SubscriptionID) bool {
	return i.SubscriptionID != nil && *i.SubscriptionID == id
}

// nextItemsOf is what the next invoice of the account has of a subscription.
func nextItemsOf(c *call, s *subscription.Subscription) (ui.Block, error) {
	b := ui.Block{Title: "Next invoice", Empty: "It is not on the next invoice of the account."}
	p, err := c.service.Invoicing.InvoicePreview(c.asking(), s.AccountID, nil)
	if problems, known := billing.AsProblems(err); known {
		b.Empty = "That cannot be told: " + byLabels(problems)
		return b, nil
	}
	if err != nil || p == nil {
		return b, err
	}
	credited, err := creditedItems(c, p)
	if err != nil {
		return b, err
	}
	mine := &invoicing.Preview{On: p.On}
	for _, i := range p.Invoices {
		part := *i
		part.Items = slices.DeleteFunc(slices.Clone(i.Items), func(item document.Item) bool { return !isOf(&item, s.ID) })
		mine.Invoices = append(mine.Invoices, &part)
	}
	for n := range p.CreditNotes {
		part := p.CreditNotes[n]
		part.Items = slices.DeleteFunc(slices.Clone(part.Items), func(item document.CreditItem) bool {
			of := credited[ui.Deref(item.ItemID)]
			return of == nil || !isOf(of, s.ID)
		})
		mine.CreditNotes = append(mine.CreditNotes, part)
	}
	items := billBlock(b.Title, mine)
	items.Empty = b.Empty
	items.Note = "On " + ui.DayText(p.On) + " if nobody acts. The whole comes to " + totalWords(p) + taxWords(p) + "."
	return items, nil
}

// creditedItems are the items that a preview credits, by their ids.
func creditedItems(c *call, p *invoicing.Preview) (map[billing.InvoiceItemID]*document.Item, error) {
	var of []billing.InvoiceItemID
	for n := range p.CreditNotes {
		of = append(of, ids(p.CreditNotes[n].Items, func(i *document.CreditItem) billing.InvoiceItemID { return ui.Deref(i.ItemID) })...)
	}
	if len(of) == 0 {
		return nil, nil
	}
	return byID(c, store.InvoiceItems, func(i *document.Item) billing.InvoiceItemID { return i.ID }, of)
}

// billedItems are the newest items on invoices of a subscription.
func billedItems(c *call, s *subscription.Subscription) (ui.Block, error) {
	const most = 20
	b := ui.Block{Title: "Invoice items", Table: ui.Table{Columns: []string{"Item", "Invoice", "Days", "Credited", "Amount"}}, Empty: "Nothing was billed yet."}
	items, more, err := few(c, store.InvoiceItems, most, numbered("subscription", s.ID))
	if err != nil {
		return b, err
	}
	if more {
		b.Note = "The last " + ui.Plural(most, "item", "items") + "."
	}
	invoices, err := byID(c, store.Invoices, func(i *document.Invoice) billing.InvoiceID { return i.ID }, ids(items, func(i *document.Item) billing.InvoiceID { return i.InvoiceID }))
	if err != nil {
		return b, err
	}
	for n := range items {
		item := &items[n]
		on := invoices[item.InvoiceID]
		if on == nil {
			continue
		}
		credited := ui.Cell{Text: "—", Kind: ui.CellMoney}
		if item.Credited != 0 {
			credited = amount(item.Credited, on.Currency)
		}
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{
			itemCell(item, on.Currency), ui.Linked(invoiceName(on), invoiceHref(on.ID)), ui.Days(item.StartDate, item.EndDate), credited, amount(item.Amount, on.Currency),
		})
	}
	return b, nil
}
