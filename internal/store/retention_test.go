package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testRetention removes what has run its time and nothing else, however small
// the steps.
func testRetention(t *testing.T, db *storetest.Database) {
	w := newLogWorld(t, db)
	ctx, q := t.Context(), w.s.Queries()
	// Deliveries ended when their events were recorded, to have different ages.
	write(t, w.s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Exec(ctx, tx, `UPDATE webhook_delivery SET updated_at = (SELECT created_at FROM webhook_event WHERE webhook_event.id = webhook_delivery.event_id)`)
		must(err)
		resent := w.events[0]
		_, err = outbox.AppendDelivery(ctx, tx, &resent, false)
		must(err)
	})
	middle, late := w.events[len(w.events)/2].CreatedAt, w.events[len(w.events)*3/4].CreatedAt
	r := log.Retention{Delivered: late, Failed: middle}
	newest := map[billing.TenantID]int{}
	for _, e := range w.events {
		newest[e.Subject.Tenant()] = max(newest[e.Subject.Tenant()], e.Sequence)
	}
	var old, kept []billing.EventID
	for _, e := range w.know() {
		before, known := map[string]time.Time{
			webhook.DeliveryDelivered: late, webhook.DeliveryExhausted: middle, webhook.DeliverySuperseded: middle, webhook.DeliveryCanceled: middle,
		}[e.Delivery.State]
		isNewest := e.Subject.Tenant() != 0 && e.Sequence == newest[e.Subject.Tenant()]
		if known && e.Delivery.UpdatedAt.Before(before) && !isNewest {
			old = append(old, e.ID)
		} else {
			kept = append(kept, e.ID)
		}
	}
	if len(old) < 10 || len(kept) < 10 {
		t.Fatalf("%d old and %d kept show nothing", len(old), len(kept))
	}
	var found []billing.EventID
	for after, steps := billing.EventID(0), 0; ; steps++ {
		ids, last, err := log.OldEvents(ctx, q, r, after, 7)
		if err != nil {
			t.Fatal(err)
		}
		if last == 0 {
			break
		}
		if found = append(found, ids...); last <= after || steps > len(w.events) {
			t.Fatalf("looking does not end: %d behind %d", last, after)
		}
		after = last
	}
	same(t, "what is old", found, old)
	all := append(slices.Clone(old), kept...)
	removed := 0
	write(t, w.s, func(ctx context.Context, tx *store.Tx) {
		var err error
		removed, err = log.RemoveEvents(ctx, tx, r, all) // it looks again
		must(err)
	})
	same(t, "how many were removed", removed, len(old))
	var left []billing.EventID
	for _, e := range got[[]log.LoggedEvent](t)(log.LoggedEvents(ctx, q, all)) {
		left = append(left, e.ID)
	}
	same(t, "what is left", left, kept)
	for _, orphans := range []string{
		`SELECT count(*) FROM webhook_delivery WHERE event_id NOT IN (SELECT id FROM webhook_event)`,
		`SELECT count(*) FROM webhook_attempt WHERE delivery_id NOT IN (SELECT id FROM webhook_delivery)`,
	} {
		same(t, orphans, got[[]string](t)(store.Rows(ctx, q, orphans)), []string{"0"})
	}
	lockedElsewhere(t, w, kept[0])
}

// lockedElsewhere leaves an event alone that somebody is about to send again.
func lockedElsewhere(t *testing.T, w *logWorld, id billing.EventID) {
	if w.s.Engine() == "sqlite" {
		return // nothing is written side by side
	}
	later := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	far := log.Retention{Delivered: later, Failed: later}
	write(t, w.s, func(ctx context.Context, tx *store.Tx) {
		_, err := log.LockEvents(ctx, tx, []billing.EventID{id})
		must(err)
		removed := make(chan int, 1)
		must(attempt(t, w.s, func(ctx context.Context, other *store.Tx) {
			n, err := log.RemoveEvents(ctx, other, far, []billing.EventID{id})
			must(err)
			removed <- n
		}))
		same(t, "removed under a lock", <-removed, 0)
	})
}

