package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// The stages of invoices in the database. OPEN is NOT_DUE and DUE, which differ by
// the date alone.
const (
	stageDraft  = "DRAFT"
	stageOpen   = "OPEN"
	stagePaid   = "PAID"
	stageUnpaid = "UNPAID"
	stageVoided = "VOIDED"
)

var invoiceStages = []string{stageDraft, stageOpen, stagePaid, stageUnpaid, stageVoided}

// Invoices keeps document.Invoice without its items, which are in InvoiceItems.
var Invoices = newTable(Table[document.Invoice, billing.InvoiceID]{
	name: "invoice",
	id:   func(i *document.Invoice) *billing.InvoiceID { return &i.ID },
	columns: []string{
		"uuid", "number", "kind", "entity_id", "account_id", "subscription_id", "currency_id", "scale", "issued_at", "due_at", "period_start", "period_end",
		"subtotal", "tax_amount", "amount", "applied_at_issue", "taxes", "seller", "buyer", "notes", "po_number", "buyer_reference", "locale", "test_clock_id",
		"series_id", "place", "previous_hash", "hash", "issue_after", "stage", "credits", "amount_paid", "amount_due", "credited", "given_po_number", "item_count",
	},
	fields: func(i *document.Invoice) []any {
		fields := []any{
			&i.UUID, &i.Number, &i.Kind, &i.EntityID, &i.AccountID, &i.SubscriptionID, column.Currency(&i.Currency), scaleOf(&i.Currency),
			column.DayOrNone(&i.IssuedAt), column.DayOrNone(&i.DueAt), column.DayOrNone(&i.PeriodStart), column.DayOrNone(&i.PeriodEnd),
			&i.Subtotal, &i.TaxAmount, &i.Amount, &i.AppliedAtIssue, column.JSON(&i.Taxes), column.OptionalJSON(&i.Seller), column.OptionalJSON(&i.Buyer),
			&i.Notes, &i.PONumber, &i.BuyerReference, &i.Locale, &i.TestClockID,
		}
		fields = append(fields, linkColumns(&i.Link)...)
		due := func() int64 { return int64(i.AmountDue()) }
		return append(fields, column.OptionalMillis(&i.IssueAfter), (*stageColumn)(i), &i.Credits, &i.AmountPaid, column.Written(due), column.JSON(&i.Credited), &i.GivenPONumber, column.Written(func() int64 { return int64(len(i.Items)) }))
	},
	stamps: func(i *document.Invoice) (*time.Time, *time.Time) { return &i.CreatedAt, &i.UpdatedAt },
	words:  func(i *document.Invoice) []string { return []string{i.Number} },
	filters: map[string]field{
		"number": {"search", called, nil}, "kind": {"kind", enum, []string{"SUBSCRIPTION", "ONE_OFF", "IMPORTED"}},
		"state":   {"stage", enum, invoiceStages},
		"account": {"account_id", refer, []string{"account"}}, "entity": {"entity_id", refer, []string{"entity"}},
		"currency": {"currency_id", currency, nil}, "issued": {"issued_at", day, nil}, "due": {"due_at", day, invoiceStages},
		"amount": {"amount", amount, nil}, "amountDue": {"amount_due", amount, nil},
	},
	isDocument: true, settled: stagePaid,
})

// stageColumn keeps what became of an invoice.
type stageColumn document.Invoice

func (c *stageColumn) Scan(src any) error {
	stage, ok := src.(string)
	if !ok {
		return fmt.Errorf("the stage of an invoice is stored as %T", src)
	}
	c.Voided, c.WrittenOff = stage == stageVoided, stage == stageUnpaid
	return nil
}

func (c *stageColumn) Value() (driver.Value, error) {
	switch state := (*document.Invoice)(c).State(billing.Date{}); state {
	case document.NotDue, document.Due:
		return stageOpen, nil
	default:
		return string(state), nil
	}
}

// WithItems gives invoices their items.
func WithItems(ctx context.Context, q Queries, invoices []document.Invoice) error {
	ids := make([]billing.InvoiceID, len(invoices))
	at := make(map[billing.InvoiceID]*document.Invoice, len(invoices))
	for n := range invoices {
		ids[n], at[invoices[n].ID] = invoices[n].ID, &invoices[n]
		invoices[n].Items = nil
	}
	items, err := ItemsOf(ctx, q, ids)
	for first, n := 0, 0; n < len(items); n++ {
		if id := items[n].InvoiceID; n+1 == len(items) || items[n+1].InvoiceID != id {
			at[id].Items, first = items[first:n+1:n+1], n+1
		}
	}
	return err
}

