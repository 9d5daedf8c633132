package service_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestDueAtBoundary does nothing a millisecond before midnight and everything
// at midnight, and says before when that will be.
func TestDueAtBoundary(t *testing.T) {
	each(t, func(w *world) {
		moved, next, err := w.Subscriptions.RunDue(w.ctx, w.clock.Now())
		w.same("with nothing to come", []any{moved, next, err}, []any{0, time.Time{}, error(nil)})
		s := w.subscribe("basic-monthly", "acme")
		midnight := moment("2026-02-15 00:00")
		for _, now := range []time.Time{w.clock.Now(), midnight.Add(-time.Millisecond)} {
			w.clock.Set(now)
			moved, next, err := w.Subscriptions.RunDue(w.ctx, now)
			w.ok(err)
			w.same("before the boundary", []any{moved, next.UTC()}, []any{0, midnight})
		}
		w.clock.Set(midnight)
		moved, _, err = w.Subscriptions.RunDue(w.ctx, midnight)
		w.ok(err)
		w.same("at the boundary", moved, 1)
		w.told(*s.TenantID, "subscription.created", "subscription.renewed")
		w.same("the history", w.lastHistory(s.ID), "lifecycle subscription.renewed ACTIVE>ACTIVE 2026-02-15 00:00")
		w.same("when it was written", w.text(`SELECT max(at) FROM subscription_change`), fmt.Sprint(midnight.UnixMilli()))
	})
}

// TestDueAfterDowntime does all that was missed in three months once and in
// order, over all subscriptions, each step with an event of its own.
func TestDueAfterDowntime(t *testing.T) {
	each(t, func(w *world) {
		renews := w.subscribe("basic-monthly", "acme")
		w.subscribe("basic-monthly", "acme", trial, withoutRenewal)
		later := w.subscribe("pro-monthly", "acme", starting("2026-02-20"))
		w.sub(quantity(6, on("2026-02-01"))(w, renews))
		w.sub(toPlan("pro-monthly", true)(w, renews))
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(later), on("2026-03-01"), false))
		told := len(w.events(*renews.TenantID))
		w.clock.Set(moment("2026-04-20 03:00"))
		w.runDue()
		w.runDue()
		w.same("the steps", w.steps(), []string{
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
		w.same("events", len(w.events(*renews.TenantID)), told+9)
		w.inStep(*renews.TenantID)

		// A clock that jumps back, and then on again, repeats nothing.
		before := w.everything()
		for _, now := range []string{"2026-01-20 00:00", "2026-03-15 00:00", "2026-04-20 03:00"} {
			w.clock.Set(moment(now))
			w.runDue()
		}
		w.same("after the clock jumped", w.everything(), before)
	})
}

// steps is what time brought, in the order in which it was written:
//
//	BOUNDARY SUBSCRIPTION KIND STATE
func (w *world) steps() []string {
	w.t.Helper()
	var steps []string
	w.raw(func(db *sql.Conn) error {
		rows, err := db.QueryContext(w.ctx, `SELECT effective_at, subscription_id, kind, to_state FROM subscription_change WHERE actor = 'lifecycle' ORDER BY id`)
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
	each(t, func(w *world) {
		s := w.subscribe("basic-half", "acme")
		w.sub(quantity(6, on("2026-02-01"))(w, s))
		w.sub(quantity(9, on("2026-03-01"))(w, s))
		w.clock.Set(moment("2026-04-20 03:00"))
		w.runDue()
		for i, want := range map[int]string{3: `"quantity":6}`, 4: `"quantity":9}`} {
			if body := w.events(*s.TenantID)[i].Body; !strings.Contains(body, want) {
				w.t.Errorf("event %d lacks %s: %s", i+1, want, body)
			}
		}
		w.inStep(*s.TenantID)
	})
}

// TestBusyIsPassed does not wait for a subscription that somebody else is at,
// and comes back to it.
func TestBusyIsPassed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres")) // SQLite has one writer
	busy, free := w.subscribe("basic-monthly", "busy"), w.subscribe("basic-monthly", "free")
	w.clock.Set(moment("2026-02-15 00:00"))
	w.raw(func(db *sql.Conn) error {
		tx, err := db.BeginTx(w.ctx, nil)
		w.ok(err)
		defer func() { w.ok(tx.Rollback()) }()
		_, err = tx.ExecContext(w.ctx, `SELECT id FROM subscription WHERE id = $1 FOR UPDATE`, int64(busy.ID))
		w.ok(err)
		patient, cancel := context.WithTimeout(w.ctx, 20*time.Second)
		defer cancel()
		moved, _, err := w.Subscriptions.RunDue(patient, w.clock.Now())
		w.ok(err)
		w.same("moved beside it", moved, 1)
		moved, next, err := w.Subscriptions.RunDue(patient, w.clock.Now())
		w.ok(err)
		w.same("moved then", moved, 0)
		if wait := next.Sub(w.clock.Now()); wait <= 0 || wait > time.Second {
			t.Errorf("it is looked at again in %v", wait)
		}
		return nil
	})
	w.runDue()
	for _, s := range []*subscription.Subscription{busy, free} {
		w.told(*s.TenantID, "subscription.created", "subscription.renewed")
	}
}

// TestActAfterJump lets somebody act while the clock is behind what has already
// happened: the change counts from there, and nothing happens again.
func TestActAfterJump(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme")
		w.clock.Set(moment("2026-02-15 00:00"))
		w.runDue()
		w.clock.Set(moment("2026-02-14 23:00"))
		w.sub(quantity(4, nil)(w, s))
		w.same("the features", w.features(*s.TenantID), "users=4 region:eu")
		w.clock.Set(moment("2026-02-16 00:00"))
		w.runDue()
		w.told(*s.TenantID, "subscription.created", "subscription.renewed", "quantity.changed")
		w.same("the term", w.now(s).EndDate, day("2026-03-14"))
		w.same("the state", w.now(s).State, subscription.StateActive)
	})
}
