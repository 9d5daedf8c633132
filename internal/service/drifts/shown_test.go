package drifts_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestWhoIsRepaired says of each tenant of a report whether the report had it told its
// state again: not of one that waits for its turn, and not of one that was told before.
func TestWhoIsRepaired(t *testing.T) {
	each(t, func(w *world) {
		var codes []string
		for i := range 25 {
			codes = append(codes, fmt.Sprintf("t%02d", i))
		}
		w.subscribe(codes...)
		w.deliver()
		w.policy(drift.Repair, 1)
		who := func(o *drifts.Outcome) (said []string) {
			for _, d := range o.Differing {
				said = append(said, fmt.Sprint(d.Code, " ", d.Repaired))
			}
			return said
		}
		some := []drift.State{state("t00", 1, basic(9)), state("t01", 1, basic(9)), state("nobody", 1, nil)}
		w.Equal("some tenants", who(w.report(some...)), []string{"t00 true", "t01 false", "nobody false"})
		w.deliver()
		w.run()
		w.Equal("those that were told", who(w.report(some[:2]...)), []string{"t00 false", "t01 false"})

		w.deliver()
		var states []drift.State
		for n, code := range codes {
			sequence, users := 1, 5
			if n < 2 {
				sequence = 2
			}
			if n == 7 {
				users = 9
			}
			states = append(states, state(code, sequence, basic(users)))
		}
		w.Equal("a full report", who(w.part("all", true, states...)), []string{"t07 true"})
	})
}

// TestRepairsAreKept keeps with each event what it repaired: that of the first stays when
// there is a second.
func TestRepairsAreKept(t *testing.T) {
	each(t, func(w *world) {
		id := w.subscribe("acme")[0].TenantID
		w.deliver()
		w.policy(drift.Repair, 60)
		w.report(state("acme", 1, basic(9)))
		w.deliver()
		w.report(state("acme", 2, basic(5)))
		w.report(state("acme", 2, nil))
		kept := func(sequence int) string {
			events := servicetest.Must[[]webhook.Event](w.World)(outbox.EventsOfTenant(w.Ctx, w.Read(), *id, sequence-1, 1))
			r := servicetest.Must[*drift.SentRepair](w.World)(outbox.RepairOf(w.Ctx, w.Read(), events[0].ID))
			if r == nil {
				return "nothing"
			}
			text := fmt.Sprint(r.Outcome, " ", r.Sequence, " acted ", r.Acted)
			for _, d := range r.Differences {
				text += fmt.Sprint(" ", d.Code, " ", d.Kind)
			}
			return text
		}
		w.Equal("no repair", kept(1), "nothing")
		w.Equal("the first", kept(2), "DRIFTED 2 acted 1 users WRONG_QUANTITY")
		w.Equal("the second", kept(3), "DRIFTED 3 acted 2 region MISSING users MISSING")
		w.Equal("kept", w.QueryText(`SELECT count(*) FROM repair_event`), "2")
	})
}
