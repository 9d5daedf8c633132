package store

import (
	"context"
	"database/sql/driver"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// isDue is what subscriptions on real time have that something is due for on $1 or
// before. Those that were set aside are left out.
const isDue = `due_on IS NOT NULL AND problem IS NULL AND test_clock_id IS NULL AND due_on <= $1`

// DueSubscriptions returns the ids of at most limit subscriptions on real time
// that something is due for on that day or before, longest due first.
func DueSubscriptions(ctx context.Context, q Queries, today billing.Date, limit int) ([]billing.SubscriptionID, error) {
	const text = `SELECT id FROM subscription WHERE ` + isDue + ` ORDER BY due_on, id LIMIT $2`
	return subscriptionIDs(ctx, q, text, today.String(), limit)
}

// DueOnClock is DueSubscriptions for the accounts on a test clock.
func DueOnClock(ctx context.Context, q Queries, clock billing.TestClockID, today billing.Date, limit int) ([]billing.SubscriptionID, error) {
	const text = `SELECT id FROM subscription
		WHERE test_clock_id = $3 AND due_on IS NOT NULL AND problem IS NULL AND due_on <= $1 ORDER BY due_on, id LIMIT $2`
	return subscriptionIDs(ctx, q, text, today.String(), limit, int64(clock))
}

// CountDue returns how many subscriptions on real time something is due for on
// that day or before.
func CountDue(ctx context.Context, q Queries, today billing.Date) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM subscription WHERE `+isDue, today.String())
}

// NextDue returns the next day on which something is due for a subscription on
// real time, and whether there is one.
func NextDue(ctx context.Context, q Queries) (billing.Date, bool, error) {
	const text = `SELECT due_on FROM subscription
		WHERE due_on IS NOT NULL AND problem IS NULL AND test_clock_id IS NULL ORDER BY due_on, id LIMIT 1`
	return nextDay(ctx, q, text)
}

// nextDay returns the day that a query finds. One that cannot be read keeps
// nobody from the others: it counts for none.
func nextDay(ctx context.Context, q Queries, text string, args ...any) (billing.Date, bool, error) {
	var written string
	found, err := q.One(ctx, text, args, &written)
	if err != nil || !found {
		return billing.Date{}, false, err
	}
	d, err := billing.ParseDate(written)
	return d, err == nil, nil
}

// NextDueOnClock is NextDue for the accounts on a test clock.
func NextDueOnClock(ctx context.Context, q Queries, clock billing.TestClockID) (billing.Date, bool, error) {
	const text = `SELECT due_on FROM subscription
		WHERE test_clock_id = $1 AND due_on IS NOT NULL AND problem IS NULL ORDER BY due_on, id LIMIT 1`
	return nextDay(ctx, q, text, int64(clock))
}

// SetSubscriptionProblem sets a subscription aside with the reason why, unless
// nothing is due for it any more on that day: somebody else was luckier.
func SetSubscriptionProblem(ctx context.Context, tx *Tx, id billing.SubscriptionID, day billing.Date, problem string) error {
	_, err := tx.Exec(ctx, `UPDATE subscription SET problem = $1, updated_at = $2 WHERE id = $3 AND due_on <= $4`,
		problem, tx.Now.UnixMilli(), int64(id), day.String())
	return err
}

// MendDue writes when a subscription is due next where that was wrong, and
// reports whether it was.
func MendDue(ctx context.Context, tx *Tx, s *subscription.Subscription) (bool, error) {
	var due driver.Value
	if d, some := s.Due(); some {
		due = d.String()
	}
	n, err := tx.Exec(ctx, `UPDATE subscription SET due_on = CAST($1 AS TEXT) WHERE id = $2 AND due_on IS DISTINCT FROM CAST($1 AS TEXT)`, due, int64(s.ID))
	return n > 0, err
}
