package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

const documentCount = 15_000

// growDocuments adds 5,000 accounts with three invoices each, the last of which is
// open, a credit note and a payment each that are used up but for every hundredth,
// and a subscription each, of which every thousandth is due.
func growDocuments(t *testing.T, s *store.Store, documentCount int) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		o, entity, clock := m.offer(), m.entity().ID, m.clock().ID
		m.clock()
		none := strings.Repeat("0", 64)
		series := `WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < $1) `
		if s.Engine() == "postgres" {
			series = `WITH series (n) AS (SELECT generate_series(1, CAST($1 AS BIGINT))) `
		}
		// Nineteen days of three months in each of six years.
		day := `'20' || (20 + n * 6 / ($1 + 1)) || '-' || (10 + n * 18 / ($1 + 1) % 3) || '-' || (10 + n * 342 / ($1 + 1) % 19)`
		for _, step := range []struct {
			text string
			args []any
		}{
			{`INSERT INTO account (name, code, billing_day, created_at, updated_at, search) ` + series + `SELECT 'A', 'A-' || n, 1, 0, 0, CASE n WHEN 77 THEN 'a zzz' ELSE 'a' END FROM series`, []any{documentCount / 3}},
			{`UPDATE account SET billing_problem = 'x' WHERE id % 5000 = 0`, nil},
			{`INSERT INTO subscription (account_id, product_id, price_list_id, state, evergreen, renewal_term_months, start_date, end_date, term_start_date, anchor_day, charges, as_of, created_at, updated_at, search, bill_on, dirty_from, test_clock_id)
				SELECT id, $1, $2, 'ACTIVE', $3, 1, '2026-01-01', '2026-01-31', '2026-01-01', 1, '[]', '2026-01-01', 0, 0, '', CASE WHEN id % 1000 = 7 THEN '2026-01-05' ELSE '2026-02-' || (10 + id % 19) END, NULL, CASE WHEN id % 5 = 0 THEN $4 + id % 2 END FROM account`,
				[]any{int64(o.product), int64(o.list), true, int64(clock)}},
			{`INSERT INTO account_billing (account_id, version, last_event, bill_on, test_clock_id)
				SELECT id, 1, 1, CASE WHEN id % 1000 = 7 THEN '2026-01-05' WHEN id % 2 = 0 THEN '2026-02-' || (10 + id % 19) END, CASE WHEN id % 5 = 0 THEN $1 + id % 2 END FROM account`, []any{int64(clock)}},
			{`INSERT INTO invoice (uuid, number, kind, entity_id, account_id, currency_id, scale, issued_at, due_at, subtotal, tax_amount, amount, applied_at_issue, taxes, seller, buyer, notes, po_number, buyer_reference, locale, series_id, place,
					previous_hash, hash, stage, credits, amount_paid, amount_due, credited, created_at, updated_at, search, item_count, issue_after) ` + series +
				`SELECT 'u' || n, CASE WHEN n % 1000 = 5 THEN '' ELSE 'INV-' || n END, 'SUBSCRIPTION', $2, 1 + n % ($1 / 3), 'EUR', 100, ` + day + `, ` + day + `, n, 0, n, 0, '[]', '{}', '{}', '', '', '', 'en', 1, n, $3, $3,
					CASE WHEN n % 1000 = 5 THEN 'DRAFT' WHEN n % 1000 = 6 THEN 'VOIDED' WHEN n > $1 * 2 / 3 THEN 'OPEN' ELSE 'PAID' END, 0, 0, n, '[]', n, n, CASE WHEN n % 1000 = 5 THEN '' ELSE 'inv-' || n END, 1, CASE WHEN n % 1000 = 5 THEN n END FROM series`,
				[]any{documentCount, int64(entity), none}},
			{`INSERT INTO invoice_item (invoice_id, position, kind, subscription_id, charge_id, period_from, period_to, tenant_code, code, line_text, feature, unit_name, quantity, days, period_days, tax_code, tax_category, tax_rate, tax_reason, priced, inclusive, amount, credited, search)
				SELECT id, 1, 'RECURRING', account_id, 1, issued_at, due_at, '', '', '', '', '', '1', 1, 1, '', '', '', '', 1, $1, 1, 0, '' FROM invoice`, []any{false}},
			{`INSERT INTO credit_note (uuid, number, kind, reason, entity_id, account_id, currency_id, scale, issued_at, subtotal, tax_amount, amount, taxes, seller, buyer, locale, series_id, place, previous_hash, hash, amount_applied, stage, created_at, updated_at, search, item_count) ` + series +
				`SELECT 'c' || n, 'CN-' || n, 'CREDIT', '', $2, 1 + n % ($1 / 3), 'EUR', 100, ` + day + `, n, 0, n, '[]', '{}', '{}', 'en', 2, n, $3, $3, n, CASE WHEN n % 100 = 3 THEN 'READY' ELSE 'APPLIED' END, n, n, 'cn-' || n, 1 FROM series`, []any{documentCount, int64(entity), none}},
			{`INSERT INTO credit_note_item (credit_note_id, position, invoice_id, invoice_number, item_position, line_text, tax_category, tax_rate, tax_reason, priced, amount, search)
				SELECT id, 1, id, '', 1, '', '', '', '', 1, 1, '' FROM credit_note`, nil},
			{`INSERT INTO payment (uuid, account_id, entity_id, currency_id, scale, amount, amount_applied, stage, received_at, reference, created_at, updated_at, search) ` + series +
				`SELECT 'p' || n, 1 + n % ($1 / 3), $2, 'EUR', 100, n, n, CASE WHEN n % 100 = 3 THEN 'READY' ELSE 'APPLIED' END, ` + day + `, 'Ref ' || n, n, n, 'ref ' || n FROM series`, []any{documentCount, int64(entity)}},
			{`INSERT INTO application (invoice_id, payment_id, amount, applied_on, created_at, updated_at, search) SELECT id, id, 1, '2026-01-01', 0, 0, '' FROM payment`, nil},
			{`INSERT INTO account_entry (account_id, entity_id, currency_id, entry_date, kind, document_id, number, amount, search) SELECT account_id, entity_id, currency_id, issued_at, 'INVOICE', id, number, amount, '' FROM invoice`, nil},
			{`INSERT INTO ledger_key (subscription_id, period_to, charge_id, period_from, currency_id, pieces, net, forgiven) SELECT account_id, due_at, id, issued_at, 'EUR', '[]', 1, 0 FROM invoice`, nil},
			{`INSERT INTO billing_event (account_id, sequence, kind, document_id, data, at, search) SELECT account_id, id, 'InvoiceIssued', id, '{}', 0, '' FROM invoice`, nil},
			{`INSERT INTO pending_item (account_id, currency_id, line_text, quantity, amount, tax_code, due_on, created_at, updated_at, search) SELECT id, 'EUR', '', '1', 1, '', '2026-01-01', 0, 0, '' FROM account`, nil},
		} {
			_, err := store.Exec(ctx, tx, step.text, step.args...)
			must(err)
		}
	})
	if s.Engine() == "postgres" { // nobody does that on SQLite
		analyze(t, s)
	}
}

