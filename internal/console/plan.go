package console

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var planPages *resource[billing.Plan, billing.PlanID]

// Set here, because pages refer to each other.
func init() {
	planPages = &resource[billing.Plan, billing.PlanID]{
		path: "plans", one: "plan", many: "Plans", table: store.Plans,
		name:      func(p *billing.Plan) string { return p.Name },
		changedAt: func(p *billing.Plan) time.Time { return p.UpdatedAt },
		about:     "A plan is a set of a product's features sold together. Price lists give it prices.",
		hint:      "pro, product:crm, addon:true",
		columns:   []string{"Name", "Code", "Product", "Visible", "Created"},
		cells:     planCells,
		show:      showPlan,
		inputs:    planInputs,
		begin: func(c *call) (billing.Plan, error) {
			product, err := onlyProduct(c)
			return billing.Plan{ProductID: product, IsVisible: true}, err
		},
		create: createPlan,
		update: func(c *call, ctx context.Context, id billing.PlanID, edit func(*billing.Plan) error) (*billing.Plan, error) {
			return c.service.Catalog.PlanUpdate(ctx, id, edit, nil)
		},
		remove: func(c *call, ctx context.Context, id billing.PlanID) error {
			_, err := c.service.Catalog.PlanDelete(ctx, id)
			return err
		},
		owner: func(p *billing.Plan) string { return productPages.href(p.ProductID) },
	}
}

func planCells(c *call, rows []billing.Plan) ([][]ui.Cell, error) {
	products, err := byID(c, store.Products, productPages.id, ids(rows, func(p *billing.Plan) billing.ProductID { return p.ProductID }))
	if err != nil {
		return nil, err
	}
	table := make([][]ui.Cell, len(rows))
	for i := range rows {
		p := &rows[i]
		name := ui.Linked(p.Name, planPages.href(p.ID))
		if p.Addon {
			name = name.WithSub("add-on")
		}
		table[i] = []ui.Cell{name, ui.Code(ui.Deref(p.Code)), productCell(products, p.ProductID), ui.YesNo(p.IsVisible), ui.Moment(p.CreatedAt)}
	}
	return table, nil
}

func planInputs(c *call, p *billing.Plan, isNew bool) ([]ui.Section[billing.Plan], error) {
	owner, err := productInput(c, isNew, p.ProductID, func(p *billing.Plan) *billing.ProductID { return &p.ProductID })
	if err != nil {
		return nil, err
	}
	sections := ui.Sections(billing.PlanFields, owner, ui.InputFor(billing.PlanFields, "code").Suggested())
	if !isNew {
		return sections, nil
	}
	contents, err := contentSection(c, p.ProductID)
	return append(sections, contents...), err
}

func showPlan(c *call, p *billing.Plan) (*ui.Details, error) {
	product, err := store.Products.Get(c.ctx(), c.q(), p.ProductID)
	if err != nil {
		return nil, err
	}
	data := &ui.Details{}
	if product != nil {
		data.Crumbs = []ui.Link{productPages.listLink(), {Text: product.Name, Href: productPages.href(product.ID)}}
		data.Fact("Product", ui.Linked(product.Name, productPages.href(product.ID)))
	}
	ui.Describe(data, billing.PlanFields, p, "name")
	data.Fact("Created", ui.Moment(p.CreatedAt))
	data.Fact("Id", ui.Code(ui.IDText(p.ID)))
	lists, err := related(c, priceListPages, "Price lists", "plan", int64(p.ID), "planId")
	if err != nil {
		return nil, err
	}
	features, err := planFeatureBlock(c, p)
	if err != nil {
		return nil, err
	}
	data.Blocks = []ui.Block{lists, features}
	return data, nil
}

// planFeatureBlock is what a plan includes.
func planFeatureBlock(c *call, p *billing.Plan) (ui.Block, error) {
	included, err := store.PlanFeaturesOf(c.ctx(), c.q(), []billing.PlanID{p.ID})
	if err != nil {
		return ui.Block{}, err
	}
	features, err := byID(c, store.Features, featurePages.id, ids(included, func(pf *billing.PlanFeature) billing.FeatureID { return pf.FeatureID }))
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
