package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
)

func (r mutation) AccountInvoice(ctx context.Context, accountID int64, on *string) (*gen.AccountInvoicePayload, error) {
	day, problems := oneDate("on", on)
	made, err := ifRight(problems, func() (*invoicing.Outcome, error) {
		return r.service.Invoicing.AccountInvoice(ctx, billing.AccountID(accountID), day)
	})
	p := &gen.AccountInvoicePayload{}
	if err != nil {
		p.Errors, p.UserErrors, err = refused(err)
		return p, err
	}
	invoices, err := store.Invoices.ByIDs(ctx, r.q(), made.Invoices)
	if err != nil {
		return nil, err
	}
	notes, err := store.CreditNotes.ByIDs(ctx, r.q(), made.CreditNotes)
	p.Invoices, p.CreditNotes = r.reader.Invoices(invoices), r.reader.CreditNotes(notes)
	return p, err
}

func (r mutation) InvoiceCreate(ctx context.Context, accountID int64, attributes gen.InvoiceAttributes) (*gen.InvoiceCreatePayload, error) {
	in := invoicing.InvoiceAttributes{
		CurrencyID: valueOf(attributes.CurrencyID.Value()), Notes: valueOf(attributes.Notes.Value()),
		PONumber: valueOf(attributes.PoNumber.Value()), Draft: valueOf(attributes.Draft.Value()),
	}
	in.Items = linesByHand(attributes.Items.Value())
	var given patch
	given.currency(attributes.CurrencyID.Value())
	made, err := ifRight(given.problems, func() (*invoicing.Outcome, error) {
		return r.service.Invoicing.InvoiceCreate(ctx, billing.AccountID(accountID), in)
	})
	return r.invoiceCreatePayload(made1(ctx, r, made, err))
}

// linesByHand are the items of an invoice made by hand, as a caller gives them.
func linesByHand(lines []*gen.InvoiceLineAttributes) []invoicing.ItemAttributes {
	items := make([]invoicing.ItemAttributes, len(lines))
	for n, item := range lines {
		items[n] = invoicing.ItemAttributes{
			LineText: valueOf(item.LineText.Value()), Quantity: valueOf(item.Quantity.Value()), Price: valueOf(item.Price.Value()),
			Amount: valueOf(item.Amount.Value()), TaxCode: valueOf(item.TaxCode.Value()),
		}
	}
	return items
}

func (r mutation) InvoiceUpdate(ctx context.Context, id int64, attributes gen.InvoiceUpdateAttributes) (*gen.InvoiceUpdatePayload, error) {
	return r.invoiceUpdatePayload(r.service.Invoicing.InvoiceUpdate(ctx, billing.InvoiceID(id), func(in *invoicing.DraftAttributes) error {
		if notes, given := attributes.Notes.ValueOK(); given {
			in.Notes = valueOf(notes)
		}
		if number, given := attributes.PoNumber.ValueOK(); given {
			in.PONumber = valueOf(number)
		}
		if lines, given := attributes.Items.ValueOK(); given {
			in.Items = linesByHand(lines)
		}
		return nil
	}))
}

func (r mutation) InvoiceIssue(ctx context.Context, id int64) (*gen.InvoiceIssuePayload, error) {
	_, err := r.service.Invoicing.InvoiceIssue(ctx, billing.InvoiceID(id))
	return r.invoiceIssuePayload(after(ctx, r.resolver, store.Invoices, billing.InvoiceID(id), err))
}

func (r mutation) InvoiceCredit(ctx context.Context, invoiceID int64, items []*gen.CreditItemAttributes, reason string) (*gen.InvoiceCreditPayload, error) {
	var given patch
	parts := given.credits(items)
	made, err := ifRight(given.problems, func() (*invoicing.Outcome, error) {
		return r.service.Invoicing.InvoiceCredit(ctx, billing.InvoiceID(invoiceID), parts, reason)
	})
	p := &gen.InvoiceCreditPayload{}
	p.Invoice, p.CreditNote, p.Errors, p.UserErrors, err = r.credited(ctx, billing.InvoiceID(invoiceID), made, err)
	return p, err
}

func (r mutation) InvoiceVoid(ctx context.Context, id int64, reason string, rebill bool) (*gen.InvoiceVoidPayload, error) {
	made, err := r.service.Invoicing.InvoiceVoid(ctx, billing.InvoiceID(id), reason, rebill)
	p := &gen.InvoiceVoidPayload{}
	p.Invoice, p.CreditNote, p.Errors, p.UserErrors, err = r.credited(ctx, billing.InvoiceID(id), made, err)
	return p, err
}

func (r mutation) InvoiceWriteOff(ctx context.Context, invoiceID int64, reason string, correctTax *bool, restore *bool) (*gen.InvoiceWriteOffPayload, error) {
	made, err := r.service.Invoicing.InvoiceWriteOff(ctx, billing.InvoiceID(invoiceID), reason, valueOf(correctTax), restore == nil || *restore)
	p := &gen.InvoiceWriteOffPayload{}
	p.Invoice, p.CreditNote, p.Errors, p.UserErrors, err = r.credited(ctx, billing.InvoiceID(invoiceID), made, err)
	return p, err
}

func (r mutation) InvoiceDunningHold(ctx context.Context, id int64, until *string, reason *string) (*gen.InvoiceDunningHoldPayload, error) {
	day, problems := oneDate("until", until)
	_, err := ifRight(problems, func() (*document.Invoice, error) {
		return r.service.Invoicing.InvoiceDunningHold(ctx, billing.InvoiceID(id), day, valueOf(reason))
	})
	return r.invoiceDunningHoldPayload(after(ctx, r.resolver, store.Invoices, billing.InvoiceID(id), err))
}