// someAccounts are a batch of accounts that are billed.
var someAccounts = []billing.AccountID{19, 20, 77}

// documentPage asks for the newest of a table of documents.
func documentPage[T any, K ~int64](table *store.Table[T, K], text string) func(context.Context, store.Queries) error {
	return func(ctx context.Context, q store.Queries) error {
		f, err := billing.ParseFilter(text)
		must(err)
		_, err = table.List(ctx, q, store.Page{Filter: f, Limit: 51, Backwards: true})
		return err
	}
}

// toBill asks for accounts to bill by a day.
func toBill(day string, entities []billing.EntityID) func(context.Context, store.Queries) error {
	return func(ctx context.Context, q store.Queries) error {
		_, err := store.AccountsToBill(ctx, q, date(day), entities, 64)
		return err
	}
}

// ofAccounts asks for something of a batch of accounts.
func ofAccounts[T any](ask func(context.Context, store.Queries, []billing.AccountID) (T, error)) func(context.Context, store.Queries) error {
	return func(ctx context.Context, q store.Queries) error {
		_, err := ask(ctx, q, someAccounts)
		return err
	}
}

const (
	byBillOn      = "SEARCH subscription USING INDEX subscription_bill (bill_on>? AND bill_on<?); SEARCH account_billing USING INDEX account_billing_due (bill_on>? AND bill_on<?)"
	byBillOnFirst = "Index Only Scan using subscription_bill; Index Only Scan using account_billing_due; ! Sort Method"
)

