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

// Check returns what is wrong with the product, nil if nothing is.
func (p *Product) Check() Problems {
	var ps Problems
	ps.add(requireText("name", p.Name, MaxName), checkCode("code", p.Code))
	ps.add(optional("description", p.Description, longText))
	return ps
}
