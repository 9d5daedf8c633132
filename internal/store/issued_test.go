package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// changing are the columns of issued documents that say what became of them. All
// others are fixed.
var changing = map[string][]string{
	"invoice":      {"issue_after", "stage", "credits", "amount_paid", "amount_due", "credited", "updated_at"},
	"invoice_item": {"credited", "written_off"},
	"credit_note":  {"amount_applied", "stage", "updated_at"},
}

// issuedDocuments are an invoice and a credit note with an item each.
func issuedDocuments(m maker, account billing.AccountID, clock *billing.TestClockID) (invoice *document.Invoice, note *document.CreditNote) {
	invoice = m.invoice(account, func(i *document.Invoice) { i.TestClockID, i.Items = clock, make([]document.Item, 1) })
	note = m.creditNote(account, func(c *document.CreditNote) {
		c.TestClockID, c.Items = clock, []document.CreditItem{{InvoiceID: invoice.ID, ItemID: &invoice.Items[0].ID}}
	})
	return invoice, note
}

// TestIssuedDocumentsAreFixed tries to change every column of issued documents, to
// the value that it has, and to delete them: with SQL, as whoever has the
// database could.
func TestIssuedDocumentsAreFixed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		var account billing.AccountID
		var real, test, unnumbered *document.Invoice
		var realNote, testNote *document.CreditNote
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			account = m.account("A").ID
			real, realNote = issuedDocuments(m, account, nil)
			test, testNote = issuedDocuments(m, account, &m.clock().ID)
			unnumbered = m.invoice(account, draft, func(i *document.Invoice) { i.Items = make([]document.Item, 1) })
		})
		exec := func(format string, args ...any) error {
			return attempt(t, s, func(ctx context.Context, tx *store.Tx) {
				n, err := store.Exec(ctx, tx, fmt.Sprintf(format, args...))
				must(err)
				if n != 1 {
					must(fmt.Errorf("%d rows", n))
				}
			})
		}
		for table, ids := range map[string][]int64{
			"invoice": {int64(real.ID), int64(test.ID)}, "invoice_item": {int64(real.Items[0].ID), int64(test.Items[0].ID)},
			"credit_note": {int64(realNote.ID), int64(testNote.ID)}, "credit_note_item": {int64(realNote.Items[0].ID), int64(testNote.Items[0].ID)},
		} {
			for _, column := range columnsOf(t, s, table) {
				for _, id := range ids {
					err := exec("UPDATE %s SET %s = %s WHERE id = %d", table, column, column, id)
					if fixed := !slices.Contains(changing[table], column); fixed == (err == nil) {
						t.Errorf("changing %s.%s of row %d: %v; it is fixed: %t", table, column, id, err, fixed)
					}
				}
			}
		}
		again := func(table string, id int64, position string) string { // the same item once more
			columns := strings.Join(slices.DeleteFunc(columnsOf(t, s, table), func(c string) bool { return c == "id" }), ", ")
			return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s WHERE id = %d", table, columns, strings.Replace(columns, "position", position, 1), table, id)
		}
		for what, text := range map[string]string{
			"an item of a draft moved to an issued invoice":      fmt.Sprintf("UPDATE invoice_item SET invoice_id = %d, position = 7 WHERE id = %d", real.ID, unnumbered.Items[0].ID),
			"an item of an issued invoice moved to a draft":      fmt.Sprintf("UPDATE invoice_item SET invoice_id = %d, position = 7 WHERE id = %d", unnumbered.ID, real.Items[0].ID),
			"an issued invoice made a draft":                     fmt.Sprintf("UPDATE invoice SET number = '' WHERE id = %d", real.ID),
			"an issued invoice made a test":                      fmt.Sprintf("UPDATE invoice SET test_clock_id = 1 WHERE id = %d", real.ID),
			"a credit note made a test":                          fmt.Sprintf("UPDATE credit_note SET test_clock_id = 1 WHERE id = %d", realNote.ID),
			"an issued invoice deleted":                          fmt.Sprintf("DELETE FROM invoice WHERE id = %d", real.ID),
			"an item of an issued invoice deleted":               fmt.Sprintf("DELETE FROM invoice_item WHERE id = %d", real.Items[0].ID),
			"a credit note deleted":                              fmt.Sprintf("DELETE FROM credit_note WHERE id = %d", realNote.ID),
			"an item of a credit note deleted":                   fmt.Sprintf("DELETE FROM credit_note_item WHERE id = %d", realNote.Items[0].ID),
			"a test credit note changed":                         fmt.Sprintf("UPDATE credit_note SET amount = 1 WHERE id = %d", testNote.ID),
			"an issued invoice changed along with what may be":   fmt.Sprintf("UPDATE invoice SET amount_paid = 1, amount = 1 WHERE id = %d", real.ID),
			"an issued invoice said to have more items":          fmt.Sprintf("UPDATE invoice SET item_count = 2 WHERE id = %d", real.ID),
			"a credit note said to have more items":              fmt.Sprintf("UPDATE credit_note SET item_count = 2 WHERE id = %d", realNote.ID),
			"an item added to an issued invoice":                 again("invoice_item", int64(real.Items[0].ID), "2"),
			"an item put before those of an issued invoice":      again("invoice_item", int64(real.Items[0].ID), "0"),
			"an item added to a test invoice":                    again("invoice_item", int64(test.Items[0].ID), "2"),
			"an item added to a credit note":                     again("credit_note_item", int64(realNote.Items[0].ID), "2"),
			"an item put before those of a credit note":          again("credit_note_item", int64(realNote.Items[0].ID), "0"),
			"an issued invoice without items or credits deleted": "",
		} {
			if text == "" {
				write(t, s, func(ctx context.Context, tx *store.Tx) {
					text = fmt.Sprintf("DELETE FROM invoice WHERE id = %d", maker{ctx, tx}.invoice(account).ID)
				})
			}
			if err := exec("%s", text); err == nil {
				t.Errorf("%s: the database let it", what)
			}
		}
		// A draft changes and goes, and so does what belongs to a test clock.
		for _, text := range []string{
			fmt.Sprintf("UPDATE invoice SET amount = 7, notes = 'x', account_id = account_id WHERE id = %d", unnumbered.ID),
			fmt.Sprintf("UPDATE invoice_item SET amount = 7, line_text = 'x', position = 2 WHERE id = %d", unnumbered.Items[0].ID),
			again("invoice_item", int64(unnumbered.Items[0].ID), "7"), fmt.Sprintf("DELETE FROM invoice_item WHERE invoice_id = %d AND position = 7", unnumbered.ID),
			fmt.Sprintf("DELETE FROM invoice_item WHERE id = %d", unnumbered.Items[0].ID), fmt.Sprintf("DELETE FROM invoice WHERE id = %d", unnumbered.ID),
			fmt.Sprintf("DELETE FROM credit_note_item WHERE id = %d", testNote.Items[0].ID), fmt.Sprintf("DELETE FROM credit_note WHERE id = %d", testNote.ID),
			fmt.Sprintf("DELETE FROM invoice_item WHERE id = %d", test.Items[0].ID), fmt.Sprintf("DELETE FROM invoice WHERE id = %d", test.ID),
		} {
			if err := exec("%s", text); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
		found := got[[]document.Invoice](t)(store.Invoices.ByIDs(t.Context(), s.Queries(), []billing.InvoiceID{real.ID}))
		if err := store.WithItems(t.Context(), s.Queries(), found); err != nil {
			t.Fatal(err)
		}
		same(t, "the invoice after all that", &found[0], real)
		items := got[[]document.CreditItem](t)(store.CreditItemsOf(t.Context(), s.Queries(), []billing.CreditNoteID{realNote.ID}))
		same(t, "the items of the credit note after all that", items, realNote.Items)
	})
}

// columnsOf returns all columns of a table, also those that no field has.
func columnsOf(t *testing.T, s *store.Store, table string) []string {
	t.Helper()
	text := `SELECT name FROM pragma_table_info('` + table + `')`
	if s.Engine() == "postgres" {
		text = `SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '` + table + `'`
	}
	columns := got[[]string](t)(store.Rows(t.Context(), s.Queries(), text))
	if len(columns) < 10 {
		t.Fatalf("%s has %d columns: the test does not see them", table, len(columns))
	}
	return columns
}
