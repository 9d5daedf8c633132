package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// ScheduledChange is something that was ordered for a later day, in the API.
type ScheduledChange struct {
	*subscription.ScheduledChange
	of *Subscription
}

// ID names the change.
func (c *ScheduledChange) ID() string { return c.ScheduledChange.ID }

// Date is the first day on which it counts.
func (c *ScheduledChange) Date() billing.Date { return c.On }

// Unused says what becomes of unused days, unless the plan changes.
func (c *ScheduledChange) Unused() *subscription.UnusedDays {
	return optional(c.ScheduledChange.Unused)
}

// PriceList is the one that takes over, if the plan changes.
func (c *ScheduledChange) PriceList(ctx context.Context) (*PriceList, error) {
	if c.PriceListID == nil {
		return nil, nil
	}
	return c.of.nextPriceList(ctx)
}

// nextPriceList is the one that a subscription is to change to, if any.
func (s *Subscription) nextPriceList(ctx context.Context) (*PriceList, error) {
	if s.NextPriceList == nil {
		return nil, nil
	}
	byID, err := together(s.group, "next price list", func(rows []subscription.Subscription) (map[billing.PriceListID]*PriceList, error) {
		var ids []billing.PriceListID
		for i := range rows {
			if next := rows[i].NextPriceList; next != nil {
				ids = append(ids, next.ID)
			}
		}
		return s.group.reader.priceListsByID(ctx, ids)
	})
	return byID[s.NextPriceList.ID], err
}

// ScheduledChanges is what was ordered for a later day.
func (s *Subscription) ScheduledChanges() []*ScheduledChange {
	changes := s.Subscription.ScheduledChanges()
	nodes := make([]*ScheduledChange, len(changes))
	for i := range changes {
		nodes[i] = &ScheduledChange{&changes[i], s}
	}
	return nodes
}