// mergedBy is a page whose ids come in order from parts of an index, and whose rows
// are then read.
func mergedBy(index string) string {
	return "INDEX " + index + "; USING INTEGER PRIMARY KEY (rowid=?)" + notSorted
}

// documentPlans are how the billing run finds its work and its documents, and the
// lists of documents. None reads more of a table that grows than it needs.
var documentPlans = []plan{
	{"accounts to bill", toBill("2026-01-31", nil), byBillOn, "subscription_bill; account_billing_due"},
	{"accounts to bill, of many", toBill("2026-12-31", nil), byBillOn, byBillOnFirst},
	{"accounts to bill of some entities, of many", toBill("2026-12-31", []billing.EntityID{0, 1}), byBillOn + "; SEARCH account USING INTEGER PRIMARY KEY", byBillOnFirst + "; Index Scan using account_pkey"},
	{"accounts to bill on a test clock", func(ctx context.Context, q store.Queries) error {
		_, err := store.AccountsToBillOnClock(ctx, q, 1, date("2026-01-31"), 64)
		return err
	}, "subscription_bill_clock (test_clock_id=? AND bill_on>? AND bill_on<?); account_billing_due_clock (test_clock_id=? AND bill_on>? AND bill_on<?)", "subscription_bill_clock; account_billing_due_clock"},
	{"the next day to bill", func(ctx context.Context, q store.Queries) error {
		_, _, err := store.NextToBill(ctx, q, nil)
		return err
	}, "SEARCH subscription USING INDEX subscription_bill; SEARCH account_billing USING INDEX account_billing_due", byBillOnFirst},
	{"test clocks with something to bill", func(ctx context.Context, q store.Queries) error {
		_, err := store.ClocksToBill(ctx, q)
		return err
	}, "subscription_bill_clock; account_billing_due_clock", "subscription_bill_clock; account_billing_due_clock"},
	{"drafts to issue", func(ctx context.Context, q store.Queries) error {
		_, err := store.DueDrafts(ctx, q, time.UnixMilli(9000), 64)
		return err
	}, "invoice_issue_after" + notSorted, "invoice_issue_after; ! Sort"},
	{"drafts to issue on a test clock", func(ctx context.Context, q store.Queries) error {
		_, err := store.DueDraftsOnClock(ctx, q, 1, 64)
		return err
	}, "invoice_issue_after_clock (test_clock_id=? AND issue_after>? AND issue_after<?)" + notSorted, "invoice_issue_after_clock; ! Sort"},
	{"the next draft to issue on a test clock", func(ctx context.Context, q store.Queries) error {
		_, _, err := store.NextDraftOnClock(ctx, q, 1, date("2026-01-31"))
		return err
	}, "invoice_issue_after_clock (test_clock_id=?" + notSorted, "invoice_issue_after_clock; ! Sort"},
	{"open invoices", ofAccounts(store.OpenInvoices), "SEARCH invoice USING INDEX invoice_open (account_id=?)" + notSorted, "invoice_open"},
	{"overdue invoices, the oldest first", func(ctx context.Context, q store.Queries) error {
		_, err := store.OverdueInvoices(ctx, q, nil, date("2024-10-20"), 50)
		return err
	}, "SEARCH invoice USING INDEX invoice_due (stage=? AND due_at<?)" + notSorted, "Index Scan using invoice_due; ! Sort"},
	{"what is overdue by age", func(ctx context.Context, q store.Queries) error {
		_, _, err := store.OverdueByAge(ctx, q, nil, date("2024-10-20"), 100)
		return err
	}, "SEARCH invoice USING INDEX invoice_due (stage=? AND due_at<?); MATERIALIZE owed", "invoice_due; CTE owed"},
	{"drafts", ofAccounts(store.DraftsOf), "SEARCH invoice USING INDEX invoice_draft (account_id=?)" + notSorted, "invoice_draft"},
	{"waiting credit notes", ofAccounts(store.WaitingCreditNotes), "SEARCH credit_note USING INDEX credit_note_waiting (account_id=?)" + notSorted, "credit_note_waiting"},
	{"waiting payments", ofAccounts(store.WaitingPayments), "SEARCH payment USING INDEX payment_waiting (account_id=?)" + notSorted, "payment_waiting"},
	{"pending items", ofAccounts(store.PendingItemsOf), "SEARCH pending_item USING INDEX pending_item_account (account_id=?)", "pending_item_account"},
	{"what waits", ofAccounts(store.WaitingOf), "pending_item_account (account_id=?); credit_note_waiting (account_id=?); payment_waiting (account_id=?); invoice_draft (account_id=?)", "pending_item_account; credit_note_waiting; payment_waiting; invoice_draft; ! Seq Scan"},
	{"how far billing has come", ofAccounts(store.BillingOf), "SEARCH account_billing USING INTEGER PRIMARY KEY (rowid=?)", "account_billing_pkey"},
	{"balances", func(ctx context.Context, q store.Queries) error {
		_, err := store.Balances(ctx, q, someAccounts, date("2026-01-31"))
		return err
	}, "account_entry_account (account_id=?); credit_note_waiting (account_id=?); payment_waiting (account_id=?); invoice_open (account_id=? AND due_at<?)", "account_entry_account; credit_note_waiting; payment_waiting; invoice_open"},
	{"items of keys", func(ctx context.Context, q store.Queries) error {
		_, err := store.ItemsOfKeys(ctx, q, []store.LedgerRef{{SubscriptionID: 7}, {SubscriptionID: 8}})
		return err
	}, "SEARCH invoice_item USING INDEX invoice_item_key (subscription_id=? AND period_from>?)", "invoice_item_key"},
	{"items of invoices", func(ctx context.Context, q store.Queries) error {
		_, err := store.ItemsOf(ctx, q, []billing.InvoiceID{7, 8})
		return err
	}, "SEARCH invoice_item USING INDEX invoice_item_invoice (invoice_id=?)" + notSorted, "invoice_item_invoice"},
	{"credit notes on invoices", func(ctx context.Context, q store.Queries) error {
		_, err := store.CreditNotesOn(ctx, q, []billing.InvoiceID{7, 8})
		return err
	}, "credit_note_item_invoice (invoice_id=?); SEARCH credit_note USING INTEGER PRIMARY KEY" + notSorted, "credit_note_item_invoice; credit_note_pkey"},
	{"what a payment pays for", func(ctx context.Context, q store.Queries) error {
		_, err := store.ApplicationsOfPayment(ctx, q, 7)
		return err
	}, "SEARCH application USING INDEX application_payment (payment_id=?)" + notSorted, "application_payment"},
	{"an invoice by its number", func(ctx context.Context, q store.Queries) error {
		_, err := store.InvoiceByNumber(ctx, q, "INV-777")
		return err
	}, "SEARCH invoice USING INDEX invoice_number (search=?)" + notSorted, "invoice_number"},
	{"a credit note by its number", func(ctx context.Context, q store.Queries) error {
		_, err := store.CreditNoteByNumber(ctx, q, "CN-777")
		return err
	}, "SEARCH credit_note USING INDEX credit_note_number (search=?)" + notSorted, "credit_note_number"},
	{"invoices of a series", func(ctx context.Context, q store.Queries) error {
		_, err := store.InvoicesInSeries(ctx, q, 1, 5000, 100)
		return err
	}, "SEARCH invoice USING INDEX invoice_place (series_id=? AND place>? AND place<?)" + notSorted, "invoice_place"},
	{"what is left of items", func(ctx context.Context, q store.Queries) error {
		_, err := store.ItemsLeft(ctx, q, []billing.SubscriptionID{7, 8})
		return err
	}, "SEARCH invoice_item USING INDEX invoice_item_key (subscription_id=? AND period_from>?)" + notSorted, "invoice_item_key; ! Sort"},
	{"the ledger of subscriptions", func(ctx context.Context, q store.Queries) error {
		_, err := store.LedgersOf(ctx, q, []billing.SubscriptionID{7, 8})
		return err
	}, "SEARCH ledger_key USING INDEX sqlite_autoindex_ledger_key_1 (subscription_id=?)" + notSorted, "ledger_key_pkey"},
	{"accounts that were set aside", func(ctx context.Context, q store.Queries) error {
		_, err := store.AccountsWithBillingProblem(ctx, q, 0, 21)
		return err
	}, "account_billing_problem" + notSorted, "account_billing_problem"},
	{"the newest invoices", documentPage(store.Invoices, ""), "SCAN invoice" + notSorted, "invoice_pkey; ! Sort"},
	{"invoices of an account", documentPage(store.Invoices, "account:A-77"), "SEARCH invoice USING INDEX invoice_account (account_id=?)" + notSorted, "invoice_account"},
	{"open invoices of an account", documentPage(store.Invoices, "account:A-77 state:open"), "SEARCH invoice USING INDEX invoice_account (account_id=?)" + notSorted, "using invoice_"},
	{"invoices of an account by what they cost", documentPage(store.Invoices, "account:A-77 amount:>10 currency:eur kind:subscription due:>2020-01-01"), "SEARCH invoice USING INDEX invoice_account (account_id=?)" + notSorted, "invoice_account"},
	{"invoices that were voided", documentPage(store.Invoices, "state:voided"), "SEARCH invoice USING COVERING INDEX invoice_stage (stage=? AND id>? AND id<?)" + notSorted, "Backward using invoice_stage"},
	{"invoices that are open", documentPage(store.Invoices, "state:open"), "SEARCH invoice USING COVERING INDEX invoice_stage (stage=? AND id>? AND id<?)" + notSorted, "Backward using invoice_stage"},
	{"invoices that are due", documentPage(store.Invoices, "state:open due:<=2024-10-20"), mergedBy("invoice_due (stage=? AND due_at=? AND id>? AND id<?)"), "Backward using invoice_due"},
	{"invoices to be paid on a day", documentPage(store.Invoices, "due:2023-11-12"), mergedBy("invoice_due (stage=? AND due_at=? AND id>? AND id<?)"), "Backward using invoice_due"},
	{"invoices by number", documentPage(store.Invoices, "number:inv-77"), "SEARCH invoice USING INDEX invoice_number (search=?)" + notSorted, "invoice_number; ! Sort"},
	{"invoices by the name of a customer", documentPage(store.Invoices, "zzz"), mergedBy("invoice_account (account_id=? AND id>? AND id<?)") + "; invoice_number (search=? AND id>? AND id<?)", "Backward using invoice_account; Backward using invoice_number"},
	{"invoices of a day", documentPage(store.Invoices, "issued:2022-11-15"), mergedBy("invoice_issued (issued_at=? AND id>? AND id<?)"), "Backward using invoice_issued"},
	{"invoices of a month", documentPage(store.Invoices, "issued:>=2022-11-01 issued:<2022-12-01"), mergedBy("invoice_issued (issued_at=? AND id>? AND id<?)"), "Backward using invoice_issued"},
	{"paid invoices of a month", documentPage(store.Invoices, "issued:>=2022-11-01 issued:<2022-12-01 state:paid"), mergedBy("invoice_issued (issued_at=? AND id>? AND id<?)"), "Backward using invoice_issued"},
	{"invoices since years", documentPage(store.Invoices, "issued:>=2021-11-01"), "SCAN invoice" + notSorted, "Backward using invoice_pkey"},
	{"invoices by when they were created", documentPage(store.Invoices, "created:2026-01-01"), "SEARCH invoice USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)" + notSorted, "invoice_pkey; Index Cond; ! Sort"},
	{"imported invoices", documentPage(store.Invoices, "kind:imported"), "SCAN invoice USING INDEX invoice_imported_order" + notSorted, "invoice_imported_order; ! Sort"},
	{"invoices made by hand", documentPage(store.Invoices, "kind:one_off"), "SCAN invoice USING INDEX invoice_one_off" + notSorted, "invoice_one_off; ! Sort"},
	{"credit notes of an account", documentPage(store.CreditNotes, "account:A-77"), "SEARCH credit_note USING INDEX credit_note_account (account_id=?)" + notSorted, "credit_note_account"},
	{"credit notes that wait", documentPage(store.CreditNotes, "state:ready"), "SEARCH credit_note USING COVERING INDEX credit_note_stage (stage=? AND id>? AND id<?)" + notSorted, "Backward using credit_note_stage"},
	{"credit notes of a month", documentPage(store.CreditNotes, "issued:>=2022-11-01 issued:<2022-12-01"), mergedBy("credit_note_issued (issued_at=? AND id>? AND id<?)"), "Backward using credit_note_issued"},
	{"credit notes by the name of a customer", documentPage(store.CreditNotes, "zzz"), mergedBy("credit_note_account (account_id=? AND id>? AND id<?)") + "; credit_note_number (search=?", "Backward using credit_note_account; Backward using credit_note_number"},
	{"payments that wait", documentPage(store.Payments, "state:ready"), "SEARCH payment USING COVERING INDEX payment_stage (stage=? AND id>? AND id<?)" + notSorted, "Backward using payment_stage"},
	{"payments by reference", documentPage(store.Payments, `reference:"ref 77"`), "SEARCH payment USING INDEX payment_reference (search=?)" + notSorted, "payment_reference; ! Sort"},
	{"payments of an invoice", documentPage(store.Payments, "invoice:inv-77"), "SEARCH invoice USING COVERING INDEX invoice_number (search=?); SEARCH application USING INDEX application_invoice (invoice_id=?); SEARCH payment USING INTEGER PRIMARY KEY (rowid=?)" + notSorted, "invoice_number; application_invoice; payment_pkey"},
	{"payments by the number of an invoice", documentPage(store.Payments, "inv-77"), "invoice_number (search=?); application_invoice (invoice_id=?); SEARCH payment USING INTEGER PRIMARY KEY (rowid=?)", "invoice_number; application_invoice; payment_pkey"},
	{"a count of payments by the number of an invoice", func(ctx context.Context, q store.Queries) error {
		_, err := store.Payments.Count(ctx, q, words("inv-77"))
		return err
	}, "MULTI-INDEX OR; payment_account (account_id=?); payment_reference (search=?); INTEGER PRIMARY KEY (rowid=?)", "payment_account; payment_reference; payment_pkey"},
	{"payments of a month", documentPage(store.Payments, "received:>=2022-11-01 received:<2022-12-01"), mergedBy("payment_received (received_at=? AND id>? AND id<?)"), "Backward using payment_received"},
	{"payments by the name of a customer", documentPage(store.Payments, "zzz"), mergedBy("payment_account (account_id=? AND id>? AND id<?)") + "; payment_reference (search=?", "Backward using payment_account; Backward using payment_reference"},
	{"a count of invoices by the name of a customer", func(ctx context.Context, q store.Queries) error {
		_, err := store.Invoices.Count(ctx, q, words("zzz"))
		return err
	}, "MULTI-INDEX OR; invoice_account (account_id=?); invoice_number (search=?)", "invoice_account; invoice_number"},
	{"the statement of an account", documentPage(store.AccountEntries, "account:A-77"), "SEARCH account_entry USING INDEX account_entry_account (account_id=?)" + notSorted, "account_entry_account"},
	{"billing events of an account", documentPage(store.BillingEvents, "account:A-77"), "SEARCH billing_event USING INDEX billing_event_sequence (account_id=?)", "billing_event_sequence"},
	{"what pays for an invoice", documentPage(store.Applications, "invoice:77"), "SEARCH application USING INDEX application_invoice (invoice_id=?)" + notSorted, "application_invoice"},
}

