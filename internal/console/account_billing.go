package console

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// accountKind is what can be done with what an account is billed.
var accountKind documentKind[billing.Account]

// Set here, because pages refer to each other.
func init() {
	accountKind = documentKind[billing.Account]{
		path: "/accounts", list: ui.Link{Text: "Accounts", Href: "/accounts"}, find: func(c *call) (*billing.Account, error) { return accountPages.find(c) },
		name: func(a *billing.Account) string { return a.Name }, href: func(a *billing.Account) string { return accountPages.href(a.ID) },
		actions: []documentAction[billing.Account]{
			{
				path: "invoice", title: "Bill now", allowed: func(*billing.Account) bool { return true }, begin: emptyOrder[billing.Account],
				says: func(c *call, a *billing.Account, _ *billingOrder) ([]string, error) {
					return []string{"Everything that is owed by today is billed at once, even if no invoice is due yet."}, nil
				},
				money: accruedMoney,
				do: func(c *call, ctx context.Context, a *billing.Account, _ *billingOrder) (*invoicing.Outcome, error) {
					return c.service.Invoicing.AccountInvoice(ctx, a.ID, nil)
				},
				done: func(a *billing.Account, made *invoicing.Outcome) (string, string) {
					if len(made.Invoices) == 1 && len(made.CreditNotes) == 0 {
						return invoiceHref(made.Invoices[0]), ui.Ended("Issued an invoice for " + a.Name)
					}
					if len(made.Invoices)+len(made.CreditNotes) == 0 {
						return accountBillingHref(a.ID), "Nothing is owed that was not billed before."
					}
					return accountBillingHref(a.ID), "Issued " + ui.Plural(len(made.Invoices), "invoice", "invoices") + " and " + ui.Plural(len(made.CreditNotes), "credit note", "credit notes") + "."
				},
			},
			{
				path: "pay", title: "Record payment", allowed: func(*billing.Account) bool { return true }, inputs: accountPayInputs,
				about: "Money that you have received. It pays the invoices whose numbers are in the reference, then those that are due first, and what is left of it waits as credit.",
				begin: emptyOrder[billing.Account],
				says: sentences(func(a *billing.Account, o *billingOrder) []string {
					recorded := receivedWords(o) + " are recorded as received from " + a.Name
					if o.Uses == nil {
						return []string{recorded + ", and applied to what is due."}
					}
					return append([]string{recorded + "."}, o.Uses...)
				}),
				learn: learnUses,
				do: func(c *call, ctx context.Context, a *billing.Account, o *billingOrder) (*invoicing.Outcome, error) {
					return pay(c, ctx, a.ID, o, nil)
				},
				done: func(a *billing.Account, made *invoicing.Outcome) (string, string) {
					return paymentHref(made.PaymentID), ui.Ended("Recorded a payment of " + a.Name)
				},
			},
			newInvoice, newPending, newMethod,
		},
	}
}

func accountBillingHref(id billing.AccountID) string { return accountPages.href(id) + "/billing" }

// billingOfAccount adds to the page of an account what it is billed, once anybody
// can be.
func billingOfAccount(c *call, a *billing.Account, data *ui.Details) error {
	if !c.may(billing.BillingRead) {
		return nil
	}
	entities, err := store.AllEntities(c.ctx(), c.q())
	if err != nil || len(entities) == 0 {
		return err
	}
	if a.BillingProblem != nil {
		data.Note = "It is not billed: " + *a.BillingProblem
	}
	data.Actions = append(data.Actions, ui.Action{Text: "Billing", Href: accountBillingHref(a.ID)})
	b, err := invoiceBlock(c, a.ID)
	data.Blocks = append(data.Blocks, b)
	return err
}

// notBilled says why an account gets no invoices, nothing if it does.
func notBilled(c *call, a *billing.Account) (string, error) {
	if a.BillingProblem != nil {
		return "It is not billed: " + *a.BillingProblem, nil
	}
	seller, err := sellerOf(c, a)
	if err != nil || seller != nil {
		return "", err
	}
	entities, err := store.AllEntities(c.ctx(), c.q())
	if len(entities) == 0 {
		return "It is not billed: there is no entity yet that issues invoices.", err
	}
	return "It is not billed: its entity has no day yet on which invoicing starts.", err
}

// startInvoicing is the way to invoices for an account that gets none because of
// its entity.
func startInvoicing(c *call, a *billing.Account) ([]ui.Action, error) {
	if !c.may(billing.BillingWrite) {
		return nil, nil
	}
	entities, err := store.AllEntities(c.ctx(), c.q())
	if err != nil || len(entities) == 0 {
		return []ui.Action{{Text: "New entity", Href: "/entities/new"}}, err
	}
	of := entities[0].ID
	if a.EntityID != nil {
		of = *a.EntityID
	}
	return []ui.Action{{Text: "Start invoicing", Href: entityPages.href(of) + "/edit"}}, nil
}

