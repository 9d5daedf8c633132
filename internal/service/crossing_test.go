package service_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestCrossing stops a change right before its commit and lets another one
// overtake it, if it can, with all its work in the background. Whichever comes
// first, the tenant ends up knowing of both. SQLite has one writer: nobody
// overtakes there.
func TestCrossing(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		prepare func(w *world) *subscription.Subscription
		slow    func(w *world, ctx context.Context, s *subscription.Subscription) (*subscription.Subscription, error)
		quick   func(w *world) error
		told    []string
	}{
		"one comes to life while a feature changes": {
			prepare: canceled(nil), slow: reinstate,
			quick: func(w *world) error { return w.moveRegion("us") },
			told:  []string{"subscription.created", "state.changed", "state.changed", "feature.changed"},
		},
		"one is made while a feature changes": {
			slow: func(w *world, ctx context.Context, _ *subscription.Subscription) (*subscription.Subscription, error) {
				return w.Subscriptions.SubscriptionCreate(ctx, w.order("basic-monthly", "acme"))
			},
			quick: func(w *world) error { return w.moveRegion("us") },
			told:  []string{"subscription.created", "feature.changed"},
		},
		"one comes to life while provisioning is enabled": {
			prepare: canceled(func(w *world) {
				w.subscribe("basic-monthly", "other")
				w.provision(false)
			}),
			slow: reinstate,
			quick: func(w *world) error {
				return second(w.Delivery.PlatformUpdate(w.ctx, w.platform.ID, func(p *webhook.Platform) error {
					p.ProvisioningEnabled = true
					return nil
				}, delivery.PlatformSecrets{}))
			},
			told: []string{"subscription.created", "state.changed", "provisioning.enabled"},
		},
		"one comes to life while its clock moves on": {
			prepare: func(w *world) *subscription.Subscription {
				w.accountOn("acme", &w.newClock("2026-01-15 12:00").ID)
				return canceled(nil)(w)
			},
			slow: reinstate,
			quick: func(w *world) error {
				_, _, err := w.Subscriptions.TestClockAdvance(w.ctx, 1, moment("2026-02-20 00:00"))
				return err
			},
			told: []string{"subscription.created", "state.changed", "state.changed", "subscription.renewed"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t, "postgres"))
			var s *subscription.Subscription
			if c.prepare != nil {
				s = c.prepare(w)
			}
			w.order("basic-monthly", "acme") // makes the account
			release := w.stopBeforeCommit()
			var slow, quick chan error = make(chan error, 1), make(chan error, 1)
			go func() {
				after, err := c.slow(w, w.once("slow"), s)
				s = after
				slow <- err
			}()
			w.waiting(1)
			go func() { quick <- c.quick(w) }()
			if done, err := w.waitingOr(2, quick); done {
				w.ok(err)
				w.runJobs()
				release()
			} else {
				release()
				w.ok(<-quick)
			}
			w.ok(<-slow)
			w.runJobs()
			w.told(*s.TenantID, c.told...)
		})
	}
}

// canceled is a subscription that is over, and then something else.
func canceled(then func(*world)) func(*world) *subscription.Subscription {
	return func(w *world) *subscription.Subscription {
		s := w.subscribe("basic-monthly", "acme")
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(s), nil, false))
		if then != nil {
			then(w)
		}
		return s
	}
}

func reinstate(w *world, ctx context.Context, s *subscription.Subscription) (*subscription.Subscription, error) {
	return first(w.Subscriptions.SubscriptionReinstate(ctx, ids(s), nil))
}

func (w *world) moveRegion(value string) error {
	return second(w.Catalog.PlanFeatureUpdate(w.ctx, w.planFeature(w.basic.ID, w.shop.features["region"].ID).ID, func(pf *catalog.PlanFeature) error {
		pf.Value = value
		return nil
	}))
}

// stopBeforeCommit makes requests with an idempotency key wait when all they
// have left to do is to note that they are done.
func (w *world) stopBeforeCommit() (release func()) {
	w.t.Helper()
	db, err := sql.Open("pgx", w.db.URL)
	w.ok(err)
	w.t.Cleanup(func() { db.Close() })
	tx, err := db.BeginTx(w.ctx, nil)
	w.ok(err)
	_, err = tx.ExecContext(w.ctx, `LOCK TABLE idempotency_step IN EXCLUSIVE MODE`)
	w.ok(err)
	return func() { w.ok(tx.Rollback()) }
}

// waiting returns when that many transactions wait for others.
func (w *world) waiting(n int) {
	w.t.Helper()
	if done, err := w.waitingOr(n, nil); done {
		w.t.Fatalf("nobody waits: %v", err)
	}
}

// waitingOr also returns when something is done, with its error.
func (w *world) waitingOr(n int, done <-chan error) (bool, error) {
	w.t.Helper()
	for w.ctx.Err() == nil {
		select {
		case err := <-done:
			return true, err
		default:
		}
		if w.text(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == itoa(billing.AccountID(n)) {
			return false, nil
		}
	}
	return true, w.ctx.Err()
}
