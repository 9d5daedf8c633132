package impact

import (
	"cmp"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

const (
	// mostNamed is how many tenants the data names for each feature.
	mostNamed = 10
	// mostKnown is how many tenants of each feature, and customers of an amount, people
	// can look at.
	mostKnown = 50
)

// count is what was counted so far.
type count struct {
	tenants   map[billing.TenantID]bool
	webhooks  int
	byFeature map[string]*tally
	// others is how many tenants were counted together, beside those, with how many
	// subscriptions.
	others, otherSubscriptions int
	// suspended is how many tenants nothing happens to because they are suspended.
	suspended int
}

func newCount() *count {
	return &count{tenants: map[billing.TenantID]bool{}, byFeature: map[string]*tally{}}
}

// tenant is one that can be named.
type tenant struct {
	code  string
	users int
}

// had is what a tenant has before and after.
type had struct {
	tenant
	before, after []subscription.ProvisionedFeature
}

// tally is what happens to a feature.
type tally struct {
	name               string
	gain, lose, change int
	named              []tenant
	// values counts tenants by what they have before and after.
	values map[pair]int
}

// add counts what happens to the features of a tenant.
func (c *count) add(h *had) {
	for _, d := range differences(h.before, h.after) {
		c.note(d, h.tenant)
	}
}

// note counts what happens to one feature of a tenant.
func (c *count) note(d difference, t tenant) {
	of := c.tally(d, 1)
	if of.named = append(of.named, t); len(of.named) == 10*mostKnown {
		of.trim()
	}
}

// tally counts what happens to one feature of so many tenants.
func (c *count) tally(d difference, tenants int) *tally {
	of := c.byFeature[d.code]
	if of == nil {
		of = &tally{name: d.name, values: map[pair]int{}}
		c.byFeature[d.code] = of
	}
	if d.kind != lost {
		of.values[pair{amountOf(d.before), amountOf(d.after)}] += tenants
	}
	switch d.kind {
	case gained:
		of.gain += tenants
	case lost:
		of.lose += tenants
	default:
		of.change += tenants
	}
	return of
}

// trim keeps the tenants that people can look at: those with most users.
func (t *tally) trim() {
	slices.SortFunc(t.named, func(a, b tenant) int { return cmp.Or(cmp.Compare(b.users, a.users), cmp.Compare(a.code, b.code)) })
	t.named = t.named[:min(mostKnown, len(t.named))]
}

// features are all that something happens to: first those that most tenants gain or lose.
func (c *count) features() []Feature {
	all := []Feature{}
	for code, t := range c.byFeature {
		t.trim()
		f := Feature{Code: code, Name: t.name, Gain: t.gain, Lose: t.lose, Change: t.change, Values: t.sortedValues()}
		for _, one := range t.named {
			f.Tenants = append(f.Tenants, one.code)
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Feature) int {
		return cmp.Or(cmp.Compare(b.Gain+b.Lose+b.Change, a.Gain+a.Lose+a.Change), cmp.Compare(a.Code, b.Code))
	})
	return all
}

// difference is what happens to a feature of a tenant.
type difference struct {
	code, name    string
	kind          kind
	before, after *subscription.ProvisionedFeature // nil if it is not there
}

type kind int

const (
	gained kind = iota
	lost
	changed
)

// differences compares what a tenant has before and after.
func differences(before, after []subscription.ProvisionedFeature) (found []difference) {
	find := func(list []subscription.ProvisionedFeature, code string) *subscription.ProvisionedFeature {
		if n := slices.IndexFunc(list, func(f subscription.ProvisionedFeature) bool { return f.Code == code }); n >= 0 {
			return &list[n]
		}
		return nil
	}
	for n := range before {
		switch then := find(after, before[n].Code); {
		case then == nil:
			found = append(found, difference{before[n].Code, before[n].Name, lost, &before[n], nil})
		case !same(&before[n], then):
			found = append(found, difference{then.Code, then.Name, changed, &before[n], then})
		}
	}
	for n := range after {
		if find(before, after[n].Code) == nil {
			found = append(found, difference{after[n].Code, after[n].Name, gained, nil, &after[n]})
		}
	}
	return found
}

func same(a, b *subscription.ProvisionedFeature) bool {
	return a.Value == b.Value && (a.Quantity == nil) == (b.Quantity == nil) && valueOf(a.Quantity) == valueOf(b.Quantity)
}
