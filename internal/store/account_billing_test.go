package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testAccountBilling(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b, c billing.AccountID
	var clock billing.TestClockID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b, c, clock = m.account("A").ID, m.account("B").ID, m.account("C").ID, m.clock().ID
	})
	save := func(rows ...store.AccountBilling) error {
		return attempt(t, s, func(ctx context.Context, tx *store.Tx) { must(store.SaveBilling(ctx, tx, rows)) })
	}
	of := func(accounts ...billing.AccountID) map[billing.AccountID]store.AccountBilling {
		return got[map[billing.AccountID]store.AccountBilling](t)(store.BillingOf(t.Context(), s.Queries(), accounts))
	}
	first := store.AccountBilling{AccountID: a, LastEvent: 2, BillOn: ptr(date("2026-01-30")), CollectOn: ptr(date("2026-01-31"))}
	second := store.AccountBilling{AccountID: b, TestClockID: &clock}
	if err := save(first, second); err != nil {
		t.Fatal(err)
	}
	if err := save(); err != nil {
		t.Fatal(err)
	}
	first.Version, second.Version = 1, 1
	same(t, "BillingOf", of(a, b, c), map[billing.AccountID]store.AccountBilling{a: first, b: second})
	first.LastEvent, first.BillOn, first.CollectOn, first.TestClockID = 7, nil, nil, &clock
	if err := save(first); err != nil {
		t.Fatal(err)
	}
	read := first
	first.Version = 2
	same(t, "BillingOf", of(a), map[billing.AccountID]store.AccountBilling{a: first})

	// Whoever read an account before somebody else billed it is refused, and all
	// that was to be saved with it.
	fresh := store.AccountBilling{AccountID: c}
	for what, stale := range map[string]store.AccountBilling{"an older version": read, "none": {AccountID: a}, "a version to come": {AccountID: a, Version: 3}} {
		if err := save(second, stale, fresh); err == nil {
			t.Errorf("%s was saved", what)
		}
	}
	same(t, "BillingOf after refusals", of(a, b, c), map[billing.AccountID]store.AccountBilling{a: first, b: second})
	same(t, "BillingOf nobody", len(of()), 0)
}

func testBillingEvents(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b billing.AccountID
	var events []*document.Event
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.account("A").ID, m.account("B").ID
		for n := range many {
			events = append(events, &document.Event{AccountID: []billing.AccountID{a, b}[n%2], Sequence: int64(n/2 + 1), Kind: document.InvoiceIssued, DocumentID: int64(n), Data: map[string]any{"number": "x"}, At: tx.Now})
		}
		must(store.AppendEvents(ctx, tx, events))
		must(store.AppendEvents(ctx, tx, nil))
	})
	found := listed(t, s, store.BillingEvents, billing.Filter{})
	same(t, "how many", len(found), many)
	for n := range found {
		same(t, "an event", &found[n], events[n])
	}
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.AppendEvents(ctx, tx, []*document.Event{{AccountID: a, Sequence: 3, At: tx.Now}}))
	})
	if !store.IsDuplicate(err) {
		t.Errorf("a second event of one number: %v, want a duplicate", err)
	}
	// Ids are in the order of commits: who comes second waits for the first.
	var first, second document.Event
	checkWaits(t, s, "the feed", func(ctx context.Context, tx *store.Tx) {
		first = document.Event{AccountID: a, Sequence: 1000, At: tx.Now}
		must(store.AppendEvents(ctx, tx, []*document.Event{&first}))
	}, func(ctx context.Context, tx *store.Tx) {
		second = document.Event{AccountID: b, Sequence: 1000, At: tx.Now}
		must(store.AppendEvents(ctx, tx, []*document.Event{&second}))
	})
	if second.ID <= first.ID {
		t.Errorf("the second event has id %d, the first %d", second.ID, first.ID)
	}
}

func testDocumentFiles(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	find := func(uuid, kind string) *store.DocumentFile {
		return got[*store.DocumentFile](t)(store.FindDocumentFile(t.Context(), s.Queries(), uuid, kind))
	}
	insert := func(f store.DocumentFile) store.DocumentFile {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.InsertDocumentFile(ctx, tx, &f)) })
		return f
	}
	content := make([]byte, 256*300)
	for i := range content {
		content[i] = byte(i + i/256)
	}
	pdf := insert(store.DocumentFile{UUID: "u-1", MediaType: "application/pdf", SHA256: "abc", Content: content})
	same(t, "the time it was made", pdf.CreatedAt, db.Clock.Now())
	html := insert(store.DocumentFile{UUID: "u-1", MediaType: "text/html", SHA256: "def", Content: []byte{0}})
	db.Clock.Advance(1000)
	insert(store.DocumentFile{UUID: "u-1", MediaType: "application/pdf", SHA256: "other", Content: []byte("other")})
	same(t, "a file", find("u-1", "application/pdf"), &pdf)
	same(t, "another file of the document", find("u-1", "text/html"), &html)
	for _, missing := range [][2]string{{"u-1", "text/xml"}, {"u-2", "text/html"}, {"", ""}} {
		if f := find(missing[0], missing[1]); f != nil {
			t.Errorf("there is a file %v: %v", missing, f)
		}
	}
	var invoice *document.Invoice
	var note *document.CreditNote
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		invoice, note = issuedDocuments(m, m.account("A").ID, nil)
	})
	ofInvoice := []store.DocumentFile{
		insert(store.DocumentFile{UUID: invoice.UUID, MediaType: "application/pdf", SHA256: "ghi", Content: []byte{0}}),
		insert(store.DocumentFile{UUID: invoice.UUID, MediaType: "text/html", SHA256: "jkl", Content: []byte{0}}),
	}
	ofNote := []store.DocumentFile{insert(store.DocumentFile{UUID: note.UUID, MediaType: "text/html", SHA256: "mno", Content: []byte{0}})}
	ofInvoice[0].Content, ofInvoice[1].Content, ofNote[0].Content = nil, nil, nil
	same(t, "the files of invoices", got[[]store.DocumentFile](t)(store.FilesOfInvoices(t.Context(), s.Queries(), []billing.InvoiceID{invoice.ID, 99})), ofInvoice)
	same(t, "the files of credit notes", got[[]store.DocumentFile](t)(store.FilesOfCreditNotes(t.Context(), s.Queries(), []billing.CreditNoteID{note.ID, 99})), ofNote)
}
