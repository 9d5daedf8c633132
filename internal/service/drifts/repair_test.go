package drifts_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestRepair sends an event once for each kind of drift, and says so if it helps
// nothing.
func TestRepair(t *testing.T) {
	each(t, func(w *world) {
		id := w.subscribe("acme")[0].TenantID
		w.deliver()
		w.policy(drift.Repair, 60)
		audit := func() string { return w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'driftPersists'`) }

		w.Equal("repaired", w.report(state("acme", 1, basic(9))).Repaired, 1)
		w.WasTold(*id, "subscription.created", "drift.repair")
		w.Equal("repaired while it waits", w.report(state("acme", 1, basic(9))).Repaired, 0)
		w.deliverNow()
		w.Equal("repaired when it has just arrived", w.report(state("acme", 1, basic(9))).Repaired, 0)
		w.Equal("drift", w.drift(id), "DRIFTED 1")
		w.Equal("alarms", audit(), "0")

		for range 2 {
			w.Equal("repaired when it is persistent", w.report(state("acme", 2, basic(9))).Repaired, 0)
			w.Equal("drift", w.drift(id), "DRIFTED 2 persistent")
			w.Equal("alarms", audit(), "1")
		}
		w.Equal("the alarm", w.LastAudit(), fmt.Sprintf("client 1 driftPersists Tenant %d", *id))

		w.Equal("another difference", w.report(state("acme", 2, basic(7))).Repaired, 1)
		w.Equal("drift", w.drift(id), "DRIFTED 2")
		w.deliver()
		w.report(state("acme", 3, basic(5)))
		w.Equal("drift", w.drift(id), "IN_SYNC 3")
		w.Equal("the first difference, after it was in sync", w.report(state("acme", 3, basic(9))).Repaired, 1)
	})
}

// TestRepairBackAndForth reports two kinds of drift in turn: each is repaired once, and then
// is persistent.
func TestRepairBackAndForth(t *testing.T) {
	each(t, func(w *world) {
		id := w.subscribe("acme")[0].TenantID
		w.deliver()
		w.policy(drift.Repair, 60)
		for turn := range 3 {
			for kind, users := range []int{9, 7} {
				w.report(state("acme", 1+min(2*turn+kind, 2), basic(users)))
				w.deliver()
			}
		}
		w.Equal("repairs", w.repairs(), "2")
		w.Equal("drift", w.drift(id), "DRIFTED 3 persistent")
		w.Equal("alarms", w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'driftPersists'`), "2")
		w.report(state("acme", 3, basic(5)))
		w.Equal("once it was in sync", w.report(state("acme", 3, basic(9))).Repaired, 1)
	})
}

// TestRepairBehind tells a tenant again what was accepted and not acted on, and not
// what waits.
func TestRepairBehind(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("acme")[0]
		w.deliver()
		w.policy(drift.Repair, 60)
		w.Sub(servicetest.Quantity(6, nil)(w.World, s))
		w.Equal("while it waits", w.report(state("acme", 1, basic(5))).Repaired, 0)
		w.deliver()
		w.Equal("not acted on", w.report(state("acme", 1, basic(5))).Repaired, 1)
		w.deliver()
		w.Equal("not acted on again", w.report(state("acme", 1, basic(5))).Repaired, 0)
		w.Equal("drift", w.drift(s.TenantID), "BEHIND 1 persistent")
		w.report(state("acme", 3, basic(6)))
		w.Equal("drift", w.drift(s.TenantID), "IN_SYNC 3")
	})
}

// TestRepairMissing repairs tenants that a full report misses, once.
func TestRepairMissing(t *testing.T) {
	each(t, func(w *world) {
		var codes []string
		for i := range 25 {
			codes = append(codes, fmt.Sprintf("t%d", i))
		}
		subs := w.subscribe(codes...)
		w.deliver()
		w.policy(drift.Repair, 60)
		var states []drift.State
		for _, code := range codes[1:] {
			states = append(states, state(code, 1, basic(5)))
		}
		id := subs[0].TenantID
		w.Equal("repaired", w.part("one", true, states...).Repaired, 1)
		w.WasTold(*id, "subscription.created", "drift.repair")
		w.Equal("repaired while it waits", w.part("two", true, states...).Repaired, 0)
		w.deliver()
		w.Equal("repaired again", w.part("three", true, states...).Repaired, 0)
		w.Equal("drift", w.drift(id), "MISSING 0 persistent")
		w.part("four", true, append(states, state("t0", 2, basic(5)))...)
		w.Equal("drift", w.drift(id), "IN_SYNC 2")
		w.Equal("repairs", w.repairs(), "1")
	})
}