// InvoiceByNumber returns the first invoice with that number, or nil.
func InvoiceByNumber(ctx context.Context, q Queries, number string) (*document.Invoice, error) {
	return byNumber(ctx, q, Invoices, number)
}

// byNumber finds a document by its number, along the index of what documents are
// called.
func byNumber[T any, K ~int64](ctx context.Context, q Queries, t *Table[T, K], number string) (*T, error) {
	if number == "" || nobodyHas(number) {
		return nil, nil
	}
	columns, _ := t.Projection(nil)
	return t.first(ctx, q, `SELECT `+columns+` FROM `+t.name+` WHERE search = $1 AND number = $2 ORDER BY id LIMIT 1`, billing.Fold(number), number)
}

// ImportedInvoices returns invoices of other systems after an id, in the order of
// ids.
func ImportedInvoices(ctx context.Context, q Queries, after billing.InvoiceID, limit int) ([]document.Invoice, error) {
	columns, scan := Invoices.Projection(nil)
	text := `SELECT ` + columns + ` FROM invoice WHERE kind = 'IMPORTED' AND id > $1 ORDER BY id LIMIT $2`
	return Invoices.rows(ctx, q, text, []any{int64(after), limit}, limit, scan)
}

// ImportedNumber returns a number of an invoice of another system that is meant, empty
// if none is. It looks at all of them, along an index that has nothing else.
func ImportedNumber(ctx context.Context, q Queries, meant func(number string) bool) (found string, err error) {
	err = q.Each(ctx, `SELECT number FROM invoice WHERE kind = 'IMPORTED'`, nil, func(rows scanner) error {
		var number string
		err := rows.Scan(&number)
		if found == "" && meant(number) {
			found = number
		}
		return err
	})
	return found, err
}

// InvoiceByUUID returns the invoice with that UUID, or nil.
func InvoiceByUUID(ctx context.Context, q Queries, uuid string) (*document.Invoice, error) {
	return Invoices.by(ctx, q, "uuid", uuid)
}

// unsettled are open invoices and drafts, in the words of their index. By a stage
// that it is equal to, SQLite would look for those of all accounts.
const unsettled = `stage <> 'PAID' AND stage <> 'UNPAID' AND stage <> 'VOIDED'`

// OpenInvoices returns the invoices of accounts with something due, without their
// items, in the order of due dates.
func OpenInvoices(ctx context.Context, q Queries, accounts []billing.AccountID) ([]document.Invoice, error) {
	columns, scan := Invoices.Projection(nil)
	text := `SELECT ` + columns + ` FROM invoice WHERE account_id IN (SELECT value FROM json_each($1)) AND ` + unsettled + ` AND number <> '' ORDER BY account_id, due_at, id`
	return Invoices.rows(ctx, q, text, []any{db.JSONList(accounts)}, 0, scan)
}

// What changes of an issued invoice, and of its items.
var (
	saveOutcomes = &db.Batch{
		Columns: []db.Column{{"of", "BIGINT"}, {"stage", "TEXT"}, {"credits", "BIGINT"}, {"paid", "BIGINT"}, {"due", "BIGINT"}, {"credited", "TEXT"}, {"at", "BIGINT"}},
		Statement: `UPDATE invoice SET stage = new.stage, credits = new.credits, amount_paid = new.paid, amount_due = new.due, credited = new.credited, updated_at = new.at
			FROM new WHERE invoice.id = new.of`,
	}
	saveCredited = &db.Batch{
		Columns:   []db.Column{{"of", "BIGINT"}, {"credited", "BIGINT"}, {"written_off", "BIGINT"}},
		Statement: `UPDATE invoice_item SET credited = new.credited, written_off = new.written_off FROM new WHERE invoice_item.id = new.of`,
	}
)

// SaveOutcomes writes what became of issued invoices: what was credited and paid,
// and whether they were voided or written off.
func SaveOutcomes(ctx context.Context, tx *Tx, invoices []*document.Invoice) error {
	return saveOutcomes.Run(ctx, tx, len(invoices), func(n int) []any {
		i := invoices[n]
		i.UpdatedAt = tx.Now
		return []any{int64(i.ID), (*stageColumn)(i), int64(i.Credits), int64(i.AmountPaid), int64(i.AmountDue()), column.JSON(&i.Credited), tx.Now.UnixMilli()}
	}, nil)
}

