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

// Queries read in the transaction of the import.
func (c *Import) Queries() store.Queries { return c.tx.Queries }

// ImportRow makes one row be as it is in a file; known is nil for a new one.
func ImportRow[T any, K ~int64](ctx context.Context, c *Import, r operation.Resource[T, K], known *T, initial T, edit func(*T) error, then ...operation.Extra[T]) (operation.ImportResult, error) {
	_, result, err := operation.EditImported(known, initial, edit)
	if err != nil {
		return result, err
	}
	switch result {
	case operation.Created:
		_, err = r.Insert(ctx, c.tx, initial, edit, then...)
	case operation.Changed:
		_, err = r.UpdateIn(ctx, c.tx, r.ID(known), edit, then...)
	}
	return result, err
}

// ImportPlatform imports a platform. A new one gets a signing secret of its own.
func ImportPlatform(ctx context.Context, c *Import, known *webhook.Platform, initial webhook.Platform, edit func(*webhook.Platform) error) (operation.ImportResult, error) {
	if known == nil {
		initial.SigningSecretSealed = c.s.Delivery.NewSigningSecret()
	}
	return ImportRow(ctx, c, delivery.Platforms, known, initial, edit, func(ctx context.Context, tx *store.Tx, p *webhook.Platform) error {
		if known == nil {
			return nil
		}
		if err := delivery.AddressChanged(ctx, tx, known, p); err != nil || known.ProvisioningEnabled || !p.ProvisioningEnabled || !c.webhooks {
			return err
		}
		return jobs.Insert(ctx, tx, billing.JobProvisioning, provisioning.FanOut{PlatformID: p.ID, Reason: subscription.KindProvisioningEnabled, Actor: operation.CallerOf(ctx).Actor})
	})
}

// ImportEventEndpoint imports an event endpoint. A new one gets a signing secret of
// its own.
func ImportEventEndpoint(ctx context.Context, c *Import, known *webhook.EventEndpoint, initial webhook.EventEndpoint, edit func(*webhook.EventEndpoint) error) (operation.ImportResult, error) {
	if known == nil {
		initial.SigningSecretSealed = c.s.Delivery.NewSigningSecret()
	}
	return ImportRow(ctx, c, delivery.EventEndpoints, known, initial, edit, func(ctx context.Context, tx *store.Tx, e *webhook.EventEndpoint) error {
		if known == nil {
			return nil
		}
		return delivery.EventAddressChanged(ctx, tx, known, e)
	})
}

// ImportFeature imports a feature. It joins no plan by itself, and is the last of
// its product unless the file gives its position.
func ImportFeature(ctx context.Context, c *Import, known *catalog.Feature, initial catalog.Feature, edit func(*catalog.Feature) error) (operation.ImportResult, error) {
	if known == nil {
		alone := initial
		if err := edit(&alone); err != nil {
			return 0, err
		}
		last, err := store.LastFeaturePosition(ctx, c.tx.Queries, alone.ProductID)
		if err != nil {
			return 0, err
		}
		initial.Position = min(last+1, billing.MaxQuantity)
		return ImportRow(ctx, c, Features, nil, initial, edit) // no plan has it yet
	}
	if _, result, err := operation.EditImported(known, initial, edit); err != nil || result == operation.Unchanged {
		return result, err
	}
	if err := c.changesFeatures(ctx, known.ProductID); err != nil {
		return 0, err
	}
	return ImportRow(ctx, c, Features, known, initial, edit, resetValues)
}

// changesFeatures notes that the features of a product are about to change, and locks
// it as every such change does: a subscription that comes to life is not missed.
func (c *Import) changesFeatures(ctx context.Context, product billing.ProductID) error {
	c.products = append(c.products, product)
	_, err := provisioning.LockProduct(ctx, c.tx, "product", product)
	return err
}

// ImportCharge imports a charge of a price list.
func ImportCharge(ctx context.Context, c *Import, known *catalog.Charge, initial catalog.Charge, edit func(*catalog.Charge) error) (operation.ImportResult, error) {
	return ImportRow(ctx, c, Charges, known, initial, edit, repriced)
}

// ImportPlanFeature imports what a plan makes of a feature of its product.
func ImportPlanFeature(ctx context.Context, c *Import, known *catalog.PlanFeature, initial catalog.PlanFeature, edit func(*catalog.PlanFeature) error) (operation.ImportResult, error) {
	pf, result, err := operation.EditImported(known, initial, edit)
	if err != nil || result == operation.Unchanged {
		return result, err
	}
	f, err := operation.Find(ctx, c.tx, store.Features, "feature", Features.Words, pf.FeatureID)
	if err != nil {
		return 0, err
	}
	if err := c.changesFeatures(ctx, f.ProductID); err != nil {
		return 0, err
	}
	return ImportRow(ctx, c, PlanFeatures, known, initial, edit)
}
