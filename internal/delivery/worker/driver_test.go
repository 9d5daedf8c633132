package worker_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// The platforms of the convergence test, by what they keep to, and how many
// tenants each has.
const (
	orderedHall = "ordered"
	strictHall  = "strict"
	hallTenants = 75
	// hallClocks are the test clocks that some of the tenants live on.
	hallClocks = 3
)

// driver makes random changes to subscriptions and the catalog, as people and
// programs do through a server.
type driver struct {
	setting
	store   *store.Store
	service *service.Service
	random  *rand.Rand
	// subscriptions and tenants are how many there were, the last time it was
	// counted.
	subscriptions, tenants int
}

func newDriver(s setting, st *store.Store, svc *service.Service) *driver {
	return &driver{setting: s, store: st, service: svc, random: rand.New(rand.NewPCG(s.seed, 1))}
}

// run makes a change every now and then until ctx ends. What is refused is no
// failure: the changes are made without a look at what is there.
func (d *driver) run(ctx context.Context) {
	tick := time.NewTicker(d.pace)
	defer tick.Stop()
	caller := operation.As(context.WithoutCancel(ctx), operation.Caller{Actor: d.name})
	for i := 0; ctx.Err() == nil; i++ {
		if i%20 == 0 {
			d.count(caller)
		}
		err := d.change(caller)
		var refused *billing.Error
		var problems billing.Problems
		if err != nil && !errors.As(err, &refused) && !errors.As(err, &problems) {
			fmt.Println("error:", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (d *driver) count(ctx context.Context) {
	var err, failed error
	if d.subscriptions, err = store.Subscriptions.Count(ctx, d.service.Read(), billing.Filter{}); err != nil {
		fmt.Println("error:", err)
	}
	if d.tenants, failed = store.Tenants.Count(ctx, d.service.Read(), billing.Filter{}); failed != nil {
		fmt.Println("error:", failed)
	}
}

// change makes one change.
func (d *driver) change(ctx context.Context) error {
	if d.tenants < 2*hallTenants && d.random.IntN(3) > 0 || d.subscriptions == 0 {
		return d.create(ctx)
	}
	list := d.list()
	sub := []billing.SubscriptionID{billing.SubscriptionID(1 + d.random.IntN(d.subscriptions))}
	quantity := 1 + d.random.IntN(500)
	drawn := d.random.IntN(100)
	for _, c := range []struct {
		weight int
		do     func() error
	}{
		{23, func() error {
			_, err := d.service.Subscriptions.SubscriptionQuantityUpdate(ctx, sub[0], subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: "seats", Quantity: &quantity}}})
			return err
		}},
		{12, func() error {
			_, err := d.service.Subscriptions.SubscriptionPlanChange(ctx, sub[0], subscriptions.PriceListRef{Code: &list}, subscription.PlanUpdate{AtTermEnd: d.chance(5)})
			return err
		}},
		{8, func() error {
			_, err := d.service.Subscriptions.SubscriptionCancel(ctx, sub, subscription.Cancellation{AtTermEnd: d.chance(3)})
			return err
		}},
		{12, func() error { _, err := d.service.Subscriptions.SubscriptionReinstate(ctx, sub, nil); return err }},
		{4, func() error {
			_, err := d.service.Subscriptions.SubscriptionTrialConvert(ctx, sub[0], subscriptions.PriceListRef{}, nil)
			return err
		}},
		{9, func() error {
			_, err := d.service.Subscriptions.TenantUpdate(ctx, d.tenant(), func(t *billing.Tenant) error { t.Name = fmt.Sprint("Name ", quantity); return nil })
			return err
		}},
		{3, func() error {
			_, err := d.service.Subscriptions.SubscriptionTenantUpdate(ctx, sub[0], subscriptions.TenantRef{Code: fmt.Sprint("moved-", d.random.IntN(20))})
			return err
		}},
		{2, func() error { return d.create(ctx) }},
		{4, func() error { return d.catalog(ctx) }},
		{4, func() error { return d.pass(ctx) }},
		{12, func() error { return d.pay(ctx) }},
		{3, func() error { return d.resend(ctx) }},
		{4, func() error { return d.operate(ctx) }},
	} {
		if drawn -= c.weight; drawn < 0 {
			return c.do()
		}
	}
	return nil
}

// chance is true once in n times.
func (d *driver) chance(n int) bool { return d.random.IntN(n) == 0 }

func (d *driver) hall() string {
	if d.chance(2) {
		return orderedHall
	}
	return strictHall
}

func (d *driver) list() string {
	if d.chance(2) {
		return d.hall() + "-basic"
	}
	return d.hall() + "-pro"
}

func (d *driver) tenant() billing.TenantID {
	return billing.TenantID(1 + d.random.IntN(max(d.tenants, 1)))
}

// create makes a tenant with its first subscription, or another one.
func (d *driver) create(ctx context.Context) error {
	at, n := d.hall(), d.random.IntN(hallTenants)
	list := at + "-basic"
	if d.chance(2) {
		list = at + "-pro"
	}
	var clock *billing.TestClockID
	if n%4 == 0 {
		clock = ptr(billing.TestClockID(1 + n/4%hallClocks))
	}
	_, err := subscribe(ctx, d.service, list, tenantCode(at, n), d.chance(4), clock)
	if _, known := billing.AsProblems(err); known && d.chance(4) {
		_, err = again(ctx, d.service, list, tenantCode(at, n))
	}
	return err
}

// catalog changes what plans include: all tenants of a product are told.
func (d *driver) catalog(ctx context.Context) error {
	feature := billing.FeatureID(1 + d.random.IntN(12))
	switch d.random.IntN(6) {
	case 0:
		_, err := d.service.Catalog.FeatureCreate(ctx, billing.ProductID(1+d.random.IntN(2)), nil, func(f *catalog.Feature) error {
			f.Code, f.Name, f.Kind = fmt.Sprint("extra-", d.random.IntN(4)), "Extra", catalog.Boolean
			return nil
		})
		return err
	case 1:
		_, err := d.service.Catalog.FeatureDelete(ctx, feature)
		return err
	case 2:
		_, err := d.service.Catalog.FeatureUpdate(ctx, feature, func(f *catalog.Feature) error { f.Name = fmt.Sprint("Feature ", d.random.IntN(100)); return nil })
		return err
	}
	_, err := d.service.Catalog.PlanFeatureUpdate(ctx, billing.PlanFeatureID(1+d.random.IntN(24)), func(pf *catalog.PlanFeature) error {
		switch pf.Value {
		case "true":
			pf.Value = "false"
		case "false":
			pf.Value = "true"
		default:
			pf.Value = fmt.Sprint(d.random.IntN(100))
		}
		return nil
	})
	return err
}

// pass lets some days pass for the accounts on a test clock.
func (d *driver) pass(ctx context.Context) error {
	id := billing.TestClockID(1 + d.random.IntN(hallClocks))
	clock, err := store.TestClocks.Get(ctx, d.service.Read(), id)
	if err != nil || clock == nil {
		return err
	}
	_, _, err = d.service.Subscriptions.TestClockAdvance(ctx, id, clock.Now.AddDate(0, 0, 1+d.random.IntN(20)))
	return err
}

// resend sends an event again, by force even one that is too old for that, or
// the state as it is, or many events.
func (d *driver) resend(ctx context.Context) error {
	switch d.random.IntN(8) {
	case 0:
		_, err := d.service.Provisioning.TenantSync(ctx, d.tenant())
		return err
	case 1:
		filter := []string{"state:exhausted", "state:superseded platform:" + d.hall()}[d.random.IntN(2)]
		_, err := d.service.Delivery.WebhookEventsResend(ctx, filter, !d.chance(4), false)
		return err
	}
	id := d.tenant()
	streams, err := outbox.StreamsOf(ctx, d.service.Read(), []billing.TenantID{id})
	if err != nil || streams[id] == nil {
		return err
	}
	from, forced := streams[id].HighestSequence, d.chance(3)
	if forced {
		from = d.random.IntN(streams[id].LastSequence)
	}
	events, err := outbox.EventsOfTenant(ctx, d.service.Read(), id, max(from-1, 0), 1)
	if err != nil || len(events) == 0 {
		return err
	}
	_, err = d.service.Delivery.WebhookEventResend(ctx, events[0].ID, forced)
	return err
}

// operate does what an operator would: switches a workflow off and on, and
// resumes what is paused.
func (d *driver) operate(ctx context.Context) error {
	platform := billing.PlatformID(1 + d.random.IntN(2))
	flows, err := store.WorkflowsOf(ctx, d.service.Read(), []billing.PlatformID{platform})
	if err != nil || len(flows) == 0 {
		return err
	}
	release := webhook.ReleaseAll
	if flows[0].Order == webhook.Ordered && d.chance(2) {
		release = webhook.ReleaseLatest
	}
	if d.chance(4) || !flows[0].Enabled {
		return enable(ctx, d.service, flows[0].ID, !flows[0].Enabled && !d.chance(4), release)
	}
	_, err = d.service.Delivery.PlatformEndpointResume(ctx, platform, release)
	return err
}

func enable(ctx context.Context, svc *service.Service, id billing.WorkflowID, on bool, release webhook.Release) error {
	_, err := svc.Delivery.WorkflowUpdate(ctx, id, func(w *delivery.WorkflowDraft) error { w.Enabled = on; return nil }, release)
	return err
}
