package provisioning

import (
	"context"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// RecordEvent records the webhook that tells a tenant's state as it is now in
// the transaction, if its platform provisions. It locks the tenant's stream
// first: whatever else tells the tenant something waits until this
// transaction ends, and what was told before is seen. on is the day the event
// is about.
func RecordEvent(ctx context.Context, tx *store.Tx, id billing.TenantID, reason string, on billing.Date) error {
	_, err := record(ctx, tx, []billing.TenantID{id}, reason, &on)
	return err
}

// RecordEvents is recordEvent for many tenants, on the day it is for each, with
// what they need read for all at once. Ids are in order.
func RecordEvents(ctx context.Context, tx *store.Tx, ids []billing.TenantID, reason string) error {
	_, err := record(ctx, tx, ids, reason, nil)
	return err
}

// Recorded is an event that was recorded, with its number.
type Recorded struct {
	ID       billing.EventID
	Sequence int
}

// RecordNumbered is RecordEvents that returns the events. A tenant that is told nothing
// has none.
func RecordNumbered(ctx context.Context, tx *store.Tx, ids []billing.TenantID, reason string) (map[billing.TenantID]Recorded, error) {
	events, err := record(ctx, tx, ids, reason, nil)
	if err == nil {
		err = tx.Flush(ctx) // for their ids
	}
	recorded := make(map[billing.TenantID]Recorded, len(events))
	for _, e := range events {
		recorded[billing.TenantID(e.Subject.ID)] = Recorded{e.ID, e.Sequence}
	}
	return recorded, err
}

// record records events, which have their ids when another statement has run.
func record(ctx context.Context, tx *store.Tx, ids []billing.TenantID, reason string, on *billing.Date) ([]*webhook.Event, error) {
	states, positions, err := lockAndLoad(ctx, tx, ids, on)
	if err != nil {
		return nil, err
	}
	var events []*webhook.Event
	for _, state := range states {
		event, err := insertEvent(ctx, tx, state, positions[state.Tenant.ID], reason)
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}

// lockAndLoad locks the streams of tenants and then reads what is told about them,
// which PostgreSQL is asked for together. A tenant that is told nothing has no
// position and no state: whatever is wrong with it keeps nobody from anything.
func lockAndLoad(ctx context.Context, tx *store.Tx, ids []billing.TenantID, on *billing.Date) ([]*webhook.ProvisioningState, map[billing.TenantID]outbox.StreamPosition, error) {
	asked := make([]outbox.AskedPosition, len(ids))
	for i, id := range ids {
		var err error
		if asked[i], err = outbox.AskPosition(ctx, tx, id); err != nil {
			return nil, nil, err
		}
	}
	var states []*webhook.ProvisioningState
	var catalog *store.Catalog
	load := func() (err error) {
		states, catalog, err = store.LoadProvisioning(ctx, tx.Queries, ids)
		return err
	}
	read := tx.PutsOff()
	if read {
		if err := load(); err != nil {
			return nil, nil, err
		}
	}
	positions := make(map[billing.TenantID]outbox.StreamPosition, len(ids))
	for i, id := range ids {
		position, tooEarly, err := asked[i](ctx)
		if err != nil {
			return nil, nil, err
		}
		if position.Sequence > 0 {
			positions[id], read = position, read && !tooEarly
		}
	}
	if len(positions) == 0 {
		return nil, nil, nil
	}
	if !read {
		if err := load(); err != nil {
			return nil, nil, err
		}
	}
	states = slices.DeleteFunc(states, func(s *webhook.ProvisioningState) bool { return positions[s.Tenant.ID].Sequence == 0 })
	return states, positions, addFeatures(ctx, tx, states, catalog, on)
}

func insertEvent(ctx context.Context, tx *store.Tx, state *webhook.ProvisioningState, at outbox.StreamPosition, reason string) (*webhook.Event, error) {
	event := newEvent(state, at, reason)
	if p := operation.PreviewIn(ctx); p != nil {
		planned := operation.Planned{Tenant: state.Tenant, Sequence: at.Sequence, Reason: reason, Features: state.Features()}
		if p.KeepBodies {
			planned.Body = event.Body
		}
		p.Planned = append(p.Planned, planned)
	}
	return event, outbox.InsertEventLater(ctx, tx, event, at)
}

// newEvent is the webhook that tells a state.
func newEvent(state *webhook.ProvisioningState, at outbox.StreamPosition, reason string) *webhook.Event {
	return &webhook.Event{
		Type: webhook.EventType, Subject: webhook.OfTenant(state.Tenant.ID), PlatformID: state.Platform.ID, Sequence: at.Sequence,
		Reason: reason, Body: string(state.Body()),
	}
}

// LoadStates reads all that webhooks tell about tenants on a day, today
// if it is nil.
func LoadStates(ctx context.Context, tx *store.Tx, ids []billing.TenantID, on *billing.Date) ([]*webhook.ProvisioningState, error) {
	states, catalog, err := store.LoadProvisioning(ctx, tx.Queries, ids)
	if err != nil {
		return nil, err
	}
	return states, addFeatures(ctx, tx, states, catalog, on)
}

// addFeatures finds out what the subscriptions of tenants give on a day, today if it
// is nil.
func addFeatures(ctx context.Context, tx *store.Tx, states []*webhook.ProvisioningState, catalog *store.Catalog, on *billing.Date) error {
	var days *days
	if on == nil {
		clocks := make([]*billing.TestClockID, len(states))
		for i, state := range states {
			clocks[i] = state.Account.TestClockID
		}
		var err error
		if days, err = DaysOn(ctx, tx, clocks); err != nil {
			return err
		}
	}
	for _, state := range states {
		today := on
		if today == nil {
			day := days.On(state.Account.TestClockID)
			today = &day
		}
		for i := range state.Subscriptions {
			sub := &state.Subscriptions[i]
			var err error
			if sub.Features, err = FeaturesOf(&sub.Subscription, catalog, *today); err != nil {
				return err
			}
		}
	}
	return nil
}

// FeaturesOf returns what a subscription gives today.
func FeaturesOf(sub *subscription.Subscription, catalog *store.Catalog, today billing.Date) ([]subscription.ProvisionedFeature, error) {
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

// days is what day it is on each of some clocks, and in real time.
type days struct {
	today   billing.Date
	onClock map[billing.TestClockID]billing.Date
}

// DaysOn finds out what day it is on those clocks, nil among them for real time,
// with as many statements for many as for one.
func DaysOn(ctx context.Context, tx *store.Tx, clocks []*billing.TestClockID) (*days, error) {
	zone, err := calendar.ZoneOf(ctx, tx.Queries)
	if err != nil {
		return nil, err
	}
	d := &days{today: billing.DateOf(tx.Now, zone)}
	var ids []billing.TestClockID
	for _, id := range clocks {
		if id != nil {
			ids = append(ids, *id)
		}
	}
	if len(ids) == 0 {
		return d, nil
	}
	found, err := store.TestClocks.ByIDs(ctx, tx.Queries, operation.Unique(ids))
	d.onClock = make(map[billing.TestClockID]billing.Date, len(found))
	for _, c := range found {
		d.onClock[c.ID] = billing.DateOf(c.Now, zone)
	}
	return d, err
}

// On returns what day it is on a clock, or in real time if there is none.
func (d *days) On(clock *billing.TestClockID) billing.Date {
	if clock != nil {
		if today, known := d.onClock[*clock]; known {
			return today
		}
	}
	return d.today
}
