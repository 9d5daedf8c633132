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
	field("name", "Name", func(p *Product) *string { return &p.Name }, nameText).required(),
	field("code", "Code", func(p *Product) *string { return &p.Code }, checkCode).required().help("Unique. Included in webhooks."),
	reference("platformId", func(p *Product) **PlatformID { return &p.PlatformID }),
	optional("description", "Description", func(p *Product) **string { return &p.Description }, longText).lines(),
}}}

// Check returns what is wrong with the product, nil if nothing is.
func (p *Product) Check() Problems { return ProductFields.check(p) }
