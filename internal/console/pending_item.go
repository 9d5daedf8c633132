package console

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// newPending adds an item by hand, which waits for the next invoice.
var newPending = documentAction[billing.Account]{
	path: "new-item", title: "Add item", elsewhere: true, allowed: func(*billing.Account) bool { return true },
	about: "Something to pay that is on no subscription. It waits for the next invoice of the account.",
	begin: emptyOrder[billing.Account],
	inputs: func(c *call, a *billing.Account) ([]ui.Section[billingOrder], error) {
		return pendingInputs(c, a.ID)
	},
	says: sentences(func(a *billing.Account, o *billingOrder) []string {
		return pendingWords("the next invoice of "+a.Name, o)
	}),
	do: func(c *call, ctx context.Context, a *billing.Account, o *billingOrder) (*invoicing.Outcome, error) {
		_, err := c.service.Invoicing.InvoiceItemCreate(ctx, a.ID, o.pending)
		return nil, err
	},
	done: func(a *billing.Account, _ *invoicing.Outcome) (string, string) {
		return accountBillingHref(a.ID), ui.Ended("Added an item for the next invoice of " + a.Name)
	},
}

// pendingKind is what can be done with an item that waits.
var pendingKind documentKind[document.PendingItem]

// Set here, because pages refer to each other.
func init() {
	pendingKind = documentKind[document.PendingItem]{
		path: "/accounts/{account}/items", list: ui.Link{Text: "Accounts", Href: "/accounts"}, find: findIn(store.PendingItems, "item that waits", ui.Link{Text: "Accounts", Href: "/accounts"}),
		name: func(i *document.PendingItem) string { return i.LineText }, href: pendingHref,
		actions: []documentAction[document.PendingItem]{
			{
				path: "edit", title: "Change item", allowed: func(*document.PendingItem) bool { return true }, begin: orderOfPending,
				inputs: func(c *call, i *document.PendingItem) ([]ui.Section[billingOrder], error) {
					return pendingInputs(c, i.AccountID)
				},
				says: sentences(func(_ *document.PendingItem, o *billingOrder) []string { return pendingWords("the next invoice", o) }),
				do: func(c *call, ctx context.Context, i *document.PendingItem, o *billingOrder) (*invoicing.Outcome, error) {
					_, err := c.service.Invoicing.InvoiceItemUpdate(ctx, i.ID, o.pending)
					return nil, err
				},
				done: func(i *document.PendingItem, _ *invoicing.Outcome) (string, string) {
					return accountBillingHref(i.AccountID), "Saved the item."
				},
			},
			{
				path: "delete", title: "Delete item", quiet: true, allowed: func(*document.PendingItem) bool { return true }, begin: emptyOrder[document.PendingItem],
				says: sentences(func(i *document.PendingItem, _ *billingOrder) []string {
					return []string{"“" + i.LineText + "” over " + amountText(i.Amount, i.Currency) + " will not be invoiced."}
				}),
				do: func(c *call, ctx context.Context, i *document.PendingItem, _ *billingOrder) (*invoicing.Outcome, error) {
					_, err := c.service.Invoicing.InvoiceItemDelete(ctx, i.ID)
					return nil, err
				},
				done: func(i *document.PendingItem, _ *invoicing.Outcome) (string, string) {
					return accountBillingHref(i.AccountID), "Deleted the item."
				},
			},
		},
	}
}

func pendingHref(i *document.PendingItem) string {
	return accountPages.href(i.AccountID) + "/items/" + ui.IDText(i.ID)
}

// pendingInputs ask for an item that waits.
func pendingInputs(c *call, account billing.AccountID) ([]ui.Section[billingOrder], error) {
	subs, _, err := few(c, store.Subscriptions, itemsShown, term("account", account))
	if err != nil {
		return nil, err
	}
	names, err := namesOf(c, subs)
	if err != nil {
		return nil, err
	}
	options := []ui.Option{{Text: "None"}}
	for n := range subs {
		options = append(options, ui.Option{Value: ui.IDText(subs[n].ID), Text: names.bought(&subs[n]) + " (" + ui.IDText(subs[n].ID) + ")"})
	}
	currency, err := accountCurrencyInput(c, account)
	if err != nil {
		return nil, err
	}
	inputs := append(itemInputs(0, ""),
		currency,
		ui.Text("on", "From", func(o *billingOrder) *string { return &o.On }).Kind(ui.FieldDate).Help("The first day on which it may be invoiced. If empty, today."),
		ui.Choice("subscriptionId", "Subscription", func(o *billingOrder) *string { return &o.Subscription }, options...).Help("It is on the invoices of that subscription then."))
	return []ui.Section[billingOrder]{{Inputs: inputs}}, nil
}

