package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testLater has statements whose outcome nobody asks for at once. Each does the
// same as one that runs at once, and what it fails with ends the transaction.
func testLater(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var sub *subscription.Subscription
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		sub = m.subscription(m.account("A").ID, m.offer())
	})
	is := func(what, code string) {
		t.Helper()
		now := got[*subscription.Subscription](t)(store.Subscriptions.Get(t.Context(), s.Queries(), sub.ID))
		same(t, what, *now.Code, code)
	}

	entry := &billing.AuditEntry{Actor: "me", Action: "wait", SubjectType: "Account", SubjectID: 1}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		changed := *sub
		changed.Code = ptr("changed")
		must(store.Subscriptions.UpdateLater(ctx, tx, &changed))
		changed.Code = ptr("too late")
		entry.At = tx.Now
		must(store.AuditEntries.InsertLater(ctx, tx, entry))
		entry.Actor = "nobody"
		found, err := store.LockSubscriptions(ctx, tx, []billing.SubscriptionID{sub.ID})
		must(err)
		same(t, "what a later statement sees", *found[0].Code, "changed")
	})
	is("what was put off last", "changed")
	kept := got[*billing.AuditEntry](t)(store.AuditEntries.Get(t.Context(), s.Queries(), entry.ID))
	same(t, "an entry that was put off", kept.Actor, "me")

	write(t, s, func(ctx context.Context, tx *store.Tx) {
		changed := *sub
		changed.Code = ptr("with the commit")
		must(store.Subscriptions.UpdateLater(ctx, tx, &changed))
	})
	is("what was put off until the commit", "with the commit")

	for what, spoil := range map[string]func(*subscription.Subscription){
		"a row that is gone":               func(s *subscription.Subscription) { s.ID = 1 << 40 },
		"a row that refers to what is not": func(s *subscription.Subscription) { s.PriceListID = 1 << 40 },
	} {
		spoiled := *sub
		spoil(&spoiled)
		err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
			changed := *sub
			changed.Code = ptr("of a transaction that failed")
			must(store.Subscriptions.UpdateSameWords(ctx, tx, &changed))
			must(store.Subscriptions.UpdateLater(ctx, tx, &spoiled))
		})
		if err == nil || store.IsReference(err) != (spoiled.ID == sub.ID) {
			t.Errorf("%s: %v", what, err)
		}
	}
	is("what a failed transaction left", "with the commit")
	testLockSubscriptions(t, s, sub)
	testAskPosition(t, s)
}

func testLockSubscriptions(t *testing.T, s *store.Store, sub *subscription.Subscription) {
	ids := []billing.SubscriptionID{sub.ID, 1 << 40}
	lock := func(ctx context.Context, tx *store.Tx) {
		for range 2 { // the settings that come with the first are known to the second
			found, err := store.LockSubscriptions(ctx, tx, ids)
			must(err)
			same(t, "LockSubscriptions", []any{len(found), found[0].ID, found[1] == nil}, []any{2, sub.ID, true})
		}
	}
	write(t, s, lock)
	checkWaits(t, s, "LockSubscriptions", lock, lock)
}

func testAskPosition(t *testing.T, s *store.Store) {
	var platform *billing.PlatformID
	var tenants [2]*billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account, p := m.account("B").ID, m.provisioningPlatform()
		platform, tenants = &p.ID, [2]*billing.Tenant{m.tenant(p.ID, account), m.tenant(p.ID, account)}
		m.tell(tenants[1])
	})
	ask := func(ctx context.Context, tx *store.Tx) (sequences [2]int, tooEarly bool) {
		var asked [2]outbox.AskedPosition
		for i, tenant := range tenants {
			asked[i] = got[outbox.AskedPosition](t)(outbox.AskPosition(ctx, tx, tenant.ID))
		}
		got[*billing.Tenant](t)(store.Tenants.Get(ctx, tx.Queries, tenants[0].ID))
		for i := range asked {
			position, early, err := asked[i](ctx)
			must(err)
			sequences[i], tooEarly = position.Sequence, tooEarly || early
		}
		return sequences, tooEarly
	}
	event := webhook.Event{Type: webhook.EventType, Subject: webhook.OfTenant(tenants[1].ID), PlatformID: *platform, Reason: "later", Body: "{}"}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		position := got[outbox.StreamPosition](t)(outbox.NextPosition(ctx, tx, tenants[1].ID))
		event.Sequence = position.Sequence
		must(outbox.InsertEventLater(ctx, tx, &event, position))
	})
	queued := got[[]webhook.Delivery](t)(outbox.DeliveriesOf(t.Context(), s.Queries(), []billing.EventID{event.ID}))
	if event.ID == 0 || len(queued) != 1 || queued[0].Position != 2 || queued[0].State != webhook.DeliveryWaiting {
		t.Errorf("InsertEventLater queued event %d as %+v", event.ID, queued)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		sequences, tooEarly := ask(ctx, tx)
		same(t, "AskPosition", sequences, [2]int{1, 3})
		same(t, "that what follows ran too early", tooEarly, false)
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		p := got[*webhook.Platform](t)(store.Platforms.Get(ctx, tx.Queries, *platform))
		p.ProvisioningEnabled = false
		must(store.Platforms.Update(ctx, tx, p))
		sequences, _ := ask(ctx, tx)
		same(t, "AskPosition where nothing is told", sequences, [2]int{0, 0})
	})
}
