package console

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// onlyProduct is the product that a new feature or plan begins with: the one in
// the address, or the only one there is.
func onlyProduct(c *call) (billing.ProductID, error) {
	if id := queryID[billing.ProductID](c, "productId"); id != 0 {
		return id, nil
	}
	products, more, err := few(c, store.Products, 1, nil)
	if err != nil || more || len(products) == 0 {
		return 0, err
	}
	return products[0].ID, nil
}

// joinSection asks which plans include a new feature, with the number of tenants
// beside each. None is picked beforehand: nobody gets a feature by accident.
func joinSection(c *call, id billing.ProductID) ([]ui.Section[catalog.Feature], error) {
	product, err := store.Products.Get(c.ctx(), c.q(), id)
	if err != nil || product == nil {
		return nil, err
	}
	plans, err := store.PlansOf(c.ctx(), c.q(), []billing.ProductID{id}, billing.Filter{})
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	reach, err := c.service.Provisioning.FeatureReach(c.ctx(), product, ids(plans, planPages.id))
	if err != nil {
		return nil, err
	}
	options := make([]ui.Option, len(plans))
	for i, p := range plans {
		options[i] = ui.Option{Value: ui.IDText(p.ID), Text: p.Name + ": " + reachWords(reach.Plans[p.ID])}
	}
	return []ui.Section[catalog.Feature]{{
		Title: "Plans that include it", Help: toldWords(product, reach.Told) + " Those on the plans that you tick get the feature.",
		Inputs: []ui.Input[catalog.Feature]{
			{
				Field:   ui.Field{Name: plansField(id), Label: "Plans", Kind: ui.FieldChecks, Options: options, Wide: true},
				GetMany: func(*catalog.Feature) []string { return nil }, SetMany: func(*catalog.Feature, []string) {},
			},
			{
				Field: ui.Field{Name: "value", Label: "What these plans include", Kind: ui.FieldText, Wide: true,
					Help: "For a quantity: a number, or “no limit”. For a value: its text. Leave it empty for an on/off feature."},
				Get: func(*catalog.Feature) string { return "" }, Set: func(*catalog.Feature, string) *billing.Error { return nil },
			},
		},
	}}, nil
}

// plansField is the field for the plans of a product. Another product has
// another field, so that nobody is asked about the wrong plans.
func plansField(id billing.ProductID) string { return "planIds:" + ui.IDText(id) }

// reachWords counts tenants.
func reachWords(r store.Reach) string {
	if r.More {
		return "more than " + ui.Plural(r.Tenants, "tenant", "tenants")
	}
	return ui.Plural(r.Tenants, "tenant", "tenants")
}

// toldWords says who is told of a change to a product's features.
func toldWords(product *catalog.Product, r store.Reach) string {
	if r.Tenants == 0 {
		return "Nobody will be notified: no tenant has a live subscription to " + product.Name + " with webhooks."
	}
	return ui.Capitalized(reachWords(r)) + " will be notified of the change to the features of " + product.Name + ": all with a live subscription to it."
}

// createFeature makes a feature and puts it into the plans that were ticked.
func createFeature(c *call, ctx context.Context, edit func(*catalog.Feature) error) (*catalog.Feature, error) {
	product := queryID[billing.ProductID](c, "productId")
	if product == 0 {
		return nil, billing.Fail(billing.Required, "productId", "Choose the product it belongs to.")
	}
	plans, err := store.PlansInProduct(ctx, c.q(), product)
	if err != nil {
		return nil, err
	}
	field := plansField(product)
	if plans > 0 && !asked(c, field) {
		return nil, billing.Fail(billing.Required, field, "Say which plans of the product include the feature, or leave all of them out.")
	}
	var joined []billing.PlanID
	for _, typed := range c.r.PostForm[field] {
		if id, err := strconv.ParseInt(typed, 10, 64); err == nil {
			joined = append(joined, billing.PlanID(id))
		}
	}
	value, problem := joinValue(catalog.FeatureKind(c.value("kind")), c.value("value"), len(joined) > 0)
	return c.service.Catalog.FeatureCreateWith(ctx, product, joined, value, func(f *catalog.Feature) error {
		err := edit(f)
		problems, known := billing.AsProblems(err)
		if err != nil && !known || problem == nil {
			return err
		}
		return append(problems, problem)
	})
}

// featureReaches reports whether tenants are told of a new feature.
func featureReaches(c *call) (bool, error) {
	told, err := toldOf(c, queryID[billing.ProductID](c, "productId"))
	return told.Tenants > 0, err
}

// featureCreated says that tenants are told, if there are any.
func featureCreated(c *call, f *catalog.Feature) error {
	said := "Created feature “" + f.Name + "”."
	told, err := toldOf(c, f.ProductID)
	if err != nil {
		return err
	}
	if told.Tenants > 0 {
		said += " " + ui.Capitalized(reachWords(told)) + " will be notified in the background; see Jobs."
	}
	return c.goTo(featurePages.href(f.ID), said)
}

// toldOf counts the tenants that are told of a new feature of a product.
func toldOf(c *call, id billing.ProductID) (store.Reach, error) {
	product, err := store.Products.Get(c.ctx(), c.q(), id)
	if err != nil || product == nil {
		return store.Reach{}, err
	}
	reach, err := c.service.Provisioning.FeatureReach(c.ctx(), product, nil)
	return reach.Told, err
}

// asked reports whether the form that was sent has a field.
func asked(c *call, name string) bool {
	return slices.Contains(strings.Fields(c.value("fields")), name) || c.r.PostForm.Has(name)
}

// joinValue is what plans say of a new feature. A quantity without a limit must
// have been asked for.
func joinValue(kind catalog.FeatureKind, typed string, joins bool) (string, *billing.Error) {
	if !joins || kind == catalog.Boolean {
		return kind.DefaultValue(), nil
	}
	included, value := readCell(kind, typed)
	if kind == catalog.Quantity && saysSold(typed) {
		included = false // nothing sells it yet
	}
	switch {
	case included:
		return value, nil
	case kind == catalog.Quantity:
		return "", billing.Fail(billing.Required, "value", "Say how many these plans include: a number, or “no limit”.")
	}
	return "", billing.Fail(billing.Required, "value", "Write the text that these plans include, or %s for an empty one.", emptyText)
}
