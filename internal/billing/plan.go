package billing

import "time"

// Plan is a set of features of a product that is sold together.
type Plan struct {
	ID          PlanID    `json:"id"`
	ProductID   ProductID `json:"productId"`
	Code        *string   `json:"code"`
	Name        string    `json:"name"`
	Description *string   `json:"description"`
	Addon       bool      `json:"addon"`
	IsVisible   bool      `json:"isVisible"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}

// PlanFields describes the fields of a plan.
var PlanFields = Fields[Plan]{{Fields: []Field[Plan]{
	reference("productId", func(p *Plan) *ProductID { return &p.ProductID }),
	field("name", "Name", func(p *Plan) *string { return &p.Name }, nameText).required(),
	optional("code", "Code", func(p *Plan) **string { return &p.Code }, checkCode).help("Included in webhooks. Unique within the product, if given."),
	field("isVisible", "Visible to customers", func(p *Plan) *bool { return &p.IsVisible }),
	field("addon", "Add-on to another plan", func(p *Plan) *bool { return &p.Addon }),
	optional("description", "Description", func(p *Plan) **string { return &p.Description }, longText).lines(),
}}}

// Check returns what is wrong with the plan, nil if nothing is.
func (p *Plan) Check() Problems { return PlanFields.check(p) }

// PlanFeature says that a plan includes a feature, and with what value: for
// QUANTITY the included number or empty, for BOOLEAN "true" or "false", for
// VALUE any text.
type PlanFeature struct {
	ID        PlanFeatureID `json:"id"`
	PlanID    PlanID        `json:"planId"`
	FeatureID FeatureID     `json:"featureId"`
	Value     string        `json:"value"`
	CreatedAt time.Time     `json:"createdAt"`
	UpdatedAt time.Time     `json:"updatedAt"`
}

// PlanFeatureFields describes the fields of a feature in a plan.
var PlanFeatureFields = Fields[PlanFeature]{{Fields: []Field[PlanFeature]{
	reference("planId", func(pf *PlanFeature) *PlanID { return &pf.PlanID }),
	reference("featureId", func(pf *PlanFeature) *FeatureID { return &pf.FeatureID }),
	field("value", "", func(pf *PlanFeature) *string { return &pf.Value }, longText),
}}}

// CheckFor returns what is wrong with the value for a feature of that kind.
func (pf *PlanFeature) CheckFor(kind FeatureKind) Problems {
	p := PlanFeatureFields.check(pf)
	if len(p) > 0 || kind.Allows(pf.Value) {
		return p
	}
	switch kind {
	case Boolean:
		p.add(invalid("value", "The value of a BOOLEAN feature is \"true\" or \"false\", not %q.", pf.Value))
	case Quantity:
		p.add(invalid("value", "The value of a QUANTITY feature is a whole number from 0 to %d, or empty for no limit, not %q.", MaxQuantity, pf.Value))
	}
	return p
}
