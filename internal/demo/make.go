package demo

import (
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/store"
)

// makeCatalog makes all that is for sale and returns the secrets of the
// platforms.
func (y *year) makeCatalog() (secrets map[string]string, err error) {
	secrets = map[string]string{}
	for _, p := range platforms {
		if secrets[p.code], err = y.makePlatform(p.code, p.name); err != nil {
			return nil, err
		}
	}
	for i := range products {
		if err := y.makeProduct(&products[i]); err != nil {
			return nil, fmt.Errorf("the product %s: %w", products[i].name, err)
		}
	}
	return secrets, y.work()
}

func (y *year) makePlatform(code, name string) (signing string, err error) {
	url := y.WebhookURL(code)
	platform, err := y.service.Delivery.PlatformCreate(y.ctx, func(p *webhook.Platform) error {
		p.Code, p.Name, p.ProvisioningEnabled, p.WebhookURL = code, name, true, &url
		p.DriftPolicy = drift.Repair
		return nil
	}, delivery.PlatformSecrets{})
	if err != nil {
		return "", err
	}
	workflows, err := store.WorkflowsOf(y.ctx, y.service.Read(), []billing.PlatformID{platform.ID})
	if err != nil {
		return "", err
	}
	for _, w := range workflows {
		_, err := y.service.Delivery.WorkflowUpdate(y.ctx, w.ID, func(d *delivery.WorkflowDraft) error {
			d.RetryDelays = retryDelays()
			return nil
		}, webhook.ReleaseAll)
		if err != nil {
			return "", err
		}
	}
	return y.service.Delivery.SigningSecret(platform)
}

func (y *year) makeProduct(p *product) error {
	made, err := y.service.Catalog.ProductCreate(y.ctx, func(row *catalog.Product) error {
		row.Code, row.Name, row.Description = p.code, p.name, &p.about
		return nil
	}, &p.platform)
	if err != nil {
		return err
	}
	y.productIDs[p.code] = made.ID
	for _, one := range p.plans {
		made, err := y.service.Catalog.PlanCreate(y.ctx, func(row *catalog.Plan) error {
			row.ProductID, row.Code, row.Name, row.IsVisible = made.ID, &one.code, one.name, true
			return nil
		}, nil)
		if err != nil {
			return err
		}
		y.planIDs[p.code+"/"+one.code] = made.ID
	}
	if err := y.makeFeatures(p); err != nil {
		return err
	}
	for i := range p.plans {
		for _, t := range terms {
			if err := y.makePriceList(p, &p.plans[i], t); err != nil {
				return fmt.Errorf("the price list %s %s: %w", p.plans[i].name, t.code, err)
			}
		}
	}
	return nil
}

// makeFeatures adds the features to the product and the plans that have them.
func (y *year) makeFeatures(p *product) error {
	var cells []catalog.MatrixCell
	for i, f := range p.features {
		made, err := y.makeFeature(p, f, nil)
		if err != nil {
			return err
		}
		for _, one := range p.plans {
			cell := catalog.MatrixCell{PlanID: y.planIDs[p.code+"/"+one.code], FeatureID: made.ID}
			if one.values[i] != none {
				cell.Included, cell.Value = true, one.values[i]
			}
			cells = append(cells, cell)
		}
	}
	return y.service.Catalog.PlanMatrixUpdate(y.ctx, y.productIDs[p.code], func([]catalog.PlanFeature) error { return nil }, cells)
}

func (y *year) makeFeature(p *product, f feature, plans []billing.PlanID) (*catalog.Feature, error) {
	return y.service.Catalog.FeatureCreate(y.ctx, y.productIDs[p.code], plans, func(row *catalog.Feature) error {
		row.Code, row.Name, row.Kind = f.code, f.name, f.kind
		if f.unit != "" {
			row.UnitName = &f.unit
		}
		return nil
	})
}

// add adds the feature that a product got during the year.
func (y *year) add(*customer) error {
	p := y.product(addition.product)
	var plans []billing.PlanID
	for _, code := range addition.plans {
		plans = append(plans, y.planIDs[p.code+"/"+code])
	}
	if _, err := y.makeFeature(p, addition.feature, plans); err != nil {
		return err
	}
	return y.work()
}

func (y *year) makePriceList(p *product, one *plan, t term) error {
	code := strings.Join([]string{p.code, one.code, t.code}, "-")
	y.sold[code] = p
	_, err := y.service.Catalog.PriceListCreate(y.ctx, func(l *catalog.PriceList) error {
		l.PlanID, l.Code, l.Name = y.planIDs[p.code+"/"+one.code], code, one.name+", "+t.code
		l.CurrencyID, l.RenewalTermMonths, l.IsVisible = "EUR", t.months, true
		l.TrialAllowed, l.TrialLengthDays, l.TrialExpirationAction = true, &p.trialDays, &p.trialEnds
		return nil
	}, charges(p, one, t))
	return err
}

// charges are what a price list asks for: so much for each unit, and on some
// plans a base fee or the onboarding.
func charges(p *product, one *plan, t term) []catalog.ChargeEdit {
	low, high := 1, 10_000
	list := []catalog.ChargeEdit{{FeatureCode: &p.sold.feature, Edit: func(c *catalog.Charge) error {
		c.Code, c.Name, c.BillingPeriod, c.QuantityMin, c.QuantityMax = p.sold.code, p.sold.name, t.period, &low, &high
		return priced(c, one.unit, t.times)
	}}}
	if one.base > 0 {
		list = append(list, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.BillingPeriod = "base", "Base fee", t.period
			return priced(c, each(one.base), t.times)
		}})
	}
	if p.onboarding > 0 && one == &p.plans[len(p.plans)-1] {
		list = append(list, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
			c.Code, c.Name, c.ChargeType = "onboarding", "Onboarding", catalog.OneTime
			return priced(c, each(p.onboarding), 1)
		}})
	}
	return list
}

// priced gives a charge its price, that of a month so many times.
func priced(c *catalog.Charge, tiers []tier, times int) error {
	for _, t := range tiers {
		cents := t.cents * times
		price, err := billing.ParsePrice(fmt.Sprintf("%d.%02d", cents/100, cents%100))
		if err != nil {
			return err
		}
		if len(tiers) == 1 {
			c.Price = &price
			return nil
		}
		c.PricingModel, c.Tiers = catalog.Tiered, append(c.Tiers, catalog.Tier{Starts: t.from, Price: price})
	}
	return nil
}
