package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Waiting says what there is of accounts that waits to be billed, to be used, or to
// be issued. Most accounts have none of it.
type Waiting struct{ Items, CreditNotes, Payments, Drafts bool }

// WaitingOf looks for what waits of accounts.
func WaitingOf(ctx context.Context, q Queries, accounts []billing.AccountID) (w Waiting, err error) {
	// The first along an index: in the hope of one that is near, PostgreSQL would look
	// for any of them in the whole table.
	const text = `SELECT (SELECT account_id FROM pending_item WHERE account_id IN (SELECT value FROM json_each($1)) ORDER BY account_id LIMIT 1) IS NOT NULL,
		(SELECT account_id FROM credit_note WHERE account_id IN (SELECT value FROM json_each($1)) AND stage <> 'APPLIED' ORDER BY account_id LIMIT 1) IS NOT NULL,
		(SELECT account_id FROM payment WHERE account_id IN (SELECT value FROM json_each($1)) AND stage <> 'APPLIED' ORDER BY account_id LIMIT 1) IS NOT NULL,
		(SELECT account_id FROM invoice WHERE account_id IN (SELECT value FROM json_each($1)) AND number = '' ORDER BY account_id LIMIT 1) IS NOT NULL`
	_, err = q.One(ctx, text, []any{db.JSONList(accounts)}, &w.Items, &w.CreditNotes, &w.Payments, &w.Drafts)
	return w, err
}
