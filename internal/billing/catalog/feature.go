package catalog

import (
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// FeatureKind says what a plan states about a feature.
type FeatureKind string

// The kinds of features: there or not, a limit, or a text.
const (
	Boolean  FeatureKind = "BOOLEAN"
	Quantity FeatureKind = "QUANTITY"
	Value    FeatureKind = "VALUE"
)

// Feature is something a tenant may have, of one product.
type Feature struct {
	ID            billing.FeatureID `json:"id"`
	ProductID     billing.ProductID `json:"productId"`
	Code          string            `json:"code"`
	Name          string            `json:"name"`
	Description   *string           `json:"description"`
	Kind          FeatureKind       `json:"kind"`
	Position      int               `json:"position"`
	IsProvisioned bool              `json:"isProvisioned"`
	UnitName      *string           `json:"unitName"`
	CreatedAt     time.Time         `json:"createdAt"`
	UpdatedAt     time.Time         `json:"updatedAt"`
}

// FeatureFields describes the fields of a feature.
var FeatureFields = billing.Fields[Feature]{{Fields: []billing.Field[Feature]{
	billing.Reference("productId", func(f *Feature) *billing.ProductID { return &f.ProductID }),
	billing.Describe("name", "Name", func(f *Feature) *string { return &f.Name }, billing.NameText).AsRequired(),
	billing.Describe("code", "Code", func(f *Feature) *string { return &f.Code }, billing.CheckCode).AsRequired().WithHelp("What your application calls it. It is in webhooks."),
	billing.Describe("kind", "", func(f *Feature) *FeatureKind { return &f.Kind },
		billing.OneOf("A feature is of kind BOOLEAN, QUANTITY or VALUE, not %q.", Boolean, Quantity, Value)),
	billing.Optional("unitName", "Unit", func(f *Feature) **string { return &f.UnitName }, billing.ShortText).
		WithHelp("What a quantity counts, in the singular: user, GB. Prices are then “per user”."),
	billing.Describe("position", "Position", func(f *Feature) *int { return &f.Position },
		billing.Between(0, billing.MaxQuantity, "A position is a whole number from %d to %d, not %d.")).WithHelp("Features are listed in this order."),
	billing.Describe("isProvisioned", "In webhooks", func(f *Feature) *bool { return &f.IsProvisioned }),
	billing.Optional("description", "Description", func(f *Feature) **string { return &f.Description }, billing.LongText).AsLines(),
}}}

// Check returns what is wrong with the feature, nil if nothing is.
func (f *Feature) Check() billing.Problems { return FeatureFields.Check(f) }

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
		return value == "" || err == nil && n >= 0 && n <= billing.MaxQuantity && strconv.Itoa(n) == value
	}
	return true
}

// PricedFeature is a feature that a charge is for.
type PricedFeature struct {
	Code string
	Kind FeatureKind
	// UnitName is what a quantity counts, if that is known.
	UnitName string
	// Included is the number that the plan gives of a QUANTITY feature without a
	// charge, nil if it gives none.
	Included *int
}

// Priced describes a feature for an offer. planValue is what the price list's
// plan says of it, empty if that is nothing or no limit.
func (f *Feature) Priced(planValue string) PricedFeature {
	priced := PricedFeature{Code: f.Code, Kind: f.Kind}
	if f.UnitName != nil {
		priced.UnitName = *f.UnitName
	}
	if f.Kind == Quantity {
		priced.Included = IncludedQuantity(planValue)
	}
	return priced
}

// IncludedQuantity is the number that a plan gives of a feature, nil without a limit.
func IncludedQuantity(planValue string) *int {
	n, err := strconv.Atoi(planValue)
	if err != nil { // empty: no limit
		return nil
	}
	return &n
}
