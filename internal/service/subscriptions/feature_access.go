package subscriptions

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// FeatureAccess decides whether a tenant may use a feature now.
func (s *Service) FeatureAccess(ctx context.Context, code string, platformCode *string, feature string) (*subscription.FeatureAccess, error) {
	tenant, err := s.TenantNamed(ctx, code, platformCode)
	if billing.Is(err, billing.NotFound) {
		return &subscription.FeatureAccess{Reason: err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	state, err := s.Provisioning.State(ctx, tenant.ID)
	if err != nil {
		return nil, err
	}
	if state == nil { // deleted meanwhile
		return &subscription.FeatureAccess{Reason: fmt.Sprintf("There is no tenant with the code %q.", code)}, nil
	}
	for _, f := range state.Features() {
		if f.Code == feature {
			return &subscription.FeatureAccess{Allowed: true, Quantity: f.Quantity, Value: f.Value, Reason: "A subscription of the tenant includes the feature."}, nil
		}
	}
	if reason, err := s.withheld(ctx, state.Subscriptions); err != nil || reason != "" {
		return &subscription.FeatureAccess{Reason: reason}, err
	}
	for _, sub := range state.Subscriptions {
		if sub.State.Live() {
			return &subscription.FeatureAccess{Reason: fmt.Sprintf("No subscription of the tenant includes the feature %q.", feature)}, nil
		}
	}
	return &subscription.FeatureAccess{Reason: "The tenant has no trial or active subscription."}, nil
}

// Preview is a change that somebody thinks of making to a subscription.
type Preview struct {
	PriceList        PriceListRef
	Quantities       []subscription.QuantityOrder
	CancellationDate *billing.Date
	// StartDate is when other quantities begin, today if it is nil.
	StartDate *billing.Date
	// Unused is what becomes of days that were billed and are not used.
	Unused subscription.UnusedDays
}

// SubscriptionChange makes all the changes that a preview names. It is called by
// previews, which take it back.
func (s *Service) SubscriptionChange(ctx context.Context, id billing.SubscriptionID, p Preview) (*subscription.Subscription, error) {
	return one(s.changeSubscriptions(ctx, action{name: "subscriptionPreview", field: "id", ids: []billing.SubscriptionID{id}, decide: p.decide}))
}

// SubscriptionPreview returns the webhook body that a change would send, and
// changes nothing.
func (s *Service) SubscriptionPreview(ctx context.Context, id billing.SubscriptionID, p Preview) (body []byte, err error) {
	err = s.TakenBack(ctx, func(ctx context.Context, tx *store.Tx) error {
		changed, err := s.lockAndChange(ctx, tx, action{name: "subscriptionPreview", field: "id", ids: []billing.SubscriptionID{id}, decide: p.decide})
		if err != nil {
			return err
		}
		sub := changed[id]
		if sub.TenantID == nil {
			return billing.Fail(billing.NotAllowed, "id", "Subscription %d has no tenant, so nothing is sent for it.", id)
		}
		states, err := provisioning.LoadStates(ctx, tx, []billing.TenantID{*sub.TenantID}, nil)
		if err != nil {
			return err
		}
		body = states[0].Body()
		return nil
	})
	return body, err
}

// decide makes all the changes that the preview names, one after the other.
func (p Preview) decide(ctx context.Context, tx *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
	var total subscription.Change
	steps := []decision{}
	switch {
	case p.PriceList.given():
		steps = append(steps, planChange(p.PriceList, subscription.PlanUpdate{Quantities: p.Quantities, Scheduled: subscription.ReplaceScheduled}))
	case len(p.Quantities) > 0:
		steps = append(steps, quantities(subscription.QuantityUpdate{Orders: p.Quantities, StartDate: p.StartDate, Unused: p.Unused, Scheduled: subscription.KeepScheduled}))
	}
	if p.CancellationDate != nil {
		steps = append(steps, func(_ context.Context, _ *store.Tx, sub subscription.Subscription, cal calendar.Calendar) (subscription.Subscription, subscription.Change, error) {
			return sub.Cancel(subscription.Cancellation{On: p.CancellationDate, Unused: p.Unused}, cal.Today)
		})
	}
	for _, step := range steps {
		next, change, err := step(ctx, tx, sub, cal)
		if err != nil {
			return sub, total, err
		}
		if sub = next; change.Happened() {
			total = change
		}
	}
	return sub, total, nil
}

// SubscriptionFeatures returns what each of the subscriptions gives now.
func (s *Service) SubscriptionFeatures(ctx context.Context, subs []subscription.Subscription) (map[billing.SubscriptionID][]subscription.ProvisionedFeature, error) {
	tx := s.Store.Snapshot()
	var lists []billing.PriceListID
	for _, sub := range subs {
		lists = append(lists, sub.PriceListID)
	}
	catalog, err := store.LoadCatalog(ctx, tx.Queries, operation.Unique(lists))
	if err != nil {
		return nil, err
	}
	clocks := make([]*billing.TestClockID, len(subs))
	for i := range subs {
		clocks[i] = subs[i].TestClockID
	}
	days, err := provisioning.DaysOn(ctx, tx, clocks)
	if err != nil {
		return nil, err
	}
	features := make(map[billing.SubscriptionID][]subscription.ProvisionedFeature, len(subs))
	for i := range subs {
		if given, err := provisioning.FeaturesOf(&subs[i], catalog, days.On(subs[i].TestClockID)); err == nil { // else its problem is shown
			features[subs[i].ID] = given
		}
	}
	return features, nil
}

// NextChange is what time brings to a subscription that something is due for,
// and when.
func NextChange(sub subscription.Subscription, zone *time.Location) (time.Time, subscription.Change) {
	due, _ := sub.Due()
	// The price list of a scheduled change makes no difference to the state.
	offers := func(id billing.PriceListID) (*subscription.Offer, error) {
		return &subscription.Offer{PriceList: catalog.PriceList{ID: id, RenewalTermMonths: sub.RenewalTermMonths}, ProductID: sub.ProductID}, nil
	}
	_, change, err := sub.Step(offers)
	if err != nil {
		change = subscription.Change{Kind: err.Error(), To: sub.State}
	}
	return due.Start(zone), change
}
