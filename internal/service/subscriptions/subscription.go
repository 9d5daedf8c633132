package subscriptions

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// maxIDs is how many subscriptions one call may change.
const maxIDs = 1000

// decision is what an action makes of a subscription today.
type decision func(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error)

// action is something that somebody does to subscriptions, to all or to none.
type action struct {
	name   string // as the audit log has it
	field  string // the argument that names the subscriptions
	ids    []billing.SubscriptionID
	decide decision
	// first runs before anything is locked, if it is not nil.
	first func(ctx context.Context, tx *store.Tx) error
	// prepare runs when the subscriptions are locked and nothing has happened
	// to them, if it is not nil. It returns a further tenant that will be told.
	prepare func(ctx context.Context, tx *store.Tx, subs []*subscription.Subscription) (billing.TenantID, error)
}

// changeSubscriptions does something to subscriptions and returns them in the
// order in which they were named.
func (s *Service) changeSubscriptions(ctx context.Context, a action) ([]subscription.Subscription, error) {
	if err := checkIDs(a.field, a.ids); err != nil {
		return nil, err
	}
	a.ids = operation.Unique(a.ids)
	subs, replayed, err := s.write(ctx, func(ctx context.Context, tx *store.Tx) ([]subscription.Subscription, error) {
		byID, err := s.lockAndChange(ctx, tx, a)
		if err != nil {
			return nil, err
		}
		return inOrder(a.ids, byID), nil
	})
	if err != nil || !replayed {
		return subs, err
	}
	rows, err := store.Subscriptions.ByIDs(ctx, s.Read(), a.ids)
	if err != nil || len(rows) < len(a.ids) {
		return subs, err
	}
	byID := make(map[billing.SubscriptionID]subscription.Subscription, len(rows))
	for _, sub := range rows {
		byID[sub.ID] = sub
	}
	return inOrder(a.ids, byID), nil
}

func inOrder(ids []billing.SubscriptionID, byID map[billing.SubscriptionID]subscription.Subscription) []subscription.Subscription {
	subs := make([]subscription.Subscription, len(ids))
	for i, id := range ids {
		subs[i] = byID[id]
	}
	return subs
}

func checkIDs(field string, ids []billing.SubscriptionID) error {
	switch {
	case len(ids) == 0:
		return billing.Fail(billing.Required, field, "Name at least one subscription.")
	case len(ids) > maxIDs:
		return billing.Fail(billing.TooMany, field, "At most %d subscriptions can be changed at once, not %d.", maxIDs, len(ids))
	}
	return nil
}

// lockAndChange locks all that the action is about, in the order that package
// service keeps, and then changes one subscription after the other.
func (s *Service) lockAndChange(ctx context.Context, tx *store.Tx, a action) (map[billing.SubscriptionID]subscription.Subscription, error) {
	locked, err := lockForAction(ctx, tx, a)
	if err != nil {
		return nil, inField(err, a.field)
	}
	changed := make(map[billing.SubscriptionID]subscription.Subscription, len(locked))
	for _, sub := range locked {
		after, err := s.changeOne(ctx, tx, a, *sub)
		if err != nil {
			return nil, inField(err, a.field)
		}
		changed[sub.ID] = after
	}
	return changed, nil
}

func lockForAction(ctx context.Context, tx *store.Tx, a action) ([]*subscription.Subscription, error) {
	if a.first != nil {
		if err := a.first(ctx, tx); err != nil {
			return nil, err
		}
	}
	if err := lockAccountsOf(ctx, tx, a.ids); err != nil {
		return nil, err
	}
	sorted := slices.Clone(a.ids)
	slices.Sort(sorted)
	locked, err := store.LockSubscriptions(ctx, tx, sorted)
	if err != nil {
		return nil, err
	}
	var told []billing.TenantID
	for i, sub := range locked {
		if sub == nil {
			return nil, billing.Missing(a.field, "subscription", sorted[i])
		}
		if sub.TenantID != nil {
			told = append(told, *sub.TenantID)
		}
	}
	if a.prepare != nil {
		further, err := a.prepare(ctx, tx, locked)
		if err != nil {
			return nil, err
		}
		told = append(told, further)
	}
	return locked, lockStreams(ctx, tx, told)
}

