package ledger_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

const seats = `{"rate":{"chargeType":"RECURRING","billingPeriod":"MONTHLY","billingTiming":"IN_ADVANCE","pricingModel":"FLAT","price":"10"},` +
	`"period":["2026-01-01","2026-01-31"],"days":16,"of":31,"pieces":[["2026-01-01","2026-01-15","50"],["2026-01-16","2026-01-31","80"]],` +
	`"exact":"203000/31","billedBefore":"50.00","forgiven":"0.00","target":"65.48"}`

func TestRecompute(t *testing.T) {
	for _, row := range []struct{ old, new, want string }{
		{"", "", "15.48"},
		{`"billedBefore":"50.00"`, `"billedBefore":"70.00"`, "-4.52"},
		{`"forgiven":"0.00","target":"65.48"`, `"forgiven":"20.00","target":"45.48"`, "-4.52"},
		{`"billedBefore":"50.00","forgiven":"0.00","target":"65.48"`, `"billedBefore":"70.00","forgiven":"0.00","target":"65.48","left":"10.00","drawn":"0.00"`, "4.52"},
		{`"billedBefore":"50.00","forgiven":"0.00","target":"65.48"`, `"billedBefore":"70.00","forgiven":"0.00","target":"65.48","left":"3.00","drawn":"1.00"`, "3.00"},
		{`"billedBefore":"50.00","forgiven":"0.00","target":"65.48"`, `"billedBefore":"70.00","forgiven":"0.00","target":"65.48","left":"5.00","drawn":"3.00"`, "1.52"},
		{`"203000/31","billedBefore":"50.00","forgiven":"0.00","target":"65.48"`, `"2030/31","billedBefore":"50","forgiven":"0","target":"65"`, "15"},
	} {
		if got, err := ledger.Recompute([]byte(strings.Replace(seats, row.old, row.new, 1))); err != nil || got != row.want {
			t.Errorf("%s: %s, %v; want %s", row.new, got, err, row.want)
		}
	}
}

func TestExplanationsThatAreRefused(t *testing.T) {
	for _, row := range []struct{ old, new string }{
		{`"days"`, `"day"`},
		{`"80"`, `"81"`},
		{`"80"`, `"eighty"`},
		{`"2026-01-16"`, `"2026-02-16"`},
		{`"2026-01-16"`, `"2026-01-17"`},
		{`"2026-01-15"`, `"2026-01-99"`},
		{`"of":31`, `"of":30`},
		{`"of":31`, `"of":0`},
		{`203000/31`, `203001/31`},
		{`65.48`, `65.49`},
		{`65.48`, `65.480000`},
		{`"forgiven":"0.00"`, `"forgiven":"0.01"`},
		{`"forgiven":"0.00"`, `"forgiven":"0"`},
		{`"billedBefore":"50.00"`, `"billedBefore":""`},
		{seats, ``},
		{seats, `null`},
	} {
		if got, err := ledger.Recompute([]byte(strings.Replace(seats, row.old, row.new, 1))); err == nil {
			t.Errorf("%s: %s", row.new, got)
		} else if _, clear := billing.AsProblems(err); !clear {
			t.Errorf("%s: %v", row.new, err)
		}
	}
}

// TestRecomputed remembers amounts, and nothing that is wrong.
func TestRecomputed(t *testing.T) {
	known := ledger.Recomputed{}
	for range 2 {
		for _, row := range []struct{ explanation, want string }{{seats, "ok"}, {strings.Replace(seats, "{", "{ ", 1), "ok"}, {"{}", ""}} {
			want, wrong := ledger.Recompute([]byte(row.explanation))
			for _, r := range []ledger.Recomputed{known, nil} {
				if got, err := r.Amount([]byte(row.explanation)); got != want || (err == nil) != (wrong == nil) || (err == nil) != (row.want == "ok") {
					t.Errorf("%s: %q, %v", row.explanation, got, err)
				}
			}
		}
	}
	if len(known) != 2 {
		t.Errorf("%d explanations are remembered", len(known))
	}
}
