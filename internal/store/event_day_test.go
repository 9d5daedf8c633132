package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testEventDays counts ranges of the log and compares with what each event
// says of itself, and keeps what was counted.
func testEventDays(t *testing.T, db *storetest.Database) {
	w := newLogWorld(t, db)
	ctx, q := t.Context(), w.s.Queries()
	write(t, w.s, func(ctx context.Context, tx *store.Tx) {
		resent := w.events[0]
		_, err := outbox.AppendDelivery(ctx, tx, &resent, false)
		must(err) // it waits again: only its latest delivery counts
	})
	events := w.know()
	middle, end := events[len(events)/2].ID, events[len(events)-1].ID+1
	var all log.EventCounts
	for _, bounds := range [][2]billing.EventID{{events[0].ID, 0}, {events[0].ID, middle}, {middle, end}, {middle, middle}, {end, 0}} {
		var want log.EventCounts
		for _, e := range events {
			if e.ID < bounds[0] || bounds[1] != 0 && e.ID >= bounds[1] {
				continue
			}
			switch e.Delivery.State {
			case webhook.DeliveryDelivered:
				want.Delivered++
			case webhook.DeliveryExhausted:
				want.Failed++
			case webhook.DeliveryWaiting:
				want.Waiting++
			default:
				want.Replaced++
			}
		}
		same(t, "CountEventsFrom", got[log.EventCounts](t)(log.CountEventsFrom(ctx, q, bounds[0], bounds[1])), want)
		if bounds[1] == 0 && bounds[0] < end {
			all = want
		}
	}
	if all.Delivered == 0 || all.Failed == 0 || all.Replaced == 0 || all.Waiting == 0 {
		t.Fatalf("%+v shows too little", all)
	}

	day := func(n int) billing.Date { return billing.Date{Year: 2026, Month: time.January, Day: n} }
	at := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	save := func(d log.EventDay) {
		write(t, w.s, func(ctx context.Context, tx *store.Tx) { must(log.SaveEventDay(ctx, tx, &d)) })
	}
	first, second := log.EventDay{Day: day(3), CountedAt: at, EventCounts: all}, log.EventDay{Day: day(12), CountedAt: at.Add(time.Minute)}
	save(second)
	save(log.EventDay{Day: day(3), CountedAt: at.Add(-time.Hour)})
	save(first)
	days := got[[]log.EventDay](t)
	same(t, "EventDays", days(log.EventDays(ctx, q, day(3))), []log.EventDay{first, second})
	same(t, "later ones", days(log.EventDays(ctx, q, day(4))), []log.EventDay{second})
	write(t, w.s, func(ctx context.Context, tx *store.Tx) { must(log.DeleteEventDaysBefore(ctx, tx, day(12))) })
	same(t, "what is left", days(log.EventDays(ctx, q, day(1))), []log.EventDay{second})
}
