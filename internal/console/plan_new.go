package console

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// contentSection asks what a new plan makes of each feature of its product.
// Nothing is included beforehand.
func contentSection(c *call, product billing.ProductID) ([]ui.Section[catalog.Plan], error) {
	features, err := newPlanFeatures(c, product)
	if err != nil || len(features) == 0 {
		return nil, err
	}
	s := ui.Section[catalog.Plan]{Title: "Features", Help: "What the plan includes. " + cellMeaning}
	for _, f := range features {
		in := ui.Input[catalog.Plan]{
			Field: ui.Field{Name: featureField(f.ID), Label: f.Name, Kind: ui.FieldText, Placeholder: notIncluded},
			Get:   func(*catalog.Plan) string { return "" }, Set: func(*catalog.Plan, string) *billing.Error { return nil },
		}
		switch f.Kind {
		case catalog.Boolean:
			in = in.Kind(ui.FieldCheck)
		case catalog.Quantity:
			in = in.Help("A number, or “no limit”.")
		}
		s.Inputs = append(s.Inputs, in)
	}
	return []ui.Section[catalog.Plan]{s}, nil
}

// newPlanFeatures are the features that the form of a new plan asks for, as many
// as the matrix shows at once.
func newPlanFeatures(c *call, product billing.ProductID) ([]catalog.Feature, error) {
	if product == 0 {
		return nil, nil
	}
	features, _, err := store.Features.ListSorted(c.ctx(), c.q(), store.SortedPage{Filter: billing.Filter{Terms: term("product", product)}, Limit: matrixFeatures})
	return features, err
}

func featureField(id billing.FeatureID) string { return "feature:" + ui.IDText(id) }

// createPlan makes a plan with what was said of its features.
func createPlan(c *call, ctx context.Context, edit func(*catalog.Plan) error) (*catalog.Plan, error) {
	features, err := newPlanFeatures(c, queryID[billing.ProductID](c, "productId"))
	if err != nil {
		return nil, err
	}
	if len(features) > 0 && !asked(c, featureField(features[0].ID)) {
		return nil, billing.Fail(billing.Required, "", "Say which features of the product the plan includes, or leave all of them out.")
	}
	values := map[billing.FeatureID]string{}
	for _, f := range features {
		if included, value := readCell(f.Kind, c.value(featureField(f.ID))); included {
			values[f.ID] = value
		}
	}
	return c.service.Catalog.PlanCreateWith(ctx, edit, values)
}
