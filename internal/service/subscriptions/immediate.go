package subscriptions

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

// Issued names the documents that an operation had issued at once.
type Issued struct {
	Invoices    []billing.InvoiceID
	CreditNotes []billing.CreditNoteID
}

type immediateKey struct{}

// InvoicedAtOnce returns a context in which operations on subscriptions bill their
// accounts in the same transaction, and where the documents are told. An operation
// that is done again for the same idempotency key tells none.
func InvoicedAtOnce(ctx context.Context) (context.Context, *Issued) {
	issued := &Issued{}
	return context.WithValue(ctx, immediateKey{}, issued), issued
}

// atOnce is where documents are told, nil if nobody asked for them.
func atOnce(ctx context.Context) *Issued {
	issued, _ := ctx.Value(immediateKey{}).(*Issued)
	return issued
}

// lockAccountsOf locks the accounts of subscriptions that are billed at once, which
// comes before the subscriptions themselves.
func lockAccountsOf(ctx context.Context, tx *store.Tx, ids []billing.SubscriptionID) error {
	if atOnce(ctx) == nil {
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
	_, err := store.LockAccounts(ctx, tx, accounts, false)
	return err
}

// billAtOnce bills the accounts of subscriptions, if somebody asked for it.
func (s *Service) billAtOnce(ctx context.Context, tx *store.Tx, subs ...subscription.Subscription) error {
	issued := atOnce(ctx)
	if issued == nil {
		return nil
	}
	*issued = Issued{} // the transaction may run again
	var done []billing.AccountID
	for n := range subs {
		id := subs[n].AccountID
		if slices.Contains(done, id) {
			continue
		}
		done = append(done, id)
		invoices, notes, err := s.Billing.BillIn(ctx, tx, id)
		if err != nil {
			return err
		}
		issued.Invoices, issued.CreditNotes = append(issued.Invoices, invoices...), append(issued.CreditNotes, notes...)
	}
	return nil
}
