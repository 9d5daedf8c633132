package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// PaymentMethods keeps collect.Method.
var PaymentMethods = newTable(Table[collect.Method, billing.PaymentMethodID]{
	name:    "payment_method",
	id:      func(m *collect.Method) *billing.PaymentMethodID { return &m.ID },
	columns: []string{"account_id", "provider", "kind", "token_sealed", "token_hash", "brand", "last4", "expires", "mandate", "state", "expiry_told", "refused_at", "revision"},
	fields: func(m *collect.Method) []any {
		return []any{&m.AccountID, &m.Provider, &m.Kind, &m.TokenSealed, &m.TokenHash, &m.Brand, &m.Last4, &m.Expires, &m.Mandate, &m.State, &m.ExpiryTold, column.OptionalMillis(&m.RefusedAt), &m.Revision}
	},
	stamps: func(m *collect.Method) (*time.Time, *time.Time) { return &m.CreatedAt, &m.UpdatedAt },
	words:  func(m *collect.Method) []string { return []string{m.Last4} },
	filters: map[string]field{
		"account": {"account_id", refer, []string{"account"}}, "state": {"state", enum, []string{"ACTIVE", "REMOVED"}},
	},
})

// PaymentMethodsOf returns the payment methods of accounts, also those that were
// removed, oldest first.
func PaymentMethodsOf(ctx context.Context, q Queries, accounts []billing.AccountID) ([]collect.Method, error) {
	columns, scan := PaymentMethods.Projection(nil)
	text := `SELECT ` + columns + ` FROM payment_method WHERE account_id IN (SELECT value FROM json_each($1)) ORDER BY account_id, id`
	return PaymentMethods.rows(ctx, q, text, []any{db.JSONList(accounts)}, 0, scan)
}

// PaymentMethodsByToken returns the payment methods that have a token with that hash.
func PaymentMethodsByToken(ctx context.Context, q Queries, hash string) ([]collect.Method, error) {
	columns, scan := PaymentMethods.Projection(nil)
	return PaymentMethods.rows(ctx, q, `SELECT `+columns+` FROM payment_method WHERE token_hash = $1 ORDER BY id`, []any{hash}, 0, scan)
}

// SetPaymentMethod has the invoices of an account collected with a payment method, or
// with none if it is nil.
func SetPaymentMethod(ctx context.Context, tx *Tx, account billing.AccountID, method *billing.PaymentMethodID) error {
	_, err := tx.Exec(ctx, `UPDATE account SET payment_method_id = $1, updated_at = $2 WHERE id = $3`, method, tx.Now.UnixMilli(), int64(account))
	return err
}

// MethodsThatExpire returns the payment methods that invoices are collected with, that
// are valid until a month at most, and whose owner was not told so many days before, by
// real time or by a test clock, at most limit of them.
func MethodsThatExpire(ctx context.Context, q Queries, clock *billing.TestClockID, from, through string, days, limit int) ([]collect.Method, error) {
	columns, scan := PaymentMethods.Projection(nil)
	on, args := `account.test_clock_id IS NULL`, []any{from, through, days, limit}
	if clock != nil {
		on, args = `account.test_clock_id = $5`, append(args, int64(*clock))
	}
	text := `SELECT ` + columns + ` FROM payment_method WHERE expires IS NOT NULL AND expires >= $1 AND expires <= $2 AND state = 'ACTIVE' AND COALESCE(expiry_told, 1000) > $3
		AND EXISTS (SELECT 1 FROM account WHERE account.id = payment_method.account_id AND account.payment_method_id = payment_method.id AND ` + on + `)
		ORDER BY expires, id LIMIT $4`
	return PaymentMethods.rows(ctx, q, text, args, 0, scan)
}

// RefusedMethods returns which of the payment methods were declined for good.
func RefusedMethods(ctx context.Context, q Queries, ids []billing.PaymentMethodID) (map[billing.PaymentMethodID]bool, error) {
	refused := map[billing.PaymentMethodID]bool{}
	err := q.Each(ctx, `SELECT id FROM payment_method WHERE id IN (SELECT value FROM json_each($1)) AND refused_at IS NOT NULL`, []any{db.JSONList(ids)}, func(rows scanner) error {
		var id billing.PaymentMethodID
		err := rows.Scan(&id)
		refused[id] = true
		return err
	})
	return refused, err
}

// SetRefused notes of payment methods that they were declined for good, by the clock of
// their accounts, or that they can be charged if at is nil.
func SetRefused(ctx context.Context, tx *Tx, ids []billing.PaymentMethodID, at *time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	text := `UPDATE payment_method SET refused_at = $1, updated_at = $2 WHERE id IN (SELECT value FROM json_each($3)) AND refused_at IS NOT NULL`
	if at != nil {
		text = `UPDATE payment_method SET refused_at = $1, updated_at = $2 WHERE id IN (SELECT value FROM json_each($3)) AND refused_at IS NULL`
	}
	_, err := tx.Exec(ctx, text, column.OptionalMillis(&at), tx.Now.UnixMilli(), db.JSONList(ids))
	return err
}
