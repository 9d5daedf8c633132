package console

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/drift"
)

// TestWorstOfDays draws for each day the report in which most tenants differ, and leaves
// out those that were never completed.
func TestWorstOfDays(t *testing.T) {
	report := func(at string, differ, behind int) drift.FullReport {
		begun, err := time.Parse("2006-01-02 15:04", at)
		if err != nil {
			t.Fatal(err)
		}
		return drift.FullReport{BegunAt: begun, CompletedAt: &begun, Outcomes: map[drift.Outcome]int{drift.Drifted: differ, drift.Behind: behind, drift.InSync: 9}}
	}
	open := report("2026-03-03 11:00", 99, 0)
	open.CompletedAt = nil
	days := worstOfDays([]drift.FullReport{
		open, report("2026-03-03 10:00", 1, 0), report("2026-03-03 09:00", 4, 0), report("2026-03-03 08:00", 4, 2), report("2026-03-01 08:00", 0, 0),
	})
	if got, want := fmt.Sprint(days), "[{{2026 3 3} 4 0 2 9} {{2026 3 1} 0 0 0 9}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if driftPlot([]drift.FullReport{report("2026-03-01 08:00", 0, 0)}) != nil {
		t.Error("nothing is drawn as something")
	}
	many := make([]drift.FullReport, 40)
	for n := range many {
		many[n] = report("2026-03-31 08:00", 1, 0)
		many[n].BegunAt = many[n].BegunAt.AddDate(0, 0, -n)
	}
	if p := driftPlot(many); len(p.Bars) != plottedDays || len(p.Table.Rows) != plottedDays {
		t.Errorf("%d bars and %d rows", len(p.Bars), len(p.Table.Rows))
	}
}
