package drifts_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestReport has a tenant for every outcome.
func TestReport(t *testing.T) {
	each(t, func(w *world) {
		subs := w.subscribe("same", "behind", "slow", "wrong", "ahead", "quick")
		same, behind, slow, wrong, ahead, quick := subs[0], subs[1], subs[2], subs[3], subs[4], subs[5]
		w.deliver()
		w.Sub(servicetest.Quantity(6, nil)(w.World, slow))
		w.deliver()
		w.Sub(servicetest.Quantity(6, nil)(w.World, quick))
		w.deliverNow()
		w.Sub(servicetest.Quantity(6, nil)(w.World, behind))
		wrongFeatures := []drift.Feature{{Code: "users", Quantity: new(9)}, {Code: "sso"}}
		done := w.report(
			state("same", 1, []drift.Feature{basic(5)[1], basic(5)[0]}), state("behind", 1, basic(5)), state("slow", 1, basic(5)),
			state("wrong", 1, wrongFeatures), state("ahead", 7, basic(5)), state("quick", 1, basic(5)), state("foreign", 1, nil),
		)
		w.Equal("counts", done.Counts, drift.Counts{drift.InSync: 2, drift.Behind: 2, drift.Drifted: 1, drift.Ahead: 1, drift.UnknownTenant: 1})
		w.Equal("those that differ", len(done.Differing), 5)
		for _, c := range []struct {
			id   *billing.TenantID
			want string
		}{
			{same.TenantID, "IN_SYNC 1"}, {behind.TenantID, "BEHIND 1"}, {slow.TenantID, "BEHIND 1"}, {wrong.TenantID, "DRIFTED 1"}, {ahead.TenantID, "AHEAD 7"}, {quick.TenantID, "IN_SYNC 1"},
		} {
			w.Equal("drift", w.drift(c.id), c.want)
		}
		rows := servicetest.Must[map[billing.TenantID]*drift.Tenant](w.World)(store.DriftOf(w.Ctx, w.Read(), []billing.TenantID{*wrong.TenantID}))
		first := rows[*wrong.TenantID]
		kinds := ""
		for _, d := range first.Differences {
			kinds += d.Code + " " + string(d.Kind) + ", "
		}
		w.Equal("differences", kinds, "region MISSING, sso EXTRA, users WRONG_QUANTITY, ")
		w.Clock.Advance(time.Hour)
		w.report(state("wrong", 1, nil))
		again := servicetest.Must[map[billing.TenantID]*drift.Tenant](w.World)(store.DriftOf(w.Ctx, w.Read(), []billing.TenantID{*wrong.TenantID}))[*wrong.TenantID]
		w.Equal("since", again.Since, first.Since)
		w.Equal("checked", again.CheckedAt.Sub(first.CheckedAt), time.Hour)
		w.Equal("repairs of a platform that only reports", w.repairs(), "0")
	})
}

// TestLateReport has a report arrive after one that the application looked for later: what
// is newer stays, and nothing is repaired for what was before. A full report counts what it
// says.
func TestLateReport(t *testing.T) {
	each(t, func(w *world) {
		id := w.subscribe("acme")[0].TenantID
		w.deliver()
		w.policy(drift.Repair, 60)
		looked := w.Clock.Now()
		late := drift.State{Code: "acme", Sequence: 1, At: &looked, Features: basic(9)}
		w.Clock.Advance(time.Minute)
		w.report(state("acme", 1, basic(5)))
		w.Clock.Advance(time.Minute)
		done := w.report(late)
		w.Equal("drift", w.drift(id), "IN_SYNC 1")
		w.Equal("what it says", done.Counts, drift.Counts{drift.Drifted: 1})
		w.Equal("differences that it says", len(done.Differing[0].Differences), 1)
		w.Equal("counted", w.part("full", true, late).Full.Outcomes[drift.Drifted], 1)
		w.Equal("drift after a full one", w.drift(id), "IN_SYNC 1")
		w.Equal("repairs", w.repairs(), "0")
	})
}

