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

// Check returns what is wrong with the feature, nil if nothing is.
func (f *Feature) Check() Problems {
	var p Problems
	p.add(requireText("name", f.Name, MaxName), checkCode("code", f.Code))
	p.add(optional("description", f.Description, longText), optional("unitName", f.UnitName, shortText))
	switch f.Kind {
	case Boolean, Quantity, Value:
	default:
		p.add(invalid("kind", "A feature is of kind BOOLEAN, QUANTITY or VALUE, not %q.", f.Kind))
	}
	if f.Position < 0 || f.Position > MaxQuantity {
		p.add(invalid("position", "A position is a whole number from 0 to %d, not %d.", MaxQuantity, f.Position))
	}
	return p
}

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
