package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Emails keeps email.Email.
var Emails = newTable(Table[email.Email, billing.EmailID]{
	name: "email",
	id:   func(e *email.Email) *billing.EmailID { return &e.ID },
	columns: []string{
		"uuid", "account_id", "entity_id", "template", "invoice_id", "credit_note_id", "payment_id", "payment_method_id", "locale", "recipient", "subject", "body", "html",
		"stage", "reason", "attempts", "copies", "next_at", "sent_at", "recorded_at", "test_clock_id",
	},
	fields: func(e *email.Email) []any {
		return []any{
			&e.UUID, &e.AccountID, &e.EntityID, &e.Template, &e.InvoiceID, &e.CreditNoteID, &e.PaymentID, &e.PaymentMethodID, &e.Locale, &e.To, &e.Subject, &e.Text, &e.HTML,
			&e.State, &e.Reason, &e.Attempts, &e.Copies, column.OptionalMillis(&e.NextAt), column.OptionalMillis(&e.SentAt), column.Millis(&e.At), &e.TestClockID,
		}
	},
	stamps: func(e *email.Email) (*time.Time, *time.Time) { return &e.CreatedAt, &e.UpdatedAt },
	words:  func(e *email.Email) []string { return []string{e.To} },
	filters: map[string]field{
		"state": {"stage", enum, []string{"WAITING", "SENT", "FAILED", "NOT_SENT"}}, "template": {"template", exact, nil}, "to": {"search", called, nil},
		"account": {"account_id", refer, []string{"account"}}, "invoice": {"invoice_id", refer, []string{"invoice"}},
	},
	isDocument: true, settled: string(email.Sent), about: emailsAbout,
})

// InsertEmails writes e-mail, and has what waits sent after what waits for the same
// accounts already.
func InsertEmails(ctx context.Context, tx *Tx, rows []*email.Email) error {
	if err := Emails.InsertAll(ctx, tx, rows); err != nil {
		return err
	}
	queued := map[billing.AccountID]bool{}
	var accounts []billing.AccountID
	for _, e := range rows {
		if e.State == email.Waiting && !queued[e.AccountID] {
			queued[e.AccountID], accounts = true, append(accounts, e.AccountID)
		}
	}
	return queueEmails.Run(ctx, tx, len(accounts), func(n int) []any { return []any{int64(accounts[n]), tx.Now.UnixMilli()} }, nil)
}

// queueEmails locks the row of an account that has one, so that whoever has sent its
// last message sees the new one.
var queueEmails = &db.Batch{
	Columns: []db.Column{{"account", "BIGINT"}, {"at", "BIGINT"}},
	Statement: `INSERT INTO email_queue (account_id, next_at) SELECT new.account, new.at FROM new WHERE true
		ON CONFLICT (account_id) DO UPDATE SET next_at = email_queue.next_at`,
}

// ClaimEmails returns the e-mail that is to be sent now, at most limit messages and one
// for each account, and keeps others from sending any to those accounts until a time.
func ClaimEmails(ctx context.Context, tx *Tx, until time.Time, limit int) ([]email.Email, error) {
	var accounts []billing.AccountID
	err := tx.Each(ctx, `UPDATE email_queue SET next_at = $1 WHERE account_id IN (SELECT account_id FROM email_queue WHERE next_at <= $2
		ORDER BY next_at, account_id LIMIT $3`+tx.Dialect.ForUpdateSkip+`) RETURNING account_id`, []any{until.UnixMilli(), tx.Now.UnixMilli(), limit}, func(rows scanner) error {
		var id billing.AccountID
		err := rows.Scan(&id)
		accounts = append(accounts, id)
		return err
	})
	if err != nil || len(accounts) == 0 {
		return nil, err
	}
	columns, scan := Emails.Projection(nil)
	text := `SELECT ` + columns + ` FROM json_each($1) AS wanted JOIN email ON email.id =
		(SELECT first.id FROM email AS first WHERE first.account_id = wanted.value AND first.stage = 'WAITING' ORDER BY first.id LIMIT 1) ORDER BY email.id`
	return Emails.rows(ctx, tx.Queries, text, []any{db.JSONList(accounts)}, len(accounts), scan)
}

// SaveEmail writes what has become of an e-mail that was claimed, and when the next one to
// its account is sent.
func SaveEmail(ctx context.Context, tx *Tx, e *email.Email) error {
	var at time.Time
	if _, err := tx.One(ctx, `SELECT next_at FROM email_queue WHERE account_id = $1`+tx.Dialect.ForUpdate, []any{int64(e.AccountID)}, column.Millis(&at)); err != nil {
		return err
	}
	if err := Emails.Update(ctx, tx, e); err != nil {
		return err
	}
	if e.State == email.Waiting {
		_, err := tx.Exec(ctx, `INSERT INTO email_queue (account_id, next_at) VALUES ($1, $2) ON CONFLICT (account_id) DO UPDATE SET next_at = excluded.next_at`,
			int64(e.AccountID), column.OptionalMillis(&e.NextAt))
		return err
	}
	const more = `EXISTS (SELECT 1 FROM email WHERE account_id = $1 AND stage = 'WAITING')`
	if _, err := tx.Exec(ctx, `UPDATE email_queue SET next_at = $2 WHERE account_id = $1 AND `+more, int64(e.AccountID), tx.Now.UnixMilli()); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM email_queue WHERE account_id = $1 AND NOT `+more, int64(e.AccountID))
	return err
}

// RequeueEmail writes an e-mail that is to be sent again. Whoever sends another one to
// its account at the moment goes on with it.
func RequeueEmail(ctx context.Context, tx *Tx, e *email.Email) error {
	if err := Emails.Update(ctx, tx, e); err != nil {
		return err
	}
	return queueEmails.Run(ctx, tx, 1, func(int) []any { return []any{int64(e.AccountID), tx.Now.UnixMilli()} }, nil)
}

// NextEmail is when an e-mail is to be sent next, and whether one is.
func NextEmail(ctx context.Context, q Queries) (at time.Time, found bool, err error) {
	found, err = q.One(ctx, `SELECT next_at FROM email_queue ORDER BY next_at LIMIT 1`, nil, column.Millis(&at))
	return at, found, err
}

// EmailsOfInvoices returns the e-mail about invoices, oldest first.
func EmailsOfInvoices(ctx context.Context, q Queries, invoices []billing.InvoiceID) ([]email.Email, error) {
	columns, scan := Emails.Projection(nil)
	text := `SELECT ` + columns + ` FROM email WHERE invoice_id IN (SELECT value FROM json_each($1)) ORDER BY id`
	return Emails.rows(ctx, q, text, []any{db.JSONList(invoices)}, 0, scan)
}

// ForgetEmails removes e-mail that nobody waits for any more and that was recorded
// before a time, at most limit messages.
func ForgetEmails(ctx context.Context, tx *Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(ctx, `DELETE FROM email WHERE id IN (SELECT id FROM email WHERE stage <> 'WAITING' AND id <=
		(SELECT COALESCE(max(id), 0) FROM (SELECT id, created_at FROM email ORDER BY id LIMIT $2) AS oldest WHERE created_at < $1) ORDER BY id LIMIT $2)`, before.UnixMilli(), limit)
}
