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

func testCreditNotes(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var account billing.AccountID
	var invoice, other *document.Invoice
	notes := make([]*document.CreditNote, many)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account = m.account("A").ID
		entity := m.entity().ID
		invoice, other = m.invoice(account), m.invoice(account)
		for n := range notes {
			c := &document.CreditNote{}
			fill(c, n+1)
			c.ID, c.EntityID, c.AccountID, c.Currency, c.Items = 0, entity, account, euro, make([]document.CreditItem, 2)
			c.Number, c.Amount, c.AmountApplied = fmt.Sprintf("CN-%d", n), 500, 0
			notes[n] = c
		}
		must(store.CreditNotes.InsertAll(ctx, tx, notes))
		for _, c := range notes {
			c.Items = nil
		}
		var items []*document.CreditItem
		for n, c := range notes[:100] {
			for at := range 2 {
				i := &document.CreditItem{}
				fill(i, n*10+at+1)
				i.ID, i.CreditNoteID, i.Position, i.InvoiceID = 0, c.ID, 2-at, invoice.ID // the second is the first
				if n >= 98 {
					i.InvoiceID = other.ID
				}
				items = append(items, i)
			}
		}
		must(store.CreditNoteItems.InsertAll(ctx, tx, items))
		notes[1].Items = []document.CreditItem{*items[3], *items[2]}
		notes[3].Items = []document.CreditItem{*items[7], *items[6]}
	})
	same(t, "CreditItemsOf", got[[]document.CreditItem](t)(store.CreditItemsOf(ctx, q, []billing.CreditNoteID{notes[3].ID, notes[1].ID})), append(notes[1].Items, notes[3].Items...))
	same(t, "CreditItemsOf none", len(got[[]document.CreditItem](t)(store.CreditItemsOf(ctx, q, nil))), 0)
	notes[1].Items, notes[3].Items = nil, nil
	for _, c := range notes {
		same(t, "a credit note", got[*document.CreditNote](t)(store.CreditNotes.Get(ctx, q, c.ID)), c)
		same(t, "CreditNoteByNumber", got[*document.CreditNote](t)(store.CreditNoteByNumber(ctx, q, c.Number)), c)
		same(t, "CreditNoteByUUID", got[*document.CreditNote](t)(store.CreditNoteByUUID(ctx, q, c.UUID)), c)
	}
	for _, number := range []string{"", "cn-1", "CN-999", "\x00"} {
		if none, err := store.CreditNoteByNumber(ctx, q, number); none != nil || err != nil {
			t.Errorf("CreditNoteByNumber(%q): %v, %v; want nil, nil", number, none, err)
		}
		if none, err := store.CreditNoteByUUID(ctx, q, number); none != nil || err != nil {
			t.Errorf("CreditNoteByUUID(%q): %v, %v; want nil, nil", number, none, err)
		}
	}
	same(t, "CreditNotesOn", got[[]document.CreditNote](t)(store.CreditNotesOn(ctx, q, []billing.InvoiceID{other.ID, 1 << 40})), []document.CreditNote{*notes[98], *notes[99]})
	same(t, "CreditNotesOn two", len(got[[]document.CreditNote](t)(store.CreditNotesOn(ctx, q, []billing.InvoiceID{other.ID, invoice.ID}))), 100)
	same(t, "CreditNotesOn none", len(got[[]document.CreditNote](t)(store.CreditNotesOn(ctx, q, nil))), 0)
}

func testUsedCreditNotes(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b billing.AccountID
	var notes []*document.CreditNote
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.account("A").ID, m.account("B").ID
		notes = []*document.CreditNote{m.creditNote(b), m.creditNote(a), m.creditNote(a), m.creditNote(a)}
		m.creditNote(m.account("C").ID)
	})
	waiting := func(accounts ...billing.AccountID) []document.CreditNote {
		return got[[]document.CreditNote](t)(store.WaitingCreditNotes(ctx, q, accounts))
	}
	same(t, "WaitingCreditNotes", waiting(b, a), []document.CreditNote{*notes[1], *notes[2], *notes[3], *notes[0]})
	same(t, "WaitingCreditNotes of nobody", len(waiting()), 0)
	now := db.Clock.Advance(time.Hour)
	notes[1].AmountApplied, notes[2].AmountApplied = 500, 499
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.SaveUsedCreditNotes(ctx, tx, notes[1:3]))
		must(store.SaveUsedCreditNotes(ctx, tx, nil))
	})
	notes[1].UpdatedAt, notes[2].UpdatedAt = now, now
	same(t, "WaitingCreditNotes", waiting(a), []document.CreditNote{*notes[2], *notes[3]})
	same(t, "one that was used up", got[*document.CreditNote](t)(store.CreditNotes.Get(ctx, q, notes[1].ID)), notes[1])
	same(t, "states", got[[]string](t)(store.Rows(ctx, q, "SELECT stage FROM credit_note ORDER BY id")), []string{"READY", "APPLIED", "PARTIALLY_APPLIED", "READY", "READY"})
}
