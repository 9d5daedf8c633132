package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// once is a request with an idempotency key. With the same key it is the same
// request sent again.
func (w *world) once(key string) context.Context {
	w.t.Helper()
	once, err := w.ClaimOnce(w.ctx, "client 1", key, "the body")
	w.ok(err)
	return operation.As(w.ctx, operation.Caller{Actor: actor, Once: once, Step: "0"})
}

// again ends a request, so that it can be sent once more.
func (w *world) again(ctx context.Context) {
	w.t.Helper()
	w.ok(w.Release(w.ctx, operation.CallerOf(ctx).Once))
}

// TestForgetOldKeys removes keys when their time is over and that is sure.
func TestForgetOldKeys(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.once("create")
		w.sub(w.Subscriptions.SubscriptionCreate(ctx, w.order("basic-monthly", "acme")))
		w.again(ctx)
		keys := func() string { return w.text(`SELECT count(*) FROM idempotency_key`) }
		w.clock.Advance(30 * 24 * time.Hour)
		w.unsure(func() { w.ok(w.ForgetOldKeys(w.ctx)) })
		w.same("keys while nobody knows what time it is", keys(), "1")
		w.ok(w.ForgetOldKeys(w.ctx))
		w.same("keys", keys(), "0")
	})
}

// TestOnce sends the same request twice. The second time nothing happens, and
// the answer is what became of the first.
func TestOnce(t *testing.T) {
	each(t, func(w *world) {
		order := w.order("basic-monthly", "acme")
		var created [2]*subscription.Subscription
		for i := range created {
			ctx := w.once("create")
			created[i] = w.sub(w.Subscriptions.SubscriptionCreate(ctx, order))
			w.again(ctx)
		}
		w.same("the second answer", describe(created[1]), describe(created[0]))

		b := w.subscribe("basic-monthly", "b")
		for range 2 {
			ctx := w.once("renew")
			subs := w.subs(w.Subscriptions.SubscriptionSetAutoRenew(ctx, ids(b, created[0]), false))
			w.same("the order", []billing.SubscriptionID{subs[0].ID, subs[1].ID}, ids(b, created[0]))
			w.same("its lines", len(subs[1].Charges), 1)
			w.again(ctx)
		}
		w.told(*created[0].TenantID, "subscription.created", "autorenew.changed")

		// A refusal is remembered as well, even when it would go well now.
		for range 2 {
			ctx := w.once("reinstate")
			_, err := w.Subscriptions.SubscriptionReinstate(ctx, ids(b), nil)
			w.refused("the refusal", err, "NOT_ALLOWED ids")
			w.again(ctx)
			w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(b), nil, true))
		}
		w.told(*b.TenantID, "subscription.created", "autorenew.changed", "cancellation.scheduled")
	})
}

// TestOnceAdvance sends a clock on its way once.
func TestOnceAdvance(t *testing.T) {
	each(t, func(w *world) {
		clock := w.newClock("2026-01-15 12:00")
		for range 2 {
			ctx := w.once("advance")
			c, job, err := w.Subscriptions.TestClockAdvance(ctx, clock.ID, moment("2026-02-15 12:00"))
			w.ok(err)
			w.same("the clock", c.Now, moment("2026-02-15 12:00"))
			w.same("the job", []any{job.ID, job.State}, []any{billing.JobID(1), billing.JobDone})
			w.again(ctx)
		}
		w.same("jobs", w.text(`SELECT count(*) FROM job`), "1")
	})
}