// lockStreams locks the streams of several tenants, in the order of ids. A
// single one is taken when the tenant is told.
func lockStreams(ctx context.Context, tx *store.Tx, ids []billing.TenantID) error {
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) < 2 {
		return nil
	}
	for _, id := range ids {
		if err := outbox.LockStream(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// inField says which argument a problem is about that is not about another.
func inField(err error, field string) error {
	problems, known := billing.AsProblems(err)
	if !known {
		return err
	}
	for _, p := range problems {
		if len(p.Field) == 0 && p.Code == billing.NotAllowed {
			p.Field = []string{field}
		}
	}
	return err
}

// changeOne does an action to a subscription that is locked. What is already due
// happens first, so that nobody acts on yesterday's state.
func (s *Service) changeOne(ctx context.Context, tx *store.Tx, a action, sub subscription.Subscription) (subscription.Subscription, error) {
	if err := operation.CheckExpected(ctx, &sub); err != nil {
		return sub, err
	}
	cal, err := calendar.In(ctx, tx, sub.TestClockID)
	if err != nil {
		return sub, err
	}
	if sub, err = bringUpToDate(ctx, tx, sub, cal); err != nil {
		return sub, err
	}
	before := sub
	after, change, err := a.decide(ctx, tx, sub, cal)
	if err != nil {
		return sub, err
	}
	if change.Happened() {
		after.NoteChange(&before, cal.Today)
		if err := saveChange(ctx, tx, &after, change, cal, operation.CallerOf(ctx).Actor); err != nil {
			return sub, err
		}
		// An action can make something due at once: a start moved to today.
		if after, err = catchUp(ctx, tx, after, cal, cal.Today, lifecycleActor); err != nil {
			return sub, err
		}
	}
	return after, operation.Audit(ctx, tx, a.name, "subscription", int64(sub.ID), withDetail(subscription.Changes(&before, &after, cal.Today), change))
}

// withDetail says what a change was about when no field of the subscription
// itself changed: quantities are in its lines.
func withDetail(changes map[string]billing.Change, change subscription.Change) map[string]billing.Change {
	if len(changes) > 0 {
		return changes
	}
	for name, value := range change.Detail {
		changes[name] = billing.Change{From: json.RawMessage("null"), To: operation.MustJSON(value)}
	}
	return changes
}

// bringUpToDate does what is due. One that was set aside is back then, if what
// kept it has been mended.
func bringUpToDate(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, error) {
	aside := sub.Problem
	sub.Problem = nil
	sub, err := catchUp(ctx, tx, sub, cal, cal.Today, lifecycleActor)
	if aside == nil {
		return sub, err
	}
	if err != nil && !store.IsOutage(err) {
		return sub, billing.Fail(billing.NotAllowed, "", "Subscription %d was set aside and cannot be changed: %v", sub.ID, err)
	}
	if err != nil {
		return sub, err
	}
	sub.BillOn = &cal.Today // it was left out of what was billed meanwhile
	return sub, store.Subscriptions.Update(ctx, tx, &sub)
}

// lifecycleActor is who does what passing time brings.
const lifecycleActor = "lifecycle"

// catchUp does what is due until a day, step by step, each with its history
// and its event.
func catchUp(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar, until billing.Date, actor string) (subscription.Subscription, error) {
	offers := OffersIn(ctx, tx.Queries)
	for {
		due, some := sub.Due()
		if !some || due.After(until) {
			return sub, nil
		}
		next, change, err := sub.Step(offers)
		if err != nil {
			return sub, err
		}
		then := cal
		then.Today = due
		if err := saveChange(ctx, tx, &next, change, then, actor); err != nil {
			return sub, err
		}
		sub = next
	}
}

// CatchUp does what is due on a subscription by today, for whoever needs it as it
// is: billing. The subscription is locked.
func CatchUp(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, error) {
	return catchUp(ctx, tx, sub, cal, cal.Today, lifecycleActor)
}

// OffersIn finds offers for those who decide about subscriptions, each once.
func OffersIn(ctx context.Context, q store.Queries) subscription.Offers {
	found := map[billing.PriceListID]*subscription.Offer{}
	return func(id billing.PriceListID) (*subscription.Offer, error) {
		if known := found[id]; known != nil {
			return known, nil
		}
		offer, err := store.LoadOffer(ctx, q, id)
		if err == nil && offer == nil {
			err = billing.Missing("", "price list", id)
		}
		if err == nil {
			found[id] = offer
		}
		return offer, err
	}
}

// saveChange saves a subscription with what happened to it: history, and the
// event that tells its tenant.
func saveChange(ctx context.Context, tx *store.Tx, sub *subscription.Subscription, change subscription.Change, cal calendar.Calendar, actor string) error {
	err := writeChange(ctx, tx, sub, change, cal, actor)
	if store.IsReference(err) {
		return billing.Fail(billing.NotFound, "", "Something that the subscription refers to was deleted meanwhile.")
	}
	return err
}

func writeChange(ctx context.Context, tx *store.Tx, sub *subscription.Subscription, change subscription.Change, cal calendar.Calendar, actor string) error {
	numberCharges(sub)
	isNew, isTold := sub.ID == 0, sub.TenantID != nil && sub.Tells(change)
	save := store.Subscriptions.UpdateSameWords
	switch {
	case isNew:
		save = store.Subscriptions.Insert
	case change.Kind == subscription.KindTenantChanged:
		save = store.Subscriptions.Update
	case isTold: // more statements follow at once
		save = store.Subscriptions.UpdateLater
	}
	if err := save(ctx, tx, sub); err != nil {
		return err
	}
	if p := operation.PreviewIn(ctx); p != nil {
		p.Subscriptions = append(p.Subscriptions, sub.ID)
	}
	entry := subscription.HistoryEntry{
		SubscriptionID: sub.ID, At: tx.Now, EffectiveAt: cal.Now, Actor: actor, Kind: change.Kind, To: change.To, Detail: change.Detail,
	}
	if change.From != "" {
		entry.From = &change.From
	}
	if change.On != (billing.Date{}) {
		entry.EffectiveAt = cal.Boundary(change.On)
	}
	if err := store.InsertHistory(ctx, tx, &entry); err != nil {
		return err
	}
	if err := tellBusiness(ctx, tx, sub, change); err != nil {
		return err
	}
	if !isTold {
		return nil
	}
	// Its product's tenants have one more from now on. Inserting has held the
	// product already, as all that refer to something do.
	if !isNew && sub.State.Live() && (!change.From.Live() || change.Kind == subscription.KindTenantChanged) {
		if err := store.HoldProduct(ctx, tx, sub.ProductID); err != nil {
			return err
		}
	}
	return provisioning.RecordEvent(ctx, tx, *sub.TenantID, change.Kind, cal.Today)
}

// numberCharges numbers the lines that are new.
func numberCharges(sub *subscription.Subscription) {
	var last billing.SubscriptionChargeID
	for _, line := range sub.Charges {
		last = max(last, line.ID)
	}
	for i := range sub.Charges {
		if sub.Charges[i].ID == 0 {
			last++
			sub.Charges[i].ID = last
		}
	}
}

// one returns the only subscription of a call that changed one.
func one(subs []subscription.Subscription, err error) (*subscription.Subscription, error) {
	if err != nil {
		return nil, err
	}
	return &subs[0], nil
}

// PriceListRef names a price list by its id or its code.
type PriceListRef struct {
	ID   *billing.PriceListID
	Code *string
}

// find returns the offer that is meant.
func (r PriceListRef) find(ctx context.Context, tx *store.Tx) (*subscription.Offer, error) {
	switch {
	case r.ID != nil && r.Code != nil:
		return nil, billing.Fail(billing.Invalid, "priceListCode", "Give priceListId or priceListCode, not both.")
	case r.ID != nil:
		offer, err := store.LoadOffer(ctx, tx.Queries, *r.ID)
		if err == nil && offer == nil {
			err = billing.Missing("priceListId", "price list", *r.ID)
		}
		return offer, err
	case r.Code != nil:
		offer, err := store.LoadOfferByCode(ctx, tx.Queries, *r.Code)
		if err == nil && offer == nil {
			err = billing.Fail(billing.NotFound, "priceListCode", "There is no price list with the code %q.", *r.Code)
		}
		return offer, err
	}
	return nil, billing.Fail(billing.Required, "priceListCode", "Name a price list: give priceListCode or priceListId.")
}

func (r PriceListRef) given() bool { return r.ID != nil || r.Code != nil }
