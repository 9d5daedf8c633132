package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

const dunningColumns = `dunning.invoice_id, dunning.account_id, dunning.entity_id, dunning.test_clock_id, dunning.next_on, dunning.standing, dunning.state`

func dunningRows(ctx context.Context, q Queries, text string, args ...any) (found []dunning.Record, err error) {
	err = q.Each(ctx, text, args, func(rows scanner) error {
		var r dunning.Record
		err := rows.Scan(&r.InvoiceID, &r.AccountID, &r.EntityID, &r.TestClockID, column.DayOrNone(&r.Next), &r.Standing, column.JSON(&r.State))
		found = append(found, r)
		return err
	})
	return found, err
}

// DunningOf returns what is known about the dunning of invoices, of those that a policy
// has counted for.
func DunningOf(ctx context.Context, q Queries, invoices []billing.InvoiceID) (map[billing.InvoiceID]*dunning.Record, error) {
	rows, err := dunningRows(ctx, q, `SELECT `+dunningColumns+` FROM dunning WHERE invoice_id IN (SELECT value FROM json_each($1))`, db.JSONList(invoices))
	found := make(map[billing.InvoiceID]*dunning.Record, len(rows))
	for n := range rows {
		found[rows[n].InvoiceID] = &rows[n]
	}
	return found, err
}

// ToDun returns invoices of an entity that are to be looked at by a day, at most limit
// of them, the oldest first.
func ToDun(ctx context.Context, q Queries, entity billing.EntityID, through billing.Date, limit int) ([]dunning.Record, error) {
	return dunningRows(ctx, q, `SELECT `+dunningColumns+` FROM dunning WHERE entity_id = $1 AND next_on IS NOT NULL AND test_clock_id IS NULL AND next_on <= $2
		ORDER BY next_on, account_id, invoice_id LIMIT $3`, int64(entity), through.String(), limit)
}

// NextToDun is the first day on which an invoice of an entity is to be looked at, and
// whether there is one.
func NextToDun(ctx context.Context, q Queries, entity billing.EntityID) (day billing.Date, found bool, err error) {
	found, err = q.One(ctx, `SELECT next_on FROM dunning WHERE entity_id = $1 AND next_on IS NOT NULL AND test_clock_id IS NULL ORDER BY next_on LIMIT 1`,
		[]any{int64(entity)}, column.Day(&day))
	return day, found, err
}

// ToDunOnClock returns all invoices on a test clock that are to be looked at some day,
// at most limit of them, the first ones first.
func ToDunOnClock(ctx context.Context, q Queries, clock billing.TestClockID, limit int) ([]dunning.Record, error) {
	return dunningRows(ctx, q, `SELECT `+dunningColumns+` FROM dunning WHERE test_clock_id = $1 AND next_on IS NOT NULL ORDER BY next_on, invoice_id LIMIT $2`, int64(clock), limit)
}

var saveDunning = &db.Batch{
	Columns: []db.Column{{"invoice", "BIGINT"}, {"account", "BIGINT"}, {"entity", "BIGINT"}, {"clock", "BIGINT"}, {"next", "TEXT"}, {"standing", "TEXT"}, {"state", "TEXT"}},
	Statement: `INSERT INTO dunning (invoice_id, account_id, entity_id, test_clock_id, next_on, standing, state)
		SELECT new.invoice, new.account, new.entity, new.clock, new.next, new.standing, new.state FROM new WHERE true
		ON CONFLICT (invoice_id) DO UPDATE SET next_on = excluded.next_on, standing = excluded.standing, state = excluded.state`,
}

// SaveDunning writes what is known about the dunning of invoices.
func SaveDunning(ctx context.Context, tx *Tx, records []*dunning.Record) error {
	return saveDunning.Run(ctx, tx, len(records), func(n int) []any {
		r := records[n]
		return []any{int64(r.InvoiceID), int64(r.AccountID), int64(r.EntityID), r.TestClockID, column.DayOrNone(&r.Next), string(r.Standing), column.JSON(&r.State)}
	}, nil)
}

// DunAgain has open invoices looked at by a day that a policy may count for now, or
// another than before: those of an account, or of all accounts if it is nil. Those on
// test clocks are looked at by any day that a clock shows.
func DunAgain(ctx context.Context, tx *Tx, account *billing.AccountID, on billing.Date) error {
	text := `INSERT INTO dunning (invoice_id, account_id, entity_id, test_clock_id, next_on, standing, state)
		SELECT id, account_id, entity_id, test_clock_id, CASE WHEN test_clock_id IS NULL THEN $1 ELSE '2000-01-01' END, 'GOOD', '{}' FROM invoice WHERE stage = 'OPEN'`
	args := []any{on.String()}
	if account != nil {
		text, args = text+` AND account_id = $2`, append(args, int64(*account))
	}
	if _, err := tx.Exec(ctx, text+` ON CONFLICT (invoice_id) DO UPDATE SET next_on = excluded.next_on`, args...); err != nil {
		return err
	}
	// Invoices that were written off without giving anything back can have a standing, too.
	text = `UPDATE dunning SET next_on = CASE WHEN test_clock_id IS NULL THEN $1 ELSE '2000-01-01' END WHERE standing <> 'GOOD'`
	if account != nil {
		text += ` AND account_id = $2`
	}
	_, err := tx.Exec(ctx, text, args...)
	return err
}

