package service

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// recordEvent records the webhook that tells a tenant's state as it is now in
// the transaction, if its platform provisions. It takes the tenant's place in
// line first: whatever else tells the tenant something waits until this
// transaction ends, and what was told before is seen. on is the day the event
// is about.
func recordEvent(ctx context.Context, tx *store.Tx, id billing.TenantID, reason string, on billing.Date) error {
	sequence, err := store.NextSequence(ctx, tx, id)
	if err != nil || sequence == 0 {
		return err
	}
	states, err := provisioningStates(ctx, tx, []billing.TenantID{id}, &on)
	if err != nil || len(states) == 0 {
		return err
	}
	return insertEvent(ctx, tx, states[0], sequence, reason)
}

// recordEvents is recordEvent for many tenants, on the day it is for each, with
// what they need read for all at once. Ids are in order.
func recordEvents(ctx context.Context, tx *store.Tx, ids []billing.TenantID, reason string) error {
	sequences := make(map[billing.TenantID]int, len(ids))
	var told []billing.TenantID
	for _, id := range ids {
		sequence, err := store.NextSequence(ctx, tx, id)
		if err != nil {
			return err
		}
		if sequence > 0 {
			sequences[id], told = sequence, append(told, id)
		}
	}
	if len(told) == 0 {
		return nil
	}
	states, err := provisioningStates(ctx, tx, told, nil)
	if err != nil {
		return err
	}
	for _, state := range states {
		if err := insertEvent(ctx, tx, state, sequences[state.Tenant.ID], reason); err != nil {
			return err
		}
	}
	return nil
}

func insertEvent(ctx context.Context, tx *store.Tx, state *billing.ProvisioningState, sequence int, reason string) error {
	if p := previewOf(ctx); p != nil {
		p.planned = append(p.planned, Planned{Tenant: state.Tenant, Sequence: sequence, Reason: reason, Body: string(state.Body())})
	}
	return store.InsertEvent(ctx, tx, &billing.Event{
		Type: billing.EventType, TenantID: state.Tenant.ID, PlatformID: state.Platform.ID, Sequence: sequence,
		Reason: reason, Body: string(state.Body()),
	})
}

// provisioningStates reads all that webhooks tell about tenants on a day, today
// if it is nil.
func provisioningStates(ctx context.Context, tx *store.Tx, ids []billing.TenantID, on *billing.Date) ([]*billing.ProvisioningState, error) {
	states, catalog, err := store.LoadProvisioning(ctx, tx.Queries, ids)
	if err != nil {
		return nil, err
	}
	days := newDays(tx)
	for _, state := range states {
		today, err := days.on(ctx, on, state.Account.TestClockID)
		if err != nil {
			return nil, err
		}
		for i := range state.Subscriptions {
			sub := &state.Subscriptions[i]
			if sub.Features, err = featuresOf(&sub.Subscription, catalog, today); err != nil {
				return nil, err
			}
		}
	}
	return states, nil
}

// featuresOf returns what a subscription gives today.
func featuresOf(sub *billing.Subscription, catalog *store.Catalog, today billing.Date) ([]billing.ProvisionedFeature, error) {
	if err := store.Readable(sub); err != nil {
		return nil, err // no features is not the same as features unknown
	}
	list, known := catalog.PriceLists[sub.PriceListID]
	contents := catalog.Contents[list.PlanID]
	if !known || contents == nil {
		return nil, fmt.Errorf("subscription %d is on price list %d, which is gone", sub.ID, sub.PriceListID)
	}
	return sub.FeaturesOn(today, contents), nil
}

// days remembers what day it is on each clock.
type days struct {
	tx    *store.Tx
	known map[billing.TestClockID]billing.Date
}

func newDays(tx *store.Tx) *days { return &days{tx: tx, known: map[billing.TestClockID]billing.Date{}} }

// on returns the day named, or what day it is on a clock if that is nil.
func (d *days) on(ctx context.Context, named *billing.Date, clock *billing.TestClockID) (billing.Date, error) {
	if named != nil {
		return *named, nil
	}
	var key billing.TestClockID // no clock has the id 0
	if clock != nil {
		key = *clock
	}
	if today, known := d.known[key]; known {
		return today, nil
	}
	today, err := todayOf(ctx, d.tx.Queries, d.tx.Now, clock)
	if err == nil {
		d.known[key] = today
	}
	return today, err
}
