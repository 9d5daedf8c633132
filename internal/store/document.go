package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// largestDigits is how many digits amounts have after the point at most. Times its
// scale, an amount of any currency has that many.
const largestDigits = 4

// scaled reads an amount that is compared with those of all currencies.
func scaled(text string) (int64, error) {
	whole, fraction, point := strings.Cut(text, ".")
	if whole == "" || point && fraction == "" || len(fraction) > largestDigits || strings.ContainsAny(text, "+-") {
		return 0, strconv.ErrSyntax
	}
	// A digit less than fits, so that the scale can be added.
	return strconv.ParseInt(whole+fraction+strings.Repeat("0", largestDigits-len(fraction)), 10, 63)
}

// compareAmount compares amounts with one of all currencies. It is that one which is
// brought to their scale, because an amount times its scale may be too large.
func compareAmount(s *db.Select, column, scale string, op billing.Op, n int64) string {
	switch op {
	case billing.GreaterEqual, billing.Less: // rounded up, so that a part of a unit counts
		return s.Condition(column+" "+string(op)+" (%s + "+scale+" - 1) / "+scale, n)
	case billing.Equal:
		return s.Condition(column+" = %s / "+scale, n) + " AND " + s.Condition("%s %% "+scale+" = 0", n)
	}
	return s.Condition(column+" "+string(op)+" %s / "+scale, n)
}

func scaleOf(c *money.Currency) column.Column {
	return column.Written(func() int64 {
		scale := int64(1)
		for range largestDigits - c.Digits {
			scale *= 10
		}
		return scale
	})
}

// hashColumn keeps a hash as hexadecimal digits.
type hashColumn document.Hash

func (c *hashColumn) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a hash is stored as %T", src)
	}
	h, err := document.ParseHash(text)
	*c = hashColumn(h)
	return err
}

func (c *hashColumn) Value() (driver.Value, error) { return document.Hash(*c).String(), nil }

// linkColumns are where a document is in its series: series_id, place,
// previous_hash and hash.
func linkColumns(l *document.Link) []any {
	return []any{column.OrZero(&l.SeriesID), column.OrZero(&l.Place), (*hashColumn)(&l.Previous), (*hashColumn)(&l.Hash)}
}

// useColumn keeps how much of a credit note or payment was used. It is there to
// be found by.
func useColumn(state func() document.CreditNoteState) column.Column {
	return column.Derived(func() driver.Value { return string(state()) })
}

// DocumentsOfAccount counts the invoices, credit notes and payments of an account,
// up to MostCounted and one more.
func DocumentsOfAccount(ctx context.Context, q Queries, id billing.AccountID) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM invoice WHERE account_id = $1 UNION ALL SELECT 1 FROM credit_note WHERE account_id = $1
		UNION ALL SELECT 1 FROM payment WHERE account_id = $1`, int64(id))
}

// DeleteDocumentsOf removes all that an account was billed. The database allows
// that only for accounts on a test clock, and for those that have no documents.
func DeleteDocumentsOf(ctx context.Context, tx *Tx, id billing.AccountID) error {
	for _, text := range []string{
		`DELETE FROM email_queue WHERE account_id = $1`,
		`DELETE FROM email WHERE account_id = $1`,
		`DELETE FROM dunning_step WHERE invoice_id IN (SELECT id FROM invoice WHERE account_id = $1)`,
		`DELETE FROM dunning WHERE account_id = $1`,
		`DELETE FROM payment_refund WHERE account_id = $1`,
		`DELETE FROM payment_attempt WHERE payment_collection_id IN (SELECT id FROM payment_collection WHERE account_id = $1)`,
		`DELETE FROM payment_collection_invoice WHERE payment_collection_id IN (SELECT id FROM payment_collection WHERE account_id = $1)`,
		`DELETE FROM payment_collection WHERE account_id = $1`,
		`DELETE FROM payment_method WHERE account_id = $1`,
		`DELETE FROM application WHERE invoice_id IN (SELECT id FROM invoice WHERE account_id = $1)`,
		`DELETE FROM document_file WHERE uuid IN (SELECT uuid FROM invoice WHERE account_id = $1 UNION ALL SELECT uuid FROM credit_note WHERE account_id = $1)`,
		`DELETE FROM credit_note_item WHERE credit_note_id IN (SELECT id FROM credit_note WHERE account_id = $1)`,
		`DELETE FROM credit_note WHERE account_id = $1`,
		`DELETE FROM invoice_item WHERE invoice_id IN (SELECT id FROM invoice WHERE account_id = $1)`,
		`DELETE FROM invoice WHERE account_id = $1`,
		`DELETE FROM payment WHERE account_id = $1`,
		`DELETE FROM account_entry WHERE account_id = $1`,
		`DELETE FROM pending_item WHERE account_id = $1`,
		`DELETE FROM ledger_key WHERE subscription_id IN (SELECT id FROM subscription WHERE account_id = $1)`,
		`DELETE FROM billing_event WHERE account_id = $1`,
		`DELETE FROM account_billing WHERE account_id = $1`,
	} {
		if _, err := tx.Exec(ctx, text, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteSeriesOnClock removes the series of numbers of a test clock.
func DeleteSeriesOnClock(ctx context.Context, tx *Tx, id billing.TestClockID) error {
	_, err := tx.Exec(ctx, `DELETE FROM number_series WHERE test_clock_id = $1`, int64(id))
	return err
}
