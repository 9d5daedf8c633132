package invoicing

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/store"
)

// sellers are the entities with the tax rates.
type sellers struct {
	entities []billing.Entity
	rates    tax.Rates
}

// of returns the entity of an account, nil if there is none.
func (s *sellers) of(a *billing.Account) *billing.Entity { return s.named(a.EntityID) }

// named returns the entity that an account names, the first one if it names none, nil
// if there is none.
func (s *sellers) named(id *billing.EntityID) *billing.Entity {
	for n := range s.entities {
		if id == nil || s.entities[n].ID == *id {
			return &s.entities[n]
		}
	}
	return nil
}

// loadSellers reads the entities, the first one first, and the tax rates.
func loadSellers(ctx context.Context, q store.Queries) (*sellers, error) {
	entities, err := store.AllEntities(ctx, q)
	if err != nil || len(entities) == 0 {
		return &sellers{}, err
	}
	rates, err := store.AllTaxRates(ctx, q)
	return &sellers{entities, rates}, err
}

// version is another one after every change of them.
func (s *sellers) version() (version int64) {
	for n := range s.entities {
		version += s.entities[n].UpdatedAt.UnixMilli() * (int64(s.entities[n].ID) + 1)
	}
	for n := range s.rates {
		version += s.rates[n].UpdatedAt.UnixMilli() * (int64(s.rates[n].ID) + 1)
	}
	return version
}

// byID returns an entity, nil if there is none.
func (s *sellers) byID(id billing.EntityID) *billing.Entity {
	for n := range s.entities {
		if s.entities[n].ID == id {
			return &s.entities[n]
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
	for n := range s.entities {
		e := &s.entities[n]
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
	if len(all) == 1 && some == len(s.entities) {
		all[0].entities = nil
	}
	return all
}
