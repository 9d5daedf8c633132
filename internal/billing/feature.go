package billing

import (
	"strconv"
	"time"
)

// FeatureKind says what a plan states about a feature.
type FeatureKind string

// The kinds of features: there or not, a limit, or a text.
const (
	Boolean  FeatureKind = "BOOLEAN"
	Quantity FeatureKind = "QUANTITY"
	Value    FeatureKind = "VALUE"
)

// MaxQuantity bounds every quantity, so that sums over many subscriptions stay
// exact integers in JSON.
const MaxQuantity = 1_000_000_000

// Feature is something a tenant may have, of one product.
type Feature struct {
	ID            FeatureID   `json:"id"`
	ProductID     ProductID   `json:"productId"`
	Code          string      `json:"code"`
	Name          string      `json:"name"`
	Description   *string     `json:"description"`
	Kind          FeatureKind `json:"kind"`
	Position      int         `json:"position"`
	IsProvisioned bool        `json:"isProvisioned"`
	UnitName      *string     `json:"unitName"`
	CreatedAt     time.Time   `json:"createdAt"`
	UpdatedAt     time.Time   `json:"updatedAt"`
}

// FeatureFields describes the fields of a feature.
var FeatureFields = Fields[Feature]{{Fields: []Field[Feature]{
	reference("productId", func(f *Feature) *ProductID { return &f.ProductID }),
	field("name", "Name", func(f *Feature) *string { return &f.Name }, nameText).required(),
	field("code", "Code", func(f *Feature) *string { return &f.Code }, checkCode).required().help("What your application calls it. It is in webhooks."),
	field("kind", "", func(f *Feature) *FeatureKind { return &f.Kind },
		oneOf("A feature is of kind BOOLEAN, QUANTITY or VALUE, not %q.", Boolean, Quantity, Value)),
	optional("unitName", "Unit", func(f *Feature) **string { return &f.UnitName }, shortText).
		help("What a quantity counts, in the singular: user, GB. Prices are then “per user”."),
	field("position", "Position", func(f *Feature) *int { return &f.Position },
		between(0, MaxQuantity, "A position is a whole number from %d to %d, not %d.")).help("Features are listed in this order."),
	field("isProvisioned", "In webhooks", func(f *Feature) *bool { return &f.IsProvisioned }),
	optional("description", "Description", func(f *Feature) **string { return &f.Description }, longText).lines(),
}}}

// Check returns what is wrong with the feature, nil if nothing is.
func (f *Feature) Check() Problems { return FeatureFields.check(f) }

// DefaultValue is what a plan says of the feature when nothing else is given:
// there, without a limit, without a text.
func (k FeatureKind) DefaultValue() string {
	if k == Boolean {
		return "true"
	}
	return ""
}

// Allows reports whether a plan can give a feature of this kind that value.
func (k FeatureKind) Allows(value string) bool {
	switch k {
	case Boolean:
		return value == "true" || value == "false"
	case Quantity:
		n, err := strconv.Atoi(value)
		return value == "" || err == nil && n >= 0 && n <= MaxQuantity && strconv.Itoa(n) == value
	}
	return true
}
