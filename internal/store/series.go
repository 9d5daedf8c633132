package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store/column"
)

// SeriesRef names a series of numbers: of an entity, for one kind of documents,
// and for the accounts on a test clock or, if that is 0, for all others.
type SeriesRef struct {
	EntityID    billing.EntityID
	Kind        string
	TestClockID billing.TestClockID
}

// The kinds of series. An entity that numbers both alike has one series, that of
// invoices.
const (
	InvoiceSeries    = "INVOICE"
	CreditNoteSeries = "CREDIT_NOTE"
)

// Series is where a series of numbers stands. Its format is the entity's.
type Series struct {
	ID billing.SeriesID
	SeriesRef
	document.Series
	// Documents counts the documents of the series.
	Documents int64
}

func (s *Series) fields() []any {
	return []any{&s.ID, &s.EntityID, &s.Kind, &s.TestClockID, &s.Year, &s.Last, &s.Highest, (*wordsColumn)(&s.Formats), column.DayOrNone(&s.LastIssuedAt), &s.Documents, (*hashColumn)(&s.Head)}
}

// wordsColumn keeps texts without spaces, such as formats of numbers.
type wordsColumn []string

func (c *wordsColumn) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("words are stored as %T", src)
	}
	*c = nil
	if text != "" {
		*c = strings.Fields(text)
	}
	return nil
}

func (c *wordsColumn) Value() (driver.Value, error) { return strings.Join(*c, " "), nil }

const seriesColumns = "id, entity_id, kind, test_clock_id, year, last, highest, formats, last_issued_at, documents, head_hash"

// LockSeries returns a series, which is made if there is none, and keeps others
// from numbering documents of it until the transaction ends.
func LockSeries(ctx context.Context, tx *Tx, ref SeriesRef) (*Series, error) {
	args := []any{int64(ref.EntityID), ref.Kind, int64(ref.TestClockID)}
	text := `SELECT ` + seriesColumns + ` FROM number_series WHERE entity_id = $1 AND kind = $2 AND test_clock_id = $3` + tx.Dialect.ForUpdate
	var s Series
	found, err := tx.One(ctx, text, args, s.fields()...)
	if err != nil || found {
		return &s, err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO number_series (entity_id, kind, test_clock_id, year, last, highest, formats, documents, head_hash) VALUES ($1, $2, $3, 0, 0, 0, '', 0, $4)
		ON CONFLICT (entity_id, kind, test_clock_id) DO NOTHING`, append(args, document.Hash{}.String())...); err != nil {
		return nil, err
	}
	_, err = tx.One(ctx, text, args, s.fields()...)
	return &s, err
}

// SaveSeries writes where a series stands.
func SaveSeries(ctx context.Context, tx *Tx, s *Series) error {
	_, err := tx.Exec(ctx, `UPDATE number_series SET year = $2, last = $3, highest = $4, formats = $5, last_issued_at = $6, documents = $7, head_hash = $8 WHERE id = $1`,
		int64(s.ID), s.Year, s.Last, s.Highest, (*wordsColumn)(&s.Formats), column.DayOrNone(&s.LastIssuedAt), s.Documents, (*hashColumn)(&s.Head))
	return err
}

// LockNumbers returns an entity's number formats and the counts that its series begin
// with, and keeps others from changing them until the transaction ends.
func LockNumbers(ctx context.Context, tx *Tx, id billing.EntityID) (*billing.Entity, error) {
	e := &billing.Entity{ID: id}
	_, err := tx.One(ctx, `SELECT invoice_number_format, credit_note_number_format, invoice_next_number, credit_note_next_number FROM entity WHERE id = $1`+tx.Dialect.ForNoKeyUpdate,
		[]any{int64(id)}, &e.InvoiceNumberFormat, &e.CreditNoteNumberFormat, &e.InvoiceNextNumber, &e.CreditNoteNextNumber)
	return e, err
}

// AllSeries returns all series in the order of ids; only those of an entity if it
// is not 0.
func AllSeries(ctx context.Context, q Queries, entity billing.EntityID) (all []Series, err error) {
	err = q.Each(ctx, `SELECT `+seriesColumns+` FROM number_series WHERE CAST($1 AS BIGINT) = 0 OR entity_id = $1 ORDER BY id`, []any{int64(entity)}, func(rows scanner) error {
		var s Series
		err := rows.Scan(s.fields()...)
		all = append(all, s)
		return err
	})
	return all, err
}

// issued are the columns of an invoice that are fixed when it is issued.
var issued = slices.DeleteFunc(slices.Clone(Invoices.columns), func(column string) bool {
	return contains([]string{"issue_after", "stage", "credits", "amount_paid", "amount_due", "credited", "given_po_number", "created_at", "updated_at"}, column)
})

// InvoicesInSeries returns at most limit invoices of a series from a place on, as
// they were issued, without their items, in order.
func InvoicesInSeries(ctx context.Context, q Queries, id billing.SeriesID, from int64, limit int) ([]document.Invoice, error) {
	columns, scan := Invoices.Projection(issued)
	text := `SELECT ` + columns + ` FROM invoice WHERE series_id = $1 AND place >= $2 AND place < $3 ORDER BY place`
	return Invoices.rows(ctx, q, text, []any{int64(id), from, from + int64(limit)}, limit, scan)
}

// CreditNotesInSeries is InvoicesInSeries for credit notes.
func CreditNotesInSeries(ctx context.Context, q Queries, id billing.SeriesID, from int64, limit int) ([]document.CreditNote, error) {
	columns, scan := CreditNotes.Projection(nil)
	text := `SELECT ` + columns + ` FROM credit_note WHERE series_id = $1 AND place >= $2 AND place < $3 ORDER BY place`
	return CreditNotes.rows(ctx, q, text, []any{int64(id), from, from + int64(limit)}, limit, scan)
}
