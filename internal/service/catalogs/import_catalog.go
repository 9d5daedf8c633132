package catalogs

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// Import imports parts of the catalog in one transaction.
type Import struct {
	s        *Service
	tx       *store.Tx
	webhooks bool
	// products are those whose tenants have something to be told.
	products []billing.ProductID
}

// ImportCatalog runs do in one transaction in which it may import what is sold.
// do may run more than once. If webhooks is false, no tenant is told of it.
func (s *Service) ImportCatalog(ctx context.Context, webhooks bool, do func(context.Context, *Import) error) error {
	defer s.Wake()
	_, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*Import, error) {
		if err := store.LockCatalog(ctx, tx); err != nil {
			return nil, err
		}
		c := &Import{s: s, tx: tx, webhooks: webhooks}
		if err := do(ctx, c); err != nil {
			return nil, err
		}
		if !webhooks {
			return c, nil
		}
		for _, product := range operation.Unique(c.products) {
			if err := provisioning.StartFanOut(ctx, tx, product, subscription.KindFeatureChanged); err != nil {
				return nil, err
			}
		}
		return c, nil
	})
	return err
}

// importOne makes one thing be as it is in a file.
func importOne[T any, K ~int64](ctx context.Context, c *Import, r operation.Resource[T, K], known *T, initial T, edit operation.Change[T], then ...operation.Extra[T]) (*T, operation.ImportResult, error) {
	_, result, err := operation.EditImported(known, initial, edit)
	if err != nil {
		return nil, result, err
	}
	switch result {
	case operation.Created:
		row, err := r.Insert(ctx, c.tx, initial, edit, then...)
		return row, result, err
	case operation.Changed:
		row, err := r.UpdateIn(ctx, c.tx, r.ID(known), edit, then...)
		return row, result, err
	}
	return known, result, nil
}

// Platform imports a platform. A new one gets a signing secret of its own.
func (c *Import) Platform(ctx context.Context, code string, edit func(*webhook.Platform) error) (operation.ImportResult, error) {
	known, err := store.Platforms.ByCode(ctx, c.tx.Queries, code)
	if err != nil {
		return 0, err
	}
	initial := webhook.Platform{}
	if known == nil {
		initial.SigningSecretSealed = c.s.Delivery.NewSigningSecret()
	}
	_, result, err := importOne(ctx, c, delivery.Platforms, known, initial, edit, func(ctx context.Context, tx *store.Tx, p *webhook.Platform) error {
		if known == nil {
			return nil
		}
		if err := delivery.AddressChanged(ctx, tx, known, p); err != nil || known.ProvisioningEnabled || !p.ProvisioningEnabled || !c.webhooks {
			return err
		}
		return jobs.Insert(ctx, tx, billing.JobProvisioning, provisioning.FanOut{PlatformID: p.ID, Reason: subscription.KindProvisioningEnabled, Actor: operation.CallerOf(ctx).Actor})
	})
	return result, err
}

// Product imports a product.
func (c *Import) Product(ctx context.Context, code string, edit func(*catalog.Product) error) (operation.ImportResult, error) {
	known, err := store.Products.ByCode(ctx, c.tx.Queries, code)
	if err != nil {
		return 0, err
	}
	_, result, err := importOne(ctx, c, Products, known, catalog.Product{}, edit)
	return result, err
}

// Feature imports a feature. It joins no plan by itself.
func (c *Import) Feature(ctx context.Context, product billing.ProductID, code string, edit func(*catalog.Feature) error) (operation.ImportResult, error) {
	known, err := store.FeatureByCode(ctx, c.tx.Queries, product, code)
	if err != nil {
		return 0, err
	}
	last, err := store.LastFeaturePosition(ctx, c.tx.Queries, product)
	if err != nil {
		return 0, err
	}
	initial := catalog.Feature{ProductID: product, Kind: catalog.Boolean, IsProvisioned: true, Position: min(last+1, billing.MaxQuantity)}
	_, result, err := importOne(ctx, c, Features, known, initial, edit, func(ctx context.Context, tx *store.Tx, f *catalog.Feature) error {
		if known == nil {
			return nil // no plan has it yet
		}
		c.products = append(c.products, product)
		return resetValues(ctx, tx, f)
	})
	return result, err
}

// Plan imports a plan. It takes no feature by itself.
func (c *Import) Plan(ctx context.Context, product billing.ProductID, code string, edit func(*catalog.Plan) error) (operation.ImportResult, error) {
	known, err := store.PlanByCode(ctx, c.tx.Queries, product, code)
	if err != nil {
		return 0, err
	}
	_, result, err := importOne(ctx, c, Plans, known, catalog.Plan{ProductID: product, IsVisible: true}, edit)
	return result, err
}

// PlanFeature imports what a plan makes of a feature of its product.
func (c *Import) PlanFeature(ctx context.Context, plan *catalog.Plan, feature *catalog.Feature, edit func(*catalog.PlanFeature) error) (operation.ImportResult, error) {
	included, err := store.PlanFeaturesOf(ctx, c.tx.Queries, []billing.PlanID{plan.ID})
	if err != nil {
		return 0, err
	}
	var known *catalog.PlanFeature
	for i := range included {
		if included[i].FeatureID == feature.ID {
			known = &included[i]
		}
	}
	initial := catalog.PlanFeature{PlanID: plan.ID, FeatureID: feature.ID, Value: feature.Kind.DefaultValue()}
	_, result, err := importOne(ctx, c, planFeatures, known, initial, edit)
	if err == nil && result != operation.Unchanged {
		c.products = append(c.products, plan.ProductID)
	}
	return result, err
}

// PriceList imports a price list.
func (c *Import) PriceList(ctx context.Context, code string, edit func(*catalog.PriceList) error) (operation.ImportResult, error) {
	known, err := store.PriceLists.ByCode(ctx, c.tx.Queries, code)
	if err != nil {
		return 0, err
	}
	_, result, err := importOne(ctx, c, PriceLists, known, catalog.PriceList{RenewalTermMonths: 1, IsVisible: true}, edit)
	return result, err
}

// Charge imports a charge of a price list.
func (c *Import) Charge(ctx context.Context, list billing.PriceListID, code string, edit func(*catalog.Charge) error) (operation.ImportResult, error) {
	known, err := store.ChargeByCode(ctx, c.tx.Queries, list, code)
	if err != nil {
		return 0, err
	}
	initial := catalog.Charge{PriceListID: list, ChargeType: catalog.Recurring, PricingModel: catalog.Flat}
	_, result, err := importOne(ctx, c, Charges, known, initial, func(charge *catalog.Charge) error {
		was := *charge
		err := edit(charge)
		charge.SetDefaults(was)
		return err
	})
	return result, err
}
