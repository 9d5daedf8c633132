package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/store"
)

// growCollections adds to what growDocuments made: a payment method to every account, and to every invoice a
// collection with an attempt, and to every payment a refund. All are over but for every
// thousandth, which is to be asked about, every second of these on a test clock; one
// waits for a person.
func growCollections(t *testing.T, s *store.Store) {
	t.Helper()
	const next, clock = `CASE WHEN id % 1000 = 7 THEN id END`, `CASE WHEN id % 2000 = 7 THEN 1 END`
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, text := range []string{
			`INSERT INTO payment_method (account_id, provider, kind, token_sealed, token_hash, brand, last4, mandate, state, created_at, updated_at, search)
				SELECT id, 'TEST', 'TEST', '', 'h' || id, '', 'ok', '', 'ACTIVE', 0, 0, 'ok' FROM account`,
			`INSERT INTO payment_collection (id, uuid, account_id, entity_id, payment_method_id, provider, currency_id, scale, amount, line_text, state, attempts, outcome, code, message, hard, reference,
					fee, next_at, test_clock_id, created_at, updated_at, search)
				SELECT id, 'u' || id, account_id, entity_id, account_id, 'TEST', 'EUR', 100, 1, number, CASE WHEN id % 1000 = 7 THEN 'PENDING' ELSE 'SUCCEEDED' END, 1,
					CASE WHEN id % 1000 = 7 OR id = 77 THEN 'UNKNOWN' ELSE 'SUCCEEDED' END, '', '', 1 < 0, 'r' || id, 0, ` + next + `, ` + clock + `, id, id, search FROM invoice`,
			`INSERT INTO payment_collection_invoice (payment_collection_id, invoice_id, amount, is_open) SELECT id, id, 1, 0 FROM invoice`,
			`INSERT INTO payment_attempt (payment_collection_id, number, started_at, outcome, code, message, hard, reference, payment_id)
				SELECT id, 1, id, 'SUCCEEDED', '', '', 1 < 0, 'r' || id, id FROM payment`,
			`INSERT INTO payment_refund (uuid, account_id, payment_id, currency_id, scale, amount, provider, charge_reference, state, code, message, reference, next_at, created_at, updated_at, search)
				SELECT 'u' || id, account_id, id, 'EUR', 100, 1, 'TEST', '', 'SUCCEEDED', '', '', '', ` + next + `, 0, 0, '' FROM payment`,
			`INSERT INTO payment_notice (provider, id, received_at) SELECT 'STRIPE', 'n' || id, id FROM payment`,
		} {
			_, err := store.Exec(ctx, tx, text)
			must(err)
		}
	})
	if s.Engine() == "postgres" {
		analyze(t, s)
	}
}

// asks is a question of which only the way to the answer matters.
func asks[T any](ask func(ctx context.Context, q store.Queries) (T, error)) func(context.Context, store.Queries) error {
	return func(ctx context.Context, q store.Queries) error {
		_, err := ask(ctx, q)
		return err
	}
}

var (
	someInvoices    = []billing.InvoiceID{7, 8}
	somePayments    = []billing.PaymentID{7, 8}
	someCollections = []billing.PaymentCollectionID{7, 8}
	aClock          = billing.TestClockID(1)
)

