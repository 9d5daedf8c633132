package invoicing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/bill"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// dunDue carries out the steps of unpaid invoices on real time that are due, at most a
// batch of them for each entity. It returns how many invoices it looked at.
func (s *Service) dunDue(ctx context.Context, now time.Time, sellers *sellers, zone *time.Location) (looked int, err error) {
	for n := range sellers.Entities {
		e := &sellers.Entities[n]
		through := billing.DateOf(now, zone)
		if now.Before(e.CollectionMoment(through, zone)) {
			through = through.AddDays(-1)
		}
		due, err := store.ToDun(ctx, s.Read(), e.ID, through, s.Batch)
		if err != nil {
			return looked, err
		}
		n, err := s.dunBatch(ctx, due, nil)
		if looked += n; err != nil {
			return looked, err
		}
	}
	return looked, nil
}

// nextDunning is when a step of an unpaid invoice is due next; zero if none is to come.
func (s *Service) nextDunning(ctx context.Context, now time.Time, sellers *sellers, zone *time.Location) (next time.Time, err error) {
	for n := range sellers.Entities {
		e := &sellers.Entities[n]
		day, found, err := store.NextToDun(ctx, s.Read(), e.ID)
		if err != nil {
			return time.Time{}, err
		}
		if !found {
			continue
		}
		at := e.CollectionMoment(day, zone)
		if !at.After(now) {
			at = now.Add(runBusy) // others are at it
		}
		next = sooner(at, next)
	}
	return next, nil
}

// dunOnClock does so on a test clock, by the time that it shows.
func (s *Service) dunOnClock(ctx context.Context, clock billing.TestClockID) (looked int, err error) {
	due, _, err := s.toDunOnClock(ctx, s.Store.Snapshot(), clock)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	return s.dunBatch(ctx, due, &clock)
}

// NextDunningOnClock is when a step of an unpaid invoice is due next on a test clock, a
// payment provider is asked, or a customer is told that a payment method expires, and
// whether there is such a time.
func (s *Service) NextDunningOnClock(ctx context.Context, tx *store.Tx, clock billing.TestClockID) (time.Time, bool, error) {
	due, next, err := s.toDunOnClock(ctx, tx, clock)
	if err != nil {
		return next, false, err
	}
	asked, some, err := store.NextCollection(ctx, tx.Queries, &clock)
	if err != nil {
		return next, false, err
	}
	if some {
		next = sooner(asked, next)
	}
	told, some, err := s.nextExpiryOnClock(ctx, tx, clock)
	if some {
		next = sooner(told, next)
	}
	return next, len(due) > 0 || !next.IsZero(), err
}

// toDunOnClock returns the invoices on a clock whose steps are due, and when the first
// step is due or was.
func (s *Service) toDunOnClock(ctx context.Context, tx *store.Tx, clock billing.TestClockID) (due []dunning.Record, first time.Time, err error) {
	all, err := store.ToDunOnClock(ctx, tx.Queries, clock, s.candidates())
	if err != nil || len(all) == 0 {
		return nil, first, err
	}
	sellers, err := loadSellers(ctx, tx.Queries)
	if err != nil {
		return nil, first, err
	}
	zone, err := calendar.ZoneOf(ctx, tx.Queries)
	if err != nil {
		return nil, first, err
	}
	c, err := store.TestClocks.Get(ctx, tx.Queries, clock)
	if err != nil || c == nil {
		return nil, first, err
	}
	for n := range all {
		e := sellers.byID(all[n].EntityID)
		at := e.CollectionMoment(all[n].Next, zone)
		first = sooner(at, first)
		if !at.After(c.Now) {
			due = append(due, all[n])
		}
	}
	return due, first, nil
}

// dunBatch looks at invoices in one transaction. If that fails, each is looked at in
// one of its own, and those that fail again are put off to the next day, so that they
// do not stop the others.
func (s *Service) dunBatch(ctx context.Context, due []dunning.Record, clock *billing.TestClockID) (looked int, err error) {
	if len(due) == 0 {
		return 0, nil
	}
	if looked, err = s.dunOnce(ctx, due, clock); err == nil || s.IsOutage(ctx, err) {
		return looked, err
	}
	looked = 0
	var failed error
	for n := range due {
		one, err := s.dunOnce(ctx, due[n:n+1], clock)
		if looked += one; err == nil {
			continue
		}
		if s.IsOutage(ctx, err) {
			return looked, err
		}
		looked++
		failed = fmt.Errorf("dunning of invoice %d was put off for a day: %w", due[n].InvoiceID, err)
		err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			cal, err := calendar.In(ctx, tx, clock)
			if err != nil {
				return err
			}
			return store.DunOn(ctx, tx, []billing.InvoiceID{due[n].InvoiceID}, cal.Today.AddDays(1))
		})
		if err != nil {
			return looked, err
		}
	}
	return looked, failed
}

