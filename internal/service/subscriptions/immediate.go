package subscriptions

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Issued names the documents that an operation had issued at once, those of its
// subscriptions first. Invoices can be drafts.
type Issued struct {
	Invoices    []billing.InvoiceID
	CreditNotes []billing.CreditNoteID
}

type immediateKey struct{}

// InvoicedAtOnce returns a context in which operations on subscriptions bill their
// accounts in the same transaction, and where the documents are told. An operation
// that is done again for the same idempotency key tells those of the first time.
func InvoicedAtOnce(ctx context.Context) (context.Context, *Issued) {
	issued := &Issued{}
	return context.WithValue(ctx, immediateKey{}, issued), issued
}

// atOnce is where documents are told, nil if nobody asked for them.
func atOnce(ctx context.Context) *Issued {
	issued, _ := ctx.Value(immediateKey{}).(*Issued)
	return issued
}

// lockAccountsOf locks the accounts of subscriptions that are billed at once, or in a
// preview, which comes before the subscriptions themselves.
func lockAccountsOf(ctx context.Context, tx *store.Tx, ids []billing.SubscriptionID) error {
	if atOnce(ctx) == nil && operation.PreviewIn(ctx) == nil {
		return nil
	}
	var accounts []billing.AccountID
	for _, id := range ids {
		account, found, err := store.AccountOfSubscription(ctx, tx.Queries, id)
		if err != nil {
			return err
		}
		if found {
			accounts = append(accounts, account)
		}
	}
	_, err := store.LockAccounts(ctx, tx, accounts)
	return err
}

// write runs an operation in its transaction, and bills the accounts of its
// subscriptions in the same one if somebody asked for it.
func (s *Service) write(ctx context.Context, do func(context.Context, *store.Tx) ([]subscription.Subscription, error)) (subs []subscription.Subscription, replayed bool, err error) {
	issued := atOnce(ctx)
	if issued == nil {
		changed, replayed, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*[]subscription.Subscription, error) {
			changed, err := do(ctx, tx)
			return &changed, err
		})
		if err != nil {
			return nil, replayed, err
		}
		return *changed, replayed, nil
	}
	done, replayed, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billedChange, error) {
		changed, err := do(ctx, tx)
		if err != nil {
			return nil, err
		}
		made, err := s.Billing.BillIn(ctx, tx, changed)
		return &billedChange{changed, made}, err
	})
	if err != nil {
		return nil, replayed, err
	}
	*issued = done.Issued
	return done.Subscriptions, replayed, nil
}

// billedChange is what is remembered of an operation that billed at once.
type billedChange struct {
	Subscriptions []subscription.Subscription
	Issued        Issued
}
