package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The benchmark itself must not rot between the times somebody runs it. What
// it finds in so short a time is not looked at.
func TestMeasurements(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds: run without -short")
	}
	for _, m := range measurements() {
		if m.name == "memory" || m.name == "overload" || m.name == "previews" {
			continue // it builds the program; the tests of cmd/tenantry do that
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			results, err := measureAll(t.Context(), options{
				accounts: fewAccounts + statementRows, subs: leastSubs, events: 2 * backlogTenants, engines: []string{"sqlite"}, seconds: 0.01, only: m.name, most: 3,
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(results) == 0 {
				t.Fatal("there are no results")
			}
			for _, r := range results {
				if r.Measured <= 0 || r.Against <= 0 || r.Ratio <= 0 {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

func TestCrewEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	var n atomic.Int64
	_, err := crew(t.Context(), time.Hour, func(int) error {
		if n.Add(1) == 1000 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestCrewEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := crew(ctx, time.Hour, func(int) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestVerdicts(t *testing.T) {
	of := func(unit string, measured, against float64) result {
		return (&run{engine: fileEngine("")}).result("a", unit, measured, against)
	}
	for _, c := range []struct {
		r    result
		ok   bool
		text string
	}{
		{of("/s", 1, 2).atLeast(0.5), true, "≥ 0.50"},
		{of("/s", 1, 3).atLeast(0.5), false, "≥ 0.50 MISSED"},
		{of("ms", 3, 2).atMost(1.5), true, "≤ 1.50"},
		{of("ms", 4, 2).atMost(1.5), false, "≤ 1.50 MISSED"},
		{of("ms", 9, 2), true, "none"},
	} {
		if c.r.ok() != c.ok || c.r.verdict() != c.text {
			t.Errorf("%+v: got %v, %q", c.r, c.r.ok(), c.r.verdict())
		}
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	r := &run{engine: fileEngine("")}
	printTable(&out, []result{r.result("accounts", "/s", 1234567, 2469134).atLeast(0.25)})
	if want := "| accounts    | sqlite | 1,234,567 /s | 2,469,134 /s | 0.50  | ≥ 0.25 |\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("got\n%swant at its end\n%s", out.String(), want)
	}
}
