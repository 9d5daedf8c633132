package invoicing

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/store"
)

// section is consecutive documents of a series, which are read together.
type section struct {
	series *store.Series
	// place is that of the first of so many documents.
	place, count int64
	documents    []verified
	// gone says that the series was deleted since it was listed.
	gone bool
}

// verified is a document as a part of its series. Its contents were looked at.
type verified struct {
	document.Numbered
	place int64
	// counted says that the document was recomputed, and wrong what came of that.
	counted bool
	wrong   error
}

// verifySeries recomputes the documents of series, some sections at once, and
// follows the chains from one document to the next. Only what was committed when it
// began is looked at.
func (s *Service) verifySeries(ctx context.Context, v *Verification, series []store.Series, sellers *sellers, from *billing.Date, progress func(*Verification)) error {
	n, place := 0, int64(1)
	next := func() (func(context.Context) (*section, error), error) {
		if n == len(series) {
			return nil, nil
		}
		part := &section{series: &series[n], place: place, count: min(verifyBatch, series[n].Documents-place+1)}
		if place += part.count; part.isLast() {
			n, place = n+1, 1
		}
		return func(ctx context.Context) (*section, error) {
			return part, s.Read().AtOneMoment(ctx, func(ctx context.Context, q store.Queries) error { return part.verify(ctx, q, from) })
		}, nil
	}
	var at chain
	return inOrder(ctx, verifyAhead, next, func(part *section) (err error) {
		if part.place == 1 {
			at = chain{}
			if at.count, err = countOf(part.series, sellers.byID(part.series.EntityID)); err != nil {
				return err
			}
		}
		at.follow(v, part)
		progress(v)
		return nil
	})
}

// isLast reports whether the series ends with the section.
func (s *section) isLast() bool { return s.place+s.count > s.series.Documents }

// verify reads the documents of the section, and recomputes those from a day on.
func (s *section) verify(ctx context.Context, q store.Queries, from *billing.Date) error {
	invoices, err := store.InvoicesInSeries(ctx, q, s.series.ID, s.place, int(s.count))
	if err != nil {
		return err
	}
	notes, err := store.CreditNotesInSeries(ctx, q, s.series.ID, s.place, int(s.count))
	if err != nil {
		return err
	}
	if int64(len(invoices)+len(notes)) < s.count {
		if s.gone, err = wasDeleted(ctx, q, s.series); s.gone || err != nil {
			return err
		}
	}
	isOld := func(issued billing.Date) bool { return from != nil && issued.Before(*from) }
	if err := withItems(ctx, q, invoices, notes, isOld); err != nil {
		return err
	}
	known := ledger.Recomputed{}
	s.documents = make([]verified, 0, len(invoices)+len(notes))
	for a, b := 0, 0; a < len(invoices) || b < len(notes); {
		if b == len(notes) || a < len(invoices) && invoices[a].Place < notes[b].Place {
			i := &invoices[a]
			s.add(i.Number, i.IssuedAt, &i.Link, isOld(i.IssuedAt), i, known)
			a++
		} else {
			c := &notes[b]
			s.add(c.Number, c.IssuedAt, &c.Link, isOld(c.IssuedAt), c, known)
			b++
		}
	}
	return nil
}

// wasDeleted reports whether a series is no more, as those of a test clock that was
// deleted.
func wasDeleted(ctx context.Context, q store.Queries, series *store.Series) (bool, error) {
	if series.TestClockID == 0 {
		return false, nil
	}
	all, err := store.AllSeries(ctx, q, series.EntityID)
	return !slices.ContainsFunc(all, func(s store.Series) bool { return s.ID == series.ID }), err
}

// recomputed is an invoice or a credit note.
type recomputed interface {
	Canonical() ([]byte, error)
	VerifyAmong(ledger.Recomputed) error
}

// add adds a document to the section, recomputed unless it is too old.
func (s *section) add(number string, issuedAt billing.Date, link *document.Link, old bool, d recomputed, known ledger.Recomputed) {
	v := verified{document.Numbered{Number: number, IssuedAt: issuedAt, Previous: link.Previous, Hash: link.Hash}, link.Place, !old, nil}
	if v.counted {
		v.wrong = v.verify(d, known)
	}
	s.documents = append(s.documents, v)
}

