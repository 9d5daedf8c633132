package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/store"
)

// growEmails adds to what growCollections made: an e-mail about every invoice. All were sent but for every thousandth,
// which waits.
func growEmails(t *testing.T, s *store.Store) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, text := range []string{
			`INSERT INTO email (id, uuid, account_id, entity_id, template, invoice_id, locale, recipient, subject, body, html, stage, reason, attempts, copies, recorded_at, created_at, updated_at, search)
				SELECT id, 'u' || id, account_id, entity_id, CASE WHEN id % 100 = 7 THEN 'reminder' ELSE 'invoice' END, id, 'en', 'a' || account_id, number, '', '',
					CASE WHEN id % 1000 = 7 THEN 'WAITING' ELSE 'SENT' END, '', 1, 0, id, id, id, 'a' || account_id FROM invoice`,
			`INSERT INTO email_queue (account_id, next_at) SELECT DISTINCT account_id, account_id FROM email WHERE stage = 'WAITING'`,
			`UPDATE payment_method SET expires = '2027-03' WHERE id % 100 = 7`,
		} {
			_, err := store.Exec(ctx, tx, text)
			must(err)
		}
	})
	if s.Engine() == "postgres" {
		analyze(t, s)
	}
}

// emailPlans are how e-mail is found. What was sent costs nothing.
var emailPlans = []plan{
	{"the newest e-mail", documentPage(store.Emails, ""), "SCAN email" + notSorted, "Backward using email_pkey; ! Sort"},
	{"e-mail of an account", documentPage(store.Emails, "account:A-77"), "SEARCH email USING INDEX email_account (account_id=?)" + notSorted, "email_account"},
	{"e-mail that waits", documentPage(store.Emails, "state:waiting"), "email_stage (stage=?", "email_stage"},
	{"e-mail by the number of an invoice", documentPage(store.Emails, "inv-77"), "email_invoice (invoice_id=?); email_credit_note (credit_note_id=?); email_payment (payment_id=?); SEARCH email USING INTEGER PRIMARY KEY (rowid=?)", "email_invoice; email_pkey"},
	{"e-mail of an invoice", documentPage(store.Emails, "invoice:inv-77"), "SEARCH email USING INDEX email_invoice (invoice_id=?)" + notSorted, "email_invoice"},
	{"e-mail of invoices", asks(func(ctx context.Context, q store.Queries) ([]email.Email, error) {
		return store.EmailsOfInvoices(ctx, q, someInvoices)
	}), "SEARCH email USING INDEX email_invoice (invoice_id=?)", "email_invoice"},
	{"the next e-mail", asks(func(ctx context.Context, q store.Queries) (bool, error) {
		_, found, err := store.NextEmail(ctx, q)
		return found, err
	}), "email_queue_next" + notSorted, ""},
	{"payment methods that expire", asks(func(ctx context.Context, q store.Queries) ([]collect.Method, error) {
		return store.MethodsThatExpire(ctx, q, nil, "2027-03", "2027-03", 7, 64)
	}), "payment_method_expires (expires>? AND expires<?)" + notSorted, "payment_method_expires"},
}

var emailWrites = []writePlan{
	{"claim e-mail", func(ctx context.Context, tx *store.Tx) error {
		_, err := store.ClaimEmails(ctx, tx, tx.Now, 8)
		return err
	}, "email_queue_next (next_at<?); email_waiting (account_id=?)", "email_waiting; email_pkey"},
	{"forget e-mail", func(ctx context.Context, tx *store.Tx) error {
		_, err := store.ForgetEmails(ctx, tx, time.UnixMilli(50), 10)
		return err
	}, "SEARCH email USING INTEGER PRIMARY KEY (rowid", "email_pkey"},
}