// TestPerMinute repairs no more than are allowed, by all servers together.
func TestPerMinute(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("a", "b", "c", "d", "e")
		w.deliver()
		w.policy(drift.Repair, 2)
		other := &world{servicetest.Join(w.T, w.DB)}
		all := []drift.State{state("a", 1, nil), state("b", 1, nil), state("c", 1, nil), state("d", 1, nil), state("e", 1, nil)}
		w.Equal("at first", w.report(all...).Repaired, 2)
		w.Equal("at once, elsewhere", other.report(all...).Repaired, 0)
		w.Refused("none", servicetest.ErrorOf(w.Drifts.DriftRepair(w.Ctx, nil, nil)), "REQUIRED platformId")
		by := servicetest.Must[*drifts.Repaired](w.World)(w.Drifts.DriftRepair(w.Ctx, &w.Platform.ID, nil))
		w.Equal("by hand", fmt.Sprint(len(by.Tenants), by.Waiting), "0 3")
		w.Clock.Advance(61 * time.Second)
		other.run()
		w.Equal("a minute later", w.repairs(), "4")
		w.Equal("at once, elsewhere", w.report(all...).Repaired, 0)
		w.Clock.Advance(61 * time.Second)
		w.run()
		w.Equal("the rest", w.repairs(), "5")
	})
}

// TestLies reports another difference of one tenant each time: that is no way around the
// limit.
func TestLies(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("a")
		w.deliver()
		w.policy(drift.Repair, 3)
		for n := range 20 {
			w.report(state("a", 1, basic(100+n)))
		}
		w.Equal("repairs", w.repairs(), "3")
	})
}

// TestSuspicious holds the repairs of a full report that says that much is wrong, until
// a person asks for them.
func TestSuspicious(t *testing.T) {
	each(t, func(w *world) {
		subs := w.subscribe("a", "b", "c")
		w.deliver()
		w.policy(drift.Repair, 2)
		done := w.part("lies", true)
		w.Equal("repaired", done.Repaired, 0)
		w.Equal("held", done.Full.Held, true)
		w.Equal("drift", w.drift(subs[0].TenantID), "MISSING 0")
		w.Equal("repairs", w.repairs(), "0")

		by := servicetest.Must[*drifts.Repaired](w.World)(w.Drifts.DriftRepair(w.Ctx, &w.Platform.ID, nil))
		w.Equal("by hand", fmt.Sprint(len(by.Tenants), by.Waiting), "2 1")
		w.Equal("held after a person decided", w.QueryText(`SELECT count(*) FROM drift_report WHERE held`), "0")
		w.Equal("audit", w.LastAudit(), fmt.Sprintf("client 1 driftRepair Platform %d", w.Platform.ID))
		w.Clock.Advance(2 * time.Minute)
		named := []billing.TenantID{*subs[0].TenantID, *subs[2].TenantID}
		by = servicetest.Must[*drifts.Repaired](w.World)(w.Drifts.DriftRepair(w.Ctx, nil, named))
		w.Equal("by hand, named", fmt.Sprint(by.Tenants, by.Waiting), fmt.Sprint(named, 0))
		w.Equal("repairs", w.repairs(), "4")
		w.Refused("unknown", servicetest.ErrorOf(w.Drifts.DriftRepair(w.Ctx, nil, []billing.TenantID{1 << 40})), "NOT_FOUND tenantIds")
		w.deliver()
		w.report(state("a", 3, basic(5)))
		by = servicetest.Must[*drifts.Repaired](w.World)(w.Drifts.DriftRepair(w.Ctx, nil, named[:1]))
		w.Equal("by hand, in sync", len(by.Tenants), 0)
	})
}

// TestAtOnce reports the same difference from several servers at once: one event is
// sent.
func TestAtOnce(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("a", "b")
		w.deliver()
		w.policy(drift.Repair, 60)
		var group sync.WaitGroup
		for range 4 {
			other := &world{servicetest.Join(w.T, w.DB)}
			group.Go(func() {
				for _, complete := range []bool{false, true} {
					r := drifts.Report{PlatformCode: "app", Complete: complete, States: []drift.State{state("b", 1, nil), state("a", 1, basic(5))}}
					if _, err := other.Drifts.TenantStateReport(other.Ctx, r); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		w.Equal("repairs", w.repairs(), "1")
	})
}

// TestOnce reports with a key twice: the second time nothing happens and the answer is
// the same.
func TestOnce(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("a")
		w.deliver()
		w.policy(drift.Repair, 60)
		w.Ctx = w.WithKey("key")
		name := "one"
		r := drifts.Report{PlatformCode: "app", Name: &name, Complete: true, States: []drift.State{state("a", 1, nil)}}
		first := servicetest.Must[*drifts.Outcome](w.World)(w.Drifts.TenantStateReport(w.Ctx, r))
		second := servicetest.Must[*drifts.Outcome](w.World)(w.Drifts.TenantStateReport(w.Ctx, r))
		w.Equal("counts", second.Counts, first.Counts)
		w.Equal("the report", second.Full.ID, first.Full.ID)
	})
}
