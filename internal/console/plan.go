package console

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var planPages *resource[catalog.Plan, billing.PlanID]

// Set here, because pages refer to each other.
func init() {
	planPages = &resource[catalog.Plan, billing.PlanID]{
		path: "plans", one: "plan", many: "Plans", Resource: catalogs.Plans,
		name:   func(p *catalog.Plan) string { return p.Name },
		about:  "A plan is a set of a product's features sold together. Price lists give it prices.",
		hint:   "pro, product:crm, addon:true",
		fields: catalog.PlanFields,
		listed: []string{"code", "productId", "isVisible"},
		sub: func(p *catalog.Plan) string {
			if !p.Addon {
				return ""
			}
			return "add-on"
		},
		parent: "productId",
		show:   showPlan,
		inputs: planInputs,
		begin: func(c *call) (catalog.Plan, error) {
			product, err := onlyProduct(c)
			return catalog.Plan{ProductID: product, IsVisible: true}, err
		},
		create: createPlan,
		update: func(c *call, ctx context.Context, id billing.PlanID, edit func(*catalog.Plan) error) (*catalog.Plan, error) {
			return c.service.Catalog.PlanUpdate(ctx, id, edit, nil)
		},
	}
}

func planInputs(c *call, p *catalog.Plan, isNew bool) ([]ui.Section[catalog.Plan], error) {
	owner, err := productInput(c, isNew, p.ProductID, func(p *catalog.Plan) *billing.ProductID { return &p.ProductID })
	if err != nil {
		return nil, err
	}
	sections := ui.Sections(catalog.PlanFields, owner, ui.InputFor(catalog.PlanFields, "code").Suggested())
	if !isNew {
		return sections, nil
	}
	contents, err := contentSection(c, p.ProductID)
	return append(sections, contents...), err
}

func showPlan(c *call, p *catalog.Plan) (*ui.Details, error) {
	lists, err := related(c, priceListPages, "Price lists", "plan", int64(p.ID), "planId")
	if err != nil {
		return nil, err
	}
	features, err := planFeatureBlock(c, p)
	if err != nil {
		return nil, err
	}
	return &ui.Details{Blocks: []ui.Block{lists, features}}, nil
}

// planFeatureBlock is what a plan includes.
func planFeatureBlock(c *call, p *catalog.Plan) (ui.Block, error) {
	included, err := store.PlanFeaturesOf(c.ctx(), c.q(), []billing.PlanID{p.ID})
	if err != nil {
		return ui.Block{}, err
	}
	features, err := byID(c, store.Features, featurePages.id, ids(included, func(pf *catalog.PlanFeature) billing.FeatureID { return pf.FeatureID }))
	if err != nil {
		return ui.Block{}, err
	}
	sold, err := store.NumbersSold(c.ctx(), c.q(), []billing.PlanID{p.ID})
	if err != nil {
		return ui.Block{}, err
	}
	b := ui.Block{Title: "Features", Table: ui.Table{Columns: []string{"Feature", "Code", "Value"}}, Empty: "The plan includes no features.",
		More: &ui.Link{Text: "Change in the matrix", Href: productPages.href(p.ProductID) + "/matrix"}}
	for _, pf := range included {
		if f := features[pf.FeatureID]; f != nil {
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Linked(f.Name, featurePages.href(f.ID)), ui.Code(f.Code), featureValue(f.Kind, pf.Value, sold[store.NumberSold{Plan: p.ID, Feature: f.ID}])})
		}
	}
	return b, nil
}
