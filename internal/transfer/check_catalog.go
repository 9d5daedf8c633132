package transfer

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// checkCatalog brings what is remembered of the catalog in line with a line, and
// reports what would change.
func (i *importer) checkCatalog(ctx context.Context, kind string, members []member) (operation.ImportResult, error) {
	c := i.catalog
	l := lineOf(kind)
	if err := readFields(members, l.fields()); err != nil {
		return 0, err
	}
	switch l := l.(type) {
	case *platformLine:
		row, result, err := edited(c.platforms[l.row.Code], webhook.Platform{}, platformEdit(members), (*webhook.Platform).Check)
		return set(row, result, err, c.setPlatform)
	case *productLine:
		return i.checkProduct(ctx, l, members)
	case *featureLine:
		product := c.products[l.product]
		if product == nil {
			return 0, missing("product", "product", l.product)
		}
		initial := catalog.Feature{ProductID: product.ID, Kind: catalog.Boolean, IsProvisioned: true, Position: 1}
		row, result, err := edited(c.features[within{l.product, l.row.Code}], initial, featureEdit(members), (*catalog.Feature).Check)
		return set(row, result, err, c.setFeature)
	case *planLine:
		product := c.products[l.product]
		if product == nil {
			return 0, missing("product", "product", l.product)
		}
		initial := catalog.Plan{ProductID: product.ID, IsVisible: true}
		row, result, err := edited(c.plans[within{l.product, text(l.row.Code)}], initial, planEdit(members), (*catalog.Plan).Check)
		return set(row, result, err, c.setPlan)
	case *planFeatureLine:
		return c.checkPlanFeature(l, members)
	case *priceListLine:
		initial := catalog.PriceList{RenewalTermMonths: 1, IsVisible: true}
		row, result, err := edited(c.priceLists[l.row.Code], initial, c.priceListEdit(members), (*catalog.PriceList).Check)
		return set(row, result, err, c.setPriceList)
	case *chargeLine:
		return c.checkCharge(l, members)
	}
	return 0, nil
}

// set remembers a row that is right.
func set[T any](row *T, result operation.ImportResult, err error, set func(*T)) (operation.ImportResult, error) {
	if err == nil {
		set(row)
	}
	return result, err
}

func (i *importer) checkProduct(ctx context.Context, l *productLine, members []member) (operation.ImportResult, error) {
	was := i.catalog.products[l.row.Code]
	row, result, err := edited(was, catalog.Product{}, i.catalog.productEdit(members), (*catalog.Product).Check)
	if err == nil && was != nil && (was.PlatformID == nil) != (row.PlatformID == nil) || err == nil && was != nil && was.PlatformID != nil && *was.PlatformID != *row.PlatformID {
		some, wrong := store.SubscriptionsForProduct(ctx, i.st.Queries(), was.ID)
		if wrong != nil {
			return 0, wrong
		}
		if some {
			err = billing.Fail(billing.InUse, "platform", "Subscriptions to the product have tenants, and a tenant stays on its platform: the product cannot move.")
		}
	}
	return set(row, result, err, i.catalog.setProduct)
}

func (c *knownCatalog) checkPlanFeature(l *planFeatureLine, members []member) (operation.ImportResult, error) {
	plan, feature := c.plans[within{l.product, l.plan}], c.features[within{l.product, l.feature}]
	switch {
	case c.products[l.product] == nil:
		return 0, missing("product", "product", l.product)
	case plan == nil:
		return 0, missing("plan", "plan of the product "+l.product, l.plan)
	case feature == nil:
		return 0, missing("feature", "feature of the product "+l.product, l.feature)
	}
	initial := catalog.PlanFeature{PlanID: plan.ID, FeatureID: feature.ID, Value: feature.Kind.DefaultValue()}
	row, result, err := edited(c.planFeatures[planFeatureKey{l.product, l.plan, l.feature}], initial, planFeatureEdit(members),
		func(pf *catalog.PlanFeature) billing.Problems { return pf.CheckFor(feature.Kind) })
	return set(row, result, err, c.setPlanFeature)
}

func (c *knownCatalog) checkCharge(l *chargeLine, members []member) (operation.ImportResult, error) {
	list := c.priceLists[l.priceList]
	if list == nil {
		return 0, missing("priceList", "price list", l.priceList)
	}
	initial := catalog.Charge{PriceListID: list.ID, ChargeType: catalog.Recurring, PricingModel: catalog.Flat}
	edit := func(row *catalog.Charge) error {
		was := *row
		err := c.chargeEdit(members)(row)
		row.SetDefaults(was)
		return err
	}
	row, result, err := edited(c.charges[within{l.priceList, l.row.Code}], initial, edit, (*catalog.Charge).Check)
	return set(row, result, err, c.setCharge)
}