// credited makes the parts of a payload of what credited an invoice.
func (r mutation) credited(ctx context.Context, id billing.InvoiceID, made *invoicing.Outcome, failure error) (invoice *node.Invoice, note *node.CreditNote, errors []string, userErrors []*node.UserError, err error) {
	row, failure := after(ctx, r.resolver, store.Invoices, id, failure)
	invoice, errors, userErrors, err = outcome(row, failure, r.reader.Invoices)
	if failure != nil || err != nil || len(made.CreditNotes) == 0 {
		return invoice, nil, errors, userErrors, err
	}
	found, err := store.CreditNotes.Get(ctx, r.q(), made.CreditNotes[0])
	note, err = one(found, err, r.reader.CreditNotes)
	return invoice, note, nil, nil, err
}

func (r mutation) CreditNoteApplyToInvoices(ctx context.Context, creditNoteID int64, invoiceIds []int64) (*gen.CreditNoteApplyToInvoicesPayload, error) {
	id := billing.CreditNoteID(creditNoteID)
	_, err := r.service.Invoicing.CreditNoteApplyToInvoices(ctx, id, ids[billing.InvoiceID](invoiceIds))
	return r.creditNoteApplyToInvoicesPayload(after(ctx, r.resolver, store.CreditNotes, id, err))
}

func (r mutation) PaymentCreate(ctx context.Context, attributes gen.PaymentAttributes) (*gen.PaymentCreatePayload, error) {
	var given patch
	if attributes.AccountID.Value() == nil {
		given.fail(billing.Required, "accountId", "Say which account has paid: give accountId.")
	}
	if attributes.Amount.Value() == nil {
		given.fail(billing.Required, "amount", "Say how much was paid: give amount.")
	}
	given.currency(attributes.CurrencyID.Value())
	in := invoicing.PaymentAttributes{
		AccountID: billing.AccountID(valueOf(attributes.AccountID.Value())), Amount: valueOf(attributes.Amount.Value()), CurrencyID: valueOf(attributes.CurrencyID.Value()),
		ReceivedAt: given.date("receivedAt", attributes.ReceivedAt.Value()), Reference: valueOf(attributes.Reference.Value()),
		InvoiceIDs: ids[billing.InvoiceID](attributes.InvoiceIds.Value()),
	}
	made, err := ifRight(given.problems, func() (*invoicing.Outcome, error) { return r.service.Invoicing.PaymentCreate(ctx, in) })
	if err != nil {
		return r.paymentCreatePayload(nil, err)
	}
	return r.paymentCreatePayload(after(ctx, r.resolver, store.Payments, made.PaymentID, nil))
}

func (r mutation) PaymentApplyToInvoices(ctx context.Context, paymentID int64, invoiceIds []int64) (*gen.PaymentApplyToInvoicesPayload, error) {
	id := billing.PaymentID(paymentID)
	_, err := r.service.Invoicing.PaymentApplyToInvoices(ctx, id, ids[billing.InvoiceID](invoiceIds))
	return r.paymentApplyToInvoicesPayload(after(ctx, r.resolver, store.Payments, id, err))
}

func (r mutation) PaymentUnapplyFromInvoices(ctx context.Context, paymentID int64, invoiceIds []int64) (*gen.PaymentUnapplyFromInvoicesPayload, error) {
	id := billing.PaymentID(paymentID)
	_, err := r.service.Invoicing.PaymentUnapplyFromInvoices(ctx, id, ids[billing.InvoiceID](invoiceIds))
	return r.paymentUnapplyFromInvoicesPayload(after(ctx, r.resolver, store.Payments, id, err))
}

func (r mutation) InvoiceItemCreate(ctx context.Context, accountID int64, attributes gen.InvoiceItemAttributes) (*gen.InvoiceItemCreatePayload, error) {
	row, err := r.service.Invoicing.InvoiceItemCreate(ctx, billing.AccountID(accountID), editPending(attributes, true))
	p := &gen.InvoiceItemCreatePayload{}
	p.PendingItem, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PendingItems)
	return p, err
}

func (r mutation) InvoiceItemUpdate(ctx context.Context, id int64, attributes gen.InvoiceItemAttributes) (*gen.InvoiceItemUpdatePayload, error) {
	row, err := r.service.Invoicing.InvoiceItemUpdate(ctx, billing.PendingItemID(id), editPending(attributes, false))
	p := &gen.InvoiceItemUpdatePayload{}
	p.PendingItem, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PendingItems)
	return p, err
}

func (r mutation) InvoiceItemDelete(ctx context.Context, id int64) (*gen.InvoiceItemDeletePayload, error) {
	row, err := r.service.Invoicing.InvoiceItemDelete(ctx, billing.PendingItemID(id))
	p := &gen.InvoiceItemDeletePayload{}
	p.PendingItem, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.PendingItems)
	return p, err
}

// made1 is the invoice that an operation made, as it is now.
func made1(ctx context.Context, r mutation, made *invoicing.Outcome, failure error) (*document.Invoice, error) {
	if failure != nil {
		return nil, failure
	}
	return after(ctx, r.resolver, store.Invoices, made.Invoices[0], nil)
}

// after is what a row is like after an operation on it.
func after[T any, K ~int64](ctx context.Context, r *resolver, table *store.Table[T, K], id K, failure error) (*T, error) {
	if failure != nil {
		return nil, failure
	}
	row, err := table.Get(ctx, r.q(), id)
	if err == nil && row == nil {
		err = billing.Fail(billing.Conflict, "", "It was deleted meanwhile.")
	}
	return row, err
}

// refused is outcome for a call that has no single thing to answer with.
func refused(failure error) (errors []string, userErrors []*node.UserError, err error) {
	_, errors, userErrors, err = outcome[document.Invoice, node.Invoice](nil, failure, nil)
	return errors, userErrors, err
}
