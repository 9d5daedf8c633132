package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Refunds keeps collect.Refund.
var Refunds = newTable(Table[collect.Refund, billing.PaymentRefundID]{
	name: "payment_refund",
	id:   func(r *collect.Refund) *billing.PaymentRefundID { return &r.ID },
	columns: []string{
		"uuid", "account_id", "payment_id", "credit_note_id", "currency_id", "scale", "amount", "provider", "charge_reference", "state", "code", "message", "reference", "next_at", "test_clock_id",
	},
	fields: func(r *collect.Refund) []any {
		return []any{
			&r.UUID, &r.AccountID, &r.PaymentID, &r.CreditNoteID, column.Currency(&r.Currency), scaleOf(&r.Currency), &r.Amount, &r.Provider, &r.ChargeReference, &r.State, &r.Code, &r.Message,
			&r.Reference, column.OptionalMillis(&r.NextAt), &r.TestClockID,
		}
	},
	stamps: func(r *collect.Refund) (*time.Time, *time.Time) { return &r.CreatedAt, &r.UpdatedAt },
	words:  func(r *collect.Refund) []string { return []string{r.Reference} },
	filters: map[string]field{
		"account": {"account_id", refer, []string{"account"}}, "state": {"state", enum, []string{"PENDING", "SUCCEEDED", "FAILED"}},
	},
})

// RefundsOf returns the refunds of payments, oldest first.
func RefundsOf(ctx context.Context, q Queries, payments []billing.PaymentID) ([]collect.Refund, error) {
	columns, scan := Refunds.Projection(nil)
	return Refunds.rows(ctx, q, `SELECT `+columns+` FROM payment_refund WHERE payment_id IN (SELECT value FROM json_each($1)) ORDER BY id`, []any{db.JSONList(payments)}, 0, scan)
}

// RefundByUUID returns the refund with a UUID, nil if there is none.
func RefundByUUID(ctx context.Context, q Queries, uuid string) (*collect.Refund, error) {
	return Refunds.by(ctx, q, "uuid", uuid)
}

// ClaimRefunds returns refunds whose time has come, at most limit of them, and puts them
// off to a later time, so that nobody else sends them meanwhile.
func ClaimRefunds(ctx context.Context, tx *Tx, until time.Time, limit int) ([]collect.Refund, error) {
	columns, scan := Refunds.Projection(nil)
	text := `UPDATE payment_refund SET next_at = $1 WHERE id IN (SELECT id FROM payment_refund WHERE next_at <= $2 AND next_at IS NOT NULL ORDER BY next_at, id LIMIT $3` +
		tx.Dialect.ForUpdateSkip + `) RETURNING ` + columns
	return Refunds.rows(ctx, tx.Queries, text, []any{until.UnixMilli(), tx.Now.UnixMilli(), limit}, 0, scan)
}

// NextRefund is when a refund is to be sent next, and whether that is so.
func NextRefund(ctx context.Context, q Queries) (at time.Time, found bool, err error) {
	found, err = q.One(ctx, `SELECT next_at FROM payment_refund WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1`, nil, column.Millis(&at))
	return at, found, err
}
