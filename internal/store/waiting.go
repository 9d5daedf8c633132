package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Waiting says what there is of accounts that waits to be billed, to be used, or to
// be issued. Most accounts have none of it.
type Waiting struct{ Items, CreditNotes, Payments, Drafts bool }

// The first along an index: in the hope of one that is near, PostgreSQL would look
// for any of them in the whole table.
const waitingText = `SELECT (SELECT account_id FROM pending_item WHERE account_id IN (SELECT value FROM json_each($1)) ORDER BY account_id LIMIT 1) IS NOT NULL,
	(SELECT account_id FROM credit_note WHERE account_id IN (SELECT value FROM json_each($1)) AND stage <> 'APPLIED' ORDER BY account_id LIMIT 1) IS NOT NULL,
	(SELECT account_id FROM payment WHERE account_id IN (SELECT value FROM json_each($1)) AND stage <> 'APPLIED' ORDER BY account_id LIMIT 1) IS NOT NULL,
	(SELECT account_id FROM invoice WHERE account_id IN (SELECT value FROM json_each($1)) AND number = '' ORDER BY account_id LIMIT 1) IS NOT NULL`

func (w *Waiting) scan(row scanner) error {
	return row.Scan(&w.Items, &w.CreditNotes, &w.Payments, &w.Drafts)
}

// WaitingOf looks for what waits of accounts.
func WaitingOf(ctx context.Context, q Queries, accounts []billing.AccountID) (w Waiting, err error) {
	err = q.Each(ctx, waitingText, []any{db.JSONList(accounts)}, w.scan)
	return w, err
}

// WaitingLater is WaitingOf and BillingOf with the next statement of the transaction
// whose outcome is asked for. Until then nothing is known.
func WaitingLater(ctx context.Context, tx *Tx, accounts []billing.AccountID) (*Waiting, map[billing.AccountID]AccountBilling, error) {
	w, found := &Waiting{}, make(map[billing.AccountID]AccountBilling, len(accounts))
	ids := []any{db.JSONList(accounts)}
	if err := tx.EachLater(ctx, waitingText, ids, w.scan); err != nil {
		return nil, nil, err
	}
	return w, found, tx.EachLater(ctx, billingText, ids, scanBilling(found))
}
