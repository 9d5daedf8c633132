package operation_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// again ends a request, so that it can be sent once more.
func again(w *servicetest.World, ctx context.Context) {
	w.T.Helper()
	w.OK(w.Release(w.Ctx, operation.CallerOf(ctx).Once))
}

// TestForgetOldKeys removes keys when their time is over and that is sure.
func TestForgetOldKeys(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		ctx := w.WithKey("create")
		w.Sub(w.Subscriptions.SubscriptionCreate(ctx, w.Order("basic-monthly", "acme")))
		again(w, ctx)
		keys := func() string { return w.QueryText(`SELECT count(*) FROM idempotency_key`) }
		w.Clock.Advance(30 * 24 * time.Hour)
		w.DistrustClock(func() { w.OK(w.ForgetOldKeys(w.Ctx)) })
		w.Equal("keys while nobody knows what time it is", keys(), "1")
		w.OK(w.ForgetOldKeys(w.Ctx))
		w.Equal("keys", keys(), "0")
	})
}

// TestOldKeyAtOnce sends two requests at once with a key whose time is over. One of them
// gets it, and the other hears that it is running: else both would be done. SQLite has
// one writer, so that nobody is at once there.
func TestOldKeyAtOnce(t *testing.T) {
	t.Parallel()
	w := servicetest.NewWorld(t, storetest.New(t, "postgres"))
	again(w, w.WithKey("create"))
	w.Clock.Advance(25 * time.Hour)
	claims := make(chan error, 2)
	w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, _, err := store.LockIdempotencyKey(ctx, tx, "client 1", "create"); err != nil {
			return err
		}
		for range cap(claims) {
			go func() {
				_, err := w.ClaimOnce(w.Ctx, "client 1", "create", "the body")
				claims <- err
			}()
		}
		w.AwaitBlocked(2)
		return nil
	}))
	first, second := <-claims, <-claims
	if first != nil {
		first, second = second, first
	}
	w.OK(first)
	if !errors.Is(second, operation.ErrStillRunning) {
		t.Errorf("the other one: %v", second)
	}
}

// TestOnce sends the same request twice. The second time nothing happens, and
// the answer is what became of the first.
func TestOnce(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		order := w.Order("basic-monthly", "acme")
		var created [2]*subscription.Subscription
		for i := range created {
			ctx := w.WithKey("create")
			created[i] = w.Sub(w.Subscriptions.SubscriptionCreate(ctx, order))
			again(w, ctx)
		}
		w.Equal("the second answer", servicetest.Describe(created[1]), servicetest.Describe(created[0]))

		b := w.Subscribe("basic-monthly", "b")
		for range 2 {
			ctx := w.WithKey("renew")
			subs := w.Subs(w.Subscriptions.SubscriptionSetAutoRenew(ctx, servicetest.IDs(b, created[0]), false))
			w.Equal("the order", []billing.SubscriptionID{subs[0].ID, subs[1].ID}, servicetest.IDs(b, created[0]))
			w.Equal("its lines", len(subs[1].Charges), 1)
			again(w, ctx)
		}
		w.WasTold(*created[0].TenantID, "subscription.created", "autorenew.changed")

		// A refusal is remembered as well, even when it would go well now.
		for range 2 {
			ctx := w.WithKey("reinstate")
			_, err := w.Subscriptions.SubscriptionReinstate(ctx, servicetest.IDs(b), nil)
			w.Refused("the refusal", err, "NOT_ALLOWED ids")
			again(w, ctx)
			w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(b), subscription.Cancellation{AtTermEnd: true}))
		}
		w.WasTold(*b.TenantID, "subscription.created", "autorenew.changed", "cancellation.scheduled")
	})
}

// TestOnceAdvance sends a clock on its way once.
func TestOnceAdvance(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		clock := w.NewClock("2026-01-15 12:00")
		for range 2 {
			ctx := w.WithKey("advance")
			c, job, err := w.Subscriptions.TestClockAdvance(ctx, clock.ID, servicetest.Moment("2026-02-15 12:00"))
			w.OK(err)
			w.Equal("the clock", c.Now, servicetest.Moment("2026-02-15 12:00"))
			w.Equal("the job", []any{job.ID, job.State}, []any{billing.JobID(1), billing.JobDone})
			again(w, ctx)
		}
		w.Equal("jobs", w.QueryText(`SELECT count(*) FROM job`), "1")
	})
}