// showAccountBilling is what an account owes, has paid and will be billed.
func showAccountBilling(c *call, a *billing.Account) error {
	data := ui.Details{
		Name: "Billing of " + a.Name, Kind: "account", Here: accountBillingHref(a.ID), Crumbs: []ui.Link{accountPages.listLink(), {Text: a.Name, Href: accountPages.href(a.ID)}},
		Actions: accountKind.offered(c, a),
	}
	var err error
	if data.Note, err = notBilled(c, a); err != nil {
		return err
	}
	if err := accountStanding(c, &data, a); err != nil {
		return err
	}
	today, err := c.today(a.TestClockID)
	if err != nil {
		return err
	}
	balances, err := store.Balances(c.ctx(), c.q(), []billing.AccountID{a.ID}, today)
	if err != nil {
		return err
	}
	owed := ui.Block{Title: "Balance", Table: ui.Table{Columns: []string{"Entity", "Balance", "Overdue", "Waiting credit"}}, Empty: "It owes nothing, and nothing waits."}
	for _, b := range balances {
		entity, err := entityName(c, b.EntityID)
		if err != nil {
			return err
		}
		if b.Balance < 0 {
			owed.Note = "Below zero, it has paid more than it owes."
		}
		owed.Table.Rows = append(owed.Table.Rows, []ui.Cell{entity, amount(b.Balance, b.Currency), amount(b.Overdue, b.Currency), amount(b.Credit, b.Currency)})
	}
	data.Blocks = append(data.Blocks, owed)
	blocks := []func(*call, *billing.Account) (ui.Block, error){pendingBlock, accruedBlock, nextInvoiceBlock, methodBlock, statementBlock}
	seller, err := sellerOf(c, a)
	if err != nil {
		return err
	}
	if seller == nil { // nothing is accrued, and nothing is to come
		blocks = []func(*call, *billing.Account) (ui.Block, error){pendingBlock, methodBlock, statementBlock}
		if data.Actions, err = startInvoicing(c, a); err != nil {
			return err
		}
	}
	for _, block := range blocks {
		b, err := block(c, a)
		if err != nil {
			return err
		}
		data.Blocks = append(data.Blocks, b)
	}
	return showPage.show(c, data.Name, data)
}

// accruedBlock is what an account owes by now and has no document for.
func accruedBlock(c *call, a *billing.Account) (ui.Block, error) {
	return accruedItems(c.service.Invoicing.AccruedItems(c.asking(), a.ID))
}

// accruedMoney is what is billed if an account is billed now.
func accruedMoney(c *call, a *billing.Account) (*moneyData, error) {
	items, err := c.service.Invoicing.AccruedItems(c.asking(), a.ID)
	if problems, known := billing.AsProblems(err); known {
		return &moneyData{Says: []string{"That cannot be told: " + byLabels(problems)}}, nil
	}
	if err != nil {
		return nil, err
	}
	var totals []invoicing.Total
	for n := range items {
		at := slices.IndexFunc(totals, func(t invoicing.Total) bool { return t.Currency == items[n].Currency })
		if at < 0 {
			at, totals = len(totals), append(totals, invoicing.Total{Currency: items[n].Currency})
		}
		totals[at].Amount += items[n].Amount
	}
	if len(items) == 0 {
		return &moneyData{Lead: "Nothing is owed that was not billed before."}, nil
	}
	b, err := accruedItems(items, nil)
	b.Title, b.Note = "Items", ""
	return &moneyData{Lead: totalWords(&invoicing.Preview{Totals: totals}) + " before tax.", Bills: []ui.Block{b}}, err
}

// accruedItems shows what is accrued, or why that is not known.
func accruedItems(items []invoicing.AccruedItem, err error) (ui.Block, error) {
	b := ui.Block{Title: "Accrued", Note: "Owed by now, and on no document yet.", Table: ui.Table{Columns: []string{"Item", "Days", "Amount"}}, Empty: "Nothing."}
	if problems, known := billing.AsProblems(err); known {
		b.Empty = "That cannot be told: " + byLabels(problems)
		return b, nil
	}
	for n := range items[:min(len(items), itemsShown)] {
		i := &items[n]
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{itemCell(&i.Item, i.Currency), ui.Days(i.StartDate, i.EndDate), amount(i.Amount, i.Currency)})
	}
	return b, err
}

// nextInvoiceBlock is what an account is billed next if nobody acts.
func nextInvoiceBlock(c *call, a *billing.Account) (ui.Block, error) {
	b := ui.Block{Title: "Next invoice", Table: ui.Table{Columns: []string{"Item", "Days", "Amount"}}, Empty: "Nothing is to come."}
	p, err := c.service.Invoicing.InvoicePreview(c.asking(), a.ID, nil)
	if problems, known := billing.AsProblems(err); known {
		b.Empty = "That cannot be told: " + byLabels(problems)
		return b, nil
	}
	if err != nil || p == nil {
		return b, err
	}
	b = billBlock(b.Title, p)
	b.Note = "On " + ui.DayText(p.On) + " if nobody acts: " + b.Note
	return b, nil
}

