package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// AccountEntries keeps document.Entry, the statement of account.
var AccountEntries = newTable(Table[document.Entry, billing.AccountEntryID]{
	name:    "account_entry",
	id:      func(e *document.Entry) *billing.AccountEntryID { return &e.ID },
	columns: []string{"account_id", "entity_id", "currency_id", "entry_date", "kind", "document_id", "number", "amount"},
	fields: func(e *document.Entry) []any {
		return []any{&e.AccountID, &e.EntityID, column.Currency(&e.Currency), column.Day(&e.Date), &e.Kind, &e.Document, &e.Number, &e.Amount}
	},
	filters: map[string]field{"account": {"account_id", refer, []string{"account"}}, "date": {"entry_date", day, nil}},
})

// Balance is what an account owes an entity in a currency.
type Balance struct {
	AccountID billing.AccountID
	EntityID  billing.EntityID
	Currency  money.Currency
	// Balance is the sum of the statement. Credit is what waits of credit notes
	// and payments, and Overdue what should have been paid before a day.
	Balance, Credit, Overdue money.Amount
}

// Balances returns what accounts owe, in the order of accounts, entities and
// currencies. It reads all of their statements.
func Balances(ctx context.Context, q Queries, accounts []billing.AccountID, today billing.Date) (balances []Balance, err error) {
	const text = `SELECT account_id, entity_id, currency_id, CAST(SUM(balance) AS BIGINT), CAST(SUM(credit) AS BIGINT), CAST(SUM(overdue) AS BIGINT) FROM (
			SELECT account_id, entity_id, currency_id, amount AS balance, 0 AS credit, 0 AS overdue FROM account_entry WHERE account_id IN (SELECT value FROM json_each($1))
			UNION ALL SELECT account_id, entity_id, currency_id, 0, amount - amount_applied, 0 FROM credit_note WHERE account_id IN (SELECT value FROM json_each($1)) AND stage <> 'APPLIED'
			UNION ALL SELECT account_id, entity_id, currency_id, 0, amount - amount_applied - amount_returned, 0 FROM payment WHERE account_id IN (SELECT value FROM json_each($1)) AND stage <> 'APPLIED'
			UNION ALL SELECT account_id, entity_id, currency_id, 0, 0, amount_due FROM invoice WHERE account_id IN (SELECT value FROM json_each($1)) AND ` + unsettled + ` AND number <> '' AND due_at < $2
		) AS parts GROUP BY account_id, entity_id, currency_id ORDER BY account_id, entity_id, currency_id`
	err = q.Each(ctx, text, []any{db.JSONList(accounts), today.String()}, func(rows scanner) error {
		var b Balance
		err := rows.Scan(&b.AccountID, &b.EntityID, column.Currency(&b.Currency), &b.Balance, &b.Credit, &b.Overdue)
		balances = append(balances, b)
		return err
	})
	return balances, err
}
