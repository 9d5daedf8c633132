package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/bill"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Outcome names the documents that an operation made or changed.
type Outcome struct {
	AccountID   billing.AccountID
	Invoices    []billing.InvoiceID
	CreditNotes []billing.CreditNoteID
	PaymentID   billing.PaymentID
}

// act does something to the documents of one account: decide changes what it finds
// in the account's book, and everything is written with an audit entry. The
// account is locked, so that no two people do so at once.
func (s *Service) act(ctx context.Context, name string, account func(context.Context, *store.Tx) (billing.AccountID, error), decide func(context.Context, *run, *book) error) (*Outcome, error) {
	outcome, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*Outcome, error) {
		id, err := account(ctx, tx)
		if err != nil {
			return nil, err
		}
		r, b, err := openBook(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if err := decide(ctx, r, b); err != nil {
			return nil, err
		}
		if err := r.issue(ctx); err != nil {
			return nil, err
		}
		o := b.outcome()
		return o, operation.Audit(ctx, tx, name, "account", int64(id), b.auditChanges())
	})
	s.Wake()
	return outcome, err
}

// openBook locks an account and reads its open documents.
func openBook(ctx context.Context, tx *store.Tx, id billing.AccountID) (*run, *book, error) {
	a, waiting, billed, err := store.LockToBill(ctx, tx, id)
	if err != nil {
		return nil, nil, err
	}
	if a == nil {
		return nil, nil, billing.Missing("accountId", "account", id)
	}
	o := order{accounts: []billing.AccountID{id}, clock: a.TestClockID, issue: true, waiting: waiting, billed: billed}
	r := &run{order: o, tx: tx, invoices: map[billing.InvoiceID]*document.Invoice{}}
	if r.cal, err = calendar.In(ctx, tx, a.TestClockID); err != nil {
		return nil, nil, err
	}
	if r.sellers, err = loadSellers(ctx, tx.Queries); err != nil {
		return nil, nil, err
	}
	b := &book{Account: bill.Account{Account: a, Entity: r.sellers.of(a), Rates: r.sellers.Rates, Today: r.cal.Today}, documents: &bill.Documents{}, keep: true}
	if b.Entity == nil {
		return nil, nil, billing.Fail(billing.NotAllowed, "accountId", "There is no entity that could issue documents. Create one first.")
	}
	r.books = []*book{b}
	if err := r.loadFunds(ctx, r.accounts, map[billing.AccountID]*book{id: b}); err != nil {
		return nil, nil, err
	}
	return r, b, nil
}

// lockAccountOf locks the account that something is about.
func lockAccountOf(ctx context.Context, tx *store.Tx, account func(context.Context, *store.Tx) (billing.AccountID, error)) (*billing.Account, error) {
	id, err := account(ctx, tx)
	if err != nil {
		return nil, err
	}
	accounts, err := store.LockAccounts(ctx, tx, []billing.AccountID{id})
	if err != nil {
		return nil, err
	}
	if len(accounts) == 0 {
		return nil, billing.Missing("accountId", "account", id)
	}
	return &accounts[0], nil
}

// outcome names what was made.
func (b *book) outcome() *Outcome {
	o := &Outcome{AccountID: b.ID}
	for _, i := range b.documents.Invoices {
		o.Invoices = append(o.Invoices, i.ID)
	}
	for _, i := range b.drafts {
		o.Invoices = append(o.Invoices, i.ID)
	}
	for n := range b.documents.CreditNotes {
		o.CreditNotes = append(o.CreditNotes, b.documents.CreditNotes[n].ID)
	}
	if b.payment != nil {
		o.PaymentID = b.payment.ID
	}
	return o
}

// auditChanges says what was done, as the audit log has it.
func (b *book) auditChanges() map[string]billing.Change {
	after := map[string]any{}
	add := func(field, value string) {
		list, _ := after[field].([]string)
		after[field] = append(list, value)
	}
	for _, i := range b.documents.Invoices {
		add("invoices", i.Number+" "+i.Currency.Format(i.Amount)+" "+i.Currency.Code)
	}
	for _, i := range b.drafts {
		add("drafts", i.Currency.Format(i.Amount)+" "+i.Currency.Code)
	}
	for n := range b.documents.CreditNotes {
		note := &b.documents.CreditNotes[n]
		add("creditNotes", note.Number+" "+note.Currency.Format(note.Amount)+" "+note.Currency.Code)
		if note.Reason != "" {
			after["reason"] = note.Reason
		}
	}
	if p := b.payment; p != nil {
		after["payment"] = p.Currency.Format(p.Amount) + " " + p.Currency.Code
	}
	for _, back := range b.returned {
		add("returned", back.payment.Currency.Format(back.amount)+" "+back.payment.Currency.Code)
	}
	for _, a := range b.applications {
		add("appliedTo", a.invoice.Number+" "+a.invoice.Currency.Format(a.amount))
	}
	for _, a := range b.unapplied {
		add("takenFrom", a.invoice.Number+" "+a.invoice.Currency.Format(a.amount))
	}
	return billing.Changes(map[string]any{}, after)
}

// accountOfInvoice finds the account of an invoice, which never changes.
func accountOfInvoice(field string, id billing.InvoiceID) func(context.Context, *store.Tx) (billing.AccountID, error) {
	return func(ctx context.Context, tx *store.Tx) (billing.AccountID, error) {
		i, err := operation.Find(ctx, tx, store.Invoices, field, "invoice", id)
		if err != nil {
			return 0, err
		}
		return i.AccountID, nil
	}
}

// theAccount is an account that the caller named.
func theAccount(id billing.AccountID) func(context.Context, *store.Tx) (billing.AccountID, error) {
	return func(context.Context, *store.Tx) (billing.AccountID, error) { return id, nil }
}

// invoice reads an invoice with its items, for something to be done to it.
func (r *run) invoice(ctx context.Context, field string, id billing.InvoiceID) (*document.Invoice, error) {
	i, err := operation.Find(ctx, r.tx, store.Invoices, field, "invoice", id)
	if err != nil {
		return nil, err
	}
	one := []document.Invoice{*i}
	if err := store.WithItems(ctx, r.tx.Queries, one); err != nil {
		return nil, err
	}
	r.invoices[id] = &one[0]
	return &one[0], nil
}
