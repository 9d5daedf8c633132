package store

import (
	"context"
	"strings"

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

// LockToBill is LockAccounts, WaitingOf and BillingOf of one account in one round trip.
// The account is nil if there is none.
func LockToBill(ctx context.Context, tx *Tx, id billing.AccountID) (a *billing.Account, w Waiting, billed map[billing.AccountID]AccountBilling, err error) {
	columns, scan := Accounts.Projection(nil)
	err = tx.EachLater(ctx, `SELECT `+columns+` FROM account WHERE id = $1`+tx.Dialect.ForNoKeyUpdate, []any{int64(id)}, func(row scanner) error {
		a = &billing.Account{}
		return row.Scan(scan(a)...)
	})
	if err != nil {
		return nil, w, nil, err
	}
	billed = make(map[billing.AccountID]AccountBilling, 1)
	if err := tx.EachLater(ctx, billingOfOne, []any{int64(id)}, scanBilling(billed)); err != nil {
		return nil, w, nil, err
	}
	err = tx.Each(ctx, waitingOfOne, []any{int64(id)}, w.scan)
	return a, w, billed, err
}

// The same of one account: without a list there is less to do.
var billingOfOne, waitingOfOne = ofOne(billingText), ofOne(waitingText)

// ofOne has a statement look for one id instead of a list. SQLite would plan it anew with
// every value, if that were not cast.
func ofOne(text string) string {
	return strings.ReplaceAll(text, "IN (SELECT value FROM json_each($1))", "= CAST($1 AS BIGINT)")
}