// TestDocumentPlans asks SQLite on small tables and PostgreSQL on grown ones, as TestPlans
// does: about documents, then about the collections of these, then about e-mail on them.
// Each adds its rows to those of the one before, which take longer than the questions.
func TestDocumentPlans(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s, count := db.Open(t), documentCount
		if db.Engine == "sqlite" {
			count = 1200 // for it to ask about
		}
		growDocuments(t, s, count)
		t.Run("documents", func(t *testing.T) {
			checkPlans(t, s, noScans("subscription", "account_billing", "invoice", "credit_note", "payment", "application", "account_entry", "billing_event", "pending_item"), documentPlans, nil)
		})
		growCollections(t, s)
		t.Run("collections", func(t *testing.T) {
			checkPlans(t, s, noScans("payment_collection", "payment_attempt", "payment_refund", "payment_method", "payment_notice"), collectionPlans, collectionWrites)
		})
		growEmails(t, s)
		t.Run("email", func(t *testing.T) {
			checkPlans(t, s, noScans("email ", "payment_method"), emailPlans, emailWrites)
		})
	})
}

// noScans is a plan of PostgreSQL that reads none of the tables from end to end, nor
// those whose names begin so, unless a space follows.
func noScans(tables ...string) (plan string) {
	for _, table := range tables {
		plan += "; ! Seq Scan on " + table
	}
	return plan
}
