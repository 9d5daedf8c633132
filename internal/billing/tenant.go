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

// TenantFields describes the fields of a tenant.
var TenantFields = Fields[Tenant]{{Fields: []Field[Tenant]{
	Reference("platformId", func(t *Tenant) *PlatformID { return &t.PlatformID }),
	Reference("accountId", func(t *Tenant) *AccountID { return &t.AccountID }),
	Describe("name", "Name", func(t *Tenant) *string { return &t.Name }, NameText).AsRequired(),
	Describe("code", "Code", func(t *Tenant) *string { return &t.Code }, CheckCode).AsRequired().
		WithHelp("How your application identifies it. A webhook is sent with the new one."),
	Optional("subdomain", "Subdomain", func(t *Tenant) **string { return &t.Subdomain }, ShortText),
	Optional("lastLogin", "", func(t *Tenant) **time.Time { return &t.LastLogin }),
	Optional("userCount", "", func(t *Tenant) **int { return &t.UserCount },
		Between(0, MaxQuantity, "A number of users is from %d to %d, not %d.")),
	Describe("utilizationMetrics", "", func(t *Tenant) *json.RawMessage { return &t.UtilizationMetrics }, checkMetrics),
}}}

func checkMetrics(field string, value json.RawMessage) *Error {
	if len(value) > 64<<10 {
		return Invalidf(field, "Metrics have at most 64 KiB.")
	}
	return nil
}

// Check returns what is wrong with the tenant, nil if nothing is.
func (t *Tenant) Check() Problems { return TenantFields.Check(t) }
