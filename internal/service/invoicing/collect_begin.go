package invoicing

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// InvoiceCollect charges the payment method of the account with what is due of an
// invoice, now.
func (s *Service) InvoiceCollect(ctx context.Context, id billing.InvoiceID) (*collect.Collection, error) {
	begun, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*collect.Collection, error) {
		account, err := accountOfInvoice("id", id)(ctx, tx)
		if err != nil {
			return nil, err
		}
		r, b, err := openBook(ctx, tx, account)
		if err != nil {
			return nil, err
		}
		i, err := r.invoice(ctx, "id", id)
		if err != nil {
			return nil, err
		}
		if r.claims.last, err = store.LastCollections(ctx, tx.Queries, []billing.InvoiceID{id}); err != nil {
			return nil, err
		}
		if err := collectable(b.Account.Account, i, r.claims.last[id]); err != nil {
			return nil, err
		}
		begun, err := r.beginCollections(ctx, []wanted{{b.Account.Account, i}})
		if err != nil {
			return nil, err
		}
		b.touched[i] = true
		if err := r.issue(ctx); err != nil {
			return nil, err
		}
		c := begun[0]
		return c, operation.Audit(ctx, tx, "invoiceCollect", "invoice", int64(id), billing.Changes(map[string]any{}, map[string]any{
			"amount": c.Currency.Format(c.Amount) + " " + c.Currency.Code, "attempt": c.Attempts,
		}))
	})
	if err == nil && begun.TestClockID != nil {
		_, err = s.collectOnClock(ctx, *begun.TestClockID)
	}
	s.wakeCollecting()
	s.Wake()
	return begun, err
}

// collectable returns why an invoice cannot be collected now, nil if it can.
func collectable(a *billing.Account, i *document.Invoice, last *collect.Last) error {
	switch {
	case i.Number == "" || i.AmountDue() <= 0:
		return billing.Fail(billing.NotAllowed, "id", "Nothing is due of invoice %s.", i.Number)
	case a.PaymentMethodID == nil:
		return billing.Fail(billing.NotAllowed, "id", "The account has no payment method. Add one, or record the payment when it arrives.")
	case last != nil && !last.Outcome.IsFinal():
		return billing.Fail(billing.NotAllowed, "id", "Collection %d of this invoice has no outcome yet. Nothing else is charged for it until then.", last.CollectionID)
	}
	return nil
}

// withCollection adds what is known about collecting an invoice. refused are the payment
// methods that were declined for good, whichever invoice that was for. Attempts began on
// days of the operator's time zone.
func withCollection(claim dunning.Invoice, a *billing.Account, last *collect.Last, refused map[billing.PaymentMethodID]bool, zone *time.Location) dunning.Invoice {
	claim.HasMethod = a.PaymentMethodID != nil
	claim.HardDecline = claim.HasMethod && refused[*a.PaymentMethodID]
	if last == nil {
		claim.NewMethod = claim.HasMethod
		return claim
	}
	same := claim.HasMethod && *a.PaymentMethodID == last.PaymentMethodID
	switch {
	case same && last.Hard && last.State == collect.Reversed: // it is taken back again, most likely
		claim.HardDecline = true
	case same && last.Hard: // it was renewed since, unless it is refused
		claim.NewMethod = !claim.HardDecline
	default:
		claim.NewMethod = claim.HasMethod && !same
	}
	if !last.Outcome.IsFinal() {
		claim.Attempt, claim.AttemptOn = dunning.Unanswered, billing.DateOf(last.At, zone)
		if last.Outcome == collect.OutPending {
			claim.Attempt = dunning.Pending
		}
	}
	return claim
}
