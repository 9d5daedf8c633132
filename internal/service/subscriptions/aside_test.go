package subscriptions_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestAside breaks subscriptions in several ways. Each is set aside with its
// problem shown, and the others go on as if nothing were.
func TestAside(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		broken := map[string]*subscription.Subscription{}
		for what, damage := range map[string]string{
			"lines":         `UPDATE subscription SET charges = '[{"id":1,' WHERE id = $1`,
			"lines of text": `UPDATE subscription SET charges = '"none"' WHERE id = $1`,
			"a date":        `UPDATE subscription SET end_date = 'soon' WHERE id = $1`,
			"a state":       `UPDATE subscription SET state = 'ASLEEP' WHERE id = $1`,
			"a term":        `UPDATE subscription SET renewal_term_months = 0 WHERE id = $1`,
			"a trial":       `UPDATE subscription SET state = 'TRIAL' WHERE id = $1`,
			"a price list":  `UPDATE subscription SET price_list_id = 99 WHERE id = $1`,
			"a next list":   `UPDATE subscription SET next_price_list_id = 99, next_price_list_on = '2026-02-15' WHERE id = $1`,
		} {
			broken[what] = w.Subscribe("basic-monthly", what)
			w.Damage(damage, int64(broken[what].ID))
		}
		healthy := w.Subscribe("basic-monthly", "healthy")
		w.Clock.Set(servicetest.Moment("2026-02-15 00:00"))
		moved, _, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
		w.Equal("moved or set aside", moved, len(broken)+1)
		if err == nil || !strings.Contains(err.Error(), "was set aside") {
			w.T.Errorf("the engine hears %v", err)
		}
		w.WasTold(*healthy.TenantID, "subscription.created", "subscription.renewed")
		moved, next, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
		w.OK(err)
		w.Equal("afterwards", []any{moved, next.UTC()}, []any{0, servicetest.Moment("2026-03-15 00:00")})
		for what, s := range broken {
			problem := w.QueryText(`SELECT problem FROM subscription WHERE id = $1`, int64(s.ID))
			if problem == "<nil>" || strings.Contains(problem, "goroutine") {
				w.T.Errorf("the problem of %s is %q", what, problem)
			}
			w.Equal("events of "+what, w.Reasons(*s.TenantID), []string{"subscription.created"})
			w.Equal("history of "+what, len(w.History(s.ID)), 1)
		}

		// All can be looked at, also the one whose date is no date.
		rows, err := store.Subscriptions.List(w.Ctx, w.Read(), store.Page{Limit: 100})
		w.OK(err)
		for _, row := range rows {
			if row.ID != healthy.ID && row.Problem == nil {
				w.T.Errorf("subscription %d shows no problem", row.ID)
			}
		}
		_, err = w.Subscriptions.SubscriptionFeatures(w.Ctx, rows)
		w.OK(err)
	})
}

// TestAsideInATenantThatIsToldNothing has one of two subscriptions of a tenant
// broken. Where nobody is told what the tenant has, the other one goes on.
func TestAsideInATenantThatIsToldNothing(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.SetProvisioning(false)
		healthy, broken := w.Subscribe("basic-monthly", "acme"), w.Subscribe("basic-monthly", "acme")
		w.Damage(`UPDATE subscription SET charges = '[{' WHERE id = $1`, int64(broken.ID))
		w.Sub(servicetest.Quantity(4, nil)(w, healthy))
		w.Clock.Set(servicetest.Moment("2026-02-15 00:00"))
		_, _, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
		if err == nil || !strings.Contains(err.Error(), "was set aside") {
			w.T.Errorf("the engine hears %v", err)
		}
		w.Equal("the problem of the other", w.Now(healthy).Problem, (*string)(nil))
		if last := w.LastHistory(healthy.ID); !strings.HasPrefix(last, "lifecycle subscription.renewed") {
			w.T.Errorf("what happened to it last: %s", last)
		}
	})
}