// collectionPlans are how money is asked for and given back. What is over costs nothing.
var collectionPlans = []plan{
	{"the newest collections", documentPage(store.Collections, ""), "SCAN payment_collection" + notSorted, "Backward using payment_collection_pkey; ! Sort"},
	{"collections of an account", documentPage(store.Collections, "account:A-77"), "SEARCH payment_collection USING INDEX payment_collection_account (account_id=?)" + notSorted, "payment_collection_account"},
	{"collections that are open", documentPage(store.Collections, "state:pending"), "SEARCH payment_collection USING INDEX payment_collection_state (state=?)" + notSorted, "payment_collection_state"},
	{"the next collection", asks(func(ctx context.Context, q store.Queries) (bool, error) {
		_, found, err := store.NextCollection(ctx, q, nil)
		return found, err
	}), "payment_collection_next" + notSorted, "using payment_collection_next"},
	{"the next collection on a test clock", asks(func(ctx context.Context, q store.Queries) (bool, error) {
		_, found, err := store.NextCollection(ctx, q, &aClock)
		return found, err
	}), "payment_collection_next_on_clock (test_clock_id=?" + notSorted, "payment_collection_next_on_clock"},
	{"collections on a test clock", asks(func(ctx context.Context, q store.Queries) ([]collect.Collection, error) {
		return store.CollectionsOnClock(ctx, q, aClock, time.UnixMilli(9000), 64)
	}), "payment_collection_next_on_clock (test_clock_id=? AND next_at>? AND next_at<?)" + notSorted, "payment_collection_next_on_clock"},
	{"collections that wait for a person", asks(func(ctx context.Context, q store.Queries) ([]collect.Collection, error) {
		return store.CollectionsForPerson(ctx, q, 11)
	}), "payment_collection_person" + notSorted, "payment_collection_person"},
	{"how many wait for an answer", asks(func(ctx context.Context, q store.Queries) (int, error) {
		return store.CountUnanswered(ctx, q, 1000)
	}), "payment_collection_next" + notSorted, "payment_collection_next; ! Sort"},
	{"how many wait for a person", asks(store.CountCollectionsForPerson), "payment_collection_person", "payment_collection_person"},
	{"a collection by its UUID", asks(func(ctx context.Context, q store.Queries) (*collect.Collection, error) {
		return store.CollectionByUUID(ctx, q, "u77")
	}), "SEARCH payment_collection USING INDEX sqlite_autoindex_payment_collection_1 (uuid=?)", "payment_collection_uuid_key"},
	{"collections of invoices", asks(func(ctx context.Context, q store.Queries) ([]collect.Part, error) {
		_, parts, err := store.CollectionsOfInvoices(ctx, q, someInvoices)
		return parts, err
	}), "payment_collection_invoice_invoice (invoice_id=?); SEARCH payment_collection USING INTEGER PRIMARY KEY (rowid=?)", "payment_collection_invoice_invoice; payment_collection_pkey"},
	{"invoices of collections", asks(func(ctx context.Context, q store.Queries) ([]collect.Part, error) {
		return store.PartsOfCollections(ctx, q, someCollections)
	}), "SEARCH payment_collection_invoice USING INDEX sqlite_autoindex_payment_collection_invoice_1 (payment_collection_id=?)", "payment_collection_invoice_pkey"},
	{"the last collections of invoices", asks(func(ctx context.Context, q store.Queries) (map[billing.InvoiceID]*collect.Last, error) {
		return store.LastCollections(ctx, q, someInvoices)
	}), "payment_collection_invoice_invoice (invoice_id=?); SEARCH c USING INTEGER PRIMARY KEY (rowid=?); sqlite_autoindex_payment_attempt_1 (payment_collection_id=? AND number=?)",
		"payment_collection_invoice_invoice; payment_collection_pkey; payment_attempt_payment_collection_id_number_key"},
	{"attempts of collections", asks(func(ctx context.Context, q store.Queries) ([]collect.Attempt, error) {
		return store.AttemptsOf(ctx, q, someCollections)
	}), "SEARCH payment_attempt USING INDEX sqlite_autoindex_payment_attempt_1 (payment_collection_id=?)", "payment_attempt_payment_collection_id_number_key"},
	{"an attempt by its reference", asks(func(ctx context.Context, q store.Queries) (*collect.Attempt, error) {
		return store.AttemptByReference(ctx, q, collect.Test, "r77")
	}), "SEARCH payment_attempt USING INDEX payment_attempt_reference (reference=?)", "payment_attempt_reference"},
	{"attempts of payments", asks(func(ctx context.Context, q store.Queries) ([]collect.Attempt, error) {
		return store.AttemptsOfPayments(ctx, q, somePayments)
	}), "SEARCH payment_attempt USING INDEX payment_attempt_payment (payment_id=?)", "payment_attempt_payment"},
	{"refunds of payments", asks(func(ctx context.Context, q store.Queries) ([]collect.Refund, error) {
		return store.RefundsOf(ctx, q, somePayments)
	}), "SEARCH payment_refund USING INDEX payment_refund_payment (payment_id=?)", "payment_refund_payment"},
	{"a refund by its UUID", asks(func(ctx context.Context, q store.Queries) (*collect.Refund, error) {
		return store.RefundByUUID(ctx, q, "u77")
	}), "SEARCH payment_refund USING INDEX sqlite_autoindex_payment_refund_1 (uuid=?)", "payment_refund_uuid_key"},
	{"the next refund", asks(func(ctx context.Context, q store.Queries) (bool, error) {
		_, found, err := store.NextRefund(ctx, q)
		return found, err
	}), "payment_refund_next" + notSorted, "payment_refund_next"},
	{"payment methods of accounts", ofAccounts(store.PaymentMethodsOf), "SEARCH payment_method USING INDEX payment_method_account (account_id=?)" + notSorted, "payment_method_account"},
	{"payment methods that are refused", asks(func(ctx context.Context, q store.Queries) (map[billing.PaymentMethodID]bool, error) {
		return store.RefusedMethods(ctx, q, []billing.PaymentMethodID{7, 8})
	}), "SEARCH payment_method USING INTEGER PRIMARY KEY (rowid=?)", "payment_method_pkey"},
	{"payment methods by token", asks(func(ctx context.Context, q store.Queries) ([]collect.Method, error) {
		return store.PaymentMethodsByToken(ctx, q, "h77")
	}), "SEARCH payment_method USING INDEX payment_method_token (token_hash=?)" + notSorted, "payment_method_token"},
}

