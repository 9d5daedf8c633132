package store

import (
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// AccountsToBill returns at most limit accounts on real time that have to be
// looked at by a day because something may have to be billed, longest due first.
// If entities is not nil, only accounts of those are: 0 stands for accounts that
// name none.
func AccountsToBill(ctx context.Context, q Queries, day billing.Date, entities []billing.EntityID, limit int) ([]billing.AccountID, error) {
	args, only := []any{day.String(), limit}, ""
	if entities != nil {
		args, only = append(args, db.JSONList(entities)), " AND "+ofEntities("$3")
	}
	return accountIDs(ctx, q, `SELECT account_id FROM (
			SELECT * FROM (SELECT account_id, bill_on FROM subscription WHERE bill_on IS NOT NULL AND test_clock_id IS NULL AND bill_on <= $1`+only+` ORDER BY bill_on, account_id LIMIT $2) AS s
			UNION ALL
			SELECT * FROM (SELECT account_id, bill_on FROM account_billing WHERE bill_on IS NOT NULL AND test_clock_id IS NULL AND bill_on <= $1`+only+` ORDER BY bill_on, account_id LIMIT $2) AS p
		) AS due ORDER BY bill_on, account_id LIMIT $2`, args...)
}

// ofEntities is the condition that an account is of one of some entities. Without
// CASE, PostgreSQL would join all that is due with the entities, instead of asking
// one after the other until there are enough.
func ofEntities(list string) string {
	return `CASE WHEN (SELECT COALESCE(entity_id, 0) FROM account WHERE account.id = account_id) IN (SELECT value FROM json_each(` + list + `)) THEN 1 ELSE 0 END = 1`
}

// AccountsToBillOnClock is AccountsToBill for the accounts on a test clock.
func AccountsToBillOnClock(ctx context.Context, q Queries, clock billing.TestClockID, day billing.Date, limit int) ([]billing.AccountID, error) {
	return accountIDs(ctx, q, `SELECT account_id FROM (
			SELECT account_id, bill_on FROM subscription WHERE test_clock_id = $3 AND bill_on IS NOT NULL AND bill_on <= $1
			UNION ALL SELECT account_id, bill_on FROM account_billing WHERE test_clock_id = $3 AND bill_on IS NOT NULL AND bill_on <= $1
		) AS due ORDER BY bill_on, account_id LIMIT $2`, day.String(), limit, int64(clock))
}

// accountIDs returns the accounts that a query finds, each once.
func accountIDs(ctx context.Context, q Queries, text string, args ...any) (ids []billing.AccountID, err error) {
	seen := map[billing.AccountID]bool{}
	err = q.Each(ctx, text, args, func(rows scanner) error {
		var id billing.AccountID
		err := rows.Scan(&id)
		if !seen[id] {
			seen[id], ids = true, append(ids, id)
		}
		return err
	})
	return ids, err
}

// NextToBill returns the next day on which an account on real time has to be
// looked at, and whether there is one; only of entities if that is not nil, as
// for AccountsToBill.
func NextToBill(ctx context.Context, q Queries, entities []billing.EntityID) (billing.Date, bool, error) {
	var args []any
	only := ""
	if entities != nil {
		args, only = []any{db.JSONList(entities)}, " AND "+ofEntities("$1")
	}
	return nextDay(ctx, q, `SELECT bill_on FROM (
			SELECT * FROM (SELECT bill_on FROM subscription WHERE bill_on IS NOT NULL AND test_clock_id IS NULL`+only+` ORDER BY bill_on, account_id LIMIT 1) AS s
			UNION ALL SELECT * FROM (SELECT bill_on FROM account_billing WHERE bill_on IS NOT NULL AND test_clock_id IS NULL`+only+` ORDER BY bill_on, account_id LIMIT 1) AS p
		) AS due ORDER BY bill_on LIMIT 1`, args...)
}

// NextToBillOnClock is NextToBill for the accounts on a test clock whose entity
// has a day on which invoicing starts: on that day at the earliest.
func NextToBillOnClock(ctx context.Context, q Queries, clock billing.TestClockID) (billing.Date, bool, error) {
	return nextDay(ctx, q, `SELECT CASE WHEN invoicing_starts_on > bill_on THEN invoicing_starts_on ELSE bill_on END AS day FROM (
			SELECT account_id, bill_on FROM subscription WHERE test_clock_id = $1 AND bill_on IS NOT NULL
			UNION ALL SELECT account_id, bill_on FROM account_billing WHERE test_clock_id = $1 AND bill_on IS NOT NULL
		) AS due JOIN account ON account.id = account_id JOIN entity ON entity.id = COALESCE(account.entity_id, (SELECT MIN(id) FROM entity))
		WHERE invoicing_starts_on IS NOT NULL ORDER BY day LIMIT 1`, int64(clock))
}

// ClockTime is what a test clock shows.
type ClockTime struct {
	ID  billing.TestClockID
	Now time.Time
}

// ClocksToBill returns the test clocks with accounts that have to be looked at on
// some day.
func ClocksToBill(ctx context.Context, q Queries) (clocks []ClockTime, err error) {
	// The first along an index: in the hope of one that is near, PostgreSQL would
	// look for any of them in the whole table.
	const text = `SELECT id, now FROM test_clock WHERE (SELECT bill_on FROM subscription WHERE test_clock_id = test_clock.id AND bill_on IS NOT NULL ORDER BY bill_on LIMIT 1) IS NOT NULL
		OR (SELECT bill_on FROM account_billing WHERE test_clock_id = test_clock.id AND bill_on IS NOT NULL ORDER BY bill_on LIMIT 1) IS NOT NULL ORDER BY id`
	err = q.Each(ctx, text, nil, func(rows scanner) error {
		var c ClockTime
		err := rows.Scan(&c.ID, column.Millis(&c.Now))
		clocks = append(clocks, c)
		return err
	})
	return clocks, err
}

// LockAccounts returns accounts in the order of ids, which stay as they are until
// the transaction ends.
func LockAccounts(ctx context.Context, tx *Tx, ids []billing.AccountID) ([]billing.Account, error) {
	return lockAccounts(ctx, tx, ids, len(ids), tx.Dialect.ForNoKeyUpdate)
}

// LockFreeAccounts is LockAccounts for the first of ids that nobody else has, at
// most limit of them.
func LockFreeAccounts(ctx context.Context, tx *Tx, ids []billing.AccountID, limit int) ([]billing.Account, error) {
	lock := tx.Dialect.ForNoKeyUpdate
	if lock != "" {
		lock += " SKIP LOCKED"
	}
	return lockAccounts(ctx, tx, ids, limit, lock)
}

func lockAccounts(ctx context.Context, tx *Tx, ids []billing.AccountID, limit int, lock string) ([]billing.Account, error) {
	columns, scan := Accounts.Projection(nil)
	if len(ids) == 1 {
		return Accounts.rows(ctx, tx.Queries, `SELECT `+columns+` FROM account WHERE id = $1`+lock, []any{int64(ids[0])}, 1, scan)
	}
	text := `SELECT ` + columns + ` FROM account WHERE id IN (SELECT value FROM json_each($1)) ORDER BY id LIMIT $2` + lock
	return Accounts.rows(ctx, tx.Queries, text, []any{db.JSONList(ids), limit}, min(limit, len(ids)), scan)
}

// lastDay is after every day on which something is due.
const lastDay = "9999-12-31"

// LockSubscriptionsToBill returns the subscriptions of accounts that may have
// something to bill by a day, or that have waiting changes, in the order of ids,
// and keeps others from changing them. Of the accounts in all, it returns every one
// that can ever have something to bill, and of those in aside also those that
// SetBillingProblem has left without a day, or that are set aside themselves. Lines
// that ended too long ago to matter are not read.
func LockSubscriptionsToBill(ctx context.Context, tx *Tx, accounts []billing.AccountID, day billing.Date, all, aside []billing.AccountID) ([]subscription.Subscription, error) {
	columns, scan := subscriptionsToBill()
	args, last, more := []any{db.JSONList(accounts), day.String()}, "$2", ""
	switch {
	case len(all) == len(accounts) && len(aside) == 0:
		args[1] = lastDay
	case len(all)+len(aside) > 0:
		args, last = append(args, db.JSONList(all)), "CASE WHEN account_id IN (SELECT value FROM json_each($3)) THEN '"+lastDay+"' ELSE CAST($2 AS TEXT) END"
	}
	if len(aside) > 0 {
		args, more = append(args, db.JSONList(aside)), " OR bill_on IS NULL AND account_id IN (SELECT value FROM json_each($4))"
	}
	text := `SELECT ` + columns + ` FROM subscription WHERE account_id IN (SELECT value FROM json_each($1)) AND (bill_on <= ` + last + ` OR dirty_from IS NOT NULL` + more + `) ORDER BY id` + tx.Dialect.ForUpdate
	if len(accounts) == 1 {
		args[0], text = int64(accounts[0]), ofOne(text)
	}
	return Subscriptions.rows(ctx, tx.Queries, text, args, len(accounts), scan)
}

// subscriptionsToBill are the columns of subscriptions with the lines that are needed
// to bill them, which are read last.
func subscriptionsToBill() (columns string, scan func(*subscription.Subscription) []any) {
	others := slices.DeleteFunc(slices.Clone(Subscriptions.columns), func(name string) bool { return name == "charges" })
	columns, scanOthers := Subscriptions.Projection(others)
	return columns + ", subscription.charges", func(s *subscription.Subscription) []any {
		return append(scanOthers(s), neededLines{(*linesColumn)(s)})
	}
}

var saveBilled = &db.Batch{
	Columns: []db.Column{{"of", "BIGINT"}, {"bill_on", "TEXT"}, {"dirty_from", "TEXT"}, {"changed_on", "TEXT"}, {"billed_on", "TEXT"}, {"billing_since", "TEXT"}},
	Statement: `UPDATE subscription SET bill_on = new.bill_on, dirty_from = new.dirty_from, changed_on = new.changed_on, billed_on = new.billed_on, billing_since = new.billing_since
		FROM new WHERE subscription.id = new.of`,
	Unasked: true,
}

// SaveBilled writes how far the billing of subscriptions has come, and nothing
// else of them.
func SaveBilled(ctx context.Context, tx *Tx, subscriptions []*subscription.Subscription) error {
	return saveBilled.Run(ctx, tx, len(subscriptions), func(n int) []any {
		s := subscriptions[n]
		return []any{
			int64(s.ID), column.OptionalDay(&s.BillOn), column.OptionalDay(&s.DirtyFrom), column.OptionalDay(&s.ChangedOn), column.OptionalDay(&s.BilledOn),
			column.OptionalDay(&s.BillingSince),
		}
	}, nil)
}

// BillAgain has accounts looked at on a day, or earlier if they are anyway.
func BillAgain(ctx context.Context, tx *Tx, accounts []billing.AccountID, day billing.Date) error {
	for _, table := range []string{"subscription", "account_billing"} { // the second has what waits without a subscription
		if _, err := tx.Exec(ctx, `UPDATE `+table+` SET bill_on = $2 WHERE account_id IN (SELECT value FROM json_each($1)) AND (bill_on IS NULL OR bill_on > $2)`,
			db.JSONList(accounts), day.String()); err != nil {
			return err
		}
	}
	return nil
}

// LongAgo is a day by which everything is looked at, whatever the clock shows.
var LongAgo = billing.Date{Year: 2000, Month: time.January, Day: 1}

// RenewDrafts has those of accounts looked at by the next run that have drafts, which
// are computed anew then. The accounts are locked.
func RenewDrafts(ctx context.Context, tx *Tx, accounts []billing.AccountID) error {
	_, err := tx.Exec(ctx, `UPDATE account_billing SET bill_on = $2 WHERE account_id IN (SELECT value FROM json_each($1)) AND (bill_on IS NULL OR bill_on > $2)
		AND EXISTS (SELECT 1 FROM invoice WHERE invoice.account_id = account_billing.account_id AND number = '')`, db.JSONList(accounts), LongAgo.String())
	return err
}

// MarkToBill has the account of a subscription looked at on a day, with everything
// that was billed from another day on.
func MarkToBill(ctx context.Context, tx *Tx, id billing.SubscriptionID, from, day billing.Date) error {
	_, err := tx.Exec(ctx, `UPDATE subscription SET bill_on = CASE WHEN bill_on < $3 THEN bill_on ELSE $3 END, changed_on = CASE WHEN changed_on < $3 THEN changed_on ELSE $3 END,
		dirty_from = CASE WHEN dirty_from < $2 THEN dirty_from ELSE $2 END WHERE id = $1`, int64(id), from.String(), day.String())
	return err
}

// SetBillingProblem sets an account aside with the reason why: it is not looked at
// again, and its drafts are not issued by themselves, until something about it
// changes. Then all its subscriptions have to be looked at.
func SetBillingProblem(ctx context.Context, tx *Tx, id billing.AccountID, problem string) error {
	if _, err := tx.Exec(ctx, `UPDATE account SET billing_problem = $2, updated_at = $3 WHERE id = $1`, int64(id), problem, tx.Now.UnixMilli()); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE subscription SET bill_on = NULL WHERE account_id = $1 AND bill_on IS NOT NULL`, int64(id)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE account_billing SET bill_on = NULL WHERE account_id = $1 AND bill_on IS NOT NULL`, int64(id)); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE invoice SET issue_after = NULL WHERE account_id = $1 AND `+unsettled+` AND number = '' AND issue_after IS NOT NULL`, int64(id))
	return err
}

// NoteBillingProblem notes what the billing team should know about an account that
// is billed nevertheless; nil if that is nothing.
func NoteBillingProblem(ctx context.Context, tx *Tx, id billing.AccountID, problem *string) error {
	_, err := tx.Exec(ctx, `UPDATE account SET billing_problem = CAST($2 AS TEXT), updated_at = $3 WHERE id = $1`, int64(id), problem, tx.Now.UnixMilli())
	return err
}

// AccountsWithBillingProblem returns at most limit accounts that were set aside, or
// about which something was noted, after another one.
func AccountsWithBillingProblem(ctx context.Context, q Queries, after billing.AccountID, limit int) ([]billing.AccountID, error) {
	return accountIDs(ctx, q, `SELECT id FROM account WHERE billing_problem IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`, int64(after), limit)
}
