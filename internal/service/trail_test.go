package service_test

import (
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// events are what a tenant was told. Their numbers must be 1, 2, 3 and so on.
func (w *world) events(id billing.TenantID) []webhook.Event {
	w.t.Helper()
	events, err := outbox.EventsOfTenant(w.ctx, w.Read(), id, 0, 10_000)
	w.ok(err)
	for i, e := range events {
		if e.Sequence != i+1 {
			w.t.Fatalf("event %d of tenant %d has the number %d", i+1, id, e.Sequence)
		}
	}
	return events
}

// reasons are those of a tenant's events.
func (w *world) reasons(id billing.TenantID) []string {
	w.t.Helper()
	var reasons []string
	for _, e := range w.events(id) {
		reasons = append(reasons, e.Reason)
	}
	return reasons
}

// told fails the test unless a tenant has been told for exactly these reasons,
// and the last thing it was told is how things are.
func (w *world) told(id billing.TenantID, want ...string) {
	w.t.Helper()
	w.same(fmt.Sprintf("what tenant %d was told", id), w.reasons(id), want)
	w.inStep(id)
}

// inStep fails the test unless the last thing a tenant was told is how things
// are.
func (w *world) inStep(id billing.TenantID) {
	w.t.Helper()
	events := w.events(id)
	if len(events) == 0 {
		return
	}
	state, err := w.Provisioning.State(w.ctx, id)
	w.ok(err)
	if have, want := events[len(events)-1].Body, string(state.Body()); have != want {
		w.t.Errorf("tenant %d was told last\n%s\nbut is\n%s", id, have, want)
	}
}

// history is what happened to a subscription, a line each:
//
//	ACTOR KIND FROM>TO EFFECTIVE
func (w *world) history(id billing.SubscriptionID) []string {
	w.t.Helper()
	entries, err := store.HistoryOf(w.ctx, w.Read(), []billing.SubscriptionID{id})
	w.ok(err)
	var lines []string
	for _, e := range entries {
		from := subscription.State("")
		if e.From != nil {
			from = *e.From
		}
		lines = append(lines, fmt.Sprintf("%s %s %s>%s %s", e.Actor, e.Kind, from, e.To, e.EffectiveAt.UTC().Format("2006-01-02 15:04")))
	}
	return lines
}

// lastHistory is the last line of it.
func (w *world) lastHistory(id billing.SubscriptionID) string {
	w.t.Helper()
	lines := w.history(id)
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// lastAudit is the newest entry of the audit log, with the fields it says
// changed.
func (w *world) lastAudit() string {
	w.t.Helper()
	n, err := store.AuditEntries.Count(w.ctx, w.Read(), billing.Filter{})
	w.ok(err)
	rows, err := store.AuditEntries.List(w.ctx, w.Read(), store.Page{Limit: 1000, After: int64(max(0, n-10))})
	w.ok(err)
	e := rows[len(rows)-1]
	return fmt.Sprintf("%s %s %s %d", e.Actor, e.Action, e.SubjectType, e.SubjectID)
}

// features are what a tenant was last told it has, such as "users=5 region:eu".
func (w *world) features(id billing.TenantID) string {
	w.t.Helper()
	state, err := w.Provisioning.State(w.ctx, id)
	w.ok(err)
	var list []string
	for _, f := range state.Features() {
		text := f.Code
		switch {
		case f.Quantity != nil:
			text += fmt.Sprintf("=%d", *f.Quantity)
		case f.Value != "":
			text += ":" + f.Value
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// now reads a subscription again.
func (w *world) now(s *subscription.Subscription) *subscription.Subscription {
	w.t.Helper()
	row, err := store.Subscriptions.Get(w.ctx, w.Read(), s.ID)
	w.ok(err)
	if row == nil {
		w.t.Fatalf("subscription %d is gone", s.ID)
	}
	return row
}

// runDue does all that is due at the time of the clock.
func (w *world) runDue() {
	w.t.Helper()
	for {
		moved, _, err := w.Subscriptions.RunDue(w.ctx, w.clock.Now())
		w.ok(err)
		if moved == 0 {
			return
		}
	}
}

// runJobs works on all jobs until none is left.
func (w *world) runJobs() {
	w.t.Helper()
	w.ok(w.tryJobs())
}

func (w *world) tryJobs() error {
	for {
		if ran, err := w.Jobs.Run(w.ctx); err != nil || !ran {
			return err
		}
	}
}
