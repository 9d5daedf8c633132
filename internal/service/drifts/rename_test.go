package drifts_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestRenamedIsUnderWay renames a tenant while the webhook that says so is under way: the
// application still reports the old code.
func TestRenamedIsUnderWay(t *testing.T) {
	each(t, func(w *world) {
		w.policy(drift.Repair, 60)
		var codes []string
		for n := range 25 {
			codes = append(codes, fmt.Sprintf("t%02d", n))
		}
		subs := w.subscribe(codes...)
		w.deliver()
		var states []drift.State
		for _, code := range codes {
			states = append(states, state(code, 1, basic(5)))
		}
		o := w.part("before", true, states...)
		w.Equal("before", o.Counts[drift.InSync], 25)
		_, err := w.Subscriptions.TenantUpdate(w.Ctx, *subs[0].TenantID, servicetest.Rename("renamed", "Renamed"))
		w.OK(err)
		o = w.part("after", true, states...)
		w.Equal("missing", o.Counts[drift.Missing], 0)
		w.Equal("repairs", w.repairs(), "0")
	})
}
