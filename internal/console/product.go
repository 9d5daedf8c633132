package console

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var productPages *resource[catalog.Product, billing.ProductID]

// Set here, because pages refer to each other.
func init() {
	productPages = &resource[catalog.Product, billing.ProductID]{
		path: "products", one: "product", many: "Products", Resource: catalogs.Products,
		name:   func(p *catalog.Product) string { return p.Name },
		about:  "A product is what you sell. It runs on a platform and has features and plans.",
		hint:   "crm, platform:app",
		fields: catalog.ProductFields,
		listed: []string{"code", "platformId"},
		show:   showProduct,
		inputs: productInputs,
		begin: func(c *call) (catalog.Product, error) {
			var p catalog.Product
			if id := queryID[billing.PlatformID](c, "platformId"); id != 0 {
				p.PlatformID = &id
				return p, nil
			}
			platforms, _, err := few(c, store.Platforms, 2, nil)
			if len(platforms) == 1 { // the one that is meant
				p.PlatformID = &platforms[0].ID
			}
			return p, err
		},
		create: func(c *call, ctx context.Context, edit func(*catalog.Product) error) (*catalog.Product, error) {
			return c.service.Catalog.ProductCreate(ctx, edit, nil)
		},
		update: func(c *call, ctx context.Context, id billing.ProductID, edit func(*catalog.Product) error) (*catalog.Product, error) {
			return c.service.Catalog.ProductUpdate(ctx, id, edit, nil)
		},
	}
}

func productInputs(c *call, _ *catalog.Product, _ bool) ([]ui.Section[catalog.Product], error) {
	platforms, err := optionsOf(c, store.Platforms, nil, func(p *webhook.Platform) (billing.PlatformID, string) { return p.ID, p.Name })
	if err != nil {
		return nil, err
	}
	return ui.Sections(catalog.ProductFields,
		ui.InputFor(catalog.ProductFields, "code").Suggested(),
		ui.OptionalReference("platformId", "Platform", "None: no tenants, no webhooks", func(p *catalog.Product) **billing.PlatformID { return &p.PlatformID }, platforms).Wide(),
	), nil
}

func showProduct(c *call, p *catalog.Product) (*ui.Details, error) {
	plans, err := related(c, planPages, "Plans", "product", int64(p.ID), "productId")
	if err != nil {
		return nil, err
	}
	features, err := related(c, featurePages, "Features", "product", int64(p.ID), "productId")
	if err != nil {
		return nil, err
	}
	matrix := ui.Action{Text: "Plans × features", Href: productPages.href(p.ID) + "/matrix"}
	return &ui.Details{Actions: []ui.Action{matrix}, Blocks: []ui.Block{plans, features}}, nil
}

// productOptions are the products to choose from.
func productOptions(c *call) ([]ui.Option, error) {
	return optionsOf(c, store.Products, nil, func(p *catalog.Product) (billing.ProductID, string) { return p.ID, p.Name + " (" + p.Code + ")" })
}

// productCell links to a product that was loaded.
func productCell(known map[billing.ProductID]*catalog.Product, id billing.ProductID) ui.Cell {
	if p := known[id]; p != nil {
		return ui.Linked(p.Name, productPages.href(id))
	}
	return ui.Muted("product " + ui.IDText(id))
}
