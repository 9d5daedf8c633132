package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// cycleStep is the rows that one change of a subscription leaves.
type cycleStep struct {
	tenant       *billing.Tenant // if it is new
	subscription subscription.Subscription
	history      subscription.HistoryEntry
	event        webhook.Event
	audit        []billing.AuditEntry
}

// cycleRows are the rows of the three steps of a cycle, as the service made
// them once: whoever writes them again decides and reads nothing.
type cycleRows struct {
	shop  *shop
	steps [3]cycleStep
}

// recordCycle opens a shop, has the service go through a cycle in it and
// returns what that left in the database.
func recordCycle(ctx context.Context, st *store.Store, accounts int) *cycleRows {
	rows := &cycleRows{shop: openShop(ctx, st, accounts)}
	subs := operations(st).Subscriptions
	ctx = asClient(ctx)
	code, quantity := priceListCode, func(n int) []subscription.QuantityOrder {
		return []subscription.QuantityOrder{{Code: seatsCode, Quantity: &n}}
	}
	sub := must(subs.SubscriptionCreate(ctx, subscriptions.NewSubscription{
		Draft:     subscription.Draft{Evergreen: true, Quantities: quantity(3)},
		AccountID: &rows.shop.accounts[0], PriceList: subscriptions.PriceListRef{Code: &code}, Tenant: &subscriptions.TenantRef{Code: tenantCode(0)},
	}))
	rows.record(ctx, st, 0, sub.ID)
	must(subs.SubscriptionQuantityUpdate(ctx, sub.ID, subscription.QuantityUpdate{Orders: quantity(7)}))
	rows.record(ctx, st, 1, sub.ID)
	must(subs.SubscriptionCancel(ctx, []billing.SubscriptionID{sub.ID}, subscription.Cancellation{}))
	rows.record(ctx, st, 2, sub.ID)
	return rows
}

// record reads what the last step has left.
func (r *cycleRows) record(ctx context.Context, st *store.Store, step int, id billing.SubscriptionID) {
	q, into, known := st.Queries(), &r.steps[step], 0
	for _, before := range r.steps[:step] {
		known += len(before.audit)
	}
	into.subscription = *must(store.Subscriptions.Get(ctx, q, id))
	tenant := *into.subscription.TenantID
	history := must(store.HistoryOf(ctx, q, []billing.SubscriptionID{id}))
	events := must(outbox.EventsOfTenant(ctx, q, tenant, step, 10))
	into.audit = must(store.AuditEntries.List(ctx, q, store.Page{After: int64(known), Limit: 10}))
	if len(history) != step+1 || len(events) != 1 || len(into.audit) == 0 {
		check(fmt.Errorf("step %d left %d entries of history, %d events and %d audit entries", step, len(history), len(events), len(into.audit)))
	}
	into.history, into.event = history[step], events[0]
	if step == 0 {
		into.tenant = must(store.Tenants.Get(ctx, q, tenant))
	}
}

// writing is a side: the rows of cycles straight into the store, a transaction
// for each step.
func (r *cycleRows) writing(st *store.Store) side {
	var n atomic.Int64
	var subscriptions [clients]subscription.Subscription
	var next [clients]int
	return crewSide("bare", func(ctx context.Context, client int) error {
		step := next[client]
		next[client] = (step + 1) % len(r.steps)
		rows := r.steps[step]
		if step == 0 {
			made := n.Add(1)
			tenant := *rows.tenant
			tenant.AccountID, tenant.Code = r.shop.accounts[int(made)%len(r.shop.accounts)], tenantCode(made)
			rows.tenant = &tenant
			rows.subscription.AccountID = tenant.AccountID
		} else {
			before := &subscriptions[client]
			rows.subscription.ID, rows.subscription.TenantID, rows.subscription.AccountID = before.ID, before.TenantID, before.AccountID
		}
		err := st.Write(ctx, func(ctx context.Context, tx *store.Tx) error { return rows.write(ctx, tx) })
		subscriptions[client] = rows.subscription
		return err
	})
}

// write inserts the rows of a step under new ids.
func (s *cycleStep) write(ctx context.Context, tx *store.Tx) error {
	save := store.Subscriptions.Update
	if s.tenant != nil {
		save = store.Subscriptions.Insert
		if err := store.Tenants.Insert(ctx, tx, s.tenant); err != nil {
			return err
		}
		s.subscription.TenantID = &s.tenant.ID
	}
	if err := save(ctx, tx, &s.subscription); err != nil {
		return err
	}
	s.history.SubscriptionID, s.history.At = s.subscription.ID, tx.Now
	if err := store.InsertHistory(ctx, tx, &s.history); err != nil {
		return err
	}
	position, err := outbox.NextPosition(ctx, tx, *s.subscription.TenantID)
	if err != nil {
		return err
	}
	s.event.Subject, s.event.Sequence = webhook.OfTenant(*s.subscription.TenantID), position.Sequence
	if err := outbox.InsertEvent(ctx, tx, &s.event, position); err != nil {
		return err
	}
	for i := range s.audit {
		entry := s.audit[i]
		entry.At, entry.SubjectID = tx.Now, int64(s.subscription.ID)
		if err := store.AuditEntries.Insert(ctx, tx, &entry); err != nil {
			return err
		}
	}
	return nil
}
