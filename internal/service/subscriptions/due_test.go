package subscriptions_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestDueAtBoundary does nothing a millisecond before midnight and everything
// at midnight, and says before when that will be.
func TestDueAtBoundary(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		moved, next, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
		w.Equal("with nothing to come", []any{moved, next, err}, []any{0, time.Time{}, error(nil)})
		s := w.Subscribe("basic-monthly", "acme")
		midnight := servicetest.Moment("2026-02-15 00:00")
		for _, now := range []time.Time{w.Clock.Now(), midnight.Add(-time.Millisecond)} {
			w.Clock.Set(now)
			moved, next, err := w.Subscriptions.RunDue(w.Ctx, now)
			w.OK(err)
			w.Equal("before the boundary", []any{moved, next.UTC()}, []any{0, midnight})
		}
		w.Clock.Set(midnight)
		moved, _, err = w.Subscriptions.RunDue(w.Ctx, midnight)
		w.OK(err)
		w.Equal("at the boundary", moved, 1)
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed")
		w.Equal("the history", w.LastHistory(s.ID), "lifecycle subscription.renewed ACTIVE>ACTIVE 2026-02-15 00:00")
		w.Equal("when it was written", w.QueryText(`SELECT max(at) FROM subscription_change`), fmt.Sprint(midnight.UnixMilli()))
	})
}

// TestDueAfterDowntime does all that was missed in three months once and in
// order, over all subscriptions, each step with an event of its own.
func TestDueAfterDowntime(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		renews := w.Subscribe("basic-monthly", "acme")
		w.Subscribe("basic-monthly", "acme", servicetest.Trial, servicetest.WithoutRenewal)
		later := w.Subscribe("pro-monthly", "acme", servicetest.Starting("2026-02-20"))
		w.Sub(servicetest.Quantity(6, servicetest.On("2026-02-01"))(w, renews))
		w.Sub(servicetest.ToPlan("pro-monthly", true)(w, renews))
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(later), subscription.Cancellation{On: servicetest.On("2026-03-01")}))
		told := len(w.Events(*renews.TenantID))
		w.Clock.Set(servicetest.Moment("2026-04-20 03:00"))
		w.RunDue()
		w.RunDue()
		w.Equal("the steps", steps(w), []string{
			"2026-01-29 2 state.changed ACTIVE",
			"2026-02-01 1 quantity.changed ACTIVE",
			"2026-02-15 1 plan.changed ACTIVE",
			"2026-02-15 1 subscription.renewed ACTIVE",
			"2026-02-20 3 state.changed ACTIVE",
			"2026-02-28 2 state.changed EXPIRED",
			"2026-03-01 3 state.changed CANCELED",
			"2026-03-15 1 subscription.renewed ACTIVE",
			"2026-04-15 1 subscription.renewed ACTIVE",
		})
		w.Equal("events", len(w.Events(*renews.TenantID)), told+9)
		w.InSync(*renews.TenantID)

		// A clock that jumps back, and then on again, repeats nothing.
		before := w.Everything()
		for _, now := range []string{"2026-01-20 00:00", "2026-03-15 00:00", "2026-04-20 03:00"} {
			w.Clock.Set(servicetest.Moment(now))
			w.RunDue()
		}
		w.Equal("after the clock jumped", w.Everything(), before)
	})
}

// steps is what time brought, in the order in which it was written:
//
//	BOUNDARY SUBSCRIPTION KIND STATE
func steps(w *servicetest.World) []string {
	w.T.Helper()
	var steps []string
	w.OnConnection(func(db *sql.Conn) error {
		rows, err := db.QueryContext(w.Ctx, `SELECT effective_at, subscription_id, kind, to_state FROM subscription_change WHERE actor = 'lifecycle' ORDER BY id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var at, id int64
			var kind, state string
			if err := rows.Scan(&at, &id, &kind, &state); err != nil {
				return err
			}
			steps = append(steps, fmt.Sprintf("%s %d %s %s", time.UnixMilli(at).UTC().Format(time.DateOnly), id, kind, state))
		}
		return rows.Err()
	})
	return steps
}

// TestDueTellsItsDay tells of each missed step how things were on its day, and
// not how they are by now.
func TestDueTellsItsDay(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-half", "acme")
		w.Sub(servicetest.Quantity(6, servicetest.On("2026-02-01"))(w, s))
		w.Sub(servicetest.Quantity(9, servicetest.On("2026-03-01"))(w, s))
		w.Clock.Set(servicetest.Moment("2026-04-20 03:00"))
		w.RunDue()
		for i, want := range map[int]string{3: `"quantity":6}`, 4: `"quantity":9}`} {
			if body := w.Events(*s.TenantID)[i].Body; !strings.Contains(body, want) {
				w.T.Errorf("event %d lacks %s: %s", i+1, want, body)
			}
		}
		w.InSync(*s.TenantID)
	})
}

// TestBusyIsPassed does not wait for a subscription that somebody else is at,
// and comes back to it.
func TestBusyIsPassed(t *testing.T) {
	t.Parallel()
	w := servicetest.NewWorld(t, storetest.New(t, "postgres")) // SQLite has one writer
	busy, free := w.Subscribe("basic-monthly", "busy"), w.Subscribe("basic-monthly", "free")
	w.Clock.Set(servicetest.Moment("2026-02-15 00:00"))
	w.OnConnection(func(db *sql.Conn) error {
		tx, err := db.BeginTx(w.Ctx, nil)
		w.OK(err)
		defer func() { w.OK(tx.Rollback()) }()
		_, err = tx.ExecContext(w.Ctx, `SELECT id FROM subscription WHERE id = $1 FOR UPDATE`, int64(busy.ID))
		w.OK(err)
		patient, cancel := context.WithTimeout(w.Ctx, 20*time.Second)
		defer cancel()
		moved, _, err := w.Subscriptions.RunDue(patient, w.Clock.Now())
		w.OK(err)
		w.Equal("moved beside it", moved, 1)
		moved, next, err := w.Subscriptions.RunDue(patient, w.Clock.Now())
		w.OK(err)
		w.Equal("moved then", moved, 0)
		if wait := next.Sub(w.Clock.Now()); wait <= 0 || wait > time.Second {
			t.Errorf("it is looked at again in %v", wait)
		}
		return nil
	})
	w.RunDue()
	for _, s := range []*subscription.Subscription{busy, free} {
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed")
	}
}

// TestActAfterJump lets somebody act while the clock is behind what has already
// happened: the change counts from there, and nothing happens again.
func TestActAfterJump(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		w.Clock.Set(servicetest.Moment("2026-02-15 00:00"))
		w.RunDue()
		w.Clock.Set(servicetest.Moment("2026-02-14 23:00"))
		w.Sub(servicetest.Quantity(4, nil)(w, s))
		w.Equal("the features", w.Features(*s.TenantID), "users=4 region:eu")
		w.Clock.Set(servicetest.Moment("2026-02-16 00:00"))
		w.RunDue()
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed", "quantity.changed")
		w.Equal("the term", w.Now(s).EndDate, servicetest.Day("2026-03-14"))
		w.Equal("the state", w.Now(s).State, subscription.StateActive)
	})
}
