package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testRepairEvents keeps what events were sent for that repaired tenants, and finds these
// events by their reason.
func testRepairEvents(t *testing.T, db *storetest.Database) {
	w := newLogWorld(t, db)
	ctx, q := t.Context(), w.s.Queries()
	seats := 5
	repair := func(code string) *drift.SentRepair {
		return &drift.SentRepair{Sequence: 7, At: w.s.Now().Truncate(time.Millisecond).UTC(), Outcome: drift.Drifted, Acted: 3,
			Differences: []drift.Difference{{Code: code, Kind: drift.WrongQuantity, Expected: &drift.Side{Quantity: &seats}, Actual: &drift.Side{}}}}
	}
	first := w.s.Now()
	var sent []billing.EventID
	kept := map[billing.EventID]*drift.SentRepair{}
	for n, of := range []int{0, 6, 1, 0} {
		db.Clock.Advance(time.Hour)
		write(t, w.s, func(ctx context.Context, tx *store.Tx) {
			tenant := w.tenants[of]
			position, err := outbox.NextPosition(ctx, tx, tenant.ID)
			must(err)
			e := webhook.Event{Type: webhook.EventType, Subject: webhook.OfTenant(tenant.ID), PlatformID: tenant.PlatformID, Sequence: position.Sequence, Reason: drift.RepairReason, Body: "{}"}
			must(outbox.InsertEvent(ctx, tx, &e, position))
			why := repair(string(rune('a' + n)))
			must(outbox.KeepRepairs(ctx, tx, []outbox.Repair{{EventID: e.ID, PlatformID: e.PlatformID, For: why}}))
			sent, kept[e.ID] = append(sent, e.ID), why
		})
	}
	for id, want := range kept {
		same(t, "RepairOf", got[*drift.SentRepair](t)(outbox.RepairOf(ctx, q, id)), want)
	}
	same(t, "RepairOf another event", got[*drift.SentRepair](t)(outbox.RepairOf(ctx, q, w.events[0].ID)), (*drift.SentRepair)(nil))

	on := w.tenants[0].PlatformID
	count := func(since time.Time) int { return got[int](t)(log.CountRepairs(ctx, q, on, since)) }
	same(t, "CountRepairs", []int{count(first), count(first.Add(150 * time.Minute)), count(first.Add(24 * time.Hour))}, []int{3, 2, 0})

	const by = "reason:drift.repair"
	w.check(by, sent)
	w.check(by+" platform:ready", []billing.EventID{sent[0], sent[2], sent[3]})
	w.check(by+" tenant:3", []billing.EventID{sent[0], sent[3]})
	w.check(by+` "tenant b"`, []billing.EventID{sent[1], sent[2]})
	w.check(by+" created:>="+first.Add(150*time.Minute).Format(time.RFC3339), sent[2:])
	for _, state := range []string{"pending", "in_flight", "retry_wait", "delivered", "exhausted", "held", "superseded", "canceled"} {
		page := store.Page{Filter: filter(t, "state:"+state), Limit: 1000}
		in := eventIDs(got[[]log.LoggedEvent](t)(log.ListEvents(ctx, q, page)))
		w.check(by+" state:"+state, slices.DeleteFunc(in, func(id billing.EventID) bool { return kept[id] == nil }))
	}
	w.check(by+" reason:test", nil)
	w.check("reason:Drift.Repair", sent)
	rest := []billing.EventID{}
	for _, e := range w.events {
		rest = append(rest, e.ID)
	}
	w.check("reason:test", rest)
	w.check("reason:other", nil)

	write(t, w.s, func(ctx context.Context, tx *store.Tx) {
		must(outbox.DeleteEventsOf(ctx, tx, w.tenants[0].ID))
	})
	same(t, "RepairOf an event that is gone", got[*drift.SentRepair](t)(outbox.RepairOf(ctx, q, sent[0])), (*drift.SentRepair)(nil))
	w.check(by, []billing.EventID{sent[1], sent[2]})
}
