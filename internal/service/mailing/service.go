// Package mailing writes e-mail to customers in the transactions that it tells of, sends
// it in the background, and has the operations on what operators want it to say.
package mailing

import (
	"context"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Sender hands messages to a mail server.
type Sender interface {
	Send(ctx context.Context, m mail.Message) mail.Outcome
}

// Service has the operations on e-mail.
type Service struct {
	*operation.Runner
	// Sender is how e-mail is sent, nil if this server sends none.
	Sender Sender
	// From is the address that messages come from.
	From string
	// Attachments makes the files that go with a message.
	Attachments func(context.Context, *email.Email) ([]mail.Attachment, error)

	// down counts how often in a row the mail server could not be reached, and resume is
	// when to look again. Only the background uses them.
	down   int
	resume time.Time
}

// SetMode says what becomes of e-mail to customers from now on, for all servers on this
// database.
func (s *Service) SetMode(ctx context.Context, mode email.Mode) error {
	if was, err := store.EmailMode(ctx, s.Read()); err != nil || was == mode {
		return err
	}
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return store.SetSetting(ctx, tx, store.EmailSetting, string(mode))
	})
}

// EmailSend sends an e-mail again, or one that was not sent, to the address that the
// account has now.
func (s *Service) EmailSend(ctx context.Context, id billing.EmailID) (*email.Email, error) {
	e, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*email.Email, error) {
		e, err := store.Emails.Lock(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if e == nil {
			return nil, billing.Missing("id", "e-mail", id)
		}
		if mode, err := store.EmailMode(ctx, tx.Queries); err != nil || mode != email.Send {
			return nil, noServer(err)
		}
		to, err := addressOf(ctx, tx.Queries, e.AccountID)
		if err != nil {
			return nil, err
		}
		before := map[string]any{"state": e.State, "to": e.To}
		if err := e.SendAgain(to, tx.Now); err != nil {
			return nil, err
		}
		if err := store.RequeueEmail(ctx, tx, e); err != nil {
			return nil, err
		}
		return e, operation.Audit(ctx, tx, "emailSend", "email", int64(id), billing.Changes(before, map[string]any{"state": e.State, "to": e.To}))
	})
	return e, err
}

func noServer(err error) error {
	if err != nil {
		return err
	}
	return billing.Fail(billing.NotAllowed, "id", "No mail server is set up. Start the server with --smtp and --email-from, as the page about e-mail says.")
}

// addressOf is where e-mail to an account goes now, empty if nobody knows.
func addressOf(ctx context.Context, q store.Queries, id billing.AccountID) (string, error) {
	a, err := store.Accounts.Get(ctx, q, id)
	if err != nil || a == nil {
		return "", err
	}
	contacts, err := billingContacts(ctx, q, []*billing.Account{a})
	to, _ := recipient(a, contacts)
	return to, err
}

// billingContacts are the billing contacts of accounts, by their ids.
func billingContacts(ctx context.Context, q store.Queries, accounts []*billing.Account) (map[billing.ContactID]*billing.Contact, error) {
	var ids []billing.ContactID
	for _, a := range accounts {
		if a.BillingContactID != nil && a.InvoiceEmail == nil {
			ids = append(ids, *a.BillingContactID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := store.Contacts.ByIDs(ctx, q, operation.Unique(ids))
	found := make(map[billing.ContactID]*billing.Contact, len(rows))
	for n := range rows {
		found[rows[n].ID] = &rows[n]
	}
	return found, err
}

// recipient is who gets the e-mail of an account: its e-mail for invoices, or its billing
// contact, whose name is known.
func recipient(a *billing.Account, contacts map[billing.ContactID]*billing.Contact) (address, name string) {
	if a.InvoiceEmail != nil {
		return strings.TrimSpace(*a.InvoiceEmail), ""
	}
	if a.BillingContactID == nil {
		return "", ""
	}
	c := contacts[*a.BillingContactID]
	if c == nil || c.Email == nil {
		return "", ""
	}
	return strings.TrimSpace(*c.Email), c.FullName()
}
