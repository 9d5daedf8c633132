package transfer

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// missing says that a code names nothing.
func missing(field, noun, code string) *billing.Error {
	if code == "" {
		return billing.Fail(billing.Required, field, "Name the %s by its code.", noun)
	}
	return billing.Fail(billing.NotFound, field, "There is no %s %q, neither in the file nor in the database.", noun, excerpt(code))
}

// join puts problems together.
func join(err error, more ...*billing.Error) error {
	found, known := billing.AsProblems(err)
	if err != nil && !known {
		return err
	}
	for _, p := range more {
		if p != nil {
			found = append(found, p)
		}
	}
	return found.Err()
}

// The edits bring a row in line with a line, with codes looked up in the catalog.

func platformEdit(members []member) func(*webhook.Platform) error {
	return editOf(members, func(row *webhook.Platform) line { return &platformLine{row: row} })
}

func (c *knownCatalog) productEdit(members []member) func(*catalog.Product) error {
	return func(row *catalog.Product) error {
		l := productLine{row: row}
		if row.PlatformID != nil {
			l.platform = &c.platformOf[*row.PlatformID].Code
		}
		err := readFields(members, l.fields())
		l.row.PlatformID = nil
		if l.platform != nil {
			platform := c.platforms[*l.platform]
			if platform == nil {
				return join(err, missing("platform", "platform", *l.platform))
			}
			l.row.PlatformID = &platform.ID
		}
		return err
	}
}

func featureEdit(members []member) func(*catalog.Feature) error {
	return editOf(members, func(row *catalog.Feature) line { return &featureLine{row: row} })
}

func planEdit(members []member) func(*catalog.Plan) error {
	return editOf(members, func(row *catalog.Plan) line { return &planLine{row: row} })
}

func planFeatureEdit(members []member) func(*catalog.PlanFeature) error {
	return editOf(members, func(row *catalog.PlanFeature) line { return &planFeatureLine{row: row} })
}

func (c *knownCatalog) priceListEdit(members []member) func(*catalog.PriceList) error {
	return func(row *catalog.PriceList) error {
		l := priceListLine{row: row}
		if plan := c.planOf[row.PlanID]; plan != nil {
			l.product, l.plan = c.productOf[plan.ProductID].Code, text(plan.Code)
		}
		err := readFields(members, l.fields())
		plan := c.plans[within{l.product, l.plan}]
		switch {
		case c.products[l.product] == nil:
			return join(err, missing("product", "product", l.product))
		case plan == nil:
			return join(err, missing("plan", "plan of the product", l.plan))
		case row.PlanID != 0 && row.PlanID != plan.ID:
			return join(err, billing.Fail(billing.Immutable, "plan", "A price list stays with its plan; it cannot be moved."))
		}
		l.row.PlanID = plan.ID
		return err
	}
}

func (c *knownCatalog) chargeEdit(members []member) func(*catalog.Charge) error {
	return func(row *catalog.Charge) error {
		l := chargeLine{row: row}
		if row.FeatureID != nil {
			l.feature = &c.featureOf[*row.FeatureID].Code
		}
		err := readFields(members, l.fields())
		l.row.FeatureID = nil
		if l.feature != nil {
			product := c.productOf[c.planOf[c.priceListOf[row.PriceListID].PlanID].ProductID]
			feature := c.features[within{product.Code, *l.feature}]
			if feature == nil {
				return join(err, missing("feature", "feature of the product "+product.Code, *l.feature))
			}
			l.row.FeatureID = &feature.ID
		}
		return err
	}
}

func accountEdit(members []member) func(*billing.Account) error {
	return editOf(members, func(row *billing.Account) line { return &accountLine{row: row} })
}

func contactEdit(members []member) func(*billing.Contact) error {
	return editOf(members, func(row *billing.Contact) line { return &contactLine{row: row} })
}

func tenantEdit(members []member) func(*billing.Tenant) error {
	return editOf(members, func(row *billing.Tenant) line { return &tenantLine{row: row} })
}
