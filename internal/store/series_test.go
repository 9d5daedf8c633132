package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testSeries(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var first, second billing.EntityID
	var clock billing.TestClockID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		first, second, clock = m.entity().ID, m.entity().ID, m.clock().ID
	})
	lock := func(ref store.SeriesRef) (found *store.Series) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			var err error
			found, err = store.LockSeries(ctx, tx, ref)
			must(err)
		})
		return found
	}
	refs := []store.SeriesRef{
		{EntityID: first, Kind: store.InvoiceSeries}, {EntityID: first, Kind: store.CreditNoteSeries}, {EntityID: first, Kind: store.InvoiceSeries, TestClockID: clock}, {EntityID: second, Kind: store.InvoiceSeries},
	}
	var all []store.Series
	for _, ref := range refs {
		made := lock(ref)
		same(t, "a new series", *made, store.Series{ID: made.ID, SeriesRef: ref})
		same(t, "the same series", lock(ref), made)
		all = append(all, *made)
	}
	same(t, "AllSeries", got[[]store.Series](t)(store.AllSeries(ctx, q, 0)), all)
	same(t, "AllSeries of an entity", got[[]store.Series](t)(store.AllSeries(ctx, q, first)), all[:3])

	has := func(id billing.EntityID) bool { return got[bool](t)(store.HasDocuments(ctx, q, id)) }
	save := func(n int) {
		t.Helper()
		all[n].Series = document.Series{Year: 2026, Last: 40 + n, Highest: 50 + n, Formats: []string{"R{000}", "INV-{YYYY}-{0}"}, LastIssuedAt: date("2026-01-31"), Head: document.Hash{31: byte(n)}} // the format is the entity's
		all[n].Documents = 17
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.SaveSeries(ctx, tx, &all[n])) })
	}
	save(2)
	same(t, "HasDocuments, with those of a test clock", has(first), false)
	save(1)
	same(t, "HasDocuments", []bool{has(first), has(second), has(1 << 40)}, []bool{true, false, false})
	same(t, "AllSeries", got[[]store.Series](t)(store.AllSeries(ctx, q, 0)), all)
	same(t, "a series that was saved", lock(refs[1]), &all[1])

	checkWaits(t, s, "numbers of a series", func(ctx context.Context, tx *store.Tx) {
		one, err := store.LockSeries(ctx, tx, refs[0])
		must(err)
		one.Last = 41
		must(store.SaveSeries(ctx, tx, one))
	}, func(ctx context.Context, tx *store.Tx) {
		one, err := store.LockSeries(ctx, tx, refs[0])
		must(err)
		same(t, "the last number", one.Last, 41)
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		e := got[*billing.Entity](t)(store.Entities.Get(ctx, tx.Queries, second))
		e.InvoiceNextNumber, e.CreditNoteNextNumber = new(500), new(70)
		must(store.Entities.Update(ctx, tx, e))
		for _, id := range []billing.EntityID{first, second} {
			e := got[*billing.Entity](t)(store.Entities.Get(ctx, tx.Queries, id))
			want := billing.Entity{
				ID: id, InvoiceNumberFormat: e.InvoiceNumberFormat, CreditNoteNumberFormat: e.CreditNoteNumberFormat, InvoiceNextNumber: e.InvoiceNextNumber, CreditNoteNextNumber: e.CreditNoteNextNumber,
			}
			same(t, "LockNumbers", *got[*billing.Entity](t)(store.LockNumbers(ctx, tx, id)), want)
		}
	})
	checkWaits(t, s, "the first number of a series", func(ctx context.Context, tx *store.Tx) {
		e, err := store.Entities.Lock(ctx, tx, second)
		must(err)
		e.InvoiceNextNumber = new(600)
		must(store.Entities.Update(ctx, tx, e))
	}, func(ctx context.Context, tx *store.Tx) {
		e, err := store.LockNumbers(ctx, tx, second)
		must(err)
		same(t, "the first number", *e.InvoiceNextNumber, 600)
	})
	fresh := store.SeriesRef{EntityID: second, Kind: store.CreditNoteSeries}
	checkWaits(t, s, "a series that two make", func(ctx context.Context, tx *store.Tx) {
		one, err := store.LockSeries(ctx, tx, fresh)
		must(err)
		one.Last = 5
		must(store.SaveSeries(ctx, tx, one))
	}, func(ctx context.Context, tx *store.Tx) {
		one, err := store.LockSeries(ctx, tx, fresh)
		must(err)
		same(t, "the last number of the first", one.Last, 5)
	})
}

// asIssued is an invoice without what became of it.
func asIssued(i document.Invoice) document.Invoice {
	i.IssueAfter, i.Voided, i.WrittenOff, i.Credits, i.AmountPaid, i.Credited, i.GivenPONumber = nil, false, false, 0, 0, nil, ""
	i.CreatedAt, i.UpdatedAt = time.Time{}, time.Time{}
	return i
}

func testDocumentsInSeries(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var invoices []document.Invoice
	var notes []document.CreditNote
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account := m.account("A").ID
		m.invoice(account, func(i *document.Invoice) { i.Link = document.Link{SeriesID: 4, Place: 2} })
		for n := range 5 {
			link := document.Link{SeriesID: 3, Place: int64(5 - n)} // not in the order of ids
			if n == 2 {
				link.SeriesID = 5
			}
			invoices = append([]document.Invoice{*m.invoice(account, func(i *document.Invoice) { i.Link = link })}, invoices...)
			notes = append([]document.CreditNote{*m.creditNote(account, func(c *document.CreditNote) { c.Link = link })}, notes...)
		}
	})
	for _, c := range []struct{ from, limit, first, last int }{{1, 10, 0, 5}, {2, 2, 1, 3}, {5, 1, 4, 5}, {6, 10, 5, 5}} {
		what := fmt.Sprintf("%d from %d", c.limit, c.from)
		var wantInvoices []document.Invoice
		var wantNotes []document.CreditNote
		for n := c.first; n < c.last; n++ {
			if invoices[n].SeriesID == 3 {
				wantInvoices, wantNotes = append(wantInvoices, asIssued(invoices[n])), append(wantNotes, notes[n])
			}
		}
		same(t, "InvoicesInSeries, "+what, append([]document.Invoice(nil), got[[]document.Invoice](t)(store.InvoicesInSeries(ctx, q, 3, int64(c.from), c.limit))...), wantInvoices)
		same(t, "CreditNotesInSeries, "+what, append([]document.CreditNote(nil), got[[]document.CreditNote](t)(store.CreditNotesInSeries(ctx, q, 3, int64(c.from), c.limit))...), wantNotes)
	}
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		m.invoice(m.account("B").ID, func(i *document.Invoice) { i.Link = document.Link{SeriesID: 4, Place: 2} })
	})
	if !store.IsDuplicate(err) {
		t.Errorf("a place that is taken: %v, want a duplicate", err)
	}
	again := func(number func(m maker, account billing.AccountID)) error {
		return attempt(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			number(m, m.account(unique()).ID)
		})
	}
	if err := again(func(m maker, account billing.AccountID) {
		m.invoice(account, func(i *document.Invoice) { i.EntityID, i.Number = invoices[0].EntityID, invoices[0].Number })
	}); !store.IsDuplicate(err) {
		t.Errorf("the number of another invoice: %v, want a duplicate", err)
	}
	if err := again(func(m maker, account billing.AccountID) {
		m.creditNote(account, func(c *document.CreditNote) { c.EntityID, c.Number = notes[0].EntityID, notes[0].Number })
	}); !store.IsDuplicate(err) {
		t.Errorf("the number of another credit note: %v, want a duplicate", err)
	}
}
