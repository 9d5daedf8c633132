package worker_test

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// hall is a platform with something to sell: the plans "basic" and "pro" of a
// product, each with a price list of the same name behind the platform's code.
type hall struct {
	platform billing.PlatformID
	product  billing.ProductID
	// quantity is the feature that "seats" are charged for.
	quantity billing.FeatureID
}

// openHall makes a platform whose webhooks go to an address.
func openHall(ctx context.Context, svc *service.Service, code, url string) (h hall, err error) {
	platform, err := svc.Delivery.PlatformCreate(ctx, func(p *webhook.Platform) error {
		p.Code, p.Name, p.ProvisioningEnabled, p.WebhookURL = code, code, true, &url
		p.DriftPolicy, p.DriftRepairsPerMinute = drift.Repair, drift.MostRepairsPerMinute
		return nil
	}, delivery.PlatformSecrets{})
	if err != nil {
		return h, err
	}
	product, err := svc.Catalog.ProductCreate(ctx, func(p *catalog.Product) error {
		p.Code, p.Name = code+"-app", code
		return nil
	}, &code)
	if err != nil {
		return h, err
	}
	h = hall{platform: platform.ID, product: product.ID}
	for _, plan := range []string{"basic", "pro"} {
		if err := h.openPlan(ctx, svc, code+"-"+plan); err != nil {
			return h, err
		}
	}
	return h, nil
}

func (h *hall) openPlan(ctx context.Context, svc *service.Service, code string) error {
	plan, err := svc.Catalog.PlanCreate(ctx, func(p *catalog.Plan) error {
		p.ProductID, p.Code, p.Name = h.product, &code, code
		return nil
	}, nil)
	if err != nil {
		return err
	}
	if h.quantity == 0 {
		for _, f := range []catalog.Feature{{Code: "users", Kind: catalog.Quantity}, {Code: "sso", Kind: catalog.Boolean}, {Code: "region", Kind: catalog.Value}} {
			made, err := svc.Catalog.FeatureCreate(ctx, h.product, nil, func(row *catalog.Feature) error {
				row.Code, row.Name, row.Kind = f.Code, f.Code, f.Kind
				return nil
			})
			if err != nil {
				return err
			}
			if f.Code == "users" {
				h.quantity = made.ID
			}
		}
	}
	amount, err := billing.ParsePrice("10")
	if err != nil {
		return err
	}
	_, err = svc.Catalog.PriceListCreate(ctx, func(l *catalog.PriceList) error {
		l.PlanID, l.Code, l.Name, l.CurrencyID, l.RenewalTermMonths = plan.ID, code, code, "EUR", 1
		l.TrialAllowed, l.TrialLengthDays = true, ptr(14)
		return nil
	}, []catalog.ChargeEdit{{FeatureCode: ptr("users"), Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.Price = "seats", "Seats", &amount
		c.QuantityMin, c.QuantityMax = ptr(1), ptr(500)
		return nil
	}}})
	return err
}

// subscribe makes a subscription for a tenant with its account, which is new.
func subscribe(ctx context.Context, svc *service.Service, list, tenant string, trial bool, clock *billing.TestClockID) (*subscription.Subscription, error) {
	n := subscriptions.NewSubscription{PriceList: subscriptions.PriceListRef{Code: &list}, Tenant: &subscriptions.TenantRef{Code: tenant}}
	n.Draft.Evergreen, n.Draft.Trial = true, trial
	n.Account = &subscriptions.NewAccount{Edit: func(a *billing.Account) error {
		a.Name, a.Code, a.TestClockID, a.BillingCountry, a.NetPaymentDays = tenant, &tenant, clock, ptr("DE"), ptr(1)
		return nil
	}}
	return svc.Subscriptions.SubscriptionCreate(ctx, n)
}

// again makes another subscription for a tenant that has an account.
func again(ctx context.Context, svc *service.Service, list, tenant string) (*subscription.Subscription, error) {
	n := subscriptions.NewSubscription{PriceList: subscriptions.PriceListRef{Code: &list}, Tenant: &subscriptions.TenantRef{Code: tenant}, AccountCode: &tenant}
	n.Draft.Evergreen = true
	return svc.Subscriptions.SubscriptionCreate(ctx, n)
}

func tenantCode(hall string, i int) string { return fmt.Sprintf("%s-%d", hall, i) }
