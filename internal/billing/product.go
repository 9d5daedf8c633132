package billing

import "time"

// Product is what is sold; it lives on a platform and owns features and plans.
// A product without a platform has no tenants.
type Product struct {
	ID          ProductID   `json:"id"`
	Code        string      `json:"code"`
	Name        string      `json:"name"`
	Description *string     `json:"description"`
	PlatformID  *PlatformID `json:"platformId"`
	CreatedAt   time.Time   `json:"createdAt"`
	UpdatedAt   time.Time   `json:"updatedAt"`
}

// ProductFields describes the fields of a product.
var ProductFields = Fields[Product]{{Fields: []Field[Product]{
	Describe("name", "Name", func(p *Product) *string { return &p.Name }, NameText).AsRequired(),
	Describe("code", "Code", func(p *Product) *string { return &p.Code }, CheckCode).AsRequired().WithHelp("Unique. Included in webhooks."),
	Reference("platformId", func(p *Product) **PlatformID { return &p.PlatformID }),
	Optional("description", "Description", func(p *Product) **string { return &p.Description }, LongText).AsLines(),
}}}

// Check returns what is wrong with the product, nil if nothing is.
func (p *Product) Check() Problems { return ProductFields.Check(p) }
