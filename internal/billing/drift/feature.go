package drift

import (
	"cmp"
	"slices"
)

// Feature is a feature of a tenant, as it was told or as the application has it.
type Feature struct {
	Code     string `json:"code"`
	Value    string `json:"value"`
	Quantity *int   `json:"quantity"`
}

// Kind is how a feature differs.
type Kind string

// The kinds of differences.
const (
	FeatureMissing Kind = "MISSING"
	FeatureExtra   Kind = "EXTRA"
	WrongQuantity  Kind = "WRONG_QUANTITY"
	WrongValue     Kind = "WRONG_VALUE"
)

// Side is a feature on one side of a difference.
type Side struct {
	Value    string `json:"value"`
	Quantity *int   `json:"quantity"`
}

// Difference is a feature that is not as it was told. Expected is nil for one that is
// too many, Actual for one that is not there.
type Difference struct {
	Code     string `json:"code"`
	Kind     Kind   `json:"kind"`
	Expected *Side  `json:"expected"`
	Actual   *Side  `json:"actual"`
}

// Compare returns how the features that an application has differ from those it was
// told, by code. A feature is in each list once, in any order.
func Compare(told, has []Feature) []Difference {
	if same(told, has) {
		return nil
	}
	actual := make(map[string]*Feature, len(has))
	for i := range has {
		actual[has[i].Code] = &has[i]
	}
	var found []Difference
	for i := range told {
		want, got := &told[i], actual[told[i].Code]
		delete(actual, want.Code)
		switch {
		case got == nil:
			found = append(found, Difference{want.Code, FeatureMissing, want.side(), nil})
		case !equalQuantity(want.Quantity, got.Quantity):
			found = append(found, Difference{want.Code, WrongQuantity, want.side(), got.side()})
		case want.Value != got.Value:
			found = append(found, Difference{want.Code, WrongValue, want.side(), got.side()})
		}
	}
	for code, got := range actual {
		found = append(found, Difference{code, FeatureExtra, nil, got.side()})
	}
	slices.SortFunc(found, func(a, b Difference) int { return cmp.Compare(a.Code, b.Code) })
	return found
}

// same says whether two lists are equal in the order they have, which is how most
// applications report them: it needs no memory.
func same(a, b []Feature) bool {
	return slices.EqualFunc(a, b, func(a, b Feature) bool {
		return a.Code == b.Code && a.Value == b.Value && equalQuantity(a.Quantity, b.Quantity)
	})
}

func (f *Feature) side() *Side { return &Side{f.Value, f.Quantity} }

// equalQuantity compares limits; nil is no limit.
func equalQuantity(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }
