package invoicing

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// InvoiceCollect charges the payment method of the account with what is due of an
// invoice, now.
func (s *Service) InvoiceCollect(ctx context.Context, id billing.InvoiceID) (*collect.Collection, error) {
	begun, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*collect.Collection, error) {
		account, err := accountOfInvoice("id", id)(ctx, tx)
		if err != nil {
			return nil, err
		}
		r, b, err := openBook(ctx, tx, account)
		if err != nil {
			return nil, err
		}
		i, err := r.invoice(ctx, "id", id)
		if err != nil {
			return nil, err
		}
		if r.claims.last, err = store.LastCollections(ctx, tx.Queries, []billing.InvoiceID{id}); err != nil {
			return nil, err
		}
		if err := collectable(b.Account.Account, i, r.claims.last[id]); err != nil {
			return nil, err
		}
		begun, err := r.beginCollections(ctx, []wanted{{b.Account.Account, i}})
		if err != nil {
			return nil, err
		}
		b.touched[i] = true
		if err := r.issue(ctx); err != nil {
			return nil, err
		}
		c := begun[0]
		return c, operation.Audit(ctx, tx, "invoiceCollect", "invoice", int64(id), billing.Changes(map[string]any{}, map[string]any{
			"amount": c.Currency.Format(c.Amount) + " " + c.Currency.Code, "attempt": c.Attempts,
		}))
	})
	if err == nil && begun.TestClockID != nil {
		_, err = s.collectOnClock(ctx, *begun.TestClockID)
	}
	s.wakeCollecting()
	s.Wake()
	return begun, err
}

// collectable returns why an invoice cannot be collected now, nil if it can.
func collectable(a *billing.Account, i *document.Invoice, last *collect.Last) error {
	switch {
	case i.Number == "" || i.AmountDue() <= 0:
		return billing.Fail(billing.NotAllowed, "id", "Nothing is due of invoice %s.", i.Number)
	case a.PaymentMethodID == nil:
		return billing.Fail(billing.NotAllowed, "id", "The account has no payment method. Add one, or record the payment when it arrives.")
	case last != nil && !last.Outcome.IsFinal():
		return billing.Fail(billing.NotAllowed, "id", "Collection %d of this invoice has no outcome yet. Nothing else is charged for it until then.", last.CollectionID)
	}
	return nil
}

// wanted is an invoice to collect.
type wanted struct {
	account *billing.Account
	invoice *document.Invoice
}

// beginCollections makes attempts to collect invoices, to be sent when this is
// committed. A collection that failed gets another attempt if it asks for the same.
func (r *run) beginCollections(ctx context.Context, all []wanted) ([]*collect.Collection, error) {
	if len(all) == 0 {
		return nil, nil
	}
	methods, failed, err := r.methodsAndFailed(ctx, all)
	if err != nil {
		return nil, err
	}
	begun := make([]*collect.Collection, len(all))
	var fresh []*collect.Collection
	for n, w := range all {
		i := w.invoice
		c := failed[i.ID]
		if c == nil || c.PaymentMethodID != *w.account.PaymentMethodID || c.Amount != i.AmountDue() {
			c = &collect.Collection{
				UUID: secret.UUID(), AccountID: i.AccountID, EntityID: i.EntityID, PaymentMethodID: *w.account.PaymentMethodID, Provider: methods[*w.account.PaymentMethodID].Provider,
				Currency: i.Currency, Amount: i.AmountDue(), LineText: i.Number, State: collect.Pending, Outcome: collect.Waiting, TestClockID: i.TestClockID,
			}
			fresh = append(fresh, c)
		}
		begun[n] = c
	}
	if err := store.Collections.InsertAll(ctx, r.tx, fresh); err != nil {
		return nil, err
	}
	attempts := make([]*collect.Attempt, len(begun))
	parts := make([]collect.Part, 0, len(fresh))
	for n, c := range begun {
		if c.Attempts == 0 {
			parts = append(parts, collect.Part{CollectionID: c.ID, InvoiceID: all[n].invoice.ID, Amount: c.Amount})
		}
		attempt := c.Begin(r.cal.Now)
		attempts[n] = &attempt
		r.claims.last[all[n].invoice.ID] = &collect.Last{
			InvoiceID: all[n].invoice.ID, CollectionID: c.ID, PaymentMethodID: c.PaymentMethodID, State: c.State, Outcome: c.Outcome, At: r.cal.Now,
		}
	}
	if err := store.InsertParts(ctx, r.tx, parts); err != nil {
		return nil, err
	}
	if err := store.SaveCollections(ctx, r.tx, begun); err != nil {
		return nil, err
	}
	return begun, store.SaveAttempts(ctx, r.tx, attempts)
}

// methodsAndFailed reads the payment methods of accounts, and the last collections of
// invoices that failed.
func (r *run) methodsAndFailed(ctx context.Context, all []wanted) (map[billing.PaymentMethodID]collect.Method, map[billing.InvoiceID]*collect.Collection, error) {
	var ids []billing.PaymentMethodID
	var failed []billing.PaymentCollectionID
	for _, w := range all {
		ids = append(ids, *w.account.PaymentMethodID)
		if last := r.claims.last[w.invoice.ID]; last != nil && last.State == collect.Failed {
			failed = append(failed, last.CollectionID)
		}
	}
	rows, err := store.PaymentMethods.ByIDs(ctx, r.tx.Queries, operation.Unique(ids))
	if err != nil {
		return nil, nil, err
	}
	methods := make(map[billing.PaymentMethodID]collect.Method, len(rows))
	for n := range rows {
		methods[rows[n].ID] = rows[n]
	}
	of := map[billing.InvoiceID]*collect.Collection{}
	if len(failed) == 0 {
		return methods, of, nil
	}
	collections, err := store.Collections.ByIDs(ctx, r.tx.Queries, failed)
	for _, w := range all {
		for n := range collections {
			if last := r.claims.last[w.invoice.ID]; last != nil && last.CollectionID == collections[n].ID {
				of[w.invoice.ID] = &collections[n]
			}
		}
	}
	return methods, of, err
}

// withCollection adds what is known about collecting an invoice. Attempts began on days
// of the operator's time zone.
func withCollection(claim dunning.Invoice, a *billing.Account, last *collect.Last, zone *time.Location) dunning.Invoice {
	claim.HasMethod = a.PaymentMethodID != nil
	if last == nil {
		claim.NewMethod = claim.HasMethod
		return claim
	}
	same := claim.HasMethod && *a.PaymentMethodID == last.PaymentMethodID
	claim.NewMethod, claim.HardDecline = claim.HasMethod && !same, same && last.Hard
	if !last.Outcome.IsFinal() {
		claim.Attempt, claim.AttemptOn = dunning.Unanswered, billing.DateOf(last.At, zone)
		if last.Outcome == collect.OutPending {
			claim.Attempt = dunning.Pending
		}
	}
	return claim
}
