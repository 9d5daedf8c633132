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

// days are the days that can be billed by now.
type days struct {
	// ready has the entities for each day; nil stands for all.
	ready map[billing.Date][]billing.EntityID
	// next is when there is another one; zero if nobody can tell.
	next time.Time
}

// days finds the last day that each entity can bill by now: today, or yesterday
// before the time of day at which it issues invoices.
func (s *sellers) days(now time.Time, zone *time.Location) days {
	d := days{ready: map[billing.Date][]billing.EntityID{}}
	some := 0
	for n := range s.entities {
		e := &s.entities[n]
		today := billing.DateOf(now, zone)
		if e.InvoicingStartsOn == nil {
			continue
		}
		if e.InvoicingStartsOn.After(today) {
			d.next = sooner(e.InvoicingStartsOn.Start(zone), d.next)
			continue
		}
		at := e.InvoiceMoment(today, zone)
		if now.Before(at) {
			today = today.AddDays(-1)
			d.next = sooner(at, d.next)
		} else {
			d.next = sooner(e.InvoiceMoment(today.AddDays(1), zone), d.next)
		}
		ids := []billing.EntityID{e.ID}
		if n == 0 {
			ids = append(ids, 0) // accounts that name none
		}
		d.ready[today], some = append(d.ready[today], ids...), some+1
	}
	if some == len(s.entities) && len(d.ready) == 1 {
		for day := range d.ready {
			d.ready[day] = nil
		}
	}
	return d
}
