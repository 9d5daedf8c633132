package store

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// AccountBilling is how far the billing of an account has come.
type AccountBilling struct {
	AccountID billing.AccountID
	// Version is raised with everything that is billed or paid.
	Version int64
	// LastEvent is the number of the account's last billing event.
	LastEvent int64
	// BillOn is the day on which the account has to be looked at, nil if nothing but
	// the days of subscriptions decides that.
	BillOn *billing.Date
	// CollectOn is a day on which everything is collected that waits for an invoice,
	// whatever the account's billing day is; nil if there is none.
	CollectOn *billing.Date
	// TestClockID is the clock that the account is on, if any.
	TestClockID *billing.TestClockID
}

// BillingOf returns how far the billing of accounts has come. There is nothing of
// those that were never billed.
func BillingOf(ctx context.Context, q Queries, accounts []billing.AccountID) (map[billing.AccountID]AccountBilling, error) {
	found := make(map[billing.AccountID]AccountBilling, len(accounts))
	return found, q.Each(ctx, billingText, []any{db.JSONList(accounts)}, scanBilling(found))
}

const billingText = `SELECT account_id, version, last_event, bill_on, collect_on, test_clock_id FROM account_billing WHERE account_id IN (SELECT value FROM json_each($1))`

func scanBilling(found map[billing.AccountID]AccountBilling) func(scanner) error {
	return func(row scanner) error {
		var b AccountBilling
		err := row.Scan(&b.AccountID, &b.Version, &b.LastEvent, column.OptionalDay(&b.BillOn), column.OptionalDay(&b.CollectOn), &b.TestClockID)
		found[b.AccountID] = b
		return err
	}
}

// CollectWaiting has everything collected on a day that waits for an invoice of an
// account, if something does. It raises no version: nothing is billed.
func CollectWaiting(ctx context.Context, tx *Tx, a *billing.Account, day billing.Date) error {
	_, err := tx.Exec(ctx, `INSERT INTO account_billing (account_id, version, last_event, bill_on, collect_on, test_clock_id)
		SELECT $1, 0, 0, CAST($2 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT) WHERE EXISTS (SELECT 1 FROM subscription WHERE account_id = $1 AND dirty_from IS NOT NULL)
			OR EXISTS (SELECT 1 FROM pending_item WHERE account_id = $1)
		ON CONFLICT (account_id) DO UPDATE SET test_clock_id = excluded.test_clock_id,
			bill_on = CASE WHEN account_billing.bill_on < excluded.bill_on THEN account_billing.bill_on ELSE excluded.bill_on END,
			collect_on = CASE WHEN account_billing.collect_on < excluded.collect_on THEN account_billing.collect_on ELSE excluded.collect_on END`,
		int64(a.ID), day.String(), a.TestClockID)
	return err
}

var saveBilling = &db.Batch{
	Columns: []db.Column{{"account_id", "BIGINT"}, {"version", "BIGINT"}, {"last_event", "BIGINT"}, {"bill_on", "TEXT"}, {"collect_on", "TEXT"}, {"test_clock_id", "BIGINT"}},
	Statement: `INSERT INTO account_billing (account_id, version, last_event, bill_on, collect_on, test_clock_id) SELECT account_id, version, last_event, bill_on, collect_on, test_clock_id FROM new WHERE true
		ON CONFLICT (account_id) DO UPDATE SET version = excluded.version, last_event = excluded.last_event, bill_on = excluded.bill_on,
			collect_on = excluded.collect_on, test_clock_id = excluded.test_clock_id
			WHERE account_billing.version = excluded.version - 1
		RETURNING account_id`,
}

// SaveBilling raises the version of accounts. It fails if one was billed since it
// was read: somebody had no lock.
func SaveBilling(ctx context.Context, tx *Tx, rows []AccountBilling) error {
	saved := 0
	err := saveBilling.Run(ctx, tx, len(rows), func(n int) []any {
		b := &rows[n]
		return []any{int64(b.AccountID), b.Version + 1, b.LastEvent, column.OptionalDay(&b.BillOn), column.OptionalDay(&b.CollectOn), b.TestClockID}
	}, func(scanner) error { saved++; return nil })
	if err == nil && saved != len(rows) {
		err = fmt.Errorf("%d of %d accounts were billed by somebody else at the same time", len(rows)-saved, len(rows))
	}
	return err
}
