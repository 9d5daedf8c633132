package node

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// Plan is the one of the price list.
func (s *Subscription) Plan(ctx context.Context) (*Plan, error) {
	list, err := s.PriceList(ctx)
	if err != nil || list == nil {
		return nil, err
	}
	return list.Plan(ctx)
}

// Charges are the lines of the subscription that count on some day. One that
// ended before it began is kept only to be taken up again, and one that is off
// says that there is none.
func (s *Subscription) Charges() []*SubscriptionCharge {
	lines := make([]*SubscriptionCharge, 0, len(s.Subscription.Charges))
	for i := range s.Subscription.Charges {
		if line := &s.Subscription.Charges[i]; !line.EndDate.Before(line.StartDate) && !line.Off {
			lines = append(lines, &SubscriptionCharge{line, s})
		}
	}
	return lines
}

// Features is what the subscription gives now.
func (s *Subscription) Features(ctx context.Context) ([]subscription.ProvisionedFeature, error) {
	of, err := together(s.group, "features", func(rows []subscription.Subscription) (map[billing.SubscriptionID][]subscription.ProvisionedFeature, error) {
		return s.group.reader.Service.Subscriptions.SubscriptionFeatures(ctx, rows)
	})
	return of[s.ID], err
}

// History is what happened to the subscription, oldest first.
func (s *Subscription) History(ctx context.Context) ([]*SubscriptionChange, error) {
	of, err := together(s.group, "history", func(rows []subscription.Subscription) (map[billing.SubscriptionID][]*SubscriptionChange, error) {
		entries, err := store.HistoryOf(ctx, s.group.reader.q(), keys(rows, always(func(s *subscription.Subscription) billing.SubscriptionID { return s.ID })))
		of := map[billing.SubscriptionID][]*SubscriptionChange{}
		for i := range entries {
			of[entries[i].SubscriptionID] = append(of[entries[i].SubscriptionID], &SubscriptionChange{&entries[i]})
		}
		return of, err
	})
	return of[s.ID], err
}

// Unused says what becomes of unused days at the cancellation, if there is one.
func (s *Subscription) Unused() *subscription.UnusedDays { return optional(s.UnusedAtCancellation()) }

func optional[T ~string](value T) *T {
	if value == "" {
		return nil
	}
	return &value
}

// NextTransition is what time brings next, if anything.
func (s *Subscription) NextTransition(ctx context.Context) (*NextTransition, error) {
	if _, some := s.Due(); !some || s.Problem != nil {
		return nil, nil
	}
	zone, err := together(s.group, "zone", func([]subscription.Subscription) (*time.Location, error) {
		return s.group.reader.Service.Calendar.TimeZone(ctx)
	})
	if err != nil {
		return nil, err
	}
	at, change := subscriptions.NextChange(*s.Subscription, zone)
	return &NextTransition{At: at, State: change.To, Reason: change.Kind}, nil
}

// NextTransition is what time brings to a subscription, in the API.
type NextTransition struct {
	At     time.Time
	State  subscription.State
	Reason string
}

// SubscriptionCharge is a line of a subscription, in the API.
type SubscriptionCharge struct {
	*subscription.Line
	of *Subscription
}

// ID is the line's number within its subscription, with the subscription's.
func (c *SubscriptionCharge) ID() string {
	return fmt.Sprintf("%d-%d", c.of.ID, c.Line.ID)
}

// Feature is the one whose quantity the line gives, if any.
func (c *SubscriptionCharge) Feature(ctx context.Context) (*Feature, error) {
	if c.FeatureID == nil {
		return nil, nil
	}
	g := c.of.group
	byID, err := together(g, "charge features", func(rows []subscription.Subscription) (map[billing.FeatureID]*Feature, error) {
		seen := map[billing.FeatureID]bool{}
		var ids []billing.FeatureID
		for i := range rows {
			for _, line := range rows[i].Charges {
				if line.FeatureID != nil && !seen[*line.FeatureID] {
					seen[*line.FeatureID] = true
					ids = append(ids, *line.FeatureID)
				}
			}
		}
		return g.reader.featuresByID(ctx, ids)
	})
	return byID[*c.FeatureID], err
}

// ofNextPlan reports whether the line begins on a day for which another plan is
// scheduled, which then gives its price and the length of its term.
func (c *SubscriptionCharge) ofNextPlan() bool {
	next := c.of.Subscription.NextPriceList
	return next != nil && !c.StartDate.Before(next.On)
}

// EndDate is the last day of the line. One that begins with the next term lasts
// to the end of that.
func (c *SubscriptionCharge) EndDate(ctx context.Context) (billing.Date, error) {
	s := c.of.Subscription
	if !c.StartDate.After(s.EndDate) || c.Type == catalog.OneTime {
		return c.Line.EndDate, nil
	}
	months := s.RenewalTermMonths
	if c.ofNextPlan() {
		next, err := c.of.nextPriceList(ctx)
		if err != nil {
			return billing.Date{}, err
		}
		if next != nil {
			months = next.RenewalTermMonths
		}
	}
	return c.StartDate.AddMonthsAnchored(months, s.AnchorDay).AddDays(-1), nil
}