// TestSeenMeanwhile completes a full report that does not name a tenant, which the
// application has seen since it began to report: it is not missing.
func TestSeenMeanwhile(t *testing.T) {
	each(t, func(w *world) {
		id := w.subscribe("acme", "beta")[0].TenantID
		w.deliver()
		w.part("full", false, state("beta", 1, basic(5)))
		w.Clock.Advance(time.Minute)
		w.report(state("acme", 1, basic(5)))
		w.Clock.Advance(time.Minute)
		w.part("full", true)
		w.Equal("drift", w.drift(id), "IN_SYNC 1")
		w.part("next", true, state("beta", 1, basic(5)))
		w.Equal("drift after the next one", w.drift(id), "MISSING 0")
	})
}

// TestForgotten reports an event whose body is past its retention.
func TestForgotten(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("acme")[0]
		w.Sub(servicetest.Quantity(6, nil)(w.World, s))
		w.deliver()
		w.Damage(`DELETE FROM webhook_delivery`)
		w.Damage(`DELETE FROM webhook_event`)
		w.report(state("acme", 1, basic(9)))
		w.Equal("an older one", w.drift(s.TenantID), "BEHIND 1")
		w.report(state("acme", 2, basic(6)))
		w.Equal("the newest", w.drift(s.TenantID), "IN_SYNC 2")
		w.report(state("acme", 2, basic(5)))
		w.Equal("the newest, and it differs", w.drift(s.TenantID), "DRIFTED 2")
	})
}

// TestRefused sends what cannot be compared. Nothing comes of it, not even of the parts
// that are right.
func TestRefused(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("acme")
		w.deliver()
		w.policy(drift.Repair, 60)
		good, wrong := state("acme", 1, basic(5)), state("acme", 1, nil)
		app := func(states ...drift.State) drifts.Report { return drifts.Report{PlatformCode: "app", States: states} }
		named := func(r drifts.Report, name string, complete bool) drifts.Report {
			r.Name, r.Complete = &name, complete
			return r
		}
		w.refused("no platform", drifts.Report{States: app(good).States}, "REQUIRED platformCode", "")
		w.refused("another platform", drifts.Report{PlatformCode: "none", States: app(good).States}, "NOT_FOUND platformCode", "There is no platform")
		w.refused("nothing", app(), "REQUIRED tenants", "no tenant")
		w.refused("twice", app(wrong, state("b", 1, nil), good), "INVALID tenants", `"acme" is in the request twice: Tenant 1 and Tenant 3`)
		w.refused("a negative number", app(wrong, state("b", -1, nil)), "INVALID tenants", `sequence of tenant "b" is -1`)
		w.refused("a feature without code", app(wrong, state("b", 1, []drift.Feature{{Value: "x"}})), "REQUIRED tenants", `feature 1 of tenant "b" has no code`)
		w.refused("a report without a name", named(app(wrong), "", false), "REQUIRED report", "")
		w.refused("a long name", named(app(wrong), strings.Repeat("x", 101), false), "INVALID report", "")
		w.refused("too many", app(make([]drift.State, drift.MostTenants+1)...), "TOO_MANY tenants", "at most 10000")

		w.part("done", true, good)
		w.refused("a report that is complete", named(app(wrong), "done", false), "CONFLICT report", `"done" was completed`)
		w.refused("a report that is complete already", named(app(wrong), "done", true), "CONFLICT report", `"done" was completed`)
		w.part("left", false, good)
		w.Clock.Advance(25 * time.Hour)
		w.refused("a report that was left", named(app(wrong), "left", true), "CONFLICT report", "more than 24 hours ago")

		w.policy(drift.Off, 60)
		w.refused("a platform that takes none", app(wrong), "NOT_ALLOWED platformCode", "driftPolicy is OFF")
		w.policy(drift.Repair, 60)
		w.SetProvisioning(false)
		w.refused("a platform that provisions nothing", app(wrong), "NOT_ALLOWED platformCode", "does not provision")
		w.Refused("by hand", servicetest.ErrorOf(w.Drifts.DriftRepair(w.Ctx, &w.Platform.ID, nil)), "NOT_ALLOWED platformId")
		w.Equal("repairs", w.repairs(), "0")
	})
}
