package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// PaymentCollectionSettle records what a person has found at the payment provider about
// a collection whose outcome is unknown.
func (s *Service) PaymentCollectionSettle(ctx context.Context, id billing.PaymentCollectionID, succeeded bool, reference string) (*collect.Collection, error) {
	settled, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*collect.Collection, error) {
		c, err := operation.Find(ctx, tx, store.Collections, "id", "collection", id)
		if err != nil {
			return nil, err
		}
		if _, err := store.LockAccounts(ctx, tx, []billing.AccountID{c.AccountID}); err != nil {
			return nil, err
		}
		if c, err = operation.Find(ctx, tx, store.Collections, "id", "collection", id); err != nil {
			return nil, err
		}
		switch {
		case !c.IsOpen():
			return nil, billing.Fail(billing.NotAllowed, "id", "The outcome of this collection is known: it is %s.", c.State)
		case c.Outcome != collect.OutUnknown:
			return nil, billing.Fail(billing.NotAllowed, "id", "The payment provider still decides about this collection: it is %s. Only an unknown outcome is settled by hand.", c.Outcome)
		}
		if e := billing.ShortText("reference", reference); e != nil {
			return nil, e
		}
		o := payment.Outcome{State: payment.Failed, Code: "by_hand", Message: "A person found that nothing was charged."}
		if succeeded {
			o = payment.Outcome{State: payment.Succeeded, Code: "by_hand", Message: "A person found that it was charged.", Reference: reference}
		}
		if err := learnIn(ctx, tx, []news{{id: id, account: c.AccountID, clock: c.TestClockID, number: c.Attempts, outcome: o}}); err != nil {
			return nil, err
		}
		if c, err = operation.Find(ctx, tx, store.Collections, "id", "collection", id); err != nil {
			return nil, err
		}
		return c, operation.Audit(ctx, tx, "paymentCollectionSettle", "account", int64(c.AccountID), billing.Changes(
			map[string]any{"collection": collect.OutUnknown}, map[string]any{"collection": c.State}))
	})
	s.Wake()
	return settled, err
}
