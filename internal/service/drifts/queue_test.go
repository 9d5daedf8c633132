package drifts_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// run has the background go on with what waits until nothing is due.
func (w *world) run() (next time.Time) {
	w.T.Helper()
	for {
		looked, next, err := w.Drifts.RunRepairs(w.Ctx)
		w.OK(err)
		if looked == 0 {
			return next
		}
	}
}

// minute lets a minute pass, and the background work.
func (w *world) minute() time.Time {
	w.Clock.Advance(time.Minute)
	return w.run()
}

// giveUp gives up all that waits to be delivered.
func (w *world) giveUp() {
	w.T.Helper()
	w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
		claims, err := outbox.DueStreams(ctx, tx, w.Platform.ID, tx.Now, 100)
		if err != nil {
			return err
		}
		for _, c := range claims {
			if err := outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: c.Head.Delivery.ID, State: webhook.DeliveryExhausted}}); err != nil {
				return err
			}
			c.Stream.Pass(c.Stream.Head(), tx.Now)
			if err := outbox.SaveStreams(ctx, tx, []*webhook.Stream{&c.Stream}); err != nil {
				return err
			}
		}
		return nil
	}))
}

// wrong are tenants without what they were told.
func wrong(codes ...string) (states []drift.State) {
	for _, code := range codes {
		states = append(states, state(code, 1, nil))
	}
	return states
}

// TestGoesOn repairs the tenants that the limit left over by itself, a minute later, in
// the order in which they were found, and on all servers together.
func TestGoesOn(t *testing.T) {
	each(t, func(w *world) {
		subs := w.subscribe("a", "b", "c", "d", "e", "f")
		w.deliver()
		w.policy(drift.Repair, 2)
		other := &world{servicetest.Join(w.T, w.DB)}
		w.Equal("nothing waits", w.run().IsZero(), true)
		w.Equal("at first", w.report(wrong("d", "e", "f")...).Repaired, 2)
		w.Clock.Advance(time.Second)
		w.Equal("later", w.report(wrong("a", "b", "c")...).Repaired, 0)
		w.Equal("next", w.run().Sub(w.Clock.Now()), 59*time.Second)
		w.Equal("repairs", w.repairs(), "2")
		w.Clock.Advance(59 * time.Second)
		w.Equal("when others wait", w.report(wrong("a", "b", "c")...).Repaired, 0)
		w.run()
		other.run()
		w.Equal("repairs after a minute", w.repairs(), "4")
		w.WasTold(*subs[5].TenantID, "subscription.created", "drift.repair")
		w.WasTold(*subs[0].TenantID, "subscription.created", "drift.repair")
		w.WasTold(*subs[1].TenantID, "subscription.created")
		w.Equal("audit", w.LastAudit(), fmt.Sprintf("drift driftRepair Platform %d", w.Platform.ID))
		w.Equal("what is left when all had their turn", other.minute().IsZero(), true)
		w.Equal("repairs after two minutes", w.repairs(), "6")
		w.minute()
		w.Equal("repairs in the end", w.repairs(), "6")
	})
}

// TestGoesOnFull repairs what is left of a full report, unless the report is held or was
// never completed.
func TestGoesOnFull(t *testing.T) {
	each(t, func(w *world) {
		var codes []string
		for i := range 100 {
			codes = append(codes, fmt.Sprintf("t%02d", i))
		}
		w.subscribe(codes...)
		w.deliver()
		w.policy(drift.Repair, 2)
		var states []drift.State
		for _, code := range codes[4:] {
			states = append(states, state(code, 1, basic(5)))
		}
		w.part("left", false, wrong(codes...)...)
		w.minute()
		w.Equal("repairs of a report that is not complete", w.repairs(), "0")
		w.Equal("held", w.part("lies", true, wrong(codes...)...).Full.Held, true)
		w.minute()
		w.Equal("repairs of a report that is held", w.repairs(), "0")
		states = append(states, wrong(codes[0], codes[1])...) // and two are missing
		w.Equal("at first", w.part("true", true, states...).Repaired, 2)
		w.minute()
		w.Equal("repairs", w.repairs(), "4")
		w.Equal("the report", w.reports()[0].Repaired, 4)
		w.minute()
		w.Equal("repairs in the end", w.repairs(), "4")
		w.deliver()
		w.part("again", true, states...)
		w.minute()
		w.Equal("repairs of what is persistent", w.repairs(), "4")
	})
}

// TestGoesOnNoMore leaves tenants alone that are in sync meanwhile, or whose platform has
// another policy.
func TestGoesOnNoMore(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("a", "b", "c", "d")
		w.deliver()
		w.policy(drift.Repair, 1)
		w.report(wrong("a", "b", "c", "d")...)
		w.report(state("b", 1, basic(5)))
		w.minute()
		w.Equal("repairs", w.repairs(), "2")
		w.policy(drift.Report, 1)
		w.Equal("what waits", w.minute().IsZero(), true)
		w.Equal("repairs of a platform that only reports", w.repairs(), "2")
		by := servicetest.Must[*drifts.Repaired](w.World)(w.Drifts.DriftRepair(w.Ctx, &w.Platform.ID, nil))
		w.Equal("by hand", fmt.Sprint(len(by.Tenants), by.Waiting), "1 0")
		w.policy(drift.Off, 1)
		w.Equal("what waits", w.minute().IsZero(), true)
		w.Equal("repairs in the end", w.repairs(), "3")
	})
}

