package invoicing

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/store"
)

// moments is what time it is for accounts, and who sells to them.
type moments struct {
	sellers *sellers
	zone    *time.Location
	now     time.Time
	clocks  map[billing.TestClockID]billing.TestClock
}

func (s *Service) momentsOf(ctx context.Context, tx *store.Tx, accounts []billing.Account, clocks map[billing.TestClockID]billing.TestClock) (*moments, error) {
	m := &moments{now: tx.Now, clocks: clocks}
	var err error
	if m.sellers, err = loadSellers(ctx, tx.Queries); err != nil {
		return nil, err
	}
	if m.zone, err = calendar.ZoneOf(ctx, tx.Queries); err != nil {
		return nil, err
	}
	var ids []billing.TestClockID
	for n := range accounts {
		if id := accounts[n].TestClockID; id != nil {
			ids = append(ids, *id)
		}
	}
	if len(ids) == 0 {
		return m, nil
	}
	rows, err := store.TestClocks.ByIDs(ctx, tx.Queries, ids)
	for n := range rows {
		m.clocks[rows[n].ID] = rows[n]
	}
	return m, err
}

// of is what time it is for an invoice of an account.
func (m *moments) of(a *billing.Account, i *document.Invoice) dunning.Moment {
	now := m.now
	if a.TestClockID != nil {
		now = m.clocks[*a.TestClockID].Now
	}
	moment := dunning.Moment{Day: billing.DateOf(now, m.zone), Passed: true}
	if e := m.sellers.byID(i.EntityID); e != nil {
		moment.Passed = !now.Before(e.CollectionMoment(moment.Day, m.zone))
	}
	return moment
}

// upcoming are the steps of an invoice that are to come.
func (m *moments) upcoming(a *billing.Account, i *document.Invoice, record *dunning.Record, last *collect.Last, refused map[billing.PaymentMethodID]bool) []dunning.Planned {
	return m.sellers.policyOf(a, i.EntityID).Upcoming(claimOf(a, i, record, last, refused, m.zone), m.of(a, i))
}
