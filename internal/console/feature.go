package console

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var featurePages *resource[catalog.Feature, billing.FeatureID]

// Set here, because pages refer to each other.
func init() {
	featurePages = &resource[catalog.Feature, billing.FeatureID]{
		path: "features", one: "feature", many: "Features", Resource: catalogs.Features,
		name:    func(f *catalog.Feature) string { return f.Name },
		about:   "A feature is something a tenant can have: on or off, a limit, or a text. Plans say which ones, and how much.",
		hint:    "sso, product:crm, kind:quantity",
		columns: []string{"Name", "Code", "Product", "Position", "Kind", "In webhooks"},
		cells:   featureCells,
		fields:  catalog.FeatureFields,
		parent:  "productId",
		show:    showFeature,
		inputs:  featureInputs,
		begin: func(c *call) (catalog.Feature, error) {
			product, err := onlyProduct(c)
			return catalog.Feature{ProductID: product, Kind: catalog.Boolean, IsProvisioned: true}, err
		},
		create: createFeature, reaches: featureReaches, created: featureCreated,
		update: func(c *call, ctx context.Context, id billing.FeatureID, edit func(*catalog.Feature) error) (*catalog.Feature, error) {
			return c.service.Catalog.FeatureUpdate(ctx, id, edit)
		},
		remove: func(c *call, ctx context.Context, id billing.FeatureID) (*catalog.Feature, error) {
			return c.service.Catalog.FeatureDelete(ctx, id)
		},
		losses: func(*call, *catalog.Feature) (string, error) {
			return "It is removed from every plan that includes it.", nil
		},
	}
}

var featureKinds = []ui.Option{
	{Value: string(catalog.Boolean), Text: "On or off"}, {Value: string(catalog.Quantity), Text: "Quantity: a limit"}, {Value: string(catalog.Value), Text: "Value: a text"},
}

// kindWord is the kind of a feature in a list.
func kindWord(k catalog.FeatureKind) string {
	if k == catalog.Boolean {
		return "On or off"
	}
	return ui.EnumText(k)
}

func featureCells(c *call, rows []catalog.Feature) ([][]ui.Cell, error) {
	products, err := byID(c, store.Products, productPages.id, ids(rows, func(f *catalog.Feature) billing.ProductID { return f.ProductID }))
	if err != nil {
		return nil, err
	}
	return ui.RowsOf(rows, func(f *catalog.Feature) []ui.Cell {
		return []ui.Cell{
			ui.Linked(f.Name, featurePages.href(f.ID)), ui.Code(f.Code), productCell(products, f.ProductID), ui.Number(f.Position), ui.Plain(kindWord(f.Kind)), ui.YesNo(f.IsProvisioned),
		}
	}), nil
}

func featureInputs(c *call, f *catalog.Feature, isNew bool) ([]ui.Section[catalog.Feature], error) {
	owner, err := productInput(c, isNew, f.ProductID, func(f *catalog.Feature) *billing.ProductID { return &f.ProductID })
	if err != nil {
		return nil, err
	}
	position := ui.InputFor(catalog.FeatureFields, "position")
	if isNew {
		position, owner = lastUnlessTyped(position), owner.Refreshes("/features/new") // which has the plans of the product
	}
	sections := ui.Sections(catalog.FeatureFields, owner, position,
		ui.InputFor(catalog.FeatureFields, "code").Suggested(),
		ui.Choice("kind", "Kind", func(f *catalog.Feature) *catalog.FeatureKind { return &f.Kind }, featureKinds...))
	if !isNew || f.ProductID == 0 {
		return sections, nil
	}
	join, err := joinSection(c, f.ProductID)
	return append(sections, join...), err
}

// lastUnlessTyped leaves the position of a new feature to the operation, which
// knows the last one.
func lastUnlessTyped(in ui.Input[catalog.Feature]) ui.Input[catalog.Feature] {
	set := in.Set
	in.Get = func(*catalog.Feature) string { return "" }
	in.Set = func(f *catalog.Feature, typed string) *billing.Error {
		if strings.TrimSpace(typed) == "" {
			return nil
		}
		return set(f, typed)
	}
	return in.Help("If empty, it comes last.")
}

// productInput is the product of a new resource, or the name of that of one that
// exists and stays with it.
func productInput[T any](c *call, isNew bool, id billing.ProductID, of func(*T) *billing.ProductID) (ui.Input[T], error) {
	if isNew {
		options, err := productOptions(c)
		return ui.Reference("productId", "Product", of, options).Required().Wide(), err
	}
	p, err := store.Products.Get(c.ctx(), c.q(), id)
	if err != nil || p == nil {
		return ui.Fixed[T]("productId", "Product", ui.IDText(id)), err
	}
	return ui.Fixed[T]("productId", "Product", p.Name).Wide(), nil
}

func showFeature(c *call, f *catalog.Feature) (*ui.Details, error) {
	data := &ui.Details{}
	data.Fact("Kind", ui.Plain(kindWord(f.Kind)))
	included, err := store.PlanFeaturesWith(c.ctx(), c.q(), []billing.FeatureID{f.ID})
	if err != nil {
		return nil, err
	}
	plans, err := byID(c, store.Plans, planPages.id, ids(included, func(pf *catalog.PlanFeature) billing.PlanID { return pf.PlanID }))
	if err != nil {
		return nil, err
	}
	sold, err := store.NumbersSold(c.ctx(), c.q(), ids(included, func(pf *catalog.PlanFeature) billing.PlanID { return pf.PlanID }))
	if err != nil {
		return nil, err
	}
	b := ui.Block{Title: "Plans that include it", Table: ui.Table{Columns: []string{"Plan", "Value"}}, Empty: "No plan includes it.",
		More: &ui.Link{Text: "Change in the matrix", Href: productPages.href(f.ProductID) + "/matrix"}}
	for _, pf := range included {
		if p := plans[pf.PlanID]; p != nil {
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Linked(p.Name, planPages.href(p.ID)), featureValue(f.Kind, pf.Value, sold[store.NumberSold{Plan: p.ID, Feature: f.ID}])})
		}
	}
	data.Blocks = []ui.Block{b}
	return data, nil
}

// featureValue is what a plan says about a feature, for people.
func featureValue(kind catalog.FeatureKind, value string, sold bool) ui.Cell {
	switch {
	case kind == catalog.Boolean && value == "false":
		return ui.Muted("no")
	case kind == catalog.Boolean:
		return ui.Tick()
	case kind == catalog.Quantity && value == "":
		return ui.Muted(unnumbered(sold))
	case value == "":
		return ui.Muted("—")
	}
	return ui.Plain(value)
}
