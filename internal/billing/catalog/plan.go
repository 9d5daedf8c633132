package catalog

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Plan is a set of features of a product that is sold together.
type Plan struct {
	ID          billing.PlanID    `json:"id"`
	ProductID   billing.ProductID `json:"productId"`
	Code        *string           `json:"code"`
	Name        string            `json:"name"`
	Description *string           `json:"description"`
	Addon       bool              `json:"addon"`
	IsVisible   bool              `json:"isVisible"`
	CreatedAt   time.Time         `json:"createdAt"`
	UpdatedAt   time.Time         `json:"updatedAt"`
}

// PlanFields describes the fields of a plan.
var PlanFields = billing.Fields[Plan]{{Fields: []billing.Field[Plan]{
	billing.Reference("productId", func(p *Plan) *billing.ProductID { return &p.ProductID }),
	billing.Describe("name", "Name", func(p *Plan) *string { return &p.Name }, billing.NameText).AsRequired(),
	billing.Optional("code", "Code", func(p *Plan) **string { return &p.Code }, billing.CheckCode).WithHelp("Included in webhooks. Unique within the product, if given."),
	billing.Describe("isVisible", "Visible to customers", func(p *Plan) *bool { return &p.IsVisible }),
	billing.Describe("addon", "Add-on to another plan", func(p *Plan) *bool { return &p.Addon }),
	billing.Optional("description", "Description", func(p *Plan) **string { return &p.Description }, billing.LongText).AsLines(),
}}}

// Check returns what is wrong with the plan, nil if nothing is.
func (p *Plan) Check() billing.Problems { return PlanFields.Check(p) }

// Normalize turns an empty code into none.
func (p *Plan) Normalize() { p.Code = billing.EmptyToNil(p.Code) }

// PlanFeature says that a plan includes a feature, and with what value: for
// QUANTITY the included number or empty, for BOOLEAN "true" or "false", for
// VALUE any text.
type PlanFeature struct {
	ID        billing.PlanFeatureID `json:"id"`
	PlanID    billing.PlanID        `json:"planId"`
	FeatureID billing.FeatureID     `json:"featureId"`
	Value     string                `json:"value"`
	// WhenRestricted says what becomes of the feature while unpaid invoices restrict a
	// subscription, and RestrictedQuantity how much of it is left at most; nil for all.
	WhenRestricted     WhenRestricted `json:"whenRestricted"`
	RestrictedQuantity *int           `json:"restrictedQuantity"`
	CreatedAt          time.Time      `json:"createdAt"`
	UpdatedAt          time.Time      `json:"updatedAt"`
}

// NewPlanFeature is a feature in a plan, which restricted subscriptions keep.
func NewPlanFeature(plan billing.PlanID, feature billing.FeatureID, value string) PlanFeature {
	return PlanFeature{PlanID: plan, FeatureID: feature, Value: value, WhenRestricted: KeepWhenRestricted}
}

// PlanFeatureFields describes the fields of a feature in a plan.
var PlanFeatureFields = billing.Fields[PlanFeature]{{Fields: []billing.Field[PlanFeature]{
	billing.Reference("planId", func(pf *PlanFeature) *billing.PlanID { return &pf.PlanID }),
	billing.Reference("featureId", func(pf *PlanFeature) *billing.FeatureID { return &pf.FeatureID }),
	billing.Describe("value", "", func(pf *PlanFeature) *string { return &pf.Value }, billing.LongText),
	billing.Describe("whenRestricted", "", func(pf *PlanFeature) *WhenRestricted { return &pf.WhenRestricted }, checkWhenRestricted),
	billing.Optional("restrictedQuantity", "", func(pf *PlanFeature) **int { return &pf.RestrictedQuantity },
		billing.Between(0, billing.MaxQuantity, "A restricted subscription has %d to %d of a feature, not %d.")),
}}}

// GivesSame reports whether subscriptions get the same by another version of it.
func (pf *PlanFeature) GivesSame(other *PlanFeature) bool {
	limit, otherLimit := pf.RestrictedQuantity, other.RestrictedQuantity
	return pf.Value == other.Value && pf.WhenRestricted == other.WhenRestricted &&
		(limit == otherLimit || limit != nil && otherLimit != nil && *limit == *otherLimit)
}

// CheckFor returns what is wrong with the value for a feature of that kind.
func (pf *PlanFeature) CheckFor(kind FeatureKind) billing.Problems {
	p := PlanFeatureFields.Check(pf)
	if pf.RestrictedQuantity != nil && kind != Quantity {
		p.Add(billing.Invalidf("restrictedQuantity", "Only a QUANTITY feature can be limited while a subscription is restricted; this one is %s.", kind))
	}
	if len(p) > 0 || kind.Allows(pf.Value) {
		return p
	}
	switch kind {
	case Boolean:
		p.Add(billing.Invalidf("value", "The value of a BOOLEAN feature is \"true\" or \"false\", not %q.", pf.Value))
	case Quantity:
		p.Add(billing.Invalidf("value", "The value of a QUANTITY feature is a whole number from 0 to %d, or empty for no limit, not %q.", billing.MaxQuantity, pf.Value))
	}
	return p
}

// WhenRestricted says what becomes of a feature while a subscription is restricted.
type WhenRestricted string

// A restricted subscription keeps a feature, or does not have it.
const (
	KeepWhenRestricted   WhenRestricted = "KEEP"
	RemoveWhenRestricted WhenRestricted = "REMOVE"
)

func checkWhenRestricted(field string, w WhenRestricted) *billing.Error {
	if w != KeepWhenRestricted && w != RemoveWhenRestricted {
		return billing.Invalidf(field, "A restricted subscription keeps a feature (KEEP) or loses it (REMOVE), not %q.", billing.Excerpt(string(w)))
	}
	return nil
}

// PlanContents is what a plan includes: its features with their values.
type PlanContents struct {
	Features []IncludedFeature
}

// IncludedFeature is a feature with the value that a plan gives it.
type IncludedFeature struct {
	Feature
	PlanValue string
	// WhenRestricted and RestrictedQuantity are those of the plan.
	WhenRestricted     WhenRestricted
	RestrictedQuantity *int
}

// ValueOf is what the plan says of a feature, empty if it does not include it.
func (p *PlanContents) ValueOf(id billing.FeatureID) string {
	for i := range p.Features {
		if p.Features[i].ID == id {
			return p.Features[i].PlanValue
		}
	}
	return ""
}

// MatrixCell says what a plan makes of a feature: nothing if Included is false.
type MatrixCell struct {
	PlanID    billing.PlanID
	FeatureID billing.FeatureID
	Included  bool
	Value     string
}
