package invoicing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// dunningActor is who does what a policy says.
const dunningActor = "dunning"

// claims is what dunning does in a transaction: records of invoices by their ids, those
// of new invoices, and the steps that were carried out.
type claims struct {
	known  map[billing.InvoiceID]*dunning.Record
	fresh  map[*document.Invoice]*dunning.Record
	steps  []dunning.Carried
	cancel []billing.SubscriptionID
	// owed are the subscriptions of which something else is owed because of their standing,
	// from which day on.
	owed map[billing.SubscriptionID]billing.Date
	// standings are those that have changed.
	standings []subscriptions.StandingChange
	// overdue are the invoices that have become so.
	overdue []*document.Invoice
	// last are the last collections of invoices, collect what is to be collected, and
	// failures what could not be.
	last map[billing.InvoiceID]*collect.Last
	// refused are the payment methods that policies do not charge.
	refused  map[billing.PaymentMethodID]bool
	collect  []wanted
	failures []failure
}

// failure is an attempt to collect that has failed.
type failure struct {
	webhook.PaymentFailure
	method billing.PaymentMethodID
	// declined says that the bank or the customer has refused.
	declined bool
}

// claimOf is what dunning knows of an invoice. last is its last collection, if there is
// one.
func claimOf(a *billing.Account, i *document.Invoice, r *dunning.Record, last *collect.Last, refused map[billing.PaymentMethodID]bool, zone *time.Location) dunning.Invoice {
	claim := r.With(dunning.Invoice{
		Number: i.Number, Issued: i.IssuedAt, Due: i.DueAt, Currency: i.Currency, AmountDue: i.AmountDue(), OneOff: i.Kind != document.SubscriptionInvoice,
	})
	return withCollection(claim, a, last, refused, zone)
}

func (r *run) claimOf(b *book, i *document.Invoice, record *dunning.Record) dunning.Invoice {
	return claimOf(b.Account.Account, i, record, r.claims.last[i.ID], r.claims.refused, r.cal.Zone())
}

// moment is now, by the time of day at which an entity carries steps out.
func (r *run) moment(entity billing.EntityID) dunning.Moment {
	m := dunning.Moment{Day: r.cal.Today, Passed: true}
	if e := r.sellers.byID(entity); e != nil {
		m.Passed = !r.cal.Now.Before(e.CollectionMoment(r.cal.Today, r.cal.Zone()))
	}
	return m
}

// dun decides what the changes of invoices mean for dunning, and gives subscriptions
// the standings that follow. It comes before documents are numbered, because others
// lock subscriptions before series.
func (r *run) dun(ctx context.Context) error {
	if err := r.loadClaims(ctx); err != nil {
		return err
	}
	if err := r.loadRefused(ctx); err != nil {
		return err
	}
	var changed []*dunning.Record
	for _, b := range r.books {
		if b.problem != nil {
			continue
		}
		for _, i := range b.documents.Invoices {
			if len(r.sellers.Policies) > 0 {
				record := &dunning.Record{AccountID: b.ID, EntityID: i.EntityID, TestClockID: b.TestClockID, Standing: billing.Good}
				r.settleClaim(b, r.sellers.policyOf(b.Account.Account, i.EntityID), i, record)
				r.claims.fresh[i] = record
			}
		}
		for i := range b.touched {
			record := r.claims.known[i.ID]
			if record == nil {
				continue
			}
			was := record.Standing
			r.settleClaim(b, r.sellers.policyOf(b.Account.Account, i.EntityID), i, record)
			if record.Standing != was {
				changed = append(changed, record)
			}
		}
	}
	return r.setStandings(ctx, changed)
}

// loadClaims reads what is known about the dunning of invoices that something was done
// to.
func (r *run) loadClaims(ctx context.Context) error {
	if r.claims.known == nil {
		r.claims.known = map[billing.InvoiceID]*dunning.Record{}
	}
	if r.claims.fresh == nil {
		r.claims.fresh = map[*document.Invoice]*dunning.Record{}
	}
	var ids []billing.InvoiceID
	r.each(func(b *book) {
		for i := range b.touched {
			if i.ID != 0 && r.claims.known[i.ID] == nil && !slices.Contains(b.documents.Invoices, i) {
				ids = append(ids, i.ID)
			}
		}
	})
	if len(ids) == 0 || len(r.sellers.Policies) == 0 {
		return nil
	}
	slices.Sort(ids)
	found, err := store.DunningOf(ctx, r.tx.Queries, ids)
	if err != nil {
		return err
	}
	for id, record := range found {
		r.claims.known[id] = record
	}
	return r.loadLast(ctx, ids)
}

// loadLast reads the last collections of invoices, but for those that are known.
func (r *run) loadLast(ctx context.Context, ids []billing.InvoiceID) error {
	last, err := store.LastCollections(ctx, r.tx.Queries, ids)
	if r.claims.last == nil {
		r.claims.last = last
	}
	for id, l := range last {
		if r.claims.last[id] == nil {
			r.claims.last[id] = l
		}
	}
	return err
}

