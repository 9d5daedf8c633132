package calendar

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// Today returns what day it is on each of those test clocks, and in real time for
// nil, for whoever only looks. A clock that was deleted meanwhile shows real time.
func (s *Service) Today(ctx context.Context, clocks []billing.TestClockID) (func(*billing.TestClockID) billing.Date, error) {
	zone, err := s.TimeZone(ctx)
	if err != nil {
		return nil, err
	}
	real, on := billing.DateOf(s.Store.Clock().Now(), zone), map[billing.TestClockID]billing.Date{}
	if len(clocks) > 0 {
		found, err := store.TestClocks.ByIDs(ctx, s.Read(), clocks)
		if err != nil {
			return nil, err
		}
		for n := range found {
			on[found[n].ID] = billing.DateOf(found[n].Now, zone)
		}
	}
	return func(clock *billing.TestClockID) billing.Date {
		if clock != nil {
			if day, known := on[*clock]; known {
				return day
			}
		}
		return real
	}, nil
}
