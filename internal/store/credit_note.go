package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

var usedStates = []string{string(document.Ready), string(document.PartiallyApplied), string(document.Applied)}

// CreditNotes keeps document.CreditNote without its items, which are in
// CreditNoteItems.
var CreditNotes = newTable(Table[document.CreditNote, billing.CreditNoteID]{
	name: "credit_note",
	id:   func(c *document.CreditNote) *billing.CreditNoteID { return &c.ID },
	columns: []string{
		"uuid", "number", "kind", "reason", "entity_id", "account_id", "currency_id", "scale", "issued_at", "subtotal", "tax_amount", "amount", "taxes",
		"seller", "buyer", "locale", "test_clock_id", "series_id", "place", "previous_hash", "hash", "amount_applied", "stage", "item_count",
	},
	fields: func(c *document.CreditNote) []any {
		fields := []any{
			&c.UUID, &c.Number, &c.Kind, &c.Reason, &c.EntityID, &c.AccountID, column.Currency(&c.Currency), scaleOf(&c.Currency), column.Day(&c.IssuedAt),
			&c.Subtotal, &c.TaxAmount, &c.Amount, column.JSON(&c.Taxes), column.OptionalJSON(&c.Seller), column.OptionalJSON(&c.Buyer), &c.Locale, &c.TestClockID,
		}
		return append(append(fields, linkColumns(&c.Link)...), &c.AmountApplied, useColumn(c.State), column.Written(func() int64 { return int64(len(c.Items)) }))
	},
	stamps: func(c *document.CreditNote) (*time.Time, *time.Time) { return &c.CreatedAt, &c.UpdatedAt },
	words:  func(c *document.CreditNote) []string { return []string{c.Number} },
	filters: map[string]field{
		"number": {"search", called, nil}, "kind": {"kind", enum, []string{"DIFFERENCE", "CREDIT", "CANCELLATION", "WRITE_OFF"}}, "state": {"stage", enum, usedStates},
		"account": {"account_id", refer, []string{"account"}}, "entity": {"entity_id", refer, []string{"entity"}},
		"currency": {"currency_id", currency, nil}, "issued": {"issued_at", day, nil}, "amount": {"amount", amount, nil},
	},
	isDocument: true, settled: string(document.Applied),
})

// CreditNoteItems keeps document.CreditItem.
var CreditNoteItems = newTable(Table[document.CreditItem, billing.CreditNoteItemID]{
	name: "credit_note_item",
	id:   func(i *document.CreditItem) *billing.CreditNoteItemID { return &i.ID },
	columns: []string{
		"credit_note_id", "position", "invoice_id", "invoice_item_id", "invoice_number", "item_position", "line_text", "start_date", "end_date",
		"tax_category", "tax_rate", "tax_reason", "priced", "amount", "explanation",
	},
	fields: func(i *document.CreditItem) []any {
		return []any{
			&i.CreditNoteID, &i.Position, &i.InvoiceID, &i.ItemID, &i.InvoiceNumber, &i.ItemPosition, &i.LineText, column.DayOrNone(&i.StartDate), column.DayOrNone(&i.EndDate),
			&i.Tax.Category, &i.Tax.Percent, &i.Tax.Reason, &i.Priced, &i.Amount, column.OptionalJSON(&i.Explanation),
		}
	},
	filters: map[string]field{"creditNote": {"credit_note_id", number, nil}, "invoice": {"invoice_id", number, nil}},
})

// CreditItemsOf returns the items of credit notes, in the order of credit notes
// and positions, however many they are.
func CreditItemsOf(ctx context.Context, q Queries, notes []billing.CreditNoteID) ([]document.CreditItem, error) {
	columns, scan := CreditNoteItems.Projection(nil)
	text := `SELECT ` + columns + ` FROM credit_note_item WHERE credit_note_id IN (SELECT value FROM json_each($1)) ORDER BY credit_note_id, position`
	return CreditNoteItems.rows(ctx, q, text, []any{db.JSONList(notes)}, len(notes), scan)
}

// CreditNotesOn returns the credit notes with an item on those invoices, without
// their items, in the order of ids, and which invoices each is on.
func CreditNotesOn(ctx context.Context, q Queries, invoices []billing.InvoiceID) ([]document.CreditNote, error) {
	columns, scan := CreditNotes.Projection(nil)
	text := `SELECT ` + columns + ` FROM credit_note WHERE id IN (SELECT credit_note_id FROM credit_note_item WHERE invoice_id IN (SELECT value FROM json_each($1))) ORDER BY id`
	return CreditNotes.rows(ctx, q, text, []any{db.JSONList(invoices)}, 0, scan)
}

// CreditNoteByNumber returns the first credit note with that number, or nil.
func CreditNoteByNumber(ctx context.Context, q Queries, number string) (*document.CreditNote, error) {
	return byNumber(ctx, q, CreditNotes, number)
}

// CreditNoteByUUID returns the credit note with that UUID, or nil.
func CreditNoteByUUID(ctx context.Context, q Queries, uuid string) (*document.CreditNote, error) {
	return CreditNotes.by(ctx, q, "uuid", uuid)
}

// WaitingCreditNotes returns the credit notes of accounts that were not used up,
// without their items, oldest first.
func WaitingCreditNotes(ctx context.Context, q Queries, accounts []billing.AccountID) ([]document.CreditNote, error) {
	columns, scan := CreditNotes.Projection(nil)
	text := `SELECT ` + columns + ` FROM credit_note WHERE account_id IN (SELECT value FROM json_each($1)) AND stage <> 'APPLIED' ORDER BY account_id, id`
	return CreditNotes.rows(ctx, q, text, []any{db.JSONList(accounts)}, 0, scan)
}

var saveUsedNotes = &db.Batch{
	Columns:   []db.Column{{"of", "BIGINT"}, {"applied", "BIGINT"}, {"stage", "TEXT"}, {"at", "BIGINT"}},
	Statement: `UPDATE credit_note SET amount_applied = new.applied, stage = new.stage, updated_at = new.at FROM new WHERE credit_note.id = new.of`,
}

// SaveUsedCreditNotes writes how much of credit notes was used.
func SaveUsedCreditNotes(ctx context.Context, tx *Tx, notes []*document.CreditNote) error {
	return saveUsedNotes.Run(ctx, tx, len(notes), func(n int) []any {
		return []any{int64(notes[n].ID), int64(notes[n].AmountApplied), string(notes[n].State()), tx.Now.UnixMilli()}
	}, nil)
}
