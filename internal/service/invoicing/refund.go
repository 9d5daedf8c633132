package invoicing

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// PaymentRefund gives money of a payment back. Credit comes before money: it takes what
// waits of a credit note, or of the payment itself if creditNote is nil. An empty amount
// is all of that.
func (s *Service) PaymentRefund(ctx context.Context, id billing.PaymentID, amount string, creditNote *billing.CreditNoteID) (*collect.Refund, error) {
	var clock *billing.TestClockID
	refund, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*collect.Refund, error) {
		account, err := accountOfPayment(id)(ctx, tx)
		if err != nil {
			return nil, err
		}
		r, b, err := openBook(ctx, tx, account)
		if err != nil {
			return nil, err
		}
		clock = b.TestClockID
		p, err := operation.Find(ctx, tx, store.Payments, "id", "payment", id)
		if err != nil {
			return nil, err
		}
		refund := &collect.Refund{UUID: secret.UUID(), AccountID: account, PaymentID: id, CreditNoteID: creditNote, Currency: p.Currency, State: collect.Pending, TestClockID: p.TestClockID}
		if err := r.takeCredit(ctx, b, p, refund, amount); err != nil {
			return nil, err
		}
		if err := r.chargeOf(ctx, p, refund); err != nil {
			return nil, err
		}
		b.returned = append(b.returned, returned{p, refund.Amount, document.PaymentRefunded})
		if err := r.issue(ctx); err != nil {
			return nil, err
		}
		if err := store.Refunds.Insert(ctx, tx, refund); err != nil {
			return nil, err
		}
		return refund, operation.Audit(ctx, tx, "paymentRefund", "payment", int64(id), billing.Changes(map[string]any{}, map[string]any{
			"amount": refund.Currency.Format(refund.Amount) + " " + refund.Currency.Code,
		}))
	})
	if err == nil && clock != nil && refund.State == collect.Pending {
		refund, err = s.refundNow(ctx, refund, clock)
	}
	s.wakeCollecting()
	s.Wake()
	return refund, err
}

// takeCredit takes what is given back from what waits.
func (r *run) takeCredit(ctx context.Context, b *book, p *document.Payment, refund *collect.Refund, amount string) error {
	waits, from := p.AmountUnapplied(), "payment"
	var note *document.CreditNote
	if refund.CreditNoteID != nil {
		waits, from = 0, "credit note"
		for _, n := range b.notes {
			if n.ID == *refund.CreditNoteID && n.EntityID == p.EntityID && n.Currency == p.Currency {
				note, waits = n, n.AmountUnapplied()
			}
		}
	}
	left, err := refundable(ctx, r.tx, p)
	if err != nil {
		return err
	}
	refund.Amount = min(waits, left)
	if amount != "" {
		if refund.Amount, err = p.Currency.Parse(amount); err != nil {
			return err
		}
	}
	switch {
	case refund.Amount <= 0 && amount != "":
		return billing.Fail(billing.Invalid, "amount", "The amount of a refund is above 0, not %s.", amount)
	case waits == 0:
		return billing.Fail(billing.NotAllowed, "id", "Nothing waits of the %s that could be given back. Credit the invoice first; then refund the credit note.", from)
	case refund.Amount > waits:
		return billing.Fail(billing.Invalid, "amount", "Only %s wait of the %s, not %s.", p.Currency.Format(waits), from, p.Currency.Format(refund.Amount))
	case refund.Amount > left || left <= 0:
		return billing.Fail(billing.Invalid, "amount", "Only %s of the payment were not given back yet.", p.Currency.Format(max(0, left)))
	}
	if note != nil {
		note.AmountApplied += refund.Amount
		b.used[note] = true
		return nil
	}
	p.AmountReturned += refund.Amount
	b.spent[p] = true
	return nil
}

