package servicetest

import (
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// Events are what a tenant was told. Their numbers must be 1, 2, 3 and so on.
func (w *World) Events(id billing.TenantID) []webhook.Event {
	w.T.Helper()
	events, err := outbox.EventsOfTenant(w.Ctx, w.Read(), id, 0, 10_000)
	w.OK(err)
	for i, e := range events {
		if e.Sequence != i+1 {
			w.T.Fatalf("event %d of tenant %d has the number %d", i+1, id, e.Sequence)
		}
	}
	return events
}

// Reasons are those of a tenant's events.
func (w *World) Reasons(id billing.TenantID) []string {
	w.T.Helper()
	var reasons []string
	for _, e := range w.Events(id) {
		reasons = append(reasons, e.Reason)
	}
	return reasons
}

// WasTold fails the test unless a tenant has been told for exactly these reasons,
// and the last thing it was told is how things are.
func (w *World) WasTold(id billing.TenantID, want ...string) {
	w.T.Helper()
	w.Equal(fmt.Sprintf("what tenant %d was told", id), w.Reasons(id), want)
	w.InSync(id)
}

// InSync fails the test unless the last thing a tenant was told is how things
// are.
func (w *World) InSync(id billing.TenantID) {
	w.T.Helper()
	events := w.Events(id)
	if len(events) == 0 {
		return
	}
	state, err := w.Provisioning.State(w.Ctx, id)
	w.OK(err)
	if have, want := events[len(events)-1].Body, string(state.Body()); have != want {
		w.T.Errorf("tenant %d was told last\n%s\nbut is\n%s", id, have, want)
	}
}

// History is what happened to a subscription, a line each:
//
//	ACTOR KIND FROM>TO EFFECTIVE
func (w *World) History(id billing.SubscriptionID) []string {
	w.T.Helper()
	entries, err := store.HistoryOf(w.Ctx, w.Read(), []billing.SubscriptionID{id})
	w.OK(err)
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

// LastHistory is the last line of it.
func (w *World) LastHistory(id billing.SubscriptionID) string {
	w.T.Helper()
	lines := w.History(id)
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// LastAudit is the newest entry of the audit log, with the fields it says
// changed.
func (w *World) LastAudit() string {
	w.T.Helper()
	n, err := store.AuditEntries.Count(w.Ctx, w.Read(), billing.Filter{})
	w.OK(err)
	rows, err := store.AuditEntries.List(w.Ctx, w.Read(), store.Page{Limit: 1000, After: int64(max(0, n-10))})
	w.OK(err)
	e := rows[len(rows)-1]
	return fmt.Sprintf("%s %s %s %d", e.Actor, e.Action, e.SubjectType, e.SubjectID)
}

// Features are what a tenant was last told it has, such as "users=5 region:eu".
func (w *World) Features(id billing.TenantID) string {
	w.T.Helper()
	state, err := w.Provisioning.State(w.Ctx, id)
	w.OK(err)
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

// Now reads a subscription again.
func (w *World) Now(s *subscription.Subscription) *subscription.Subscription {
	w.T.Helper()
	row, err := store.Subscriptions.Get(w.Ctx, w.Read(), s.ID)
	w.OK(err)
	if row == nil {
		w.T.Fatalf("subscription %d is gone", s.ID)
	}
	return row
}

// RunDue does all that is due at the time of the clock.
func (w *World) RunDue() {
	w.T.Helper()
	for {
		moved, _, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
		w.OK(err)
		if moved == 0 {
			return
		}
	}
}

// RunJobs works on all jobs until none is left.
func (w *World) RunJobs() {
	w.T.Helper()
	w.OK(w.TryJobs())
}

// TryJobs runs jobs until there are none or one fails.
func (w *World) TryJobs() error {
	for {
		if ran, err := w.Jobs.Run(w.Ctx); err != nil || !ran {
			return err
		}
	}
}
