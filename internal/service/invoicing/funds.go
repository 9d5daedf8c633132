package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store"
)

// funds are what an account has to pay, and what waits to pay it. Credit does not
// cross entities or currencies.
type funds struct {
	open     []*document.Invoice
	opened   bool                   // open has been read
	notes    []*document.CreditNote // oldest first
	payments []*document.Payment
	// What was done: which invoices, credit notes and payments changed, and the
	// applications that are new.
	touched      map[*document.Invoice]bool
	used         map[*document.CreditNote]bool
	spent        map[*document.Payment]bool
	applications []*application
	unapplied    []*application // those that were taken back
}

// application is a document.Application before everything has an id.
type application struct {
	invoice *document.Invoice
	note    *document.CreditNote
	payment *document.Payment
	amount  money.Amount
	id      billing.ApplicationID // of one that was taken back
}

// returned is money of a payment that went back; below 0 if it did not after all.
type returned struct {
	payment *document.Payment
	amount  money.Amount
	kind    document.EventKind
}

func newFunds() funds {
	return funds{touched: map[*document.Invoice]bool{}, used: map[*document.CreditNote]bool{}, spent: map[*document.Payment]bool{}}
}

// loadFunds reads the credit of accounts that waits.
func (r *run) loadFunds(ctx context.Context, ids []billing.AccountID, at map[billing.AccountID]*book) error {
	for _, b := range r.books {
		b.funds = newFunds()
	}
	if r.waiting.CreditNotes {
		notes, err := store.WaitingCreditNotes(ctx, r.tx.Queries, ids)
		if err != nil {
			return err
		}
		for n := range notes {
			b := at[notes[n].AccountID]
			b.notes = append(b.notes, &notes[n])
		}
	}
	if r.waiting.Payments {
		payments, err := store.WaitingPayments(ctx, r.tx.Queries, ids)
		if err != nil {
			return err
		}
		for n := range payments {
			b := at[payments[n].AccountID]
			b.payments = append(b.payments, &payments[n])
		}
	}
	for _, b := range r.books {
		b.billing = r.billed[b.ID]
		b.billing.AccountID, b.billing.TestClockID = b.ID, b.TestClockID
		if b.billing.CollectOn != nil {
			b.CollectOn = *b.billing.CollectOn
		}
	}
	return nil
}

// loadOpen reads the open invoices of accounts that get credit notes.
func (r *run) loadOpen(ctx context.Context) error {
	at := map[billing.AccountID]*book{}
	var ids []billing.AccountID
	for _, b := range r.books {
		if b.problem == nil && !b.opened && len(b.documents.CreditNotes) > 0 {
			at[b.ID], ids, b.opened = b, append(ids, b.ID), true
		}
	}
	if len(ids) == 0 {
		return nil
	}
	open, err := store.OpenInvoices(ctx, r.tx.Queries, ids)
	for n := range open {
		i := r.invoices[open[n].ID]
		if i == nil {
			i = &open[n]
		}
		b := at[i.AccountID]
		b.open = append(b.open, i)
	}
	return err
}

// same reports whether credit of one document can pay for another.
func same(i *document.Invoice, entity billing.EntityID, currency money.Currency) bool {
	return i.EntityID == entity && i.Currency == currency
}

// applyNote uses a credit note on open invoices, first those that it credits.
func (f *funds) applyNote(note *document.CreditNote) {
	open := f.openFor(note.EntityID, note.Currency)
	var credited []int64
	for n := range note.Items {
		for at, i := range f.open {
			if i.ID == note.Items[n].InvoiceID {
				credited = append(credited, int64(at))
			}
		}
	}
	filled, _ := document.Apply(note.AmountUnapplied(), document.CreditedFirst(open, credited))
	for _, part := range filled {
		f.apply(&application{invoice: f.open[part.ID], note: note, amount: part.Amount})
	}
}

// openFor are the open invoices that credit can pay, by their index.
func (f *funds) openFor(entity billing.EntityID, currency money.Currency) (open []document.Open) {
	for at, i := range f.open {
		if same(i, entity, currency) && i.AmountDue() > 0 {
			open = append(open, document.Open{ID: int64(at), On: i.DueAt, Amount: i.AmountDue()})
		}
	}
	return open
}

// take uses waiting credit on an invoice: credit notes, then payments, oldest
// first.
func (f *funds) take(i *document.Invoice) {
	for _, note := range f.notes {
		if amount := min(note.AmountUnapplied(), i.AmountDue()); same(i, note.EntityID, note.Currency) && amount > 0 {
			f.apply(&application{invoice: i, note: note, amount: amount})
		}
	}
	for _, p := range f.payments {
		if amount := min(p.AmountUnapplied(), i.AmountDue()); same(i, p.EntityID, p.Currency) && amount > 0 {
			f.apply(&application{invoice: i, payment: p, amount: amount})
		}
	}
}

// apply notes on both sides that one pays for the other.
func (f *funds) apply(a *application) {
	if f.touched[a.invoice] = true; a.note != nil {
		a.invoice.Credits += a.amount
		a.note.AmountApplied += a.amount
		f.used[a.note] = true
	} else {
		a.invoice.AmountPaid += a.amount
		a.payment.AmountApplied += a.amount
		f.spent[a.payment] = true
	}
	f.applications = append(f.applications, a)
}