// refundable is how much of a payment was neither given back nor taken back.
func refundable(ctx context.Context, tx *store.Tx, p *document.Payment) (money.Amount, error) {
	back, err := refunded(ctx, tx, p)
	return p.Amount - back.all - (p.AmountReturned - back.own), err
}

// refunds are how much of a payment was given back by refunds, or is to be.
type refunds struct {
	all money.Amount
	// own is what of it is in what was returned of the payment, because no credit note was
	// refunded. notes is what was certainly given back for credit notes.
	own, notes money.Amount
}

func refunded(ctx context.Context, tx *store.Tx, p *document.Payment) (back refunds, err error) {
	rows, err := store.RefundsOf(ctx, tx.Queries, []billing.PaymentID{p.ID})
	for n := range rows {
		amount := rows[n].Amount
		if rows[n].State == collect.Failed {
			continue
		}
		back.all += amount
		switch {
		case rows[n].CreditNoteID == nil:
			back.own += amount
		case rows[n].State == collect.Succeeded:
			back.notes += amount
		}
	}
	return back, err
}

// chargeOf finds who gives the money back: the provider that has charged it, or else a
// person by a transfer, for whom the refund is done.
func (r *run) chargeOf(ctx context.Context, p *document.Payment, refund *collect.Refund) error {
	attempts, err := store.AttemptsOfPayments(ctx, r.tx.Queries, []billing.PaymentID{p.ID})
	if err != nil {
		return err
	}
	if len(attempts) == 0 {
		refund.Provider, refund.State = collect.Manual, collect.Succeeded
		return nil
	}
	c, err := store.Collections.Get(ctx, r.tx.Queries, attempts[0].CollectionID)
	if err != nil {
		return err
	}
	now := r.tx.Now
	refund.Provider, refund.ChargeReference, refund.NextAt = c.Provider, attempts[0].Reference, &now
	if refund.TestClockID != nil {
		refund.NextAt = nil // it happens at once
	}
	return nil
}

// learnRefund records what a provider says about a refund. If it has failed, the credit
// waits again.
func learnRefund(ctx context.Context, tx *store.Tx, known *collect.Refund, result collect.Result) error {
	r, at, err := lockBooks(ctx, tx, []billing.AccountID{known.AccountID}, known.TestClockID)
	if err != nil {
		return err
	}
	refund, err := store.Refunds.Get(ctx, tx.Queries, known.ID)
	b := at[known.AccountID]
	if err != nil || refund == nil || b == nil {
		return err
	}
	failed := refund.Take(result)
	if result.Outcome == collect.OutUnknown {
		refund.NextAt = resendAt(refund, tx.Now)
	}
	if err := store.Refunds.Update(ctx, tx, refund); err != nil || !failed {
		return err
	}
	p, err := store.Payments.Get(ctx, tx.Queries, refund.PaymentID)
	if err != nil {
		return err
	}
	if refund.CreditNoteID == nil {
		p.AmountReturned -= refund.Amount
		b.spent[p] = true
		if err := r.undone(ctx, b, p, refund); err != nil {
			return err
		}
	} else {
		note, err := store.CreditNotes.Get(ctx, tx.Queries, *refund.CreditNoteID)
		if err != nil {
			return err
		}
		note.AmountApplied -= refund.Amount
		b.used[note] = true
	}
	b.returned = append(b.returned, returned{p, -refund.Amount, document.PaymentRefunded})
	if err := r.issue(ctx); err != nil {
		return err
	}
	return operation.Audit(ctx, tx, "paymentRefundFailed", "payment", int64(p.ID), billing.Changes(map[string]any{}, map[string]any{"reason": refund.Message}))
}

// resendAt is when the request for a refund without an answer is sent again, with the
// same key; nil if a person has to look.
func resendAt(refund *collect.Refund, now time.Time) *time.Time {
	for _, wait := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, collect.ResendFor} {
		if at := refund.CreatedAt.Add(wait); at.After(now) {
			return &at
		}
	}
	return nil
}
