package bill

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// Account is an account with all that is needed to bill it.
type Account struct {
	*billing.Account
	Entity *billing.Entity
	Rates  tax.Rates
	// Today is the day that is billed, for the account. If it has passed, because only
	// what was due by then is billed, IssuedOn is the day on which documents are issued.
	Today, IssuedOn billing.Date
	// Everything has what is due billed even if nothing calls for an invoice yet.
	Everything bool
	// CollectOn is a day on which everything that waits is collected, because the
	// billing day has changed since; zero if there is none. Due clears it when it has
	// come, or when nothing waits any more.
	CollectOn billing.Date

	Subscriptions []*Subscription
	Pending       []document.PendingItem
	// PendingOn is the day on which the pending items that are left have waited
	// long enough; zero if there are none. Due sets it.
	PendingOn billing.Date

	pending []document.PendingItem // those that are billed
}

// Subscription is a subscription of the account.
type Subscription struct {
	*subscription.Subscription
	TenantCode string
	// Offers finds what price lists offer.
	Offers subscription.Offers
	// Billed is what the ledger has of keys that end on its LedgerFrom or later.
	Billed []ledger.Billed

	// What Due finds: what is billed now, and when to look at it again.
	Changes []ledger.Change
	Next    Next

	// since is the day from which on Billed has all keys, once Carry has left some
	// out.
	since billing.Date
}

// Next is what a subscription remembers for the next time that its account is
// billed.
type Next struct {
	// BilledOn is the day up to which everything is billed that was due; nil if
	// it never was.
	BilledOn *billing.Date
	// BillOn is when the account has to be looked at; nil if nothing is to come.
	BillOn *billing.Date
	// DirtyFrom is the first day about which something is left to be billed, and
	// ChangedOn when that came about.
	DirtyFrom, ChangedOn *billing.Date
}

// Due finds what is billed today, if the account is billed at all, and when to
// look at it again.
func (a *Account) Due() error {
	collection := ledger.Collection{Mode: ledger.CollectionMode(a.Collection), BillingDay: a.BillingDay}
	timelines := make([]ledger.Timeline, len(a.Subscriptions))
	all := make([][]ledger.Change, len(a.Subscriptions))
	calls := a.Everything || a.CollectOn != billing.Date{} && !a.CollectOn.After(a.Today)
	for n, s := range a.Subscriptions {
		var err error
		if timelines[n], all[n], err = a.changes(s); err != nil {
			return billing.Fail(billing.NotAllowed, "", "Subscription %d cannot be billed: %v", s.ID, err)
		}
		for i := range all[n] {
			c := &all[n][i]
			calls = calls || !c.Due.After(a.Today) && !collection.BillOn(c.Due, c.CallsOn).After(a.Today)
		}
	}
	for n := range a.Pending {
		p := &a.Pending[n]
		calls = calls || !p.DueOn.After(a.Today) && !collection.BillOn(p.DueOn, billing.Date{}).After(a.Today)
	}
	for n, s := range a.Subscriptions {
		s.settle(all[n], timelines[n], collection, a.Today, calls)
	}
	a.settlePending(collection, calls)
	if !a.CollectOn.After(a.Today) || !a.waits() {
		a.CollectOn = billing.Date{}
	}
	return nil
}

// waits reports whether something is left for a later invoice.
func (a *Account) waits() bool {
	return len(a.Pending) > len(a.pending) || slices.ContainsFunc(a.Subscriptions, func(s *Subscription) bool { return s.Next.DirtyFrom != nil })
}

// LookOn is the day on which the account has to be looked at, whatever the days of
// its subscriptions are; zero if there is none.
func (a *Account) LookOn() billing.Date {
	if a.PendingOn == (billing.Date{}) || a.CollectOn != (billing.Date{}) && a.CollectOn.Before(a.PendingOn) {
		return a.CollectOn
	}
	return a.PendingOn
}

// changes compares what a subscription owes with what was billed.
func (a *Account) changes(s *Subscription) (ledger.Timeline, []ledger.Change, error) {
	timeline, err := timelineOf(s.Subscription, *a.Entity.InvoicingStartsOn, a.Today, s.Offers)
	if err != nil {
		return timeline, nil, err
	}
	changes, err := timeline.Changes(s.Billed, s.comparedFrom(), a.Today)
	return timeline, changes, err
}

// comparedFrom is the day from which on keys are compared. A preview has no more of
// them than were read.
func (s *Subscription) comparedFrom() billing.Date {
	if from := s.LedgerFrom(); from.After(s.since) {
		return from
	}
	return s.since
}

// timelineOf is a subscription as it is owed for, through a day, by an entity that
// starts invoicing on another. The first day that is billed stays once something was.
func timelineOf(s *subscription.Subscription, invoicingStartsOn, through billing.Date, offers subscription.Offers) (ledger.Timeline, error) {
	if s.BillingSince != nil {
		invoicingStartsOn = *s.BillingSince
	}
	var elsewhere billing.Date
	if s.BilledThrough != nil {
		elsewhere = *s.BilledThrough
	}
	timeline, err := s.Timeline(through, ledger.BillingStart(s.StartDate, invoicingStartsOn, elsewhere), offers)
	if s.ChangedOn != nil {
		timeline.ChangedOn = *s.ChangedOn
	}
	return timeline, err
}

