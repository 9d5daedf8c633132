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
	reference("platformId", func(t *Tenant) *PlatformID { return &t.PlatformID }),
	reference("accountId", func(t *Tenant) *AccountID { return &t.AccountID }),
	field("name", "Name", func(t *Tenant) *string { return &t.Name }, nameText).required(),
	field("code", "Code", func(t *Tenant) *string { return &t.Code }, checkCode).required().
		help("How your application identifies it. A webhook is sent with the new one."),
	optional("subdomain", "Subdomain", func(t *Tenant) **string { return &t.Subdomain }, shortText),
	optional("lastLogin", "", func(t *Tenant) **time.Time { return &t.LastLogin }),
	optional("userCount", "", func(t *Tenant) **int { return &t.UserCount },
		between(0, MaxQuantity, "A number of users is from %d to %d, not %d.")),
	field("utilizationMetrics", "", func(t *Tenant) *json.RawMessage { return &t.UtilizationMetrics }, checkMetrics),
}}}

func checkMetrics(field string, value json.RawMessage) *Error {
	if len(value) > 64<<10 {
		return invalid(field, "Metrics have at most 64 KiB.")
	}
	return nil
}

// Check returns what is wrong with the tenant, nil if nothing is.
func (t *Tenant) Check() Problems { return TenantFields.check(t) }