// TestAsideAndMended refuses to act on a subscription that was set aside, as
// long as it is broken, keeps its lines, and lets it go on when it is mended.
func TestAsideAndMended(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme", servicetest.WithSeats(3))
		lines := w.QueryText(`SELECT charges FROM subscription WHERE id = $1`, int64(s.ID))
		w.Damage(`UPDATE subscription SET charges = '[{' WHERE id = $1`, int64(s.ID))
		w.Clock.Set(servicetest.Moment("2026-02-20 00:00"))
		_, _, _ = w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
		w.Refused("acting on what is broken", servicetest.ErrorOf(servicetest.Quantity(4, nil)(w, s)), "NOT_ALLOWED subscriptionId")
		w.Equal("its lines", w.QueryText(`SELECT charges FROM subscription WHERE id = $1`, int64(s.ID)), "[{")

		w.Damage(`UPDATE subscription SET charges = $1 WHERE id = $2`, lines, int64(s.ID))
		w.Sub(w.Subscriptions.SubscriptionUpdate(w.Ctx, s.ID, subscription.Update{}))
		w.Equal("its problem", w.Now(s).Problem, (*string)(nil))
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed")
		w.Clock.Set(servicetest.Moment("2026-03-15 00:00"))
		w.RunDue()
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed", "subscription.renewed")

		// Nothing needs to be due for that.
		w.Damage(`UPDATE subscription SET problem = 'It was in the way.'`)
		w.Sub(w.Subscriptions.SubscriptionUpdate(w.Ctx, s.ID, subscription.Update{}))
		w.Equal("its problem", w.Now(s).Problem, (*string)(nil))
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed", "subscription.renewed")
	})
}

// TestAsideTooLate does not set aside what somebody else has moved meanwhile.
func TestAsideTooLate(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		for _, c := range []struct {
			day     string
			problem bool
		}{{"2026-02-14", false}, {"2026-02-15", true}} {
			w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
				return store.SetSubscriptionProblem(ctx, tx, s.ID, servicetest.Day(c.day), "It stumbled.")
			}))
			w.Equal("set aside on "+c.day, w.Now(s).Problem != nil, c.problem)
		}
	})
}

// TestOutage does not blame subscriptions for a database that does not work:
// nobody is set aside, and all is done when it works again.
func TestOutage(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		w.Clock.Set(servicetest.Moment("2026-02-15 00:00"))
		w.Damage(`ALTER TABLE webhook_event RENAME TO webhook_event_lost`)
		moved, _, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
		w.Equal("moved while it does not work", []any{moved, err != nil}, []any{0, true})
		w.Damage(`ALTER TABLE webhook_event_lost RENAME TO webhook_event`)
		w.Equal("its problem", w.Now(s).Problem, (*string)(nil))
		w.RunDue()
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed")

		ended, cancel := context.WithCancel(w.Ctx)
		cancel()
		w.Clock.Set(servicetest.Moment("2026-03-15 00:00"))
		_, _, err = w.Subscriptions.RunDue(ended, w.Clock.Now())
		w.Equal("stopped", err != nil, true)
		w.RunDue()
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed", "subscription.renewed")
	})
}

// TestPanic turns a panic over data that nobody thought of into an error that
// says where it was.
func TestPanic(t *testing.T) {
	t.Parallel()
	var lines []int
	err := recovered(func() { lines[0]++ })
	if err == nil || !strings.Contains(err.Error(), "index out of range") || !strings.Contains(err.Error(), "aside_test.go:") {
		t.Errorf("the error is %v", err)
	}
	if err := recovered(func() {}); err != nil {
		t.Errorf("without a panic the error is %v", err)
	}
}

// TestWrongDueDate finds a subscription by a day on which nothing is due. It
// must not stop those that something is due for later.
func TestWrongDueDate(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		early, right := w.Subscribe("basic-half", "early"), w.Subscribe("basic-monthly", "right")
		w.Damage(`UPDATE subscription SET due_on = '2026-01-16' WHERE id = $1`, int64(early.ID))
		w.Clock.Set(servicetest.Moment("2026-02-15 00:00"))
		w.RunDue()
		w.WasTold(*right.TenantID, "subscription.created", "subscription.renewed")
		w.WasTold(*early.TenantID, "subscription.created")
		w.Equal("the day", w.QueryText(`SELECT due_on FROM subscription WHERE id = $1`, int64(early.ID)), "2026-07-15")
	})
}

// recovered is what becomes of a panic.
func recovered(do func()) (err error) {
	defer operation.Recovered(&err)
	do()
	return nil
}
