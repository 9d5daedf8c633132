package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testOverview(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var subs []subscription.Subscription
	var tenant *billing.Tenant
	var jobs []billing.Job
	var events []webhook.Event
	var history []*subscription.HistoryEntry
	suspended := func(s *subscription.Subscription) { s.Standing = billing.Suspended }
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, o, problem := m.account("A"), m.offer(), "broken"
		tenant = m.tenant(m.provisioningPlatform().ID, account.ID)
		aside := func(s *subscription.Subscription) { s.Problem = &problem }
		subs = []subscription.Subscription{
			*m.subscription(account.ID, o, suspended), *m.subscription(account.ID, o, aside), *m.subscription(account.ID, o, inState(subscription.StateTrial)),
			*m.subscription(account.ID, o, aside, suspended),
		}
		m.subscription(account.ID, o, inState(subscription.StateCanceled), suspended)
		jobs = []billing.Job{*m.job("x"), *m.job("y"), *m.job("x")}
		jobs[1].FinishedAt = ptr(tx.Now)
		must(store.Jobs.Update(ctx, tx, &jobs[1]))
		for range 3 {
			events = append([]webhook.Event{m.tell(tenant)}, events...)
			h := &subscription.HistoryEntry{SubscriptionID: subs[0].ID, At: tx.Now, EffectiveAt: tx.Now.Add(time.Hour), Kind: "k", To: subscription.StateActive, Detail: map[string]any{}}
			must(store.InsertHistory(ctx, tx, h))
			history = append([]*subscription.HistoryEntry{h}, history...)
		}
	})
	count := func(state subscription.State, most int) int {
		return got[int](t)(store.CountSubscriptions(ctx, q, state, most))
	}
	same(t, "CountSubscriptions", []int{count(subscription.StateActive, 10), count(subscription.StateActive, 2), count(subscription.StateExpired, 10)}, []int{3, 2, 0})

	standing := func(s billing.Standing, most int) int { return got[int](t)(store.CountStanding(ctx, q, s, most)) }
	same(t, "CountStanding", []int{standing(billing.Suspended, 10), standing(billing.Suspended, 1), standing(billing.PastDue, 10)}, []int{2, 1, 0})

	aside := got[[]subscription.Subscription](t)
	same(t, "SubscriptionsSetAside", aside(store.SubscriptionsSetAside(ctx, q, 10)), []subscription.Subscription{subs[3], subs[1]})
	same(t, "the first of them", aside(store.SubscriptionsSetAside(ctx, q, 1)), []subscription.Subscription{subs[3]})

	unfinished := got[[]billing.Job](t)
	same(t, "UnfinishedJobs", unfinished(store.UnfinishedJobs(ctx, q, 10)), []billing.Job{jobs[2], jobs[0]})
	same(t, "the first of them", unfinished(store.UnfinishedJobs(ctx, q, 1)), []billing.Job{jobs[2]})

	recent := got[[]webhook.Event](t)
	same(t, "RecentEvents", recent(outbox.RecentEvents(ctx, q, tenant.ID, 0, 2)), events[:2])
	same(t, "those before them", recent(outbox.RecentEvents(ctx, q, tenant.ID, 2, 2)), events[2:])

	changes := got[[]subscription.HistoryEntry](t)
	same(t, "RecentHistory", changes(store.RecentHistory(ctx, q, subs[0].ID, 2)), []subscription.HistoryEntry{*history[0], *history[1]})
	same(t, "RecentHistory of another", changes(store.RecentHistory(ctx, q, subs[1].ID, 2)), []subscription.HistoryEntry(nil))
}
