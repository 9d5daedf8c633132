package delivery

import (
	"context"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/store"
)

// CountedDays is for how many days it is counted what became of the webhooks
// recorded on them, today included.
const CountedDays = 14

const (
	// countOften is how old a count of today or yesterday may be.
	countOften = 20 * time.Second
	// countSeldom is that for older days, to which hardly anything happens.
	countSeldom = time.Hour
)

// dayCounts remembers when this process last counted each day.
type dayCounts struct {
	mu sync.Mutex
	at map[billing.Date]time.Time
}

// CountEventDays counts what became of the webhooks of the last days, as far as
// that is not known freshly. Any number of processes may do so: each counts what
// is true. kept is how long the log keeps everything: a day of which something
// may have been removed is not counted again, so that its last count stays.
func (s *Service) CountEventDays(ctx context.Context, kept time.Duration) error {
	s.dayCounts.mu.Lock()
	defer s.dayCounts.mu.Unlock()
	now := s.Store.Snapshot().Now
	today := billing.DateOf(now, time.UTC)
	first := today.AddDays(1 - CountedDays)
	days, err := log.EventDays(ctx, s.Read(), first)
	if err != nil {
		return err
	}
	known := make(map[billing.Date]log.EventDay, len(days))
	for _, d := range days {
		known[d.Day] = d
	}
	at := make(map[billing.Date]time.Time, CountedDays)
	for day := first; !day.After(today); day = day.AddDays(1) {
		enough := countSeldom
		if day.DaysUntil(today) < 2 {
			enough = countOften
		}
		if at[day] = s.dayCounts.at[day]; day.Start(time.UTC).Before(now.Add(-kept)) || now.Sub(at[day]) < enough || now.Sub(known[day].CountedAt) < enough {
			continue
		}
		if err := s.countEventDay(ctx, day, known); err != nil {
			return err
		}
		at[day] = now
	}
	s.dayCounts.at = at
	return nil
}

// countEventDay counts one day, and forgets those that nobody asks for any more.
func (s *Service) countEventDay(ctx context.Context, day billing.Date, known map[billing.Date]log.EventDay) error {
	from, err := log.EventIDAt(ctx, s.Read(), day.Start(time.UTC))
	if err != nil {
		return err
	}
	before, err := log.EventIDAt(ctx, s.Read(), day.AddDays(1).Start(time.UTC))
	if err != nil {
		return err
	}
	d := log.EventDay{Day: day}
	if from > 0 {
		if d.EventCounts, err = log.CountEventsFrom(ctx, s.Read(), from, before); err != nil {
			return err
		}
	}
	if last, counted := known[day]; counted && last.EventCounts == d.EventCounts {
		return nil // an idle server writes nothing
	}
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		d.CountedAt = tx.Now
		if err := log.SaveEventDay(ctx, tx, &d); err != nil {
			return err
		}
		return log.DeleteEventDaysBefore(ctx, tx, day.AddDays(-2*CountedDays))
	})
}
