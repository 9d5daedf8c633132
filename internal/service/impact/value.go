package impact

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// amount is how much of a feature a tenant has. It can be compared, so that tenants are
// counted by it without writing it down for each.
type amount struct {
	there    bool
	kind     catalog.FeatureKind
	value    string
	limited  bool
	quantity int
}

// pair is an amount before and after.
type pair struct{ before, after amount }

func amountOf(f *subscription.ProvisionedFeature) amount {
	if f == nil {
		return amount{}
	}
	return amount{true, f.Kind, f.Value, f.Quantity != nil, valueOf(f.Quantity)}
}

// words are the amount for people, empty if there is nothing to say but that it is there.
func (a amount) words() string {
	switch {
	case !a.there || a.kind == catalog.Boolean:
		return ""
	case a.limited:
		return billing.Grouped(strconv.Itoa(a.quantity))
	case a.kind == catalog.Quantity:
		return "no limit"
	case a.value == "":
		return "an empty text"
	}
	return "“" + billing.Excerpt(a.value) + "”"
}

// sortedValues are the values that tenants have before and after, most tenants first.
func (t *tally) sortedValues() []Values {
	all := make([]Values, 0, len(t.values))
	for p, tenants := range t.values {
		all = append(all, Values{p.before.words(), p.after.words(), tenants})
	}
	slices.SortFunc(all, func(a, b Values) int {
		return cmp.Or(cmp.Compare(b.Tenants, a.Tenants), cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After))
	})
	return all
}
