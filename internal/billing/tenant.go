package billing

import (
	"encoding/json"
	"time"
)

// Tenant is a customer's instance inside a platform, found there by its code.
type Tenant struct {
	ID         TenantID   `json:"id"`
	PlatformID PlatformID `json:"platformId"`
	AccountID  AccountID  `json:"accountId"`
	Code       string     `json:"code"`
	Name       string     `json:"name"`
	Subdomain  *string    `json:"subdomain"`

	// What the application reports about the tenant.
	LastLogin          *time.Time      `json:"lastLogin"`
	UserCount          *int            `json:"userCount"`
	UtilizationMetrics json.RawMessage `json:"utilizationMetrics"`

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Check returns what is wrong with the tenant, nil if nothing is.
func (t *Tenant) Check() Problems {
	var p Problems
	p.add(checkCode("code", t.Code), requireText("name", t.Name, MaxName))
	p.add(optional("subdomain", t.Subdomain, shortText))
	if n := t.UserCount; n != nil && (*n < 0 || *n > MaxQuantity) {
		p.add(invalid("userCount", "A number of users is from 0 to %d, not %d.", MaxQuantity, *n))
	}
	if len(t.UtilizationMetrics) > 64<<10 {
		p.add(invalid("utilizationMetrics", "Metrics have at most 64 KiB."))
	}
	return p
}
