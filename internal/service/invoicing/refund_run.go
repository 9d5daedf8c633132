package invoicing

import (
	"cmp"
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// refundBatch is how many refunds are sent before there is another look at collections.
const refundBatch = 8

// runRefunds sends the refunds whose time has come, one after the other: they are few.
func (s *Service) runRefunds(ctx context.Context) (sent int, err error) {
	var rows []collect.Refund
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		rows, err = store.ClaimRefunds(ctx, tx, tx.Now.Add(cmp.Or(s.Payments.ClaimFor, claimFor)), refundBatch)
		return err
	})
	for n := range rows {
		if _, err = s.refundNow(ctx, &rows[n], nil); err != nil {
			return n, err
		}
	}
	return len(rows), err
}

// refundNow sends a request for a refund, and records the answer.
func (s *Service) refundNow(ctx context.Context, refund *collect.Refund, clockID *billing.TestClockID) (*collect.Refund, error) {
	var clock *billing.TestClock
	if clockID != nil {
		var err error
		if clock, err = store.TestClocks.Get(ctx, s.Read(), *clockID); err != nil {
			return nil, err
		}
	}
	outcome := payment.Outcome{State: payment.Unknown, Code: "not_configured", Message: "The payment provider is not set up on this server."}
	if p := s.Payments.provider(refund.Provider, clock); s.Store.Now().Sub(refund.CreatedAt) > collect.ResendFor {
		// The provider may have forgotten the key: the same request could give the money twice.
		outcome = payment.Outcome{State: payment.Unknown, Code: "needs_a_person", Message: "Nobody knows whether the money was given back. Look at the payment provider."}
	} else if p != nil {
		var err error
		outcome, err = p.Refund(ctx, payment.Refund{Key: refund.UUID, Reference: refund.ChargeReference, Amount: refund.Amount, Currency: refund.Currency, At: refund.CreatedAt})
		if err != nil {
			outcome = payment.Outcome{State: payment.Unknown, Code: "not_sent", Message: err.Error()}
		}
	}
	ctx = operation.As(ctx, operation.Caller{Actor: collectingActor})
	err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		defer operation.Recovered(&err)
		return learnRefund(ctx, tx, refund, resultOf(outcome))
	})
	if err != nil {
		return nil, err
	}
	return store.Refunds.Get(ctx, s.Read(), refund.ID)
}

// takeRefundNotice records what has become of a refund. One that somebody made at the
// provider takes the money from what the payment pays for.
func (s *Service) takeRefundNotice(ctx context.Context, provider collect.Provider, n *payment.Notice) error {
	key := n.Key
	if key == "" {
		key = string(provider) + "/" + n.Outcome.Reference // made there
	}
	refund, err := store.RefundByUUID(ctx, s.Read(), key)
	if err != nil {
		return err
	}
	if refund == nil && n.Key != "" {
		return nil // of another installation
	}
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		defer operation.Recovered(&err)
		fresh, err := store.SeeNotice(ctx, tx, provider, n.ID)
		if err != nil || !fresh {
			return err
		}
		if refund != nil {
			return learnRefund(ctx, tx, refund, resultOf(n.Outcome))
		}
		return refundedElsewhere(ctx, tx, provider, key, n)
	})
}

// chargedBy returns the collection that charged something by that name at the provider, nil
// if none did.
func chargedBy(ctx context.Context, tx *store.Tx, provider collect.Provider, reference string) (*learned, error) {
	a, err := store.AttemptByReference(ctx, tx.Queries, provider, reference)
	if err != nil || a == nil {
		return nil, err
	}
	c, err := store.Collections.Get(ctx, tx.Queries, a.CollectionID)
	if err != nil || c == nil {
		return nil, err
	}
	return &learned{Collection: c, attempt: a}, nil
}

// undone gives a payment back to the invoices that it was collected for, because a refund
// that somebody made at the provider has failed.
func (r *run) undone(ctx context.Context, b *book, p *document.Payment, refund *collect.Refund) error {
	l, err := chargedBy(ctx, r.tx, refund.Provider, refund.ChargeReference)
	if err != nil || l == nil || l.State != collect.Reversed || l.attempt.Outcome != collect.OutSucceeded {
		return err // nothing was taken from its invoices
	}
	l.State, l.Hard, l.attempt.Hard = collect.Succeeded, false, false
	if err := saveLearned(ctx, r.tx, []*learned{l}); err != nil {
		return err
	}
	parts, err := store.PartsOfCollections(ctx, r.tx.Queries, []billing.PaymentCollectionID{l.ID})
	if err != nil {
		return err
	}
	return b.payParts(p, l.ID, parts)
}

// refundedElsewhere records a refund that somebody made at the provider.
func refundedElsewhere(ctx context.Context, tx *store.Tx, provider collect.Provider, key string, n *payment.Notice) error {
	l, err := chargedBy(ctx, tx, provider, n.ChargeReference)
	if err != nil || l == nil || l.attempt.PaymentID == nil || n.Outcome.State == payment.Failed {
		return err
	}
	r, at, err := lockBooks(ctx, tx, []billing.AccountID{l.AccountID}, nil)
	if err != nil {
		return err
	}
	if again, err := store.RefundByUUID(ctx, tx.Queries, key); err != nil || again != nil {
		return err // two notices of the same refund at once
	}
	l, err = chargedBy(ctx, tx, provider, n.ChargeReference) // as it is now that nobody else changes it
	if err != nil || l == nil || at[l.AccountID] == nil {
		return err
	}
	l.book = at[l.AccountID]
	reopened, err := r.reverse(ctx, l, n.Outcome, document.PaymentRefunded)
	if err != nil {
		return err
	}
	if reopened && !l.IsOpen() {
		// Whoever gave the money back does not want it charged again: policies leave it to a person.
		l.State, l.Hard, l.attempt.Hard = collect.Reversed, true, true
		if err := saveLearned(ctx, tx, []*learned{l}); err != nil {
			return err
		}
	}
	if err := r.issue(ctx); err != nil {
		return err
	}
	amount, currency := l.Moved(resultOf(n.Outcome))
	refund := &collect.Refund{
		UUID: key, AccountID: l.AccountID, PaymentID: *l.attempt.PaymentID, Currency: currency, Amount: amount, Provider: provider, ChargeReference: n.ChargeReference,
		State: collect.Succeeded, Reference: n.Outcome.Reference, Message: "Made at the payment provider.",
	}
	if err := store.Refunds.Insert(ctx, tx, refund); err != nil {
		return err
	}
	return operation.Audit(ctx, tx, "paymentRefund", "payment", int64(*l.attempt.PaymentID), billing.Changes(map[string]any{}, map[string]any{
		"amount": currency.Format(amount) + " " + currency.Code,
	}))
}
