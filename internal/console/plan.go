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
		id:        func(p *billing.Plan) billing.PlanID { return p.ID },
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

func planInputs(c *call, p *billing.Plan, isNew bool) ([]section[billing.Plan], error) {
	owner, err := productInput(c, isNew, p.ProductID, func(p *billing.Plan) *billing.ProductID { return &p.ProductID })
	if err != nil {
		return nil, err
	}
	sections := []section[billing.Plan]{{inputs: []input[billing.Plan]{
		owner,
		text("name", "Name", func(p *billing.Plan) *string { return &p.Name }).required(),
		maybe("code", "Code", func(p *billing.Plan) **string { return &p.Code }).suggested().help("Included in webhooks. Unique within the product, if given."),
		check("isVisible", "Visible to customers", func(p *billing.Plan) *bool { return &p.IsVisible }),
		check("addon", "Add-on to another plan", func(p *billing.Plan) *bool { return &p.Addon }),
		area("description", "Description", func(p *billing.Plan) **string { return &p.Description }),
	}}}
	if !isNew {
		return sections, nil
	}
	contents, err := contentSection(c, p.ProductID)
	return append(sections, contents...), err
}

func showPlan(c *call, p *billing.Plan) (*showData, error) {
	product, err := store.Products.Get(c.ctx(), c.q(), p.ProductID)
	if err != nil {
		return nil, err
	}
	data := &showData{}
	if product != nil {
		data.Crumbs = []ui.Link{productPages.listLink(), {Text: product.Name, Href: productPages.href(product.ID)}}
		data.fact("Product", ui.Linked(product.Name, productPages.href(product.ID)))
	}
	data.fact("Code", ui.Code(ui.Deref(p.Code)))
	data.fact("Visible", ui.YesNo(p.IsVisible))
	data.fact("Add-on", ui.YesNo(p.Addon))
	data.known("Description", p.Description)
	data.fact("Created", ui.Moment(p.CreatedAt))
	data.fact("Id", ui.Code(ui.IDText(p.ID)))
	lists, err := related(c, priceListPages, "Price lists", "plan", int64(p.ID), "planId")
	if err != nil {
		return nil, err
	}
	features, err := planFeatureBlock(c, p)
	if err != nil {
		return nil, err
	}
	data.Blocks = []block{lists, features}
	return data, nil
}

// planFeatureBlock is what a plan includes.
func planFeatureBlock(c *call, p *billing.Plan) (block, error) {
	included, err := store.PlanFeaturesOf(c.ctx(), c.q(), []billing.PlanID{p.ID})
	if err != nil {
		return block{}, err
	}
	features, err := byID(c, store.Features, featurePages.id, ids(included, func(pf *billing.PlanFeature) billing.FeatureID { return pf.FeatureID }))
	if err != nil {
		return block{}, err
	}
	sold, err := store.NumbersSold(c.ctx(), c.q(), []billing.PlanID{p.ID})
	if err != nil {
		return block{}, err
	}
	b := block{Title: "Features", Table: ui.Table{Columns: []string{"Feature", "Code", "Value"}}, Empty: "The plan includes no features.",
		More: &ui.Link{Text: "Change in the matrix", Href: productPages.href(p.ProductID) + "/matrix"}}
	for _, pf := range included {
		if f := features[pf.FeatureID]; f != nil {
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Linked(f.Name, featurePages.href(f.ID)), ui.Code(f.Code), featureValue(f.Kind, pf.Value, sold[store.NumberSold{Plan: p.ID, Feature: f.ID}])})
		}
	}
	return b, nil
}
