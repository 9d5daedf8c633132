package drifts_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// reports are the full reports of the platform, the newest first.
func (w *world) reports() []drift.FullReport {
	w.T.Helper()
	found, err := store.DriftReportsOf(w.Ctx, w.Read(), []billing.PlatformID{w.Platform.ID}, 10)
	w.OK(err)
	return found[w.Platform.ID]
}

// TestFullReport is sent in parts, one of them twice. Who is not in it is missing once
// it is complete, unless the application does not know of it yet.
func TestFullReport(t *testing.T) {
	each(t, func(w *world) {
		subs := w.subscribe("a", "b", "c", "gone", "over")
		w.deliver()
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(subs[4]), subscription.Cancellation{}))
		w.deliver()
		w.part("one", false, state("a", 1, basic(5)), state("b", 1, nil))
		w.part("one", false, state("a", 1, basic(5)), state("b", 1, nil))
		w.Equal("who is missing before it is complete", w.drift(subs[3].TenantID), "")
		late := w.subscribe("late")[0]
		w.deliverNow()
		done := w.part("one", true, state("c", 1, basic(5)))
		w.Equal("counts of the last part", done.Counts, drift.Counts{drift.InSync: 1, drift.Missing: 1})
		w.Equal("who is missing", w.drift(subs[3].TenantID), "MISSING 0")
		w.Equal("who is over", w.drift(subs[4].TenantID), "")
		w.Equal("who came meanwhile", w.drift(late.TenantID), "")
		r := w.reports()
		w.Equal("reports", len(r), 1)
		w.Equal("counts of the report", r[0].Outcomes, drift.Counts{drift.InSync: 2, drift.Drifted: 1, drift.Missing: 1})
		w.Equal("complete", r[0].CompletedAt != nil, true)

		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(subs[3]), subscription.Cancellation{}))
		w.deliver()
		w.part("", true, state("a", 1, basic(5)), state("b", 1, basic(5)), state("c", 1, basic(5)), state("late", 1, basic(5)))
		w.Equal("who neither side has", w.drift(subs[3].TenantID), "")
		w.Equal("reports", len(w.reports()), 2)
	})
}

// TestReportsAtOnce lets two full reports run at once: each misses only what it does not
// name itself.
func TestReportsAtOnce(t *testing.T) {
	each(t, func(w *world) {
		subs := w.subscribe("a", "b")
		w.deliver()
		a, b := state("a", 1, basic(5)), state("b", 1, basic(5))
		w.part("one", false, a)
		w.part("two", false, a, b)
		w.part("one", true, b)
		w.Equal("a", w.drift(subs[0].TenantID), "IN_SYNC 1")
		w.part("two", true)
		w.Equal("a", w.drift(subs[0].TenantID), "IN_SYNC 1")
		w.Equal("b", w.drift(subs[1].TenantID), "IN_SYNC 1")
		for _, r := range w.reports() {
			w.Equal("counts of "+r.Name, r.Outcomes[drift.InSync], 2)
			w.Equal("missing in "+r.Name, r.Outcomes[drift.Missing], 0)
		}
	})
}

// TestNeverCompleted leaves a report: only what it names has changed.
func TestNeverCompleted(t *testing.T) {
	each(t, func(w *world) {
		subs := w.subscribe("a", "b")
		w.deliver()
		w.policy(drift.Repair, 60)
		w.part("left", false, state("a", 1, nil))
		w.Clock.Advance(48 * time.Hour)
		w.Equal("a", w.drift(subs[0].TenantID), "DRIFTED 1")
		w.Equal("b", w.drift(subs[1].TenantID), "")
		w.Equal("repairs", w.repairs(), "0")
		w.part("next", true, state("a", 1, basic(5)), state("b", 1, basic(5)))
		w.Equal("a", w.drift(subs[0].TenantID), "IN_SYNC 1")
		w.Equal("the one that was left", w.reports()[1].CompletedAt == nil, true)
	})
}