// tierWords say what a whole period by tiers comes from.
func tierWords(i *document.Item, in money.Currency) string {
	var e ledger.Explanation
	if i.Price != nil || json.Unmarshal(i.Explanation, &e) != nil || len(e.Pieces) != 1 {
		return ""
	}
	one, ok := readPiece(e.Pieces[0])
	if !ok {
		return ""
	}
	return periodCosts(e.Rate, one.value, in, itemQuantities(i))
}

// itemCell is what an item is for, and how many of it.
func itemCell(i *document.Item, in money.Currency) ui.Cell {
	cell := ui.Sentence(i.LineText)
	switch {
	case i.PreviousQuantity != nil && *i.PreviousQuantity != i.Quantity:
		cell.Sub = *i.PreviousQuantity + " → " + i.Quantity
	case i.IsByUnit():
		cell.Sub = i.Quantity + " × " + i.Price.Money(in.Code)
		if i.Inclusive {
			cell.Sub += " with tax"
		}
	default:
		cell.Sub = tierWords(i, in)
		if before := billedBefore(i, in); before != "" {
			cell.Sub = before
		}
	}
	return cell
}

// billBlock is the items of a preview, with what they come to.
func billBlock(title string, p *invoicing.Preview) ui.Block {
	b := ui.Block{Title: title, Table: ui.Table{Columns: []string{"Item", "Days", "Amount"}}, Empty: "Nothing."}
	b.Note = totalWords(p) + taxWords(p) + "."
	for _, i := range p.Invoices {
		for n := range i.Items[:min(len(i.Items), itemsShown)] {
			item := &i.Items[n]
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{itemCell(item, i.Currency), ui.Days(item.StartDate, item.EndDate), amount(item.Amount, i.Currency)})
		}
	}
	for n := range p.CreditNotes {
		note := &p.CreditNotes[n]
		for k := range note.Items[:min(len(note.Items), itemsShown)] {
			item := &note.Items[k]
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Sentence(item.LineText), ui.Days(item.StartDate, item.EndDate), amount(-item.Amount, note.Currency)})
		}
	}
	return b
}

// taxWords say how much of a preview is tax.
func taxWords(p *invoicing.Preview) string {
	taxes := map[money.Currency]money.Amount{}
	for _, i := range p.Invoices {
		taxes[i.Currency] += i.TaxAmount
	}
	for n := range p.CreditNotes {
		taxes[p.CreditNotes[n].Currency] -= p.CreditNotes[n].TaxAmount
	}
	var words []string
	for _, t := range p.Totals {
		if taxes[t.Currency] != 0 {
			words = append(words, amountText(taxes[t.Currency], t.Currency))
		}
	}
	if len(words) == 0 {
		return ", no tax"
	}
	return ", of which " + ui.Enumerated(words) + " tax"
}

// totalWords is what a preview comes to, with tax.
func totalWords(p *invoicing.Preview) string {
	var words []string
	for _, t := range p.Totals {
		text := amountText(t.Amount, t.Currency)
		if t.CreditsApplied != 0 {
			text += " (" + amountText(t.AmountDue, t.Currency) + " to pay after credit)"
		}
		words = append(words, text)
	}
	return ui.Enumerated(words)
}

// statementBlock is the newest entries of an account's statement, each with what
// was owed after it.
func statementBlock(c *call, a *billing.Account) (ui.Block, error) {
	b := ui.Block{Title: "Statement", Table: ui.Table{Columns: []string{"Date", "What", "Amount", "Balance"}}, Empty: "Nothing yet."}
	rows, more, err := few(c, store.AccountEntries, 50, term("account", a.ID))
	if err != nil {
		return b, err
	}
	if more {
		b.Note = "The last 50 entries."
	}
	balances, err := store.Balances(c.ctx(), c.q(), []billing.AccountID{a.ID}, billing.Date{})
	if err != nil {
		return b, err
	}
	type kept struct {
		entity billing.EntityID
		in     money.Currency
	}
	owed := map[kept]money.Amount{}
	for _, balance := range balances {
		owed[kept{balance.EntityID, balance.Currency}] = balance.Balance
	}
	for n := range rows {
		e := &rows[n]
		of := kept{e.EntityID, e.Currency}
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Days(e.Date), entryCell(e), amount(e.Amount, e.Currency), amount(owed[of], e.Currency)})
		owed[of] -= e.Amount
	}
	return b, nil
}

// entryCell leads to the document of an entry.
func entryCell(e *document.Entry) ui.Cell {
	switch e.Kind {
	case document.SettledEntry:
		return ui.Linked("Paid elsewhere: invoice "+e.Number, invoiceHref(billing.InvoiceID(e.Document)))
	case document.InvoiceEntry:
		return ui.Linked("Invoice "+e.Number, invoiceHref(billing.InvoiceID(e.Document)))
	case document.CreditNoteEntry:
		return ui.Linked("Credit note "+e.Number, creditNoteHref(billing.CreditNoteID(e.Document)))
	case document.PaymentEntry:
		return ui.Linked("Payment "+e.Number, paymentHref(billing.PaymentID(e.Document)))
	}
	return ui.Plain(ui.EnumText(e.Kind) + " " + e.Number)
}
