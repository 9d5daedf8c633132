package subscription

import (
	"cmp"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// ProvisionedFeature is a feature that must be enabled. A nil quantity means
// that there is no limit.
type ProvisionedFeature struct {
	Code, Name, Value string
	Quantity          *int
	// Kind and Position decide how features of several subscriptions merge.
	Kind     catalog.FeatureKind
	Position int
}

// FeatureAccess says whether a tenant may use a feature, and why.
type FeatureAccess struct {
	Allowed  bool
	Quantity *int
	Value    string
	Reason   string
}

// FeaturesOn returns the features that the subscription gives on a day, in the
// order of position and code; if it has been brought to a later day already, on
// that one. Only a trial or active one gives any, and what unpaid invoices have taken
// away is left out.
func (s *Subscription) FeaturesOn(day billing.Date, plan *catalog.PlanContents) []ProvisionedFeature {
	if !s.State.Live() || s.IsSuspended() {
		return nil
	}
	var given []ProvisionedFeature
	for i := range plan.Features {
		f := &plan.Features[i]
		if !f.IsProvisioned || f.Kind == catalog.Boolean && f.PlanValue == "false" {
			continue
		}
		p := ProvisionedFeature{Code: f.Code, Name: f.Name, Kind: f.Kind, Position: f.Position}
		switch f.Kind {
		case catalog.Quantity:
			p.Quantity = s.quantityOf(f.ID, s.now(day))
			if p.Quantity == nil {
				p.Quantity = catalog.IncludedQuantity(f.PlanValue)
			}
		case catalog.Value:
			p.Value = f.PlanValue
		}
		if s.Standing == billing.Restricted && !p.restrict(f) {
			continue
		}
		given = append(given, p)
	}
	sortFeatures(given)
	return given
}

// quantityOf adds up what recurring lines quote for a feature, nil if none
// does.
func (s *Subscription) quantityOf(id billing.FeatureID, day billing.Date) *int {
	var sum *int
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.Type != catalog.Recurring || line.FeatureID == nil || *line.FeatureID != id || line.Quantity == nil || !s.counts(line, day) {
			continue
		}
		sum = addUp(sum, *line.Quantity)
	}
	return sum
}

// MergeFeatures unites the features of several subscriptions of one tenant,
// oldest subscription first, in the order of position and code. Of one code, the
// feature with the lowest position decides, and of those the one of the oldest
// subscription; if it is a quantity, all quantities of that code add up, and no
// limit wins.
func MergeFeatures(perSubscription [][]ProvisionedFeature) []ProvisionedFeature {
	byCode := map[string][]ProvisionedFeature{}
	for _, features := range perSubscription {
		for _, f := range features {
			byCode[f.Code] = append(byCode[f.Code], f)
		}
	}
	merged := make([]ProvisionedFeature, 0, len(byCode))
	for _, same := range byCode {
		merged = append(merged, mergeSame(same))
	}
	sortFeatures(merged)
	return merged
}

// mergeSame unites features of one code, oldest subscription first.
func mergeSame(features []ProvisionedFeature) ProvisionedFeature {
	decides := slices.MinFunc(features, func(a, b ProvisionedFeature) int { return cmp.Compare(a.Position, b.Position) })
	if decides.Kind != catalog.Quantity {
		return decides
	}
	var sum *int
	for _, f := range features {
		switch {
		case f.Kind != catalog.Quantity:
		case f.Quantity == nil:
			decides.Quantity = nil
			return decides
		default:
			sum = addUp(sum, *f.Quantity)
		}
	}
	decides.Quantity = sum
	return decides
}

func sortFeatures(list []ProvisionedFeature) {
	slices.SortStableFunc(list, func(a, b ProvisionedFeature) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Code, b.Code))
	})
}