// Wrong compares everything that was ever billed of a subscription with what it
// owes through a day, and returns what differs although nothing waits to be billed.
func Wrong(s *subscription.Subscription, billed []ledger.Billed, invoicingStartsOn, through billing.Date, offers subscription.Offers) ([]ledger.Change, error) {
	timeline, err := timelineOf(s, invoicingStartsOn, through, offers)
	if err != nil {
		return nil, err
	}
	changes, err := timeline.Changes(billed, billing.Date{}, through)
	return slices.DeleteFunc(changes, func(c ledger.Change) bool { return c.Due.After(through) }), err
}

// settle divides changes into those that are billed now and those that are left,
// and decides when to look again.
func (s *Subscription) settle(changes []ledger.Change, timeline ledger.Timeline, collection ledger.Collection, today billing.Date, calls bool) {
	s.Changes, s.Next = nil, Next{BilledOn: s.BilledOn, ChangedOn: s.ChangedOn}
	var left []ledger.Change
	for n := range changes {
		if c := &changes[n]; calls && !c.Due.After(today) {
			s.Changes = append(s.Changes, *c)
		} else {
			left = append(left, *c)
			if s.Next.DirtyFrom == nil || c.Days.From.Before(*s.Next.DirtyFrom) {
				s.Next.DirtyFrom = &c.Days.From
			}
		}
	}
	slices.SortStableFunc(s.Changes, func(a, b ledger.Change) int { return a.Period.From.Compare(b.Period.From) })
	if calls || len(left) == 0 {
		if s.BilledOn == nil || s.BilledOn.Before(today) {
			s.Next.BilledOn = &today
		}
	}
	if len(left) == 0 {
		s.Next.ChangedOn = nil
	}
	if on, some := timeline.NextBilling(left, today, collection); some {
		s.Next.BillOn = &on
	}
}

func (a *Account) settlePending(collection ledger.Collection, calls bool) {
	a.pending, a.PendingOn = nil, billing.Date{}
	for n := range a.Pending {
		p := &a.Pending[n]
		if calls && !p.DueOn.After(a.Today) {
			a.pending = append(a.pending, *p)
		} else if on := collection.BillOn(p.DueOn, billing.Date{}); a.PendingOn == (billing.Date{}) || on.Before(a.PendingOn) {
			a.PendingOn = on
		}
	}
}

// issuedOn is the day on which documents are issued.
func (a *Account) issuedOn() billing.Date {
	if a.IssuedOn.After(a.Today) {
		return a.IssuedOn
	}
	return a.Today
}

// Credited are the keys that something is credited of, of which Documents needs
// the items.
func (a *Account) Credited() (keys []Ref) {
	for _, s := range a.Subscriptions {
		for n := range s.Changes {
			if s.Changes[n].Amount < 0 {
				keys = append(keys, Ref{s.ID, s.Changes[n].Key})
			}
		}
	}
	return keys
}

// Ref is a key of a subscription.
type Ref struct {
	SubscriptionID billing.SubscriptionID
	Key            ledger.Key
}

// IsEmpty reports whether there is nothing to bill.
func (a *Account) IsEmpty() bool {
	return len(a.pending) == 0 && !slices.ContainsFunc(a.Subscriptions, func(s *Subscription) bool { return len(s.Changes) > 0 })
}

// Since is the first day that a subscription is billed for by its entity, or was by
// the one that began.
func (a *Account) Since(s *Subscription) *billing.Date {
	if s.BillingSince != nil {
		return s.BillingSince
	}
	return a.Entity.InvoicingStartsOn
}

// Carry takes what was made of the account as billed, without writing it, and
// returns the next day on which it has to be looked at, if there is one: a preview
// goes on from there.
func (a *Account) Carry(d *Documents) (next billing.Date, some bool) {
	soonest := func(on billing.Date) {
		if on != (billing.Date{}) && (!some || on.Before(next)) {
			next, some = on, true
		}
	}
	for _, s := range a.Subscriptions {
		since := s.BillingSince
		for _, b := range d.Ledger {
			if b.SubscriptionID == s.ID {
				since = a.Since(s)
				s.Billed = append(slices.DeleteFunc(s.Billed, func(known ledger.Billed) bool { return known.Key == b.Key }), b.Billed)
			}
		}
		s.since = s.comparedFrom()
		carried := *s.Subscription
		carried.BillOn, carried.BilledOn, carried.DirtyFrom, carried.ChangedOn = s.Next.BillOn, s.Next.BilledOn, s.Next.DirtyFrom, s.Next.ChangedOn
		carried.BillingSince = since
		if s.Subscription = &carried; carried.BillOn != nil {
			soonest(*carried.BillOn)
		}
		s.since = s.comparedFrom() // what ended before is not compared any more
		s.Billed = slices.DeleteFunc(s.Billed, func(b ledger.Billed) bool { return b.Period.To.Before(s.since) })
	}
	a.Pending = slices.DeleteFunc(a.Pending, func(p document.PendingItem) bool { return slices.Contains(d.Pending, p.ID) })
	soonest(a.LookOn())
	return next, some
}
