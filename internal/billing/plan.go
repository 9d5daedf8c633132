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

// Check returns what is wrong with the plan, nil if nothing is.
func (p *Plan) Check() Problems {
	var ps Problems
	ps.add(requireText("name", p.Name, MaxName))
	ps.add(optional("code", p.Code, checkCode), optional("description", p.Description, longText))
	return ps
}

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

// CheckFor returns what is wrong with the value for a feature of that kind.
func (pf *PlanFeature) CheckFor(kind FeatureKind) Problems {
	var p Problems
	p.add(checkText("value", pf.Value, MaxDescription))
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