// DunOn has invoices looked at on a day that dunning has begun for.
func DunOn(ctx context.Context, tx *Tx, invoices []billing.InvoiceID, on billing.Date) error {
	_, err := tx.Exec(ctx, `UPDATE dunning SET next_on = $1 WHERE invoice_id IN (SELECT value FROM json_each($2))`, on.String(), db.JSONList(invoices))
	return err
}

var insertSteps = &db.Batch{
	Columns: []db.Column{{"invoice", "BIGINT"}, {"day", "BIGINT"}, {"action", "TEXT"}, {"template", "TEXT"}, {"carried_out", "TEXT"}},
	Statement: `INSERT INTO dunning_step (invoice_id, day, action, template, carried_out_on)
		SELECT new.invoice, new.day, new.action, new.template, new.carried_out FROM new WHERE true`,
}

// InsertDunningSteps writes that steps were carried out.
func InsertDunningSteps(ctx context.Context, tx *Tx, steps []dunning.Carried) error {
	return insertSteps.Run(ctx, tx, len(steps), func(n int) []any {
		s := &steps[n]
		return []any{int64(s.InvoiceID), s.Day, string(s.Action), s.Template, s.On.String()}
	}, nil)
}

// DunningSteps returns the steps that were carried out for invoices, in their order.
func DunningSteps(ctx context.Context, q Queries, invoices []billing.InvoiceID) (found []dunning.Carried, err error) {
	err = q.Each(ctx, `SELECT id, invoice_id, day, action, template, carried_out_on FROM dunning_step WHERE invoice_id IN (SELECT value FROM json_each($1)) ORDER BY invoice_id, id`,
		[]any{db.JSONList(invoices)}, func(rows scanner) error {
			var s dunning.Carried
			err := rows.Scan(&s.ID, &s.InvoiceID, &s.Day, &s.Action, &s.Template, column.Day(&s.On))
			found = append(found, s)
			return err
		})
	return found, err
}

// SubscriptionsOfInvoices returns the subscriptions that invoices have items of.
func SubscriptionsOfInvoices(ctx context.Context, q Queries, invoices []billing.InvoiceID) (ids []billing.SubscriptionID, err error) {
	err = q.Each(ctx, `SELECT DISTINCT subscription_id FROM invoice_item WHERE invoice_id IN (SELECT value FROM json_each($1)) AND subscription_id IS NOT NULL ORDER BY subscription_id`,
		[]any{db.JSONList(invoices)}, column.Collect(&ids))
	return ids, err
}

// SuspendedBy returns those of invoices that find all that they have items of suspended, as far
// as it is not over.
func SuspendedBy(ctx context.Context, q Queries, invoices []billing.InvoiceID) (ids []billing.InvoiceID, err error) {
	err = q.Each(ctx, `SELECT invoice_item.invoice_id FROM invoice_item JOIN subscription ON subscription.id = invoice_item.subscription_id
		WHERE invoice_item.invoice_id IN (SELECT value FROM json_each($1)) AND subscription.state IN ('TRIAL', 'ACTIVE')
		GROUP BY invoice_item.invoice_id HAVING sum(CASE subscription.standing WHEN 'SUSPENDED' THEN 0 ELSE 1 END) = 0 ORDER BY invoice_item.invoice_id`,
		[]any{db.JSONList(invoices)}, column.Collect(&ids))
	return ids, err
}

// Effect is what an unpaid invoice does to a subscription that it has items of.
type Effect struct {
	SubscriptionID billing.SubscriptionID
	InvoiceID      billing.InvoiceID
	AccountID      billing.AccountID
	EntityID       billing.EntityID
	Standing       billing.Standing
}

// EffectsOn returns what unpaid invoices of accounts do to subscriptions, the invoices
// in the order of their due dates.
func EffectsOn(ctx context.Context, q Queries, accounts []billing.AccountID, subs []billing.SubscriptionID) (found []Effect, err error) {
	err = q.Each(ctx, `SELECT DISTINCT invoice_item.subscription_id, invoice.id, dunning.account_id, dunning.entity_id, dunning.standing, invoice.due_at, invoice.number FROM dunning
		JOIN invoice ON invoice.id = dunning.invoice_id JOIN invoice_item ON invoice_item.invoice_id = invoice.id
		WHERE dunning.account_id IN (SELECT value FROM json_each($1)) AND dunning.standing <> 'GOOD' AND invoice_item.subscription_id IN (SELECT value FROM json_each($2))
		ORDER BY invoice.due_at, invoice.number, invoice.id`, []any{db.JSONList(accounts), db.JSONList(subs)}, func(rows scanner) error {
		var e Effect
		var due, number any
		err := rows.Scan(&e.SubscriptionID, &e.InvoiceID, &e.AccountID, &e.EntityID, &e.Standing, &due, &number)
		found = append(found, e)
		return err
	})
	return found, err
}
