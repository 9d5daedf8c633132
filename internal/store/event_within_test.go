package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestEventsWithin goes through the log in small steps, some of which find
// nothing, and finds all that a list without a bound finds.
func TestEventsWithin(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newLogWorld(t, db)
		w.crowd(t) // a word that many have
		const most, limit = 10, 3
		for _, text := range []string{"", "state:delivered", "state:exhausted", "state:delivered platform:ready", "crowd", "crowd state:exhausted", "tenant:t1 state:delivered", "state:delivered created:2026-01-15", "zzz"} {
			for _, backwards := range []bool{false, true} {
				ask := store.Page{Filter: filter(t, text), Limit: 2000, Backwards: backwards}
				want := eventIDs(got[[]store.LoggedEvent](t)(store.ListEvents(t.Context(), w.s.Queries(), ask)))
				var found []billing.EventID
				stops := 0
				ask.Limit = limit
				for step := 0; ; step++ {
					rows, rest, err := store.ListEventsWithin(t.Context(), w.s.Queries(), ask, most)
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
				if (text == "crowd" || text == "state:delivered") && stops == 0 {
					t.Errorf("%q never stops: the test shows nothing", text)
				}
			}
		}
	})
}

func eventIDs(rows []store.LoggedEvent) (ids []billing.EventID) {
	for i := range rows {
		ids = append(ids, rows[i].ID)
	}
	return ids
}

// crowd adds so many tenants with a word in common that their events are not
// looked up one by one, and an event of every fiftieth.
func (w *logWorld) crowd(t *testing.T) {
	t.Helper()
	write(t, w.s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		for i := range 250 {
			tenant := &billing.Tenant{PlatformID: w.platforms[0].ID, AccountID: w.tenants[0].AccountID, Code: fmt.Sprintf("crowd-%d", i), Name: "One of a crowd"}
			must(store.Tenants.Insert(m.ctx, m.tx, tenant))
			if i%50 == 0 {
				place, err := store.NextPlace(ctx, tx, tenant.ID)
				must(err)
				must(store.InsertEvent(ctx, tx, &billing.Event{Type: billing.EventType, TenantID: tenant.ID, PlatformID: tenant.PlatformID, Sequence: place.Sequence, Reason: "r", Body: "{}"}, place.Position))
			}
		}
	})
}
