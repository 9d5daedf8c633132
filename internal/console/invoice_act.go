package console

import (
	"context"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// findWithItems is the invoice in the address with its items.
func findWithItems(c *call) (*document.Invoice, error) {
	i, err := findInvoice(c)
	if err != nil {
		return nil, err
	}
	one := []document.Invoice{*i}
	err = store.WithItems(c.ctx(), c.q(), one)
	return &one[0], err
}

// How invoices are, whatever day it is.
func isDraft(i *document.Invoice) bool { return i.Number == "" }
func isOpen(i *document.Invoice) bool {
	s := i.State(billing.Date{})
	return s == document.NotDue || s == document.Due
}
func hasLeft(i *document.Invoice) bool {
	return !isDraft(i) && !i.Voided && !i.WrittenOff && i.Kind != document.ImportedInvoice && leftOf(i) > 0
}

// leftOf is how much of the items of an invoice can be credited, as they are
// priced.
func leftOf(i *document.Invoice) (left money.Amount) {
	for n := range i.Items {
		left += i.Items[n].Left()
	}
	return left
}

// pricedWords say what an amount of items is, as they are priced.
func pricedWords(i *document.Invoice, a money.Amount) string {
	with := ", and the tax on it"
	if slices.ContainsFunc(i.Items, func(item document.Item) bool { return item.Inclusive }) {
		with = " with tax"
	} else if i.TaxAmount == 0 {
		with = ""
	}
	return amountText(a, i.Currency) + with
}

func emptyOrder[R any](*R) billingOrder { return billingOrder{} }

// toInvoice goes back to the invoice.
func toInvoice(said func(*document.Invoice) string) func(*document.Invoice, *invoicing.Outcome) (string, string) {
	return func(i *document.Invoice, _ *invoicing.Outcome) (string, string) { return invoiceHref(i.ID), said(i) }
}

var invoiceKind = documentKind[document.Invoice]{
	path: "/invoices", list: invoiceList, find: findWithItems, name: invoiceName, title: invoiceTitle, href: func(i *document.Invoice) string { return invoiceHref(i.ID) },
	actions: []documentAction[document.Invoice]{
		{
			path: "issue", title: "Issue", allowed: isDraft, begin: emptyOrder[document.Invoice],
			says: sentences(func(i *document.Invoice, _ *billingOrder) []string {
				return []string{"The draft is computed again, gets a number, and cannot be changed from then on. As it is now, it asks for " + amountText(i.Amount, i.Currency) + "."}
			}),
			do: func(c *call, ctx context.Context, i *document.Invoice, _ *billingOrder) (*invoicing.Outcome, error) {
				return c.service.Invoicing.InvoiceIssue(ctx, i.ID)
			},
			done: func(i *document.Invoice, made *invoicing.Outcome) (string, string) {
				if made == nil || len(made.Invoices) == 0 {
					return invoiceList.Href, "Nothing is left to be billed, and the draft is gone."
				}
				return invoiceHref(made.Invoices[0]), "Issued the invoice."
			},
		},
		{
			path: "edit", title: "Edit", allowed: isDraft, quiet: true,
			about: "What is printed on the invoice besides its items. It stays when the draft is computed again.",
			begin: func(i *document.Invoice) billingOrder {
				return billingOrder{Notes: i.Notes, PONumber: i.GivenPONumber}
			},
			inputs: func(*call, *document.Invoice) ([]ui.Section[billingOrder], error) {
				return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
					ui.Text("poNumber", "Purchase order", func(o *billingOrder) *string { return &o.PONumber }).Help("If empty, that of the subscriptions or of the account."),
					ui.Text("notes", "Notes", func(o *billingOrder) *string { return &o.Notes }).Help("Printed below the items.").Wide(),
				}}}, nil
			},
			says: sentences(func(*document.Invoice, *billingOrder) []string {
				return []string{"The draft is changed. Nothing is sent to the customer."}
			}),
			do: func(c *call, ctx context.Context, i *document.Invoice, o *billingOrder) (*invoicing.Outcome, error) {
				_, err := c.service.Invoicing.InvoiceUpdate(ctx, i.ID, func(in *invoicing.DraftAttributes) error {
					in.Notes, in.PONumber = o.Notes, o.PONumber
					return nil
				})
				return nil, err
			},
			done: toInvoice(func(*document.Invoice) string { return "Saved the draft." }),
		},
		{
			path: "pay", title: "Record payment", allowed: isOpen, inputs: payInputs[document.Invoice],
			about: "Money that you have received for this invoice. What is more than it asks for waits as credit.",
			begin: func(i *document.Invoice) billingOrder {
				return billingOrder{Amount: i.Currency.Format(i.AmountDue()), CurrencyID: i.Currency.Code}
			},
			says: sentences(func(i *document.Invoice, o *billingOrder) []string {
				return []string{receivedWords(o) + " are recorded as received and applied to invoice " + i.Number + ", of which " + amountText(i.AmountDue(), i.Currency) + " are due."}
			}),
			do: func(c *call, ctx context.Context, i *document.Invoice, o *billingOrder) (*invoicing.Outcome, error) {
				return pay(c, ctx, i.AccountID, o, []billing.InvoiceID{i.ID})
			},
			done: toInvoice(func(i *document.Invoice) string { return "Recorded a payment for " + i.Number + "." }),
		},
		{
			path: "collect", title: "Collect now", allowed: isOpen, quiet: true, begin: emptyOrder[document.Invoice],
			says: collectWords,
			do: func(c *call, ctx context.Context, i *document.Invoice, _ *billingOrder) (*invoicing.Outcome, error) {
				_, err := c.service.Invoicing.InvoiceCollect(ctx, i.ID)
				return nil, err
			},
			done: toInvoice(func(i *document.Invoice) string {
				return "Collecting " + i.Number + ". The outcome follows within seconds."
			}),
		},
		{
			path: "hold", title: "Hold dunning", allowed: isOpen, quiet: true, begin: emptyOrder[document.Invoice],
			about: "Lets the steps of the dunning policy wait, for example while a question is open. What was taken away stays so.",
			inputs: func(*call, *document.Invoice) ([]ui.Section[billingOrder], error) {
				return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
					ui.Text("on", "Until", func(o *billingOrder) *string { return &o.On }).Help("The day on which steps go on, such as 2026-12-31. Empty to let them go on now."),
					ui.Text("reason", "Reason", func(o *billingOrder) *string { return &o.Reason }).Wide(),
				}}}, nil
			},
			says: sentences(func(i *document.Invoice, o *billingOrder) []string {
				if o.On == "" {
					return []string{"The steps of invoice " + i.Number + " go on. What was missed happens once."}
				}
				return []string{"The steps of invoice " + i.Number + " wait until " + o.On + ". Days count on meanwhile."}
			}),
			do: func(c *call, ctx context.Context, i *document.Invoice, o *billingOrder) (*invoicing.Outcome, error) {
				var until *billing.Date
				if o.On != "" {
					day, err := billing.ParseDate(o.On)
					if err != nil {
						return nil, billing.Fail(billing.Invalid, "on", "%q is not a day. Write it as 2026-12-31.", billing.Excerpt(o.On))
					}
					until = &day
				}
				_, err := c.service.Invoicing.InvoiceDunningHold(ctx, i.ID, until, o.Reason)
				return nil, operation.RenameField(err, "until", "on")
			},
			done: toInvoice(func(i *document.Invoice) string { return "Changed the hold of " + i.Number + "." }),
		},
		{
			path: "credit", title: "Credit", allowed: hasLeft, inputs: creditInputs, quiet: true,
			about: "A credit note gives back some or all of the invoice. Its days stay billed: they are not billed again.",
			begin: func(*document.Invoice) billingOrder { return billingOrder{Amounts: map[string]string{}} },
			says: sentences(func(i *document.Invoice, o *billingOrder) []string {
				if len(creditParts(i, o)) == 0 {
					return []string{"All that is left of invoice " + i.Number + " is credited: " + pricedWords(i, leftOf(i)) + "."}
				}
				return []string{"A credit note is issued on " + pricedWords(i, creditSum(i, o)) + ". It pays what is due of invoice " + i.Number + " first."}
			}),
			do: func(c *call, ctx context.Context, i *document.Invoice, o *billingOrder) (*invoicing.Outcome, error) {
				return c.service.Invoicing.InvoiceCredit(ctx, i.ID, creditParts(i, o), o.Reason)
			},
			done: toInvoice(func(i *document.Invoice) string { return "Credited " + i.Number + "." }),
		},
		{
			path: "void", title: "Void", allowed: func(i *document.Invoice) bool { return isOpen(i) && hasLeft(i) && i.AmountPaid == 0 }, quiet: true,
			about: "A credit note takes back all of the invoice, as if it had not been issued.",
			begin: func(*document.Invoice) billingOrder { return billingOrder{Rebill: "yes"} },
			inputs: func(*call, *document.Invoice) ([]ui.Section[billingOrder], error) {
				return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
					reasonInput(),
					ui.Choice("rebill", "Its days", func(o *billingOrder) *string { return &o.Rebill },
						ui.Option{Value: "yes", Text: "Bill again, with the data of now"}, ui.Option{Value: "no", Text: "Forgive"}).Wide(),
				}}}, nil
			},
			says: sentences(func(i *document.Invoice, o *billingOrder) []string {
				next := "Its days are forgiven."
				if o.Rebill == "yes" {
					next = "Its days are billed again at once, with the customer's data and prices as they are now."
				}
				return []string{"Invoice " + i.Number + " over " + amountText(i.Amount, i.Currency) + " is voided. " + next}
			}),
			do: func(c *call, ctx context.Context, i *document.Invoice, o *billingOrder) (*invoicing.Outcome, error) {
				return c.service.Invoicing.InvoiceVoid(ctx, i.ID, o.Reason, o.Rebill == "yes")
			},
			done: toInvoice(func(i *document.Invoice) string {
				return "Voided " + i.Number + ". If its days are billed again, the new invoice follows within seconds."
			}),
		},
		{
			path: "write-off", title: "Write off", allowed: isOpen, quiet: true, begin: func(*document.Invoice) billingOrder { return billingOrder{Restore: true} },
			about: "For an invoice that will not be paid. What is due of it is given up.",
			inputs: func(*call, *document.Invoice) ([]ui.Section[billingOrder], error) {
				return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
					reasonInput(),
					ui.Checkbox("correctTax", "Correct the tax", func(o *billingOrder) *bool { return &o.CorrectTax }).Help("Only where the law lets you take back the tax on a debt that is lost."),
					ui.Checkbox("restore", "Give subscriptions back what dunning has taken", func(o *billingOrder) *bool { return &o.Restore }),
				}}}, nil
			},
			says: sentences(func(i *document.Invoice, _ *billingOrder) []string {
				return []string{amountText(i.AmountDue(), i.Currency) + " of invoice " + i.Number + " are given up."}
			}),
			do: func(c *call, ctx context.Context, i *document.Invoice, o *billingOrder) (*invoicing.Outcome, error) {
				return c.service.Invoicing.InvoiceWriteOff(ctx, i.ID, o.Reason, o.CorrectTax, o.Restore)
			},
			done: toInvoice(func(i *document.Invoice) string { return "Wrote off " + i.Number + "." }),
		},
		{
			path: "delete", title: "Delete draft", allowed: isDraft, quiet: true, begin: emptyOrder[document.Invoice],
			says: sentences(func(i *document.Invoice, _ *billingOrder) []string {
				if i.Kind == document.SubscriptionInvoice {
					return []string{"The draft is deleted. What it asks for is owed still, and will be on another invoice."}
				}
				return []string{"The draft is deleted. This cannot be undone."}
			}),
			do: func(c *call, ctx context.Context, i *document.Invoice, _ *billingOrder) (*invoicing.Outcome, error) {
				_, err := c.service.Invoicing.InvoiceDelete(ctx, i.ID)
				return nil, err
			},
			done: func(*document.Invoice, *invoicing.Outcome) (string, string) {
				return invoiceList.Href, "Deleted the draft."
			},
		},
	},
}

