package service_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestCatalogOfOthers changes features through one process and a subscription
// through another, which remembers what the features were.
func TestCatalogOfOthers(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme")
		other := join(w.t, w.db)
		for i, region := range []string{"us", "uk", "fr"} {
			w.ok(w.moveRegion(region))
			for _, process := range []*world{other, w} {
				w.sub(process.Subscriptions.SubscriptionQuantityUpdate(w.ctx, s.ID, subscription.QuantityUpdate{Orders: seats(10 + i)})) // which it remembers
				w.sub(process.Subscriptions.SubscriptionQuantityUpdate(w.ctx, s.ID, subscription.QuantityUpdate{Orders: seats(20 + i)}))
				if body := w.lastBody(*s.TenantID); !strings.Contains(body, `"value":"`+region+`"`) {
					t.Errorf("the region is %s, and the tenant is told %s", region, body)
				}
			}
		}
	})
}

// TestCatalogChangesBeforeTheStream stops a change of a subscription when it has
// decided and waits for its tenant's stream. Meanwhile a feature changes,
// elsewhere and with all its work in the background. What is told afterwards
// must not be what was remembered before.
func TestCatalogChangesBeforeTheStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres"))
	s := w.subscribe("basic-monthly", "acme")
	w.sub(w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, s.ID, subscription.QuantityUpdate{Orders: seats(2)})) // it remembers the price list now
	release := w.holdStream(*s.TenantID)
	slow := make(chan error, 1)
	go func() {
		slow <- second(w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, s.ID, subscription.QuantityUpdate{Orders: seats(3)}))
	}()
	w.waiting(1)
	other := join(t, w.db)
	other.shop = w.shop
	w.ok(other.moveRegion("us"))
	release()
	w.ok(<-slow)
	w.told(*s.TenantID, "subscription.created", "quantity.changed", "quantity.changed")
	if body := w.lastBody(*s.TenantID); !strings.Contains(body, `"value":"us"`) {
		t.Errorf("the tenant is told what was: %s", body)
	}
	w.runJobs()
	w.told(*s.TenantID, "subscription.created", "quantity.changed", "quantity.changed", "feature.changed")
}

// holdStream keeps a tenant's stream until it is released.
func (w *world) holdStream(id billing.TenantID) (release func()) {
	w.t.Helper()
	db, err := sql.Open("pgx", w.db.URL)
	w.ok(err)
	w.t.Cleanup(func() { db.Close() })
	tx, err := db.BeginTx(w.ctx, nil)
	w.ok(err)
	_, err = tx.ExecContext(w.ctx, `SELECT 1 FROM webhook_stream WHERE tenant_id = $1 FOR UPDATE`, int64(id))
	w.ok(err)
	return func() { w.ok(tx.Rollback()) }
}

// lastBody is what a tenant was told last.
func (w *world) lastBody(id billing.TenantID) string {
	w.t.Helper()
	events, err := outbox.LatestEvents(w.ctx, w.Read(), []billing.TenantID{id})
	w.ok(err)
	return events[id].Body
}

// TestStatements counts what a change of a subscription costs once the catalog
// is remembered. More is not wrong, but on SQLite all who write wait for it.
func TestStatements(t *testing.T) {
	each(t, func(w *world) {
		first := w.subscribe("basic-monthly", "first")
		w.sub(w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, first.ID, subscription.QuantityUpdate{Orders: seats(2)}))
		order := w.order("basic-monthly", "acme")
		var s *subscription.Subscription
		for _, step := range []struct {
			name string
			most int64
			do   func()
		}{
			{"create", 16, func() { s = w.sub(w.Subscriptions.SubscriptionCreate(w.ctx, order)) }},
			{"quantity", 12, func() {
				w.sub(w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, s.ID, subscription.QuantityUpdate{Orders: seats(3)}))
			}},
			{"cancel", 12, func() { w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(s), nil, false)) }},
		} {
			before := w.store.Statements()
			step.do()
			most := step.most
			if w.db.Engine == "postgres" && step.name == "create" {
				most++ // the product is held
			}
			if n := w.store.Statements() - before; n > most {
				t.Errorf("%s runs %d statements, want up to %d", step.name, n, most)
			}
		}
	})
}
