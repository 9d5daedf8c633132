package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/store/db"
)

// PaymentMethods keeps collect.Method.
var PaymentMethods = newTable(Table[collect.Method, billing.PaymentMethodID]{
	name:    "payment_method",
	id:      func(m *collect.Method) *billing.PaymentMethodID { return &m.ID },
	columns: []string{"account_id", "provider", "kind", "token_sealed", "token_hash", "brand", "last4", "expires", "mandate", "state"},
	fields: func(m *collect.Method) []any {
		return []any{&m.AccountID, &m.Provider, &m.Kind, &m.TokenSealed, &m.TokenHash, &m.Brand, &m.Last4, &m.Expires, &m.Mandate, &m.State}
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
