package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestEventsWithin goes through the log in small steps, some of which find
// nothing, and finds all that a list without a bound finds.
func TestEventsWithin(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newLogWorld(t, db)
		w.crowd(t, "crowd", 250)                  // a word that many have
		w.crowd(t, "throng", log.ManyTenants+200) // and one that too many have to look them up
		const most, limit = 10, 3
		for _, text := range []string{"", "state:delivered", "state:exhausted", "state:delivered platform:ready", "crowd", "crowd state:exhausted", "throng", "throng created:2026-01-15", "tenant:t1 state:delivered", "state:delivered created:2026-01-15", "zzz",
			"reason:r", "reason:none", "reason:none state:exhausted", "reason:drift.repair", "reason:drift.repair state:delivered", "reason:drift.repair state:pending"} {
			for _, backwards := range []bool{false, true} {
				ask := store.Page{Filter: filter(t, text), Limit: 2000, Backwards: backwards}
				want := eventIDs(got[[]log.LoggedEvent](t)(log.ListEvents(t.Context(), w.s.Queries(), ask)))
				var found []billing.EventID
				stops := 0
				ask.Limit = limit
				for step := 0; ; step++ {
					rows, rest, err := log.ListEventsWithin(t.Context(), w.s.Queries(), ask, most)
					must(err)
					found = append(found, eventIDs(rows)...)
					if ask.After = rest; rest == 0 {
						if len(rows) < limit {
							break
						}
						ask.After = int64(rows[limit-1].ID)
					} else if stops++; len(rows) == limit || step > 2000 {
						t.Fatalf("%q stops at %d after %d rows", text, rest, len(rows))
					}
				}
				if !slices.Equal(found, want) {
					t.Errorf("%q, backwards %v, finds %v, want %v", text, backwards, found, want)
				}
				if (text == "throng" && backwards || text == "state:delivered") && stops == 0 {
					t.Errorf("%q never stops: the test shows nothing", text)
				}
				if strings.HasPrefix(text, "reason:") && (stops > 0) != (text != "reason:drift.repair") {
					t.Errorf("%q stops %d times: all but repairs in any state are looked for", text, stops)
				}
				if text == "crowd" && stops > 0 {
					t.Errorf("%q stops although an index has it", text)
				}
			}
		}
	})
}

func eventIDs(rows []log.LoggedEvent) (ids []billing.EventID) {
	for i := range rows {
		ids = append(ids, rows[i].ID)
	}
	return ids
}

// crowd adds tenants with a word in common, and an event of every fiftieth.
func (w *logWorld) crowd(t *testing.T, word string, size int) {
	t.Helper()
	write(t, w.s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		for i := range size {
			tenant := &billing.Tenant{PlatformID: w.platforms[0].ID, AccountID: w.tenants[0].AccountID, Code: fmt.Sprintf("%s-%d", word, i), Name: "One of a " + word}
			must(store.Tenants.Insert(m.ctx, m.tx, tenant))
			if i%50 == 0 {
				position, err := outbox.NextPosition(ctx, tx, tenant.ID)
				must(err)
				must(outbox.InsertEvent(ctx, tx, &webhook.Event{Type: webhook.EventType, Subject: webhook.OfTenant(tenant.ID), PlatformID: tenant.PlatformID, Sequence: position.Sequence, Reason: "r", Body: "{}"}, position))
			}
		}
	})
}

// TestCrowd looks for the events of many tenants on two platforms, with more
// others between them than are looked at, and compares with what all events say.
func TestCrowd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newLogWorld(t, db)
		const others = `INSERT INTO webhook_event (type, stream_id, platform_id, sequence, reason, body, created_at)
			SELECT type, stream_id, platform_id, (SELECT max(id) FROM webhook_event) * 1000 + n.id, reason, body, created_at FROM webhook_event CROSS JOIN (SELECT id FROM tenant ORDER BY id LIMIT 300) AS n
			WHERE webhook_event.id = (SELECT min(id) FROM webhook_event WHERE stream_id = (SELECT id FROM webhook_stream WHERE subject_id = $1))`
		const deliveries = `INSERT INTO webhook_delivery (event_id, platform_id, stream_id, position, cause, forced, state, latest, created_at, updated_at)
			SELECT id, platform_id, stream_id, 100000 + id, 'change', 1 < 0, 'delivered', 0 < 1, created_at, created_at FROM webhook_event
			WHERE NOT EXISTS (SELECT 1 FROM webhook_delivery WHERE event_id = webhook_event.id)`
		for _, platform := range []int{0, 1} {
			w.platforms[0], w.platforms[1] = w.platforms[1], w.platforms[0]
			w.crowd(t, fmt.Sprintf("crowd of %d", platform), 450)
			write(t, w.s, func(ctx context.Context, tx *store.Tx) {
				for range 3 {
					_, err := store.Exec(ctx, tx, others, int64(w.tenants[0].ID))
					must(err)
				}
				_, err := store.Exec(ctx, tx, deliveries)
				must(err)
			})
		}
		named := map[billing.TenantID]bool{}
		for _, tenant := range listed(t, w.s, store.Tenants, filter(t, "crowd")) {
			named[tenant.ID] = true
		}
		for _, rest := range []string{"", "platform:" + w.platforms[0].Code, "created:>=2026-01-01", "created:<2000-01-01"} {
			for _, backwards := range []bool{false, true} {
				all := got[[]log.LoggedEvent](t)(log.ListEvents(t.Context(), w.s.Queries(), store.Page{Filter: filter(t, rest), Limit: 5000, Backwards: backwards}))
				want := eventIDs(slices.DeleteFunc(all, func(e log.LoggedEvent) bool { return !named[e.Subject.Tenant()] }))
				if rest == "" && len(want) < 18 {
					t.Fatalf("there are %d events of the crowd only", len(want))
				}
				for _, limit := range []int{4, 100} {
					var found []billing.EventID
					for after := int64(0); ; {
						rows, end, err := log.ListEventsWithin(t.Context(), w.s.Queries(), store.Page{Filter: filter(t, "crowd "+rest), Limit: limit, Backwards: backwards, After: after}, 10)
						must(err)
						if found = append(found, eventIDs(rows)...); end != 0 {
							t.Fatalf("%q stops at %d", rest, end)
						}
						if len(rows) < limit {
							break
						}
						after = int64(rows[limit-1].ID)
					}
					same(t, fmt.Sprintf("%q by %d, backwards %v", rest, limit, backwards), found, want)
				}
			}
		}
	})
}