// writePlan is a plan of statements that change something.
type writePlan struct {
	name             string
	do               func(ctx context.Context, tx *store.Tx) error
	sqlite, postgres string
}

// collectionWrites are statements that change something, each in a transaction.
var collectionWrites = []writePlan{
	{"claim collections", func(ctx context.Context, tx *store.Tx) error {
		_, err := store.ClaimCollections(ctx, tx, tx.Now, 64)
		return err
	}, "payment_collection_next (next_at>? AND next_at<?); SEARCH payment_collection USING INTEGER PRIMARY KEY (rowid=?)", "payment_collection_next; payment_collection_pkey"},
	{"claim refunds", func(ctx context.Context, tx *store.Tx) error {
		_, err := store.ClaimRefunds(ctx, tx, tx.Now, 64)
		return err
	}, "payment_refund_next (next_at>? AND next_at<?); SEARCH payment_refund USING INTEGER PRIMARY KEY (rowid=?)", "payment_refund_next; payment_refund_pkey"},
	{"note that payment methods are refused", func(ctx context.Context, tx *store.Tx) error {
		return store.SetRefused(ctx, tx, []billing.PaymentMethodID{7}, &tx.Now)
	}, "SEARCH payment_method USING INTEGER PRIMARY KEY (rowid=?)", "payment_method_pkey"},
	{"choose a payment method", func(ctx context.Context, tx *store.Tx) error {
		id := billing.PaymentMethodID(7)
		return store.SetPaymentMethod(ctx, tx, 7, &id)
	}, "SEARCH account USING INTEGER PRIMARY KEY (rowid=?)", "account_pkey"},
	{"forget notices", func(ctx context.Context, tx *store.Tx) error {
		_, err := store.ForgetNotices(ctx, tx, time.UnixMilli(50), 10)
		return err
	}, "payment_notice_received (received_at<?)", "payment_notice_received; payment_notice_pkey"},
	{"save collections", func(ctx context.Context, tx *store.Tx) error {
		rows, err := store.Collections.ByIDs(ctx, tx.Queries, someCollections)
		if err != nil {
			return err
		}
		return store.SaveCollections(ctx, tx, []*collect.Collection{&rows[0], &rows[1]})
	}, "SEARCH payment_collection USING INTEGER PRIMARY KEY (rowid=?); payment_collection_invoice USING COVERING INDEX sqlite_autoindex_payment_collection_invoice_1 (payment_collection_id=?)",
		"payment_collection_pkey; payment_collection_invoice_pkey"},
}

// checkPlans compares the plans of questions and of changes with what they should be.
func checkPlans(t *testing.T, s *store.Store, scans string, plans []plan, writes []writePlan) {
	t.Helper()
	repeat := func(check func() string) {
		problem := ""
		for range 3 { // PostgreSQL judges by a random sample
			if problem = check(); problem == "" || s.Engine() == "sqlite" {
				break
			}
			analyze(t, s)
		}
		if problem != "" {
			t.Error(problem)
		}
	}
	for _, p := range plans {
		p.postgres += scans
		repeat(func() string { return p.check(t, s) })
	}
	for _, w := range writes {
		p := plan{name: w.name, sqlite: w.sqlite, postgres: w.postgres + scans}
		repeat(func() (problem string) {
			write(t, s, func(ctx context.Context, tx *store.Tx) {
				found := store.ExplainedIn(s, tx)
				must(w.do(ctx, tx))
				problem = p.differs(s, *found)
			})
			return problem
		})
	}
}
