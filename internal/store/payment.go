package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Payments keeps document.Payment.
var Payments = newTable(Table[document.Payment, billing.PaymentID]{
	name: "payment",
	id:   func(p *document.Payment) *billing.PaymentID { return &p.ID },
	columns: []string{
		"uuid", "account_id", "entity_id", "currency_id", "scale", "amount", "amount_applied", "stage", "received_at", "reference", "amount_returned", "test_clock_id",
	},
	fields: func(p *document.Payment) []any {
		return []any{
			&p.UUID, &p.AccountID, &p.EntityID, column.Currency(&p.Currency), scaleOf(&p.Currency), &p.Amount, &p.AmountApplied, useColumn(p.State),
			column.Day(&p.ReceivedAt), &p.Reference, &p.AmountReturned, &p.TestClockID,
		}
	},
	stamps: func(p *document.Payment) (*time.Time, *time.Time) { return &p.CreatedAt, &p.UpdatedAt },
	words:  func(p *document.Payment) []string { return []string{p.Reference} },
	filters: map[string]field{
		"state": {"stage", enum, usedStates}, "reference": {"search", called, nil},
		"account": {"account_id", refer, []string{"account"}}, "entity": {"entity_id", refer, []string{"entity"}},
		"currency": {"currency_id", currency, nil}, "received": {"received_at", day, nil}, "amount": {"amount", amount, nil},
		"invoice": {"id", pays, []string{"invoice"}},
	},
	isDocument: true, settled: string(document.Applied), about: paymentsAbout,
})

// WaitingPayments returns the payments of accounts that were not used up, oldest
// first.
func WaitingPayments(ctx context.Context, q Queries, accounts []billing.AccountID) ([]document.Payment, error) {
	columns, scan := Payments.Projection(nil)
	text := `SELECT ` + columns + ` FROM payment WHERE account_id IN (SELECT value FROM json_each($1)) AND stage <> 'APPLIED' ORDER BY account_id, id`
	return Payments.rows(ctx, q, text, []any{db.JSONList(accounts)}, 0, scan)
}

var saveUsedPayments = &db.Batch{
	Columns:   []db.Column{{"of", "BIGINT"}, {"applied", "BIGINT"}, {"returned", "BIGINT"}, {"stage", "TEXT"}, {"at", "BIGINT"}},
	Statement: `UPDATE payment SET amount_applied = new.applied, amount_returned = new.returned, stage = new.stage, updated_at = new.at FROM new WHERE payment.id = new.of`,
}

// SaveUsedPayments writes how much of payments was used.
func SaveUsedPayments(ctx context.Context, tx *Tx, payments []*document.Payment) error {
	return saveUsedPayments.Run(ctx, tx, len(payments), func(n int) []any {
		return []any{int64(payments[n].ID), int64(payments[n].AmountApplied), int64(payments[n].AmountReturned), string(payments[n].State()), tx.Now.UnixMilli()}
	}, nil)
}

// Applications keeps document.Application.
var Applications = newTable(Table[document.Application, billing.ApplicationID]{
	name:    "application",
	id:      func(a *document.Application) *billing.ApplicationID { return &a.ID },
	columns: []string{"invoice_id", "credit_note_id", "payment_id", "amount", "applied_on"},
	fields: func(a *document.Application) []any {
		return []any{&a.InvoiceID, &a.CreditNoteID, &a.PaymentID, &a.Amount, column.Day(&a.AppliedOn)}
	},
	stamps:  func(a *document.Application) (*time.Time, *time.Time) { return &a.CreatedAt, &a.UpdatedAt },
	filters: map[string]field{"invoice": {"invoice_id", number, nil}, "payment": {"payment_id", number, nil}, "creditNote": {"credit_note_id", number, nil}},
})

// ApplicationsOfPayment returns what a payment pays for.
func ApplicationsOfPayment(ctx context.Context, q Queries, id billing.PaymentID) ([]document.Application, error) {
	columns, scan := Applications.Projection(nil)
	return Applications.rows(ctx, q, `SELECT `+columns+` FROM application WHERE payment_id = $1 ORDER BY id`, []any{int64(id)}, 0, scan)
}

// AppliedTo returns how much payments and credit notes pay of invoices; there is
// nothing of those that nothing was applied to.
func AppliedTo(ctx context.Context, q Queries, invoices []billing.InvoiceID) (map[billing.InvoiceID]money.Amount, error) {
	applied := map[billing.InvoiceID]money.Amount{}
	err := q.Each(ctx, `SELECT invoice_id, CAST(SUM(amount) AS BIGINT) FROM application WHERE invoice_id IN (SELECT value FROM json_each($1)) GROUP BY invoice_id`,
		[]any{db.JSONList(invoices)}, func(rows scanner) error {
			var id billing.InvoiceID
			var amount money.Amount
			err := rows.Scan(&id, &amount)
			applied[id] = amount
			return err
		})
	return applied, err
}

// DeleteApplications takes applications back.
func DeleteApplications(ctx context.Context, tx *Tx, ids []billing.ApplicationID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `DELETE FROM application WHERE id IN (SELECT value FROM json_each($1))`, db.JSONList(ids))
	return err
}

// PendingItems keeps document.PendingItem.
var PendingItems = newTable(Table[document.PendingItem, billing.PendingItemID]{
	name:    "pending_item",
	id:      func(p *document.PendingItem) *billing.PendingItemID { return &p.ID },
	columns: []string{"account_id", "subscription_id", "currency_id", "line_text", "quantity", "price", "amount", "tax_code", "due_on"},
	fields: func(p *document.PendingItem) []any {
		return []any{&p.AccountID, &p.SubscriptionID, column.Currency(&p.Currency), &p.LineText, &p.Quantity, &p.Price, &p.Amount, &p.TaxCode, column.Day(&p.DueOn)}
	},
	stamps:  func(p *document.PendingItem) (*time.Time, *time.Time) { return &p.CreatedAt, &p.UpdatedAt },
	filters: map[string]field{"account": {"account_id", refer, []string{"account"}}},
})

// PendingItemsOf returns the pending items of accounts, in the order of ids.
func PendingItemsOf(ctx context.Context, q Queries, accounts []billing.AccountID) ([]document.PendingItem, error) {
	columns, scan := PendingItems.Projection(nil)
	text := `SELECT ` + columns + ` FROM pending_item WHERE account_id IN (SELECT value FROM json_each($1)) ORDER BY id`
	return PendingItems.rows(ctx, q, text, []any{db.JSONList(accounts)}, 0, scan)
}

// DeletePendingItems removes those that are on an invoice now.
func DeletePendingItems(ctx context.Context, tx *Tx, ids []billing.PendingItemID) error {
	_, err := tx.Exec(ctx, `DELETE FROM pending_item WHERE id IN (SELECT value FROM json_each($1))`, db.JSONList(ids))
	return err
}