// loadRefused reads which payment methods policies do not charge.
func (r *run) loadRefused(ctx context.Context) error {
	var ids []billing.PaymentMethodID
	for _, b := range r.books {
		if b.PaymentMethodID != nil {
			ids = append(ids, *b.PaymentMethodID)
		}
	}
	if len(ids) == 0 || len(r.sellers.Policies) == 0 || r.claims.refused != nil {
		return nil
	}
	var err error
	r.claims.refused, err = store.RefusedMethods(ctx, r.tx.Queries, ids)
	return err
}

// settleClaim notes what follows from an invoice as it is, and whether it is overdue now. If a payment was taken back that
// had settled it, its steps begin again.
func (r *run) settleClaim(b *book, p *dunning.Policy, i *document.Invoice, record *dunning.Record) {
	claim, now := r.claimOf(b, i, record), r.moment(i.EntityID)
	if back := b.takenBack(i); back > 0 {
		claim.AmountDue -= back
		claim = p.Reversed(claim, back, now.Day)
		record.State.Restarted, record.State.Done = claim.Restarted, claim.Done
	}
	p.Begin(record, &claim, now)
	if p.Settle(record, &claim, now) {
		r.claims.overdue = append(r.claims.overdue, i)
	}
}

// takenBack is how much of payments was taken back from an invoice, and not applied to it
// again.
func (b *book) takenBack(i *document.Invoice) (sum money.Amount) {
	for _, a := range b.unapplied {
		if a.invoice == i {
			sum += a.amount
		}
	}
	for _, a := range b.applications {
		if a.invoice == i && slices.ContainsFunc(b.unapplied, func(u *application) bool { return u.invoice == i && u.payment == a.payment }) {
			sum -= a.amount
		}
	}
	return max(0, sum)
}

// setStandings gives the subscriptions of invoices their standings, by all unpaid
// invoices of their accounts.
func (r *run) setStandings(ctx context.Context, changed []*dunning.Record) error {
	if len(changed) == 0 {
		return nil
	}
	var invoices []billing.InvoiceID
	var accounts []billing.AccountID
	for _, record := range changed {
		invoices, accounts = append(invoices, record.InvoiceID), append(accounts, record.AccountID)
	}
	slices.Sort(invoices)
	ids, err := store.SubscriptionsOfInvoices(ctx, r.tx.Queries, invoices)
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := store.SaveDunning(ctx, r.tx, changed); err != nil { // it is written again with the rest
		return err
	}
	effects, err := store.EffectsOn(ctx, r.tx.Queries, operation.Unique(accounts), ids)
	if err != nil {
		return err
	}
	verdicts := make(map[billing.SubscriptionID]subscription.Verdict, len(ids))
	for _, id := range ids {
		verdicts[id] = subscription.Verdict{Standing: billing.Good}
	}
	for n := range effects {
		if e := &effects[n]; e.Standing.Worse(verdicts[e.SubscriptionID].Standing) {
			verdicts[e.SubscriptionID] = subscription.Verdict{Standing: e.Standing, InvoiceID: &e.InvoiceID, Unbilled: r.unbilled(e)}
		}
	}
	r.claims.owed, r.claims.standings, err = subscriptions.SetStandings(ctx, r.tx, ids, verdicts, r.cal, dunningActor)
	return err
}

// unbilled reports whether the policy that counts for an invoice has days on which
// subscriptions are suspended not billed.
func (r *run) unbilled(e *store.Effect) bool {
	at := slices.IndexFunc(r.books, func(b *book) bool { return b.ID == e.AccountID })
	if at < 0 {
		return false
	}
	p := r.sellers.policyOf(r.books[at].Account.Account, e.EntityID)
	return p != nil && !p.BillWhileSuspended
}

// saveClaims writes what dunning has done.
func (r *run) saveClaims(ctx context.Context) error {
	var records []*dunning.Record
	r.each(func(b *book) {
		for _, i := range b.documents.Invoices {
			if record := r.claims.fresh[i]; record != nil {
				record.InvoiceID = i.ID
				records = append(records, record)
			}
		}
		for i := range b.touched {
			if record := r.claims.known[i.ID]; record != nil {
				records = append(records, record)
			}
		}
	})
	slices.SortFunc(records, func(a, b *dunning.Record) int { return cmp.Compare(a.InvoiceID, b.InvoiceID) })
	records = slices.Compact(records)
	if err := store.SaveDunning(ctx, r.tx, records); err != nil {
		return err
	}
	return store.InsertDunningSteps(ctx, r.tx, r.claims.steps)
}

// forfeit notes whether an invoice that is written off gives nothing back to its
// subscriptions.
func (r *run) forfeit(ctx context.Context, i *document.Invoice, forfeited bool) error {
	found, err := store.DunningOf(ctx, r.tx.Queries, []billing.InvoiceID{i.ID})
	if record := found[i.ID]; record != nil {
		record.State.Forfeited = forfeited
		r.claims.known = found
	}
	return err
}