// dunOnce carries out the steps of invoices in one transaction. Accounts that somebody
// else is at are passed over.
func (s *Service) dunOnce(ctx context.Context, due []dunning.Record, clock *billing.TestClockID) (looked int, err error) {
	ids := make([]billing.InvoiceID, len(due))
	accounts := make([]billing.AccountID, len(due))
	for n := range due {
		ids[n], accounts[n] = due[n].InvoiceID, due[n].AccountID
	}
	begun := false // something is to be collected
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		defer operation.Recovered(&err)
		accounts := operation.Unique(accounts)
		r, err := openBooks(ctx, tx, accounts, clock)
		if err != nil || len(r.books) == 0 {
			return err
		}
		if looked, err = r.carryOut(ctx, ids); err != nil {
			return err
		}
		begun = len(r.claims.collect) > 0
		if err := r.issue(ctx); err != nil {
			return err
		}
		for _, b := range r.books {
			if changes := b.auditChanges(); len(changes) > 0 {
				if err := operation.Audit(ctx, tx, "invoiceDunning", "account", int64(b.ID), changes); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if begun {
		s.wakeCollecting()
	}
	return looked, err
}

// openBooks locks accounts that nobody else has, for something to be done to their
// invoices.
func openBooks(ctx context.Context, tx *store.Tx, ids []billing.AccountID, clock *billing.TestClockID) (*run, error) {
	r, _, err := booksOf(ctx, tx, ids, clock, func(ctx context.Context, tx *store.Tx, ids []billing.AccountID) ([]billing.Account, error) {
		return store.LockFreeAccounts(ctx, tx, ids, len(ids))
	})
	return r, err
}

// booksOf locks accounts and makes their books, to which documents can be added.
func booksOf(ctx context.Context, tx *store.Tx, ids []billing.AccountID, clock *billing.TestClockID,
	lock func(context.Context, *store.Tx, []billing.AccountID) ([]billing.Account, error),
) (*run, map[billing.AccountID]*book, error) {
	r := &run{order: order{accounts: ids, clock: clock, issue: true}, tx: tx, invoices: map[billing.InvoiceID]*document.Invoice{}}
	var err error
	if r.cal, err = calendar.In(ctx, tx, clock); err != nil {
		return nil, nil, err
	}
	if r.sellers, err = loadSellers(ctx, tx.Queries); err != nil {
		return nil, nil, err
	}
	accounts, err := lock(ctx, tx, ids)
	if err != nil {
		return nil, nil, err
	}
	if r.billed, err = store.BillingOf(ctx, tx.Queries, ids); err != nil {
		return nil, nil, err
	}
	at := map[billing.AccountID]*book{}
	for n := range accounts {
		a := &accounts[n]
		b := &book{Account: bill.Account{Account: a, Entity: r.sellers.of(a), Rates: r.sellers.Rates, Today: r.cal.Today}, documents: &bill.Documents{}, keep: true}
		r.books, at[a.ID] = append(r.books, b), b
	}
	return r, at, r.loadFunds(ctx, ids, at)
}

// carryOut does what policies say about invoices now.
func (r *run) carryOut(ctx context.Context, ids []billing.InvoiceID) (looked int, err error) {
	at := map[billing.AccountID]*book{}
	for _, b := range r.books {
		at[b.ID] = b
	}
	if r.claims.known, err = store.DunningOf(ctx, r.tx.Queries, ids); err != nil {
		return 0, err
	}
	if err := r.loadLast(ctx, ids); err != nil {
		return 0, err
	}
	if err := r.loadRefused(ctx); err != nil {
		return 0, err
	}
	invoices, err := store.Invoices.ByIDs(ctx, r.tx.Queries, ids)
	if err != nil {
		return 0, err
	}
	for n := range invoices {
		i := &invoices[n]
		b, record := at[i.AccountID], r.claims.known[i.ID]
		if b == nil || record == nil {
			continue
		}
		looked++
		if err := r.carryOutFor(ctx, b, i, record); err != nil {
			return 0, err
		}
	}
	if err := r.addCompanions(ctx); err != nil {
		return 0, err
	}
	if _, err := r.beginCollections(ctx, r.claims.collect); err != nil {
		return 0, err
	}
	if len(r.claims.cancel) == 0 {
		return looked, nil
	}
	// All that standings are about as well, because streams come after subscriptions.
	subs, err := store.SubscriptionsOfInvoices(ctx, r.tx.Queries, ids)
	if err != nil {
		return 0, err
	}
	if err := subscriptions.LockAll(ctx, r.tx, subs); err != nil {
		return 0, err
	}
	slices.Sort(r.claims.cancel)
	cancellation := subscription.Cancellation{Unused: subscription.KeepUnused}
	return looked, subscriptions.CancelIn(ctx, r.tx, slices.Compact(r.claims.cancel), cancellation, r.cal, dunningActor)
}

// carryOutFor carries out the steps of an invoice that are due.
func (r *run) carryOutFor(ctx context.Context, b *book, i *document.Invoice, record *dunning.Record) error {
	p, now := r.sellers.policyOf(b.Account.Account, i.EntityID), r.moment(i.EntityID)
	claim := r.claimOf(b, i, record)
	p.Begin(record, &claim, now)
	for _, step := range p.Next(&claim, now).Now {
		switch step.Action {
		case dunning.Collect:
			r.claims.collect = append(r.claims.collect, wanted{b.Account.Account, i})
		case dunning.Cancel:
			subs, err := store.SubscriptionsOfInvoices(ctx, r.tx.Queries, []billing.InvoiceID{i.ID})
			if err != nil {
				return err
			}
			r.claims.cancel = append(r.claims.cancel, subs...)
		case dunning.WriteOff:
			whole, err := r.invoice(ctx, "id", i.ID)
			if err != nil {
				return err
			}
			i = whole
			if err := writeOff(b, i, "Unpaid", false, r.cal.Today); err != nil {
				return err
			}
			record.State.Forfeited = true
		}
		claim = claim.After(step)
		record.State.Done = claim.Done
		r.claims.steps = append(r.claims.steps, dunning.Carried{InvoiceID: i.ID, Step: step, On: r.cal.Today})
	}
	b.touched[i] = true
	return nil
}

// writeOff gives up what is due of an invoice.
func writeOff(b *book, i *document.Invoice, reason string, correctTax bool, today billing.Date) error {
	note, err := i.WriteOff(reason, correctTax, today)
	if err != nil {
		return err
	}
	b.documents.CreditNotes = append(b.documents.CreditNotes, note)
	b.more = append(b.more, invoiceEvent(document.InvoiceWrittenOff, i))
	return nil
}
