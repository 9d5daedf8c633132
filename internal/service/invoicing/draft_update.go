package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// DraftAttributes is what can be changed of a draft.
type DraftAttributes struct {
	Notes string
	// PONumber is the purchase order that was given; that of the subscriptions or the
	// account is used if it is empty.
	PONumber string
	// Items replace those of a draft made by hand; nil leaves them as they are.
	Items []ItemAttributes
}

// InvoiceUpdate changes a draft. edit changes what is known of it. What is set stays
// when the draft is computed anew and when it is issued.
func (s *Service) InvoiceUpdate(ctx context.Context, id billing.InvoiceID, edit func(*DraftAttributes) error) (*document.Invoice, error) {
	i, replayed, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*document.Invoice, error) {
		account, err := accountOfInvoice("id", id)(ctx, tx)
		if err != nil {
			return nil, err
		}
		r, b, err := openBook(ctx, tx, account)
		if err != nil {
			return nil, err
		}
		i, err := operation.Find(ctx, tx, store.Invoices, "id", "invoice", id)
		if err == nil && i.Kind == document.OneOffInvoice {
			i, err = r.invoice(ctx, "id", id)
		}
		if err != nil {
			return nil, err
		}
		before := draftFacts(i)
		if err := b.update(i, edit); err != nil {
			return nil, err
		}
		if i.Kind == document.OneOffInvoice {
			b.renewed = append(b.renewed, i)
			err = r.saveInvoices(ctx)
		} else {
			err = store.Invoices.Update(ctx, tx, i)
		}
		if err != nil {
			return nil, err
		}
		if err := store.RenewDrafts(ctx, tx, r.accounts); err != nil {
			return nil, err
		}
		changes := billing.Changes(before, draftFacts(i))
		i.Items = nil // whoever wants them reads them
		return i, operation.Audit(ctx, tx, "invoiceUpdate", "invoice", int64(id), changes)
	})
	s.Wake()
	if err != nil || !replayed {
		return i, err
	}
	now, err := store.Invoices.Get(ctx, s.Read(), id)
	if err != nil || now == nil {
		return i, err
	}
	return now, nil
}

// update checks the attributes of a draft and writes them on it.
func (b *book) update(i *document.Invoice, edit func(*DraftAttributes) error) error {
	if err := i.CheckUpdate(); err != nil {
		return err
	}
	in := DraftAttributes{Notes: i.Notes, PONumber: i.GivenPONumber}
	if err := edit(&in); err != nil {
		return err
	}
	problems := checkWords(in.Notes, in.PONumber)
	if in.Items != nil && i.Kind != document.OneOffInvoice {
		problems.Add(billing.Fail(billing.NotAllowed, "items", "The items of this draft come from billing. Change the subscriptions, or the items that wait for the next invoice."))
	}
	if err := problems.Err(); err != nil {
		return err
	}
	cleared := i.GivenPONumber != "" && in.PONumber == ""
	i.Notes, i.GivenPONumber = in.Notes, in.PONumber
	if i.Kind != document.OneOffInvoice {
		if cleared {
			b.Address(i) // the next run finds that of subscriptions
		}
		usePONumber(i)
		return nil
	}
	if in.Items != nil {
		items, err := itemsByHand(i.Currency, in.Items)
		if err != nil {
			return err
		}
		i.Items = items
	}
	return b.redo(i, b.Today)
}

// checkWords checks what people write on an invoice.
func checkWords(notes, poNumber string) (problems billing.Problems) {
	problems.Add(billing.LongText("notes", notes))
	problems.Add(billing.ShortText("poNumber", poNumber))
	return problems
}

// draftFacts are what the audit log says of a draft.
func draftFacts(i *document.Invoice) map[string]any {
	return map[string]any{"notes": i.Notes, "poNumber": i.GivenPONumber, "amount": i.Currency.Format(i.Amount)}
}
