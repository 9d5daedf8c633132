package mailing

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// Note is something that a customer is told.
type Note struct {
	Account  *billing.Account
	Entity   *billing.Entity
	Template string
	// What it is about: see email.Email.
	InvoiceID       *billing.InvoiceID
	CreditNoteID    *billing.CreditNoteID
	PaymentID       *billing.PaymentID
	PaymentMethodID *billing.PaymentMethodID
	// Facts are what the template can say, but for the names of both sides, which are
	// added.
	Facts mail.Facts
}

// Wanted reports whether e-mail is written: on test clocks always, because it is only
// shown there, and otherwise once it was set up.
func Wanted(ctx context.Context, q store.Queries, clock *billing.TestClockID) (bool, error) {
	if clock != nil {
		return true, nil
	}
	mode, err := store.EmailMode(ctx, q)
	return mode != email.Off, err
}

// Record writes the e-mail that tells customers of something, in the transaction in which
// that happens. own are the templates of the operator, and at is now by the clock of the
// accounts.
func Record(ctx context.Context, tx *store.Tx, own []email.Template, at time.Time, notes []Note) error {
	if len(notes) == 0 {
		return nil
	}
	mode, err := store.EmailMode(ctx, tx.Queries)
	if err != nil {
		return err
	}
	accounts := make([]*billing.Account, len(notes))
	for n := range notes {
		accounts[n] = notes[n].Account
	}
	contacts, err := billingContacts(ctx, tx.Queries, accounts)
	if err != nil {
		return err
	}
	rows := make([]*email.Email, len(notes))
	for n := range notes {
		note := &notes[n]
		to, name := recipient(note.Account, contacts)
		content, err := note.render(own, name)
		if err != nil {
			return err
		}
		e := &email.Email{
			UUID: secret.UUID(), AccountID: note.Account.ID, EntityID: note.Entity.ID, Template: note.Template, InvoiceID: note.InvoiceID, CreditNoteID: note.CreditNoteID,
			PaymentID: note.PaymentID, PaymentMethodID: note.PaymentMethodID, Locale: note.Account.Locale, To: to, Subject: content.Subject, Text: content.Text, HTML: content.HTML,
			State: email.Waiting, NextAt: &tx.Now, At: at, TestClockID: note.Account.TestClockID,
		}
		switch {
		case e.TestClockID != nil:
			e.Drop(email.OnTestClock)
		case to == "":
			e.Drop(email.NoAddress)
		case mode != email.Send:
			e.Drop(email.OnlyShown)
		}
		rows[n] = e
	}
	return store.InsertEmails(ctx, tx, rows)
}

// render is what the message says to somebody, by the template that is nearest to the
// language of the account. A template of the operator that cannot be rendered any more, as
// one with a fact that was dropped since, stops nothing that is told of: what is built in is
// said instead.
func (n *Note) render(own []email.Template, name string) (mail.Content, error) {
	f := n.Facts
	f.CompanyName, f.CustomerName, f.ContactName = n.Entity.Name, n.Account.Name, name
	if n.Entity.LegalName != nil {
		f.CompanyName = cmp.Or(*n.Entity.LegalName, f.CompanyName)
	}
	if n.Entity.Email != nil {
		f.CompanyEmail = *n.Entity.Email
	}
	content, err := render(n.choose(own), f)
	if err != nil {
		return render(n.choose(nil), f)
	}
	return content, nil
}

func render(t mail.Template, f mail.Facts) (mail.Content, error) {
	ready, err := prepared(t)
	if err != nil {
		return mail.Content{}, err
	}
	return ready.Render(f)
}

// choose is the template of the message: that of the operator, or what is built in if it
// has none that could be used.
func (n *Note) choose(own []email.Template) mail.Template {
	var known []mail.Template
	for k := range own {
		if own[k].Name == n.Template {
			known = append(known, templateOf(&own[k]))
		}
	}
	t, found := mail.Choose(known, n.Template, n.Account.Locale)
	if !found { // a policy from before its templates were checked
		t, _ = mail.BuiltIn(mail.Reminder, n.Account.Locale)
	}
	return t
}

func templateOf(t *email.Template) mail.Template {
	return mail.Template{Name: t.Name, Locale: t.Locale, Subject: t.Subject, Body: t.Body}
}

// ready are templates that were used before.
var ready struct {
	sync.Mutex
	of map[mail.Template]*mail.Ready
}

// mostReady bounds how many templates are remembered.
const mostReady = 256

// prepared makes a template ready, once.
func prepared(t mail.Template) (*mail.Ready, error) {
	ready.Lock()
	defer ready.Unlock()
	if known := ready.of[t]; known != nil {
		return known, nil
	}
	made, err := mail.Prepare(t)
	if err != nil {
		return nil, err
	}
	if ready.of == nil || len(ready.of) >= mostReady {
		ready.of = map[mail.Template]*mail.Ready{}
	}
	ready.of[t] = made
	return made, nil
}
