package drifts_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/drift"
)

// TestCountsOnce counts a tenant once in a full report, with what was said of it last,
// whatever comes in between.
func TestCountsOnce(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("a", "b", "c")
		w.deliver()
		part := append(wrong("a", "b"), state("foreign", 1, nil))
		w.part("one", false, part...)
		w.report(state("a", 1, basic(5)))
		w.part("one", false, part...)
		w.Equal("sent again", w.reports()[0].Outcomes, drift.Counts{drift.Drifted: 2, drift.UnknownTenant: 1})
		part[0] = state("a", 1, basic(5))
		w.part("one", false, part...)
		w.Equal("sent again, corrected", w.reports()[0].Outcomes, drift.Counts{drift.InSync: 1, drift.Drifted: 1, drift.UnknownTenant: 1})
		w.part("two", false, part...)
		w.part("one", false, part...)
		w.Equal("sent again after a newer report", w.reports()[1].Outcomes, drift.Counts{drift.InSync: 1, drift.Drifted: 1, drift.UnknownTenant: 1})
		w.subscribe("foreign")
		w.part("two", false, part...)
		w.Equal("sent again when a tenant exists", w.reports()[0].Outcomes, drift.Counts{drift.InSync: 1, drift.Drifted: 2})
		w.part("one", true, state("c", 1, basic(5)))
		w.Equal("complete", w.reports()[1].Outcomes[drift.InSync], 2)
	})
}

// TestSweep looks through a platform with many tenants for those that a full report does
// not name, some at a time, and goes on where it was interrupted.
func TestSweep(t *testing.T) {
	each(t, func(w *world) {
		var codes []string
		for i := range 10 {
			codes = append(codes, fmt.Sprintf("t%d", i))
		}
		subs := w.subscribe(codes...)
		w.deliver()
		w.policy(drift.Repair, 60)
		w.part("one", false, state("t0", 1, basic(5)), state("t1", 1, nil))
		w.Ctx = w.WithKey("key")
		done := w.part("one", true, state("t8", 1, basic(5)), state("none", 1, nil))
		w.Equal("counts", done.Counts, drift.Counts{drift.InSync: 1, drift.UnknownTenant: 1, drift.Missing: 7})
		w.Equal("those that differ", len(done.Differing), 1)
		w.Equal("counts of the report", w.reports()[0].Outcomes, drift.Counts{drift.InSync: 2, drift.Drifted: 1, drift.UnknownTenant: 1, drift.Missing: 7})
		w.Equal("held", done.Full.Held, true)
		for i, want := range map[int]string{0: "IN_SYNC 1", 1: "DRIFTED 1", 2: "MISSING 0", 8: "IN_SYNC 1", 9: "MISSING 0"} {
			w.Equal(codes[i], w.drift(subs[i].TenantID), want)
		}
		again := w.part("one", true, state("t8", 1, basic(5)), state("none", 1, nil))
		w.Equal("the same with its key", again.Counts, done.Counts)
		w.Equal("without a name", w.part("", true, state("t8", 1, basic(5))).Counts[drift.Missing], 7)
	})
}
