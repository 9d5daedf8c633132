package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// TestClocks keeps billing.TestClock.
var TestClocks = newTable(Table[billing.TestClock, billing.TestClockID]{
	name:    "test_clock",
	id:      func(c *billing.TestClock) *billing.TestClockID { return &c.ID },
	columns: []string{"name", "now"},
	fields: func(c *billing.TestClock) []any {
		return []any{&c.Name, column.Millis(&c.Now)}
	},
	stamps: func(c *billing.TestClock) (*time.Time, *time.Time) { return &c.CreatedAt, &c.UpdatedAt },
	words:  func(c *billing.TestClock) []string { return []string{c.Name} },
})

// AccountsOnClocks returns the accounts on those clocks.
func AccountsOnClocks(ctx context.Context, q Queries, ids []billing.TestClockID) ([]billing.Account, error) {
	return Accounts.children(ctx, q, "test_clock_id", db.JSONList(ids), billing.Filter{}, MaxNested)
}

// TestClockNow returns what a clock shows, and whether it exists. It shows that
// until the transaction ends.
func TestClockNow(ctx context.Context, tx *Tx, id billing.TestClockID) (now time.Time, found bool, err error) {
	text := `SELECT now FROM test_clock WHERE id = $1`
	if tx.Dialect.ForUpdate != "" {
		text += ` FOR SHARE`
	}
	found, err = tx.One(ctx, text, []any{int64(id)}, column.Millis(&now))
	return now, found, err
}

// LockAccountsOnClock keeps others from changing the accounts on a clock, in
// the order of ids, and returns them.
func LockAccountsOnClock(ctx context.Context, tx *Tx, id billing.TestClockID) ([]billing.Account, error) {
	columns, scan := Accounts.Projection(nil)
	text := `SELECT ` + columns + ` FROM account WHERE account.test_clock_id = $1 ORDER BY account.id` + tx.Dialect.ForUpdate
	return Accounts.rows(ctx, tx.Queries, text, []any{int64(id)}, 0, scan)
}
