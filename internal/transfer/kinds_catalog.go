package transfer

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/store"
)

var platforms = &kind[webhook.Platform, billing.PlatformID]{
	Resource: delivery.Platforms, name: "platform", key: []string{"code"}, fields: webhook.PlatformFields,
	special: func(*knownCatalog, *webhook.Platform) (instead, []field) {
		// A plain signature needs a key, which is a secret.
		return instead{"plainSignatureHeader": {}, "plainSignatureAlgorithm": {}}, nil
	},
	imported: catalogs.ImportPlatform,
}

var eventEndpoints = &kind[webhook.EventEndpoint, billing.EventEndpointID]{
	Resource: delivery.EventEndpoints, name: "eventEndpoint", key: []string{"code"}, fields: webhook.EventEndpointFields,
	problems: func(c *knownCatalog, e *webhook.EventEndpoint) billing.Problems {
		problems := e.Check()
		if platforms.find(c, e.Code) != nil {
			problems.Add(delivery.EventEndpoints.Taken(e))
		}
		return problems
	},
	special: func(_ *knownCatalog, e *webhook.EventEndpoint) (instead, []field) {
		return nil, []field{{name: "types", at: &e.Types}}
	},
	imported: catalogs.ImportEventEndpoint,
}

var products = &kind[catalog.Product, billing.ProductID]{
	Resource: catalogs.Products, name: "product", key: []string{"code"}, fields: catalog.ProductFields,
	references: []codeOf[catalog.Product]{referIfAny("platform", platforms, func(p *catalog.Product) **billing.PlatformID { return &p.PlatformID }, nil)},
	allowed: func(ctx context.Context, q store.Queries, was, p *catalog.Product) error {
		if was.PlatformID == nil && p.PlatformID == nil || was.PlatformID != nil && p.PlatformID != nil && *was.PlatformID == *p.PlatformID {
			return nil
		}
		some, err := store.SubscriptionsForProduct(ctx, q, was.ID)
		if some {
			err = billing.Fail(billing.InUse, "platform", "Subscriptions to the product have tenants, and a tenant stays on its platform: the product cannot move.")
		}
		return err
	},
}

var features = &kind[catalog.Feature, billing.FeatureID]{
	Resource: catalogs.Features, name: "feature", key: []string{"product", "code"}, fields: catalog.FeatureFields,
	references: []codeOf[catalog.Feature]{refer("product", products, func(f *catalog.Feature) *billing.ProductID { return &f.ProductID }, nil)},
	imported:   catalogs.ImportFeature,
}

var plans = &kind[catalog.Plan, billing.PlanID]{
	Resource: catalogs.Plans, name: "plan", key: []string{"product", "code"}, fields: catalog.PlanFields,
	references: []codeOf[catalog.Plan]{refer("product", products, func(p *catalog.Plan) *billing.ProductID { return &p.ProductID }, nil)},
}

// inPlan are the references to a plan, and to the product that tells plans with the
// same code apart.
func inPlan[T any](of func(*T) *billing.PlanID) []codeOf[T] {
	return []codeOf[T]{{
		name: "product",
		get: func(c *knownCatalog, row *T) *string {
			if plan := plans.of(c, *of(row)); plan != nil {
				return products.code(c, plan.ProductID)
			}
			return nil
		},
		set: func(c *knownCatalog, _ *T, codes codes) *billing.Error {
			_, wrong := products.named(c, "product", nil, codes.of("product"))
			return wrong
		},
	}, refer("plan", plans, of, productOfLine)}
}

func productOfLine[T any](_ *knownCatalog, _ *T, codes codes) []string {
	return []string{codes.of("product")}
}