// creditInputs ask how much of each item is credited. An invoice with very many
// items is credited as a whole here.
func creditInputs(_ *call, i *document.Invoice) ([]ui.Section[billingOrder], error) {
	items := ui.Section[billingOrder]{Title: "Amounts", Help: "As the items are priced: without tax, unless their prices include it. If all are empty, all that is left is credited."}
	for n := range i.Items[:min(len(i.Items), itemsShown)] {
		item := &i.Items[n]
		if item.Left() == 0 {
			continue
		}
		id := ui.IDText(item.ID)
		items.Inputs = append(items.Inputs, ui.Input[billingOrder]{
			Field: ui.Field{Name: "item:" + id, Label: ui.IDText(int64(item.Position)) + ". " + item.LineText, Kind: ui.FieldText, Help: amountText(item.Left(), i.Currency) + " are left."},
			Get:   func(o *billingOrder) string { return o.Amounts[id] },
			Set: func(o *billingOrder, typed string) *billing.Error {
				if o.Amounts[id] = typedAmount(typed, i.Currency.Code); o.Amounts[id] == "" {
					return nil
				}
				if _, err := i.Currency.Parse(o.Amounts[id]); err != nil {
					return billing.Fail(billing.Invalid, "item:"+id, "%q is not an amount in %s. Write it such as %s.", clip(typed, 40), i.Currency.Code, i.Currency.Format(item.Left()))
				}
				return nil
			},
		})
	}
	return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{reasonInput()}}, items}, nil
}