// KeptTo is the last day that stays owed after the end of the line, if there is
// one.
func (c *SubscriptionCharge) KeptTo() *billing.Date {
	if c.Line.KeptTo == nil || !c.Line.KeptTo.After(c.Line.EndDate) {
		return nil
	}
	return c.Line.KeptTo
}

// Price is the price of a unit with the digits of its currency, if it is not for
// tiers or the next price list to say.
func (c *SubscriptionCharge) Price() *string {
	if c.Line.Price == nil || c.ofNextPlan() {
		return nil
	}
	text := c.Line.Price.In(c.CurrencyID)
	return &text
}

// Rate is what was agreed for the line, if that is known and not for the next
// price list to say.
func (c *SubscriptionCharge) Rate() *Rate {
	if c.Line.Rate == nil || c.ofNextPlan() {
		return nil
	}
	return &Rate{c.Line.Rate, c.CurrencyID}
}

// Rate is what a line costs, in the API.
type Rate struct {
	*rate.Rate
	currency string
}

// BillingTiming is none for what is billed once.
func (r *Rate) BillingTiming() *catalog.BillingTiming {
	if r.Rate.BillingTiming == "" {
		return nil
	}
	return &r.Rate.BillingTiming
}

// CurrencyID is that of the prices, if it is known.
func (r *Rate) CurrencyID() *string {
	if r.currency == "" {
		return nil
	}
	return &r.currency
}

// Price is the price of a unit with the digits of its currency, if there are no
// tiers.
func (r *Rate) Price() *string {
	if r.Rate.Price == nil {
		return nil
	}
	text := r.Rate.Price.In(r.currency)
	return &text
}

// TaxCode is that of the charge when the line was made.
func (r *Rate) TaxCode() string { return r.TaxedAs() }

// Tiers are the tiers in ascending order.
func (r *Rate) Tiers() []PriceListChargeTier {
	tiers := make([]PriceListChargeTier, len(r.Rate.Tiers))
	for i, tier := range r.Rate.Tiers {
		tiers[i] = PriceListChargeTier{tier.Starts, tier.Price.In(r.currency)}
	}
	return tiers
}

// SubscriptionChange is what happened to a subscription, in the API.
type SubscriptionChange struct{ *subscription.HistoryEntry }

// Detail is what else is known of the change.
func (c *SubscriptionChange) Detail() any {
	if len(c.HistoryEntry.Detail) == 0 {
		return nil
	}
	return c.HistoryEntry.Detail
}

func tenantID(t *billing.Tenant) billing.TenantID { return t.ID }

// Features is what must be enabled on the tenant now.
func (t *Tenant) Features(ctx context.Context) ([]subscription.ProvisionedFeature, error) {
	of, err := together(t.group, "features", func(rows []billing.Tenant) (map[billing.TenantID][]subscription.ProvisionedFeature, error) {
		states, err := t.group.reader.Service.Provisioning.States(ctx, keys(rows, always(tenantID)))
		of := map[billing.TenantID][]subscription.ProvisionedFeature{}
		for _, state := range states {
			of[state.Tenant.ID] = state.Features()
		}
		return of, err
	})
	return of[t.ID], err
}

// UtilizationMetrics is what the application reported.
func (t *Tenant) UtilizationMetrics() any {
	if t.Tenant.UtilizationMetrics == nil {
		return nil
	}
	return t.Tenant.UtilizationMetrics
}

// LatestProvisioningChange is the newest event of the tenant, if any.
func (t *Tenant) LatestProvisioningChange(ctx context.Context) (*ProvisioningChange, error) {
	of, err := together(t.group, "latest", func(rows []billing.Tenant) (map[billing.TenantID]webhook.Event, error) {
		return outbox.LatestEvents(ctx, t.group.reader.q(), keys(rows, always(tenantID)))
	})
	event, found := of[t.ID]
	if err != nil || !found {
		return nil, err
	}
	return &ProvisioningChange{&event}, nil
}

// ProvisioningChange is what a tenant was told, in the API.
type ProvisioningChange struct{ event *webhook.Event }

// ID is the event's.
func (c *ProvisioningChange) ID() billing.EventID { return c.event.ID }

// Change is the change as the webhook has it.
func (c *ProvisioningChange) Change() (any, error) { return c.part("payload", "change") }

// Features is the list of features as the webhook has it.
func (c *ProvisioningChange) Features() (any, error) { return c.part("payload", "change", "features") }

func (c *ProvisioningChange) part(path ...string) (any, error) {
	return jsonPart(strings.NewReader(c.event.Body), path...)
}

// CreatedAt is when it was recorded.
func (c *ProvisioningChange) CreatedAt() time.Time { return c.event.CreatedAt }

// UpdatedAt is the same: what was told does not change.
func (c *ProvisioningChange) UpdatedAt() time.Time { return c.event.CreatedAt }
