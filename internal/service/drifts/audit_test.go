package drifts_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing/drift"
)

// TestReportsAreAudited writes an entry for a full report from which something new is
// known, and none for those that come every day and say the same.
func TestReportsAreAudited(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("a", "b", "c")
		w.deliver()
		well, ill := state("a", 1, basic(5)), state("a", 1, nil)
		others := []drift.State{state("b", 1, basic(5)), state("c", 1, basic(5))}
		for _, c := range []struct {
			what    string
			first   drift.State
			entries string
		}{
			{"the first", well, "1"},
			{"the same again", well, "1"},
			{"one differs", ill, "2"},
			{"it still differs", ill, "2"},
			{"it is in sync", well, "3"},
		} {
			w.part(c.what, false, c.first)
			w.part(c.what, true, others...)
			w.Equal(c.what, w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'tenantStateReport'`), c.entries)
		}
		w.policy(drift.Repair, 60)
		w.report(ill)
		w.Equal("a repair", w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'tenantStateReport' AND detail LIKE '%"tenants"%'`), "1")
	})
}