// pendingWords say what waits for an invoice.
func pendingWords(invoice string, o *billingOrder) []string {
	text := "“" + o.item(0).LineText + "” waits for " + invoice + "."
	if sum, known := o.sum(); known {
		text += " It asks for " + sum + " before tax."
	}
	return []string{text}
}

// pending writes what was typed on an item that waits.
func (o *billingOrder) pending(in *invoicing.PendingAttributes) error {
	on, err := readDay("on", o.On)
	if err != nil {
		return err
	}
	if on != nil {
		in.On = *on
	}
	in.ItemAttributes, in.CurrencyID, in.SubscriptionID = *o.item(0), strings.ToUpper(strings.TrimSpace(o.CurrencyID)), nil
	in.Amount = typedAmount(in.Amount, o.CurrencyID)
	if id := parseID[billing.SubscriptionID](o.Subscription); id != 0 {
		in.SubscriptionID = &id
	}
	return nil
}

// orderOfPending is what an item that waits is now.
func orderOfPending(i *document.PendingItem) billingOrder {
	o := billingOrder{CurrencyID: i.Currency.Code, On: i.DueOn.String()}
	*o.item(0) = invoicing.ItemAttributes{LineText: i.LineText, Quantity: i.Quantity, TaxCode: i.TaxCode}
	if i.Price != nil {
		o.item(0).Price = i.Price.In(i.Currency.Code)
	} else {
		o.item(0).Amount = i.Currency.Format(i.Amount)
	}
	if i.SubscriptionID != nil {
		o.Subscription = ui.IDText(*i.SubscriptionID)
	}
	return o
}

// showPending is an item that waits.
func showPending(c *call, i *document.PendingItem) error {
	customer, err := accountOf(c, i.AccountID)
	if err != nil {
		return err
	}
	d := ui.Details{
		Name: i.LineText, Kind: "item", Here: pendingHref(i), Actions: pendingKind.offered(c, i),
		Crumbs: []ui.Link{accountPages.listLink(), {Text: "Billing of " + customer.Text, Href: accountBillingHref(i.AccountID)}},
		Note:   "It waits for the next invoice.", Calm: true,
	}
	d.Fact("Customer", customer)
	d.Fact("Quantity", ui.Plain(i.Quantity))
	if i.Price != nil {
		d.Fact("Price of one", ui.Money(*i.Price, i.Currency.Code))
	}
	d.Fact("Amount", amount(i.Amount, i.Currency))
	d.Fact("Tax code", ui.Code(i.TaxCode))
	d.Fact("From", ui.Days(i.DueOn))
	if i.SubscriptionID != nil {
		d.Fact("Subscription", ui.Linked("Subscription "+ui.IDText(*i.SubscriptionID), subscriptionHref(*i.SubscriptionID)))
	}
	return showPage.show(c, d.Name, d)
}

// pendingBlock is what waits for the next invoice of an account.
func pendingBlock(c *call, a *billing.Account) (ui.Block, error) {
	b := ui.Block{Title: "Items that wait", Note: "Added by hand, for the next invoice.", Table: ui.Table{Columns: []string{"Item", "From", "Amount"}}, Empty: "None."}
	if c.may(billing.BillingWrite) {
		b.Add = &ui.Link{Text: newPending.title, Href: accountPages.href(a.ID) + "/" + newPending.path}
	}
	items, err := store.PendingItemsOf(c.ctx(), c.q(), []billing.AccountID{a.ID})
	for n := range items[:min(len(items), itemsShown)] {
		i := &items[n]
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Linked(i.LineText, pendingHref(i)), ui.Days(i.DueOn), amount(i.Amount, i.Currency)})
	}
	return b, err
}
