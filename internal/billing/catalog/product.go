package catalog

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Product is what is sold; it lives on a platform and owns features and plans.
// A product without a platform has no tenants.
type Product struct {
	ID          billing.ProductID   `json:"id"`
	Code        string              `json:"code"`
	Name        string              `json:"name"`
	Description *string             `json:"description"`
	PlatformID  *billing.PlatformID `json:"platformId"`
	CreatedAt   time.Time           `json:"createdAt"`
	UpdatedAt   time.Time           `json:"updatedAt"`
}

// ProductFields describes the fields of a product.
var ProductFields = billing.Fields[Product]{{Fields: []billing.Field[Product]{
	billing.Describe("name", "Name", func(p *Product) *string { return &p.Name }, billing.NameText).AsRequired(),
	billing.Describe("code", "Code", func(p *Product) *string { return &p.Code }, billing.CheckCode).AsRequired().WithHelp("Unique. Included in webhooks."),
	billing.Reference("platformId", func(p *Product) **billing.PlatformID { return &p.PlatformID }),
	billing.Optional("description", "Description", func(p *Product) **string { return &p.Description }, billing.LongText).AsLines(),
}}}

// Check returns what is wrong with the product, nil if nothing is.
func (p *Product) Check() billing.Problems { return ProductFields.Check(p) }
