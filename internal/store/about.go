package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// mostAbout is up to how many documents have one number, and up to how many rows are
// looked up that are about them. Another entity and every test clock may use a number
// again.
const mostAbout = 1000

// documentsCalled are the documents of a table with a number, which has been folded.
func documentsCalled(ctx context.Context, q Queries, table, number string) (ids []int64, err error) {
	if number == "" { // as that of drafts
		return nil, nil
	}
	err = q.Each(ctx, `SELECT id FROM `+table+` WHERE search = $1 ORDER BY id DESC LIMIT $2`, []any{number, mostAbout}, column.Collect(&ids))
	return ids, err
}

// paymentsAbout are the payments that are applied to the invoices with a number.
func paymentsAbout(ctx context.Context, q Queries, number string) ([]int64, error) {
	invoices, err := documentsCalled(ctx, q, "invoice", number)
	if err != nil {
		return nil, err
	}
	return paymentsOf(ctx, q, invoices)
}

// paymentsOf are the payments that are applied to invoices.
func paymentsOf(ctx context.Context, q Queries, invoices []int64) (ids []int64, err error) {
	if len(invoices) == 0 {
		return nil, nil
	}
	err = q.Each(ctx, `SELECT DISTINCT payment_id FROM application WHERE invoice_id IN (SELECT value FROM json_each($1)) AND payment_id IS NOT NULL ORDER BY payment_id DESC LIMIT $2`,
		[]any{db.JSONList(invoices), mostAbout}, column.Collect(&ids))
	return ids, err
}

// emailsAbout are the e-mails about the invoices with a number, what pays these, and
// the credit notes with that number.
func emailsAbout(ctx context.Context, q Queries, number string) (ids []int64, err error) {
	invoices, err := documentsCalled(ctx, q, "invoice", number)
	if err != nil {
		return nil, err
	}
	notes, err := documentsCalled(ctx, q, "credit_note", number)
	if err != nil || len(invoices)+len(notes) == 0 {
		return nil, err
	}
	payments, err := paymentsOf(ctx, q, invoices)
	if err != nil {
		return nil, err
	}
	err = q.Each(ctx, `SELECT id FROM email WHERE invoice_id IN (SELECT value FROM json_each($1))
		UNION SELECT id FROM email WHERE credit_note_id IN (SELECT value FROM json_each($2))
		UNION SELECT id FROM email WHERE payment_id IN (SELECT value FROM json_each($3)) ORDER BY id DESC LIMIT $4`,
		[]any{db.JSONList(invoices), db.JSONList(notes), db.JSONList(payments), mostAbout}, column.Collect(&ids))
	return ids, err
}

// narrowPays keeps the payments that are applied to the invoices that a term means.
func (f field) narrowPays(ctx context.Context, q Queries, s *db.Select, column string, term billing.Term) error {
	invoices, err := f.meant(ctx, q, term)
	if err != nil {
		return err
	}
	ids, err := paymentsOf(ctx, q, invoices)
	s.WhereIn(column, db.JSONList(ids))
	return err
}
