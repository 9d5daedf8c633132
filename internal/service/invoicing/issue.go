package invoicing

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/bill"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// prepare applies credit to what was made, and decides what stays a draft. What
// it does is the same in a preview.
func (r *run) prepare(ctx context.Context) error {
	if err := r.loadOpen(ctx); err != nil {
		return err
	}
	for _, b := range r.books {
		if b.problem != nil {
			continue
		}
		for n := range b.documents.CreditNotes {
			r.addNote(b, &b.documents.CreditNotes[n])
		}
		for _, i := range b.documents.Touched {
			b.touched[i] = true
		}
		b.keepDrafts(r)
		for _, i := range b.documents.Invoices {
			i.IssuedAt = r.issuedOn(b)
			i.DueAt = b.DueAt(i.IssuedAt)
			i.UUID = cmp.Or(i.UUID, secret.UUID())
			if b.AutoApplyCredits {
				b.take(i)
			}
			i.AppliedAtIssue = i.Credits + i.AmountPaid
		}
	}
	return nil
}

// issuedOn is today, or the day to come that a preview looks at.
func (r *run) issuedOn(b *book) billing.Date {
	if b.Today.After(r.cal.Today) {
		return b.Today
	}
	return r.cal.Today
}

// addNote writes on a credit note who issues it and for whom, and applies it.
func (r *run) addNote(b *book, note *document.CreditNote) {
	note.UUID, note.IssuedAt, note.Locale, note.TestClockID = secret.UUID(), r.issuedOn(b), b.Locale, b.TestClockID
	note.Seller, note.Buyer = bill.SellerOf(r.sellers.byID(note.EntityID)), bill.BuyerOf(b.Account.Account)
	for n := range note.Items {
		if i := r.invoices[note.Items[n].InvoiceID]; i != nil {
			b.touched[i] = true
		}
	}
	b.applyNote(note)
	b.notes = append(b.notes, note)
}

// issue numbers the documents of all accounts and writes everything. The series
// are locked once, and as late as can be: others that number wait from then on. What
// needs no number is written before.
func (r *run) issue(ctx context.Context) error {
	for _, do := range []func(context.Context) error{
		r.prepare, r.dun, r.saveOutcomes, r.saveLedger, r.saveProgress,
		r.number, r.saveInvoices, r.saveNotes, r.saveApplications, r.saveClaims, r.saveEntries, r.saveEvents, r.tellBusiness, r.tellCustomers,
	} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// numbered is a document that gets a number.
type numbered struct {
	entity *billing.Entity
	kind   string
	clock  *billing.TestClockID
	set    func(number string, issuedAt billing.Date, link document.Link)
	text   func() ([]byte, error)
}

// number gives the documents their numbers, in the order of accounts.
func (r *run) number(ctx context.Context) error {
	var all []numbered
	for _, b := range r.books {
		if b.problem != nil {
			continue
		}
		for _, i := range b.documents.Invoices {
			all = append(all, r.invoiceNumber(b, i))
		}
		for n := range b.documents.CreditNotes {
			all = append(all, r.noteNumber(&b.documents.CreditNotes[n]))
		}
	}
	return r.numberAll(ctx, all)
}

func (r *run) invoiceNumber(b *book, i *document.Invoice) numbered {
	return numbered{r.sellers.byID(i.EntityID), store.InvoiceSeries, i.TestClockID, func(number string, issuedAt billing.Date, link document.Link) {
		i.Number, i.IssuedAt, i.DueAt, i.IssueAfter, i.Link = number, issuedAt, b.DueAt(issuedAt), nil, link
	}, i.Canonical}
}

func (r *run) noteNumber(note *document.CreditNote) numbered {
	return numbered{r.sellers.byID(note.EntityID), store.CreditNoteSeries, note.TestClockID, func(number string, issuedAt billing.Date, link document.Link) {
		note.Number, note.IssuedAt, note.Link = number, issuedAt, link
	}, note.Canonical}
}

// ref names the series that a document is numbered in, with its format.
func (d *numbered) ref() (store.SeriesRef, string) {
	ref := store.SeriesRef{EntityID: d.entity.ID, Kind: d.kind}
	format := d.entity.InvoiceNumberFormat
	if d.kind == store.CreditNoteSeries {
		if format = d.entity.CreditNoteNumberFormat; format == d.entity.InvoiceNumberFormat {
			ref.Kind = store.InvoiceSeries // one series for both
		}
	}
	if d.clock != nil {
		ref.TestClockID, format = *d.clock, ""
	}
	return ref, format
}

// numberAll gives documents their numbers. All series are locked in one order.
func (r *run) numberAll(ctx context.Context, all []numbered) error {
	formats := map[store.SeriesRef]string{}
	for n := range all {
		ref, format := all[n].ref()
		formats[ref] = format
	}
	refs := make([]store.SeriesRef, 0, len(formats))
	for ref := range formats {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b store.SeriesRef) int {
		return cmp.Or(cmp.Compare(a.EntityID, b.EntityID), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.TestClockID, b.TestClockID))
	})
	series := make(map[store.SeriesRef]*store.Series, len(refs))
	for _, ref := range refs {
		s, err := store.LockSeries(ctx, r.tx, ref)
		if err != nil {
			return err
		}
		s.Format = document.TestFormat
		if ref.TestClockID == 0 {
			if s.Format, err = document.ParseNumberFormat(formats[ref]); err != nil {
				return err
			}
		}
		series[ref] = s
	}
	if err := r.beginSeries(ctx, refs, series); err != nil {
		return err
	}
	for n := range all {
		ref, _ := all[n].ref()
		if err := all[n].follow(series[ref], r.cal.Today); err != nil {
			return err
		}
	}
	for _, ref := range refs {
		if err := store.SaveSeries(ctx, r.tx, series[ref]); err != nil {
			return err
		}
	}
	return nil
}

// beginSeries reads with which numbers series begin that have no documents yet, and
// makes sure that a format that is new to its series is still that of its entity. All
// series are locked by then: whoever changes such a number or format waits for this
// transaction, and never the other way round.
func (r *run) beginSeries(ctx context.Context, refs []store.SeriesRef, series map[store.SeriesRef]*store.Series) error {
	for _, ref := range refs {
		s := series[ref]
		if ref.TestClockID != 0 || slices.Contains(s.Formats, s.Format.String()) {
			continue
		}
		now, err := store.LockNumbers(ctx, r.tx, ref.EntityID)
		if err != nil {
			return err
		}
		if e := r.sellers.byID(ref.EntityID); now.InvoiceNumberFormat != e.InvoiceNumberFormat || now.CreditNoteNumberFormat != e.CreditNoteNumberFormat {
			return billing.Fail(billing.Conflict, "", "The number formats of the entity %q were changed at this moment. Try again.", e.Code)
		}
		first := now.InvoiceNextNumber
		if ref.Kind == store.CreditNoteSeries {
			first = now.CreditNoteNextNumber
		}
		s.First = firstNumber(first)
	}
	return nil
}

// follow makes a document the next one of a series.
func (d *numbered) follow(s *store.Series, today billing.Date) error {
	number, issuedAt, next, err := s.Next(today)
	if err != nil {
		return err
	}
	s.Documents++
	link := document.Link{SeriesID: s.ID, Place: s.Documents, Previous: s.Head}
	d.set(number, issuedAt, link)
	text, err := d.text()
	if err != nil {
		return err
	}
	link.Hash = document.Chain(s.Head, text)
	d.set(number, issuedAt, link)
	s.Series, s.Head = next, link.Hash
	return nil
}