// testResends finds what is to be sent again, in steps of any size.
func testResends(t *testing.T, db *storetest.Database) {
	w := newLogWorld(t, db)
	ctx, q := t.Context(), w.s.Queries()
	known := w.know()
	upTo := got[billing.EventID](t)(log.NewestEventID(ctx, q))
	same(t, "the newest event", upTo, w.events[len(w.events)-1].ID)
	for _, latest := range []bool{false, true} {
		for _, c := range []struct {
			filter string
			match  func(e knownEvent) bool
		}{
			{"", func(knownEvent) bool { return true }},
			{"state:exhausted", func(e knownEvent) bool { return e.stage == webhook.StateExhausted }},
			{"state:delivered platform:ready", func(e knownEvent) bool { return e.stage == webhook.StateDelivered && e.platform.Code == "ready" }},
			{"state:held", func(e knownEvent) bool { return e.stage == webhook.StateHeld }},
			{"state:retry_wait", func(e knownEvent) bool { return e.stage == webhook.StateRetryWait }},
			{`"tenant b"`, func(e knownEvent) bool { return e.other(`"tenant b"`, "") }},
			{"tenant:3 state:superseded", func(e knownEvent) bool {
				return e.tenant != nil && (e.tenant.Code == "3" || e.tenant.ID == 3) && e.stage == webhook.StateSuperseded
			}},
		} {
			resend := log.Resend{Filter: filter(t, c.filter), UpTo: upTo - 5, LatestPerTenant: latest}
			var want []billing.EventID
			newest := map[billing.TenantID]billing.EventID{}
			for _, e := range known {
				if e.Subject.Tenant() != 0 && e.ID <= upTo-5 && c.match(e) {
					want, newest[e.Subject.Tenant()] = append(want, e.ID), e.ID
				}
			}
			if latest {
				want = slices.DeleteFunc(want, func(id billing.EventID) bool {
					at := slices.IndexFunc(known, func(e knownEvent) bool { return e.ID == id })
					return newest[known[at].Subject.Tenant()] != id
				})
			}
			same(t, "how many "+c.filter, got[int](t)(resend.Count(ctx, q)), len(want))
			var have []billing.EventID
			for after := billing.EventID(0); ; {
				events, last, err := resend.Next(ctx, q, after, 4)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					have = append(have, e.ID)
				}
				if after = last; last == 0 {
					break
				}
			}
			same(t, "which "+c.filter, have, want)
		}
	}
	if _, err := (log.Resend{Filter: filter(t, "colour:red")}).Count(ctx, q); !billing.Is(err, billing.Invalid) {
		t.Errorf("a filter that is none: %v", err)
	}
}

// testWaitingResends knows what waits behind the newest event of a tenant.
func testWaitingResends(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var tenant, other billing.TenantID
	var live billing.ProductID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		on, account := m.provisioningPlatform(), m.account("A").ID
		tenant, other = m.tenant(on.ID, account).ID, m.tenant(on.ID, account).ID
		for n := 1; n <= 3; n++ {
			position, err := outbox.NextPosition(ctx, tx, tenant)
			must(err)
			e := &webhook.Event{Type: webhook.EventType, Subject: webhook.OfTenant(tenant), PlatformID: on.ID, Sequence: n, Reason: "x", Body: "{}"}
			must(outbox.InsertEvent(ctx, tx, e, position))
			if n == 2 {
				_, err := outbox.AppendDelivery(ctx, tx, e, false) // before the newest
				must(err)
			}
		}
		trial, over := m.offer(), m.offer()
		live = trial.product
		of := func(state subscription.State) func(*subscription.Subscription) {
			return func(sub *subscription.Subscription) { sub.State, sub.TenantID = state, &tenant }
		}
		m.subscription(account, trial, of(subscription.StateTrial))
		m.subscription(account, trial, of(subscription.StateActive))
		m.subscription(account, over, of(subscription.StateExpired))
	})
	check := func(what string, want map[billing.TenantID]int) {
		t.Helper()
		same(t, what, got[map[billing.TenantID]int](t)(outbox.WaitingResends(t.Context(), s.Queries(), []billing.TenantID{tenant, other})), want)
	}
	check("nothing behind the newest", map[billing.TenantID]int{})
	var events []webhook.Event
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		var err error
		events, err = outbox.EventsOfTenant(ctx, tx.Queries, tenant, 0, 10)
		must(err)
		for _, i := range []int{1, 0} {
			_, err := outbox.AppendDelivery(ctx, tx, &events[i], false)
			must(err)
		}
	})
	check("the highest of two", map[billing.TenantID]int{tenant: 2})
	products := got[map[billing.TenantID][]billing.ProductID](t)(store.LiveProducts(t.Context(), s.Queries(), []billing.TenantID{tenant, other}))
	same(t, "live products", products, map[billing.TenantID][]billing.ProductID{tenant: {live}})
	checkWaits(t, s, "an event", func(ctx context.Context, tx *store.Tx) {
		locked, err := log.LockEvents(ctx, tx, []billing.EventID{events[0].ID})
		must(err)
		same(t, "locked", []any{len(locked), locked[0].Delivery.Latest}, []any{1, true})
	}, func(ctx context.Context, tx *store.Tx) {
		_, err := log.LockEvents(ctx, tx, []billing.EventID{events[0].ID, 1 << 40})
		must(err)
	})
}