func (v *verified) verify(d recomputed, known ledger.Recomputed) error {
	text, err := d.Canonical()
	if err != nil {
		return err
	}
	if document.Chain(v.Previous, text) != v.Hash {
		return billing.Fail(billing.Invalid, "", "Document %s was changed since it was issued: its hash is not that of its contents.", v.Number)
	}
	return d.VerifyAmong(known)
}

// withItems gives documents their items, from the first on that is not too old.
func withItems(ctx context.Context, q store.Queries, invoices []document.Invoice, notes []document.CreditNote, isOld func(billing.Date) bool) error {
	for len(invoices) > 0 && isOld(invoices[0].IssuedAt) {
		invoices = invoices[1:]
	}
	for len(notes) > 0 && isOld(notes[0].IssuedAt) {
		notes = notes[1:]
	}
	if len(invoices) > 0 {
		if err := store.WithItems(ctx, q, invoices); err != nil {
			return err
		}
	}
	return withCreditItems(ctx, q, notes)
}

// withCreditItems gives credit notes their items.
func withCreditItems(ctx context.Context, q store.Queries, notes []document.CreditNote) error {
	if len(notes) == 0 {
		return nil
	}
	ids := make([]billing.CreditNoteID, len(notes))
	at := make(map[billing.CreditNoteID]*document.CreditNote, len(notes))
	for n := range notes {
		ids[n], at[notes[n].ID] = notes[n].ID, &notes[n]
	}
	items, err := store.CreditItemsOf(ctx, q, ids)
	for n := range items {
		note := at[items[n].CreditNoteID]
		note.Items = append(note.Items, items[n])
	}
	return err
}

// chain is how far a series has been followed.
type chain struct {
	count document.Count
	last  document.Numbered
	// broken says that documents are missing, or all of them were deleted, so that
	// nothing can be said of those that come after.
	broken bool
}

// follow checks that the documents of a section follow those before them.
func (c *chain) follow(v *Verification, part *section) {
	if c.broken = c.broken || part.gone; c.broken {
		return
	}
	for n := range part.documents {
		d := &part.documents[n]
		switch place := part.place + int64(n); {
		case d.place != place:
			v.fail("Document %d of series %d is missing: after %s comes %s.", place, part.series.ID, c.last.Number, d.Number)
			c.broken = true
			return
		case d.Previous != c.last.Hash:
			v.fail("%s does not follow the document before it, %s: the chain is broken.", d.Number, c.last.Number)
		case d.IssuedAt.Before(c.last.IssuedAt):
			v.fail("%s is dated %s, before %s, which is dated %s.", d.Number, d.IssuedAt, c.last.Number, c.last.IssuedAt)
		}
		if err := c.count.Next(d.Number, d.IssuedAt); err != nil {
			v.fail("%v", err)
		}
		c.last = d.Numbered
		if d.counted {
			v.Documents++
		}
		if d.wrong != nil {
			v.fail("%v", d.wrong)
		}
	}
	have := int64(len(part.documents))
	c.broken = have < part.count
	switch {
	case c.broken && part.isLast():
		v.fail("Series %d should have %d documents, but there are only %d.", part.series.ID, part.series.Documents, part.place+have-1)
	case c.broken:
		v.fail("Document %d of series %d is missing: it should come after %s.", part.place+have, part.series.ID, c.last.Number)
	case part.isLast() && c.last.Hash != part.series.Head:
		v.fail("The last document of series %d, %s, is not the one that was issued last.", part.series.ID, c.last.Number)
	}
}

// countOf is how the numbers of a series count up.
func countOf(series *store.Series, e *billing.Entity) (document.Count, error) {
	if series.TestClockID != 0 {
		return document.Count{Format: document.TestFormat}, nil
	}
	text, first := e.InvoiceNumberFormat, e.InvoiceNextNumber
	if series.Kind == store.CreditNoteSeries {
		text, first = e.CreditNoteNumberFormat, e.CreditNoteNextNumber
	}
	format, err := document.ParseNumberFormat(text)
	return document.Count{Format: format, First: firstNumber(first)}, err
}