// creditSum is what the items that are credited come to, as they are priced.
func creditSum(i *document.Invoice, o *billingOrder) (sum money.Amount) {
	for n := range i.Items {
		if a, err := i.Currency.Parse(o.Amounts[ui.IDText(i.Items[n].ID)]); err == nil {
			sum += a
		}
	}
	return sum
}

// creditParts are the items that are credited, nil for all that is left.
func creditParts(i *document.Invoice, o *billingOrder) (parts []invoicing.CreditPart) {
	for n := range i.Items {
		if typed := o.Amounts[ui.IDText(i.Items[n].ID)]; typed != "" {
			parts = append(parts, invoicing.CreditPart{InvoiceItemID: i.Items[n].ID, Amount: typed})
		}
	}
	return parts
}

// receivedWords are what was typed of a payment: EUR 60.00.
func receivedWords(o *billingOrder) string {
	code := strings.ToUpper(strings.TrimSpace(o.CurrencyID))
	text := typedAmount(o.Amount, code)
	if in, err := money.CurrencyOf(code); err == nil {
		if a, err := in.Parse(text); err == nil {
			return amountText(a, in)
		}
	}
	return code + " " + text
}

// payInputs ask for a payment.
func payInputs[R any](*call, *R) ([]ui.Section[billingOrder], error) {
	return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
		ui.Text("amount", "Amount", func(o *billingOrder) *string { return &o.Amount }).Required(),
		currencyInput(),
		ui.Text("receivedAt", "Received", func(o *billingOrder) *string { return &o.ReceivedAt }).Kind(ui.FieldDate).Help("If empty, today."),
		ui.Text("reference", "Reference", func(o *billingOrder) *string { return &o.Reference }).Help("What the bank says of it."),
	}}}, nil
}

// pay records a payment.
func pay(c *call, ctx context.Context, account billing.AccountID, o *billingOrder, invoices []billing.InvoiceID) (*invoicing.Outcome, error) {
	received, err := readDay("receivedAt", o.ReceivedAt)
	if err != nil {
		return nil, err
	}
	return c.service.Invoicing.PaymentCreate(ctx, invoicing.PaymentAttributes{
		AccountID: account, Amount: typedAmount(o.Amount, o.CurrencyID), CurrencyID: strings.ToUpper(strings.TrimSpace(o.CurrencyID)), ReceivedAt: received, Reference: o.Reference, InvoiceIDs: invoices,
	})
}
