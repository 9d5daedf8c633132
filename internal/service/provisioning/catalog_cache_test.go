package provisioning_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestCatalogOfOthers changes features through one process and a subscription
// through another, which remembers what the features were.
func TestCatalogOfOthers(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		other := servicetest.Join(w.T, w.DB)
		for i, region := range []string{"us", "uk", "fr"} {
			w.OK(w.ChangeRegion(region))
			for _, process := range []*servicetest.World{other, w} {
				w.Sub(process.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, s.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(10 + i)})) // which it remembers
				w.Sub(process.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, s.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(20 + i)}))
				if body := lastBody(w, *s.TenantID); !strings.Contains(body, `"value":"`+region+`"`) {
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
	w := servicetest.NewWorld(t, storetest.New(t, "postgres"))
	s := w.Subscribe("basic-monthly", "acme")
	w.Sub(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, s.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(2)})) // it remembers the price list now
	release := holdStream(w, *s.TenantID)
	slow := make(chan error, 1)
	go func() {
		slow <- servicetest.ErrorOf(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, s.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(3)}))
	}()
	w.AwaitBlocked(1)
	other := servicetest.Join(t, w.DB)
	other.Shop = w.Shop
	w.OK(other.ChangeRegion("us"))
	release()
	w.OK(<-slow)
	w.WasTold(*s.TenantID, "subscription.created", "quantity.changed", "quantity.changed")
	if body := lastBody(w, *s.TenantID); !strings.Contains(body, `"value":"us"`) {
		t.Errorf("the tenant is told what was: %s", body)
	}
	w.RunJobs()
	w.WasTold(*s.TenantID, "subscription.created", "quantity.changed", "quantity.changed", "feature.changed")
}

// holdStream keeps a tenant's stream until it is released.
func holdStream(w *servicetest.World, id billing.TenantID) (release func()) {
	w.T.Helper()
	db, err := sql.Open("pgx", w.DB.URL)
	w.OK(err)
	w.T.Cleanup(func() { db.Close() })
	tx, err := db.BeginTx(w.Ctx, nil)
	w.OK(err)
	_, err = tx.ExecContext(w.Ctx, `SELECT 1 FROM webhook_stream WHERE subject_id = $1 FOR UPDATE`, int64(id))
	w.OK(err)
	return func() { w.OK(tx.Rollback()) }
}

// lastBody is what a tenant was told last.
func lastBody(w *servicetest.World, id billing.TenantID) string {
	w.T.Helper()
	events, err := outbox.LatestEvents(w.Ctx, w.Read(), []billing.TenantID{id})
	w.OK(err)
	return events[id].Body
}

// TestStatements counts what a change of a subscription costs once the catalog
// is remembered. More is not wrong, but on SQLite all who write wait for it.
func TestStatements(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		first := w.Subscribe("basic-monthly", "first")
		w.Sub(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, first.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(2)}))
		order := w.Order("basic-monthly", "acme")
		var s *subscription.Subscription
		for _, step := range []struct {
			name string
			most int64
			do   func()
		}{
			{"create", 16, func() { s = w.Sub(w.Subscriptions.SubscriptionCreate(w.Ctx, order)) }},
			{"quantity", 12, func() {
				w.Sub(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, s.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(3)}))
			}},
			{"cancel", 12, func() {
				w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(s), subscription.Cancellation{}))
			}},
		} {
			before := w.Store.Statements()
			step.do()
			most := step.most
			if w.DB.Engine == "postgres" && step.name == "create" {
				most += 2 // the product is held, and so is the tenant whose stream is new
			}
			if n := w.Store.Statements() - before; n > most {
				t.Errorf("%s runs %d statements, want up to %d", step.name, n, most)
			}
		}
	})
}