// SaveCredited writes how much of items has been credited and written off.
func SaveCredited(ctx context.Context, tx *Tx, items []*document.Item) error {
	return saveCredited.Run(ctx, tx, len(items), func(n int) []any {
		return []any{int64(items[n].ID), int64(items[n].Credited), int64(items[n].WrittenOff)}
	}, nil)
}

// DeleteItems removes the items of drafts.
func DeleteItems(ctx context.Context, tx *Tx, invoices []billing.InvoiceID) error {
	_, err := tx.Exec(ctx, `DELETE FROM invoice_item WHERE invoice_id IN (SELECT value FROM json_each($1))`, db.JSONList(invoices))
	return err
}

// DraftsOf returns the drafts of accounts, without their items, in the order of
// accounts.
func DraftsOf(ctx context.Context, q Queries, accounts []billing.AccountID) ([]document.Invoice, error) {
	columns, scan := Invoices.Projection(nil)
	text := `SELECT ` + columns + ` FROM invoice WHERE account_id IN (SELECT value FROM json_each($1)) AND number = '' ORDER BY account_id, due_at, id`
	return Invoices.rows(ctx, q, text, []any{db.JSONList(accounts)}, 0, scan)
}

// AccountsWithDrafts returns at most limit accounts with drafts that were written by a
// time, after another account.
func AccountsWithDrafts(ctx context.Context, q Queries, written time.Time, after billing.AccountID, limit int) ([]billing.AccountID, error) {
	return accountIDs(ctx, q, `SELECT DISTINCT account_id FROM invoice WHERE number = '' AND account_id > $1 AND updated_at <= $2 ORDER BY account_id LIMIT $3`,
		int64(after), written.UnixMilli(), limit)
}

// DueDrafts returns the accounts on real time with a draft that is to be issued by
// a time.
func DueDrafts(ctx context.Context, q Queries, now time.Time, limit int) (accounts []billing.AccountID, err error) {
	err = q.Each(ctx, `SELECT account_id FROM invoice WHERE issue_after IS NOT NULL AND test_clock_id IS NULL AND issue_after <= $1 ORDER BY issue_after LIMIT $2`, []any{now.UnixMilli(), limit}, column.Collect(&accounts))
	return accounts, err
}

// DueDraftsOnClock is DueDrafts for a test clock, by the time that it shows.
func DueDraftsOnClock(ctx context.Context, q Queries, clock billing.TestClockID, limit int) ([]billing.AccountID, error) {
	return accountIDs(ctx, q, `SELECT account_id FROM invoice WHERE issue_after IS NOT NULL AND test_clock_id = $1
		AND issue_after <= (SELECT now FROM test_clock WHERE id = $1) ORDER BY issue_after LIMIT $2`, int64(clock), limit)
}

// NextDraftOnClock is when the next draft on a test clock is to be issued, and whether
// there is one. Those of entities that do not issue invoices by a day are left out.
func NextDraftOnClock(ctx context.Context, q Queries, clock billing.TestClockID, day billing.Date) (at time.Time, found bool, err error) {
	found, err = q.One(ctx, `SELECT issue_after FROM invoice JOIN account ON account.id = invoice.account_id
		JOIN entity ON entity.id = COALESCE(account.entity_id, (SELECT MIN(id) FROM entity))
		WHERE issue_after IS NOT NULL AND invoice.test_clock_id = $1 AND invoicing_starts_on <= $2 ORDER BY issue_after LIMIT 1`, []any{int64(clock), day.String()}, column.Millis(&at))
	return at, found, err
}

// HasDocuments reports whether an entity has issued anything that is no test, or has an
// account that was billed by another one.
func HasDocuments(ctx context.Context, q Queries, id billing.EntityID) (bool, error) {
	var n int64
	found, err := q.One(ctx, `SELECT documents FROM number_series WHERE entity_id = $1 AND test_clock_id = 0 AND documents > 0 LIMIT 1`, []any{int64(id)}, &n)
	if found || err != nil {
		return found, err
	}
	return q.One(ctx, `SELECT id FROM account WHERE entity_id = $1 AND test_clock_id IS NULL
		AND EXISTS (SELECT 1 FROM invoice WHERE invoice.account_id = account.id AND kind <> 'IMPORTED') LIMIT 1`, []any{int64(id)}, &n)
}

// IsInvoiced reports whether an account has an invoice that was not imported.
func IsInvoiced(ctx context.Context, q Queries, id billing.AccountID) (bool, error) {
	var n int64
	return q.One(ctx, `SELECT id FROM invoice WHERE account_id = $1 AND kind <> 'IMPORTED' LIMIT 1`, []any{int64(id)}, &n)
}
