package invoicing

import (
	"context"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/print"
	"github.com/tenantry/tenantry/internal/service/mailing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// tellCustomers writes the e-mail about what was done: documents, payments, what could not
// be collected, and reminders, in this order for each account.
func (r *run) tellCustomers(ctx context.Context) error {
	if !r.hasNews() {
		return nil
	}
	wanted, err := mailing.Wanted(ctx, r.tx.Queries, r.clock)
	if err != nil || !wanted {
		return err
	}
	l := &letters{run: r}
	if l.methods, err = r.methodsToName(ctx); err != nil {
		return err
	}
	if l.suspended, err = r.suspendedAlready(ctx); err != nil {
		return err
	}
	r.each(func(b *book) {
		for n := range b.documents.CreditNotes {
			l.creditNote(b, &b.documents.CreditNotes[n])
		}
		for _, i := range b.documents.Invoices {
			l.invoice(b, i)
		}
		if b.payment != nil {
			l.receipt(b)
		}
		for n := range r.claims.failures {
			if f := &r.claims.failures[n]; f.AccountID == b.ID {
				l.failure(b, f)
			}
		}
		for n := range r.claims.steps {
			if step := &r.claims.steps[n]; step.Action == dunning.Remind {
				l.reminder(b, step)
			}
		}
	})
	return mailing.Record(ctx, r.tx, r.sellers.Templates, r.cal.Now, l.notes)
}

// hasNews reports whether there is anything that customers are told.
func (r *run) hasNews() bool {
	if len(r.claims.failures)+len(r.claims.steps) > 0 {
		return true
	}
	return slices.ContainsFunc(r.books, func(b *book) bool {
		return b.problem == nil && (b.payment != nil || len(b.documents.Invoices)+len(b.documents.CreditNotes) > 0)
	})
}

// methodsToName are the payment methods of the accounts, and those that could not be
// charged.
func (r *run) methodsToName(ctx context.Context) (map[billing.PaymentMethodID]*collect.Method, error) {
	var ids []billing.PaymentMethodID
	r.each(func(b *book) {
		if b.PaymentMethodID != nil {
			ids = append(ids, *b.PaymentMethodID)
		}
	})
	for n := range r.claims.failures {
		ids = append(ids, r.claims.failures[n].method)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := store.PaymentMethods.ByIDs(ctx, r.tx.Queries, operation.Unique(ids))
	methods := make(map[billing.PaymentMethodID]*collect.Method, len(rows))
	for n := range rows {
		methods[rows[n].ID] = &rows[n]
	}
	return methods, err
}

// suspendedAlready are the invoices that customers are told of who are suspended already, so
// that no suspension is announced to them.
func (r *run) suspendedAlready(ctx context.Context) ([]billing.InvoiceID, error) {
	var ids []billing.InvoiceID
	for n := range r.claims.failures {
		for _, i := range r.claims.failures[n].Invoices {
			ids = append(ids, i.ID)
		}
	}
	for n := range r.claims.steps {
		ids = append(ids, r.claims.steps[n].InvoiceID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return store.SuspendedBy(ctx, r.tx.Queries, operation.Unique(ids))
}

// letters are the messages of a transaction.
type letters struct {
	*run
	methods   map[billing.PaymentMethodID]*collect.Method
	suspended []billing.InvoiceID
	notes     []mailing.Note
}

// suspends says in facts when the subscriptions of an invoice are suspended, or that they are.
func (l *letters) suspends(b *book, i *document.Invoice, facts *mail.Facts) {
	facts.Suspended = slices.Contains(l.suspended, i.ID)
	if day := l.planned(b, i, l.claims.known[i.ID], dunning.Suspend); day != nil && !facts.Suspended {
		facts.SuspensionDate = print.FormatFor(b.Locale).Day(*day)
	}
}

// add adds a message to the customer from an entity.
func (l *letters) add(b *book, entity billing.EntityID, template string, note mailing.Note) {
	note.Account, note.Entity, note.Template = b.Account.Account, l.sellers.byID(entity), template
	if note.Entity != nil {
		l.notes = append(l.notes, note)
	}
}

func (l *letters) creditNote(b *book, note *document.CreditNote) {
	if note.Kind == document.WriteOffCredit {
		return // nobody is told that their debt was given up
	}
	f := print.FormatFor(b.Locale)
	facts := mail.Facts{
		CreditNoteNumber: note.Number, CreditNoteDate: f.Day(note.IssuedAt), CreditAmount: f.Money(note.Currency, note.Amount), CreditReason: note.Reason, Attached: true,
	}
	var numbers []string
	for n := range note.Items {
		numbers = append(numbers, note.Items[n].InvoiceNumber)
	}
	facts.InvoiceNumber = strings.Join(operation.Unique(numbers), ", ")
	l.add(b, note.EntityID, mail.CreditNote, mailing.Note{CreditNoteID: &note.ID, Facts: facts})
}

func (l *letters) invoice(b *book, i *document.Invoice) {
	facts := l.factsOf(b, i)
	if day := l.planned(b, i, l.claims.fresh[i], dunning.Collect); day != nil && b.PaymentMethodID != nil {
		facts.Method = methodText(b, l.methods[*b.PaymentMethodID])
		facts.CollectOn = print.FormatFor(b.Locale).Day(*day)
	}
	l.add(b, i.EntityID, mail.Invoice, mailing.Note{InvoiceID: &i.ID, Facts: facts})
}

func (l *letters) receipt(b *book) {
	p, f := b.payment, print.FormatFor(b.Locale)
	note := mailing.Note{PaymentID: &p.ID, Facts: mail.Facts{PaymentAmount: f.Money(p.Currency, p.Amount), PaymentDate: f.Day(p.ReceivedAt)}}
	var numbers []string
	var due money.Amount
	for _, a := range b.applications {
		if a.payment != p {
			continue
		}
		if note.InvoiceID == nil {
			note.InvoiceID = &a.invoice.ID
		}
		numbers = append(numbers, a.invoice.Number)
		due += a.invoice.AmountDue()
	}
	note.Facts.InvoiceNumber = strings.Join(numbers, ", ")
	note.Facts.Restored = slices.ContainsFunc(l.claims.standings, func(c subscriptions.StandingChange) bool { return c.Restores(b.ID) })
	if due > 0 {
		note.Facts.AmountDue = f.Money(p.Currency, due)
	}
	l.add(b, p.EntityID, mail.Receipt, note)
}

// failure tells that a bank or the customer has refused. What went wrong here or at the
// provider is nothing that the customer could mend.
func (l *letters) failure(b *book, failed *failure) {
	if !failed.declined || len(failed.Invoices) == 0 {
		return
	}
	i, f := failed.Invoices[0], print.FormatFor(b.Locale)
	facts := l.factsOf(b, i)
	var numbers []string
	for _, one := range failed.Invoices {
		numbers = append(numbers, one.Number)
	}
	facts.InvoiceNumber = strings.Join(numbers, ", ")
	facts.PaymentAmount, facts.PaymentDate = f.Money(failed.Currency, failed.Amount), f.Day(l.cal.Today)
	facts.Method, facts.PaymentReason = methodText(b, l.methods[failed.method]), mail.ReasonText(b.Locale, failed.Code)
	if failed.NextAttemptOn != nil {
		facts.NextTryOn = f.Day(*failed.NextAttemptOn)
	}
	l.suspends(b, i, &facts)
	l.add(b, i.EntityID, mail.PaymentFailed, mailing.Note{InvoiceID: &i.ID, Facts: facts})
}

func (l *letters) reminder(b *book, step *dunning.Carried) {
	for i := range b.touched {
		if i.ID != step.InvoiceID {
			continue
		}
		facts := l.factsOf(b, i)
		facts.DaysLeft, facts.DaysOverdue = max(0, l.cal.Today.DaysUntil(i.DueAt)), max(0, i.DueAt.DaysUntil(l.cal.Today))
		l.suspends(b, i, &facts)
		l.add(b, i.EntityID, step.Template, mailing.Note{InvoiceID: &i.ID, Facts: facts})
	}
}

// factsOf are what can be said of an invoice.
func (l *letters) factsOf(b *book, i *document.Invoice) mail.Facts {
	f := print.FormatFor(b.Locale)
	facts := mail.Facts{
		InvoiceNumber: i.Number, InvoiceDate: f.Day(i.IssuedAt), Total: f.Money(i.Currency, i.Amount), DueDate: f.Day(i.DueAt), Attached: i.Kind != document.ImportedInvoice,
	}
	if i.AmountDue() > 0 {
		facts.AmountDue = f.Money(i.Currency, i.AmountDue())
	}
	if e := l.sellers.byID(i.EntityID); e != nil {
		facts.BankDetails = f.Bank(textOf(e.BankName), textOf(e.IBAN), textOf(e.BIC))
	}
	return facts
}

// methodText names a payment method to its owner.
func methodText(b *book, m *collect.Method) string {
	if m == nil {
		return ""
	}
	last4 := m.Last4
	if m.Provider == collect.Test {
		last4 = ""
	}
	return mail.MethodText(b.Locale, mail.Kind(m.Kind), last4)
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// EmailAttachments are the files that go with an e-mail: the document that it is about.
func (s *Service) EmailAttachments(ctx context.Context, e *email.Email) ([]mail.Attachment, error) {
	var uuid, number string
	switch {
	case e.CreditNoteID != nil:
		note, err := store.CreditNotes.Get(ctx, s.Read(), *e.CreditNoteID)
		if err != nil || note == nil {
			return nil, err
		}
		uuid, number = note.UUID, note.Number
	case e.InvoiceID != nil && e.Template != mail.Receipt && e.Template != mail.PaymentFailed:
		i, err := store.Invoices.Get(ctx, s.Read(), *e.InvoiceID)
		if err != nil || i == nil || i.Kind == document.ImportedInvoice {
			return nil, err
		}
		uuid, number = i.UUID, i.Number
	default:
		return nil, nil
	}
	file, err := s.File(ctx, uuid, PDF)
	if err != nil || file == nil {
		return nil, err
	}
	return []mail.Attachment{{Name: fileName(number), Type: PDF, Data: file.Content}}, nil
}

// fileName is a number of a document as the name of a file.
func fileName(number string) string {
	safe := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, number)
	return safe + ".pdf"
}
