package invoicing

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/store"
)

// sellers are the entities with the tax rates.
type sellers struct{ *store.Sellers }

// of returns the entity of an account, nil if there is none.
func (s *sellers) of(a *billing.Account) *billing.Entity { return s.named(a.EntityID) }

// named returns the entity that an account names, the first one if it names none, nil
// if there is none.
func (s *sellers) named(id *billing.EntityID) *billing.Entity {
	for n := range s.Entities {
		if id == nil || s.Entities[n].ID == *id {
			return &s.Entities[n]
		}
	}
	return nil
}

// loadSellers reads the entities, the first one first, and the tax rates.
func loadSellers(ctx context.Context, q store.Queries) (*sellers, error) {
	all, err := store.LoadSellers(ctx, q)
	if all == nil {
		all = &store.Sellers{}
	}
	return &sellers{all}, err
}

// version is another one after every change of them.
func (s *sellers) version() (version int64) {
	for n := range s.Entities {
		version += s.Entities[n].UpdatedAt.UnixMilli() * (int64(s.Entities[n].ID) + 1)
	}
	for n := range s.Rates {
		version += s.Rates[n].UpdatedAt.UnixMilli() * (int64(s.Rates[n].ID) + 1)
	}
	return version
}

// changedAt is when the last of them was changed.
func (s *sellers) changedAt() (last time.Time) {
	for n := range s.Entities {
		if at := s.Entities[n].UpdatedAt; at.After(last) {
			last = at
		}
	}
	for n := range s.Rates {
		if at := s.Rates[n].UpdatedAt; at.After(last) {
			last = at
		}
	}
	return last
}

// policyOf is the policy that counts for invoices of an account that an entity issued,
// nil for none.
func (s *sellers) policyOf(a *billing.Account, entity billing.EntityID) *dunning.Policy {
	if a.DunningExempt {
		return nil
	}
	id := a.DunningPolicyID
	if e := s.byID(entity); id == nil && e != nil {
		id = e.DunningPolicyID
	}
	for n := range s.Policies {
		if id != nil && s.Policies[n].ID == *id {
			return &s.Policies[n]
		}
	}
	return nil
}

// byID returns an entity, nil if there is none.
func (s *sellers) byID(id billing.EntityID) *billing.Entity {
	for n := range s.Entities {
		if s.Entities[n].ID == id {
			return &s.Entities[n]
		}
	}
	return nil
}

// schedule is a group of entities that issue invoices at the same time of day.
type schedule struct {
	// entities are theirs, and 0 stands for accounts that name none; nil for all.
	entities []billing.EntityID
	// through is the last day that they can bill by now: today, or yesterday before
	// the time of day at which they issue invoices. It is nil before the first one.
	through *billing.Date
	// moment is when they bill a day to come.
	moment func(billing.Date) time.Time
}

// schedules are the entities that issue invoices, by when they do.
func (s *sellers) schedules(now time.Time, zone *time.Location) (all []*schedule) {
	type key struct{ through, starts, at string }
	known := map[key]*schedule{}
	some := 0
	for n := range s.Entities {
		e := &s.Entities[n]
		if e.InvoicingStartsOn == nil {
			continue
		}
		through := billing.DateOf(now, zone)
		if now.Before(e.InvoiceMoment(through, zone)) {
			through = through.AddDays(-1)
		}
		group := &schedule{moment: func(day billing.Date) time.Time { return e.InvoiceMoment(day, zone) }}
		k := key{through.String(), "", e.InvoiceTime}
		if first := *e.InvoicingStartsOn; first.After(through) {
			k.starts = first.String()
			group.moment = func(day billing.Date) time.Time {
				if day.Before(first) {
					day = first
				}
				return e.InvoiceMoment(day, zone)
			}
		} else {
			group.through = &through
		}
		if known[k] == nil {
			known[k], all = group, append(all, group)
		}
		some++
		if known[k].entities = append(known[k].entities, e.ID); n == 0 {
			known[k].entities = append(known[k].entities, 0)
		}
	}
	if len(all) == 1 && some == len(s.Entities) {
		all[0].entities = nil
	}
	return all
}
