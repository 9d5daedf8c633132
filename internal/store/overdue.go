package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store/column"
)

// Overdue is what should have been paid before a day in a currency, by age.
type Overdue struct {
	// AccountID is 0 for that of all accounts.
	AccountID billing.AccountID
	Currency  money.Currency
	Due       document.Aging
	// Accounts is how many accounts have to pay it.
	Accounts int
}

// overdue are the invoices with something due before $1, of accounts on real time or on
// a test clock, with the arguments of a statement that has limit as $2. They are found
// by the index on stage and due date, so that paid invoices cost nothing. The condition
// on clocks has two forms, because one for both would make PostgreSQL expect so few
// rows that it sorts all of them.
func overdue(clock *billing.TestClockID, today billing.Date, limit int) (from string, args []any) {
	from, args = `FROM invoice WHERE stage = 'OPEN' AND due_at < $1 AND test_clock_id `, []any{today.String(), limit}
	if clock == nil {
		return from + `IS NULL`, args
	}
	return from + `= $3`, append(args, int64(*clock))
}

// OverdueInvoices returns what should have been paid before a day on real time, or on a
// test clock, without items, the oldest first and at most limit of them.
func OverdueInvoices(ctx context.Context, q Queries, clock *billing.TestClockID, today billing.Date, limit int) ([]document.Invoice, error) {
	columns, scan := Invoices.Projection(nil)
	from, args := overdue(clock, today, limit)
	return Invoices.rows(ctx, q, `SELECT `+columns+` `+from+` ORDER BY due_at, id LIMIT $2`, args, limit, scan)
}

// OverdueByAge adds up what should have been paid before a day on real time, or on a
// test clock: what each account has to pay, for at most limit of them, those with the
// most of each currency first, and what all have to pay. Both are in the order of
// currencies, and accounts within one in that of amounts. It reads all overdue invoices.
func OverdueByAge(ctx context.Context, q Queries, clock *billing.TestClockID, today billing.Date, limit int) (accounts, totals []Overdue, err error) {
	from, args := overdue(clock, today, limit)
	var sums, names, again []string
	for group := range (document.Aging{}) {
		within := ""
		if group > 0 {
			within = fmt.Sprintf("due_at < $%d", len(args)) // before what the group before has
		}
		if group < len(document.AgeEnds) {
			args = append(args, today.AddDays(-document.AgeEnds[group]).String())
			within = strings.TrimPrefix(fmt.Sprintf("%s AND due_at >= $%d", within, len(args)), " AND ")
		}
		name := fmt.Sprintf("age%d", group)
		sums = append(sums, fmt.Sprintf("SUM(CASE WHEN %s THEN amount_due ELSE 0 END) AS %s", within, name))
		names, again = append(names, fmt.Sprintf("CAST(%s AS BIGINT)", name)), append(again, fmt.Sprintf("CAST(SUM(%s) AS BIGINT)", name))
	}
	text := `WITH owed AS (SELECT account_id, currency_id, ` + strings.Join(sums, ", ") + `, SUM(amount_due) AS due ` + from + ` GROUP BY account_id, currency_id),
		ranked AS (SELECT owed.*, row_number() OVER (PARTITION BY currency_id ORDER BY due DESC, account_id) AS place FROM owed)
		SELECT 0 AS account_id, currency_id, ` + strings.Join(again, ", ") + `, count(*), SUM(due) AS due FROM owed GROUP BY currency_id
		UNION ALL SELECT * FROM (SELECT account_id, currency_id, ` + strings.Join(names, ", ") + `, 1, due FROM ranked ORDER BY place, currency_id LIMIT $2) AS most
		ORDER BY currency_id, due DESC, account_id`
	err = q.Each(ctx, text, args, func(rows scanner) error {
		var o Overdue
		var due any
		into := []any{&o.AccountID, column.Currency(&o.Currency)}
		for group := range o.Due {
			into = append(into, &o.Due[group])
		}
		if err := rows.Scan(append(into, &o.Accounts, &due)...); err != nil {
			return err
		}
		if o.AccountID == 0 {
			totals = append(totals, o)
		} else {
			accounts = append(accounts, o)
		}
		return nil
	})
	return accounts, totals, err
}