// TestGoesOnByHand goes on with what a person asked for, on platforms that only report.
func TestGoesOnByHand(t *testing.T) {
	each(t, func(w *world) {
		subs := w.subscribe("a", "b", "c", "d", "e")
		w.deliver()
		w.policy(drift.Report, 2)
		w.report(wrong("a", "b", "c")...)
		by := servicetest.Must[*drifts.Repaired](w.World)(w.Drifts.DriftRepair(w.Ctx, &w.Platform.ID, nil))
		w.Equal("by hand", fmt.Sprint(len(by.Tenants), by.Waiting), "2 1")
		by = servicetest.Must[*drifts.Repaired](w.World)(w.Drifts.DriftRepair(w.Ctx, &w.Platform.ID, nil))
		w.Equal("again: who was told does not wait", fmt.Sprint(len(by.Tenants), by.Waiting), "0 1")
		w.Clock.Advance(time.Second)
		w.report(wrong("d", "e")...) // after the person asked
		w.minute()
		w.Equal("repairs", w.repairs(), "3")
		w.minute()
		w.Equal("repairs of what was found later", w.repairs(), "3")
		named := []billing.TenantID{*subs[0].TenantID, *subs[3].TenantID, *subs[4].TenantID}
		by = servicetest.Must[*drifts.Repaired](w.World)(w.Drifts.DriftRepair(w.Ctx, nil, named))
		w.Equal("named", fmt.Sprint(len(by.Tenants), by.Waiting), "2 1")
		w.report(state("e", 1, basic(6))) // something else, and a person has asked
		w.minute()
		w.Equal("repairs of those named", w.repairs(), "6")
		w.Equal("what waits", w.minute().IsZero(), true)
	})
}

// TestRepairGivenUp repairs again if the first repair never arrived.
func TestRepairGivenUp(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("acme")[0]
		w.deliver()
		w.policy(drift.Repair, 60)
		w.Equal("repaired", w.report(state("acme", 1, basic(9))).Repaired, 1)
		w.Clock.Advance(time.Hour)
		w.Equal("repaired while it waits", w.report(state("acme", 1, basic(9))).Repaired, 0)
		w.giveUp()
		w.Equal("repaired after it was given up", w.report(state("acme", 1, basic(9))).Repaired, 1)
		w.Equal("drift", w.drift(s.TenantID), "DRIFTED 1")
		w.deliver()
		w.Equal("repaired after it arrived", w.report(state("acme", 1, basic(9))).Repaired, 0)
		w.Equal("drift", w.drift(s.TenantID), "DRIFTED 1 persistent")

		w.report(state("acme", 3, basic(5)))
		w.Sub(servicetest.Quantity(6, nil)(w.World, s))
		w.Equal("repaired while the change waits", w.report(state("acme", 3, basic(5))).Repaired, 0)
		w.giveUp()
		w.Equal("repaired after the change was given up", w.report(state("acme", 3, basic(5))).Repaired, 1)
		w.Equal("drift", w.drift(s.TenantID), "BEHIND 3")
		w.giveUp()
		w.Equal("repaired after the repair was given up", w.report(state("acme", 3, basic(5))).Repaired, 1)
		w.deliver()
		w.report(state("acme", 6, basic(6)))
		w.Equal("drift", w.drift(s.TenantID), "IN_SYNC 6")
	})
}

// TestMissingGivenUp repairs a tenant again that a full report misses, if the first
// repair never arrived.
func TestMissingGivenUp(t *testing.T) {
	each(t, func(w *world) {
		var states []drift.State
		for i := range 25 {
			code := fmt.Sprintf("t%d", i)
			w.subscribe(code)
			states = append(states, state(code, 1, basic(5)))
		}
		w.deliver()
		w.policy(drift.Repair, 60)
		w.Equal("repaired", w.part("one", true, states[1:]...).Repaired, 1)
		w.giveUp()
		w.Clock.Advance(time.Hour)
		w.Equal("repaired after it was given up", w.part("two", true, states[1:]...).Repaired, 1)
	})
}

// TestRepairForgotten knows that a repair arrived when the events are past their
// retention.
func TestRepairForgotten(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("acme")[0]
		w.deliver()
		w.policy(drift.Repair, 60)
		w.report(state("acme", 0, basic(9)))
		w.deliver()
		w.Sub(servicetest.Quantity(6, nil)(w.World, s))
		w.Damage(`DELETE FROM webhook_delivery WHERE event_id <= 2`)
		w.Damage(`DELETE FROM webhook_event WHERE id <= 2`)
		w.Equal("repaired again", w.report(state("acme", 0, basic(9))).Repaired, 0)
		w.Equal("drift", w.drift(s.TenantID), "DRIFTED 0 persistent")
	})
}
