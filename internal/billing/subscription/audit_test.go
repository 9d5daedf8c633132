package subscription

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// quantitiesIn is what changes say about quantities.
func quantitiesIn(changes map[string]billing.Change) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if strings.HasPrefix(name, "quantity.") {
			all = append(all, fmt.Sprintf("%s %s>%s", strings.TrimPrefix(name, "quantity."), changes[name].From, changes[name].To))
		}
	}
	return strings.Join(all, ", ")
}

// agreed is a subscription with lines such as "seats 5 2026-01-01..2026-01-31".
func agreed(t *testing.T, state State, lines ...string) *Subscription {
	t.Helper()
	s := &Subscription{State: state, PriceListID: 1, StartDate: d("2026-01-01"), EndDate: d("2026-01-31")}
	ids := map[string]billing.ChargeID{"seats": 1, "base": 2}
	for _, text := range lines {
		line := Line{PriceListID: 1, Type: catalog.Recurring, Quantity: new(int)}
		var days string
		if _, err := fmt.Sscan(text, &line.Code, line.Quantity, &days); err != nil {
			t.Fatal(err)
		}
		first, last, _ := strings.Cut(days, "..")
		line.ChargeID, line.StartDate, line.EndDate = ids[line.Code], d(first), d(last)
		s.Charges = append(s.Charges, line)
	}
	return s
}

func TestQuantitiesInChanges(t *testing.T) {
	const five, started, later = "seats 5 2026-01-01..2026-01-31", "seats 5 2026-01-01..2026-01-09", "seats 9 2026-01-20..2026-01-31"
	active := func(lines ...string) *Subscription { return agreed(t, StateActive, lines...) }
	for _, c := range []struct {
		name, want    string
		before, after *Subscription
	}{
		{"now", "seats 5>8", active(five), active(started, "seats 8 2026-01-10..2026-01-31")},
		{"later", "seats.2026-01-20 5>9", active(five), active("seats 5 2026-01-01..2026-01-19", later)},
		{"now, with another later", "seats 5>8", active("seats 5 2026-01-01..2026-01-19", later), active(started, "seats 8 2026-01-10..2026-01-19", later)},
		{"later, before another", "seats.2026-01-15 5>7", active("seats 5 2026-01-01..2026-01-19", later), active("seats 5 2026-01-01..2026-01-14", "seats 7 2026-01-15..2026-01-19", later)},
		{"taken back", "seats.2026-01-20 9>5", active("seats 5 2026-01-01..2026-01-19", later), active(five)},
		{"two charges", "base null>2, seats 5>6", active(five), active(started, "seats 6 2026-01-10..2026-01-31", "base 2 2026-01-10..2026-01-31")},
		{"taken off", "base 2>null", active(five, "base 2 2026-01-01..2026-01-31"), active(five, "base 2 2026-01-01..2026-01-09")},
		{"the same", "", active(five), active(five)},
		{"ended", "", active(five), agreed(t, StateCanceled, started)},
		{"new", "seats null>5", nil, active(five)},
		{"new, from a later day", "seats.2026-01-20 null>9", nil, active(later)},
	} {
		changes := Changes(c.before, c.after, d("2026-01-10"))
		if have := quantitiesIn(changes); have != c.want {
			t.Errorf("%s: %s, want %s", c.name, have, c.want)
		}
		if c.before == nil && string(changes["state"].To) != `"ACTIVE"` {
			t.Errorf("%s: the fields are %v", c.name, changes)
		}
	}
}