var planFeatures = &kind[catalog.PlanFeature, billing.PlanFeatureID]{
	Resource: catalogs.PlanFeatures, name: "planFeature", key: []string{"product", "plan", "feature"}, fields: catalog.PlanFeatureFields,
	references: append(inPlan(func(pf *catalog.PlanFeature) *billing.PlanID { return &pf.PlanID }),
		refer("feature", features, func(pf *catalog.PlanFeature) *billing.FeatureID { return &pf.FeatureID }, productOfLine)),
	begin: func(c *knownCatalog, pf *catalog.PlanFeature, codes codes) {
		pf.WhenRestricted = catalog.KeepWhenRestricted
		if f := features.find(c, codes.of("product"), codes.of("feature")); f != nil {
			pf.Value = f.Kind.DefaultValue()
		}
	},
	problems: func(c *knownCatalog, pf *catalog.PlanFeature) billing.Problems {
		return pf.CheckFor(features.of(c, pf.FeatureID).Kind)
	},
	known: func(c *knownCatalog, pf *catalog.PlanFeature, _ bool) {
		c.valueOf[includedFeature{pf.PlanID, pf.FeatureID}] = pf.Value
	},
	imported: catalogs.ImportPlanFeature,
}

var priceLists = &kind[catalog.PriceList, billing.PriceListID]{
	Resource: catalogs.PriceLists, name: "priceList", key: []string{"code"}, fields: catalog.PriceListFields,
	references: inPlan(func(l *catalog.PriceList) *billing.PlanID { return &l.PlanID }),
	allowed: func(_ context.Context, _ store.Queries, was, l *catalog.PriceList) error {
		if was.PlanID != l.PlanID {
			return billing.Fail(billing.Immutable, "plan", "A price list stays with its plan; it cannot be moved.")
		}
		return nil
	},
}

var charges = &kind[catalog.Charge, billing.ChargeID]{
	Resource: catalogs.Charges, name: "charge", key: []string{"priceList", "code"}, fields: catalog.ChargeFields,
	references: []codeOf[catalog.Charge]{
		refer("priceList", priceLists, func(charge *catalog.Charge) *billing.PriceListID { return &charge.PriceListID }, nil),
		referIfAny("feature", features, func(charge *catalog.Charge) **billing.FeatureID { return &charge.FeatureID },
			func(c *knownCatalog, charge *catalog.Charge, _ codes) []string {
				return []string{*products.code(c, plans.of(c, priceLists.of(c, charge.PriceListID).PlanID).ProductID)}
			}),
	},
	special: func(c *knownCatalog, charge *catalog.Charge) (instead, []field) {
		currency := func() string {
			if list := priceLists.of(c, charge.PriceListID); list != nil {
				return list.CurrencyID
			}
			return ""
		}
		return instead{"price": {name: "price", at: &charge.Price, write: func() any { return writePrice(charge, currency()) }}}, []field{{
			name: "tiers", read: func(value []byte) error { return readTiers(charge, value) }, write: func() any { return writeTiers(charge, currency()) },
		}}
	},
	prepare: (*catalog.Charge).SetDefaults,
	known: func(c *knownCatalog, charge *catalog.Charge, isNew bool) {
		if isNew {
			c.chargesOf[charge.PriceListID] = append(c.chargesOf[charge.PriceListID], charge)
		}
	},
	imported: catalogs.ImportCharge,
}

func readTiers(c *catalog.Charge, value []byte) error {
	return readList(value, &c.Tiers, func(t *catalog.Tier) []field {
		return []field{{name: "starts", at: &t.Starts}, {name: "price", at: &t.Price}}
	})
}

func writePrice(c *catalog.Charge, currency string) any {
	if c.Price == nil {
		return nil
	}
	return c.Price.In(currency)
}

func writeTiers(c *catalog.Charge, currency string) any {
	if len(c.Tiers) == 0 {
		return nil
	}
	type tier struct {
		Starts int    `json:"starts"`
		Price  string `json:"price"`
	}
	tiers := make([]tier, len(c.Tiers))
	for i, t := range c.Tiers {
		tiers[i] = tier{t.Starts, t.Price.In(currency)}
	}
	return tiers
}
