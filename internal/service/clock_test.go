package service_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

func (w *world) newClock(now string) *billing.TestClock {
	w.t.Helper()
	return must[*billing.TestClock](w)(w.Subscriptions.TestClockCreate(w.ctx, "A year in a minute", moment(now)))
}

// advance moves a clock on. All is done when it returns.
func (w *world) advance(clock *billing.TestClock, to string) {
	w.t.Helper()
	c, job, err := w.Subscriptions.TestClockAdvance(w.ctx, clock.ID, moment(to))
	w.ok(err)
	w.same("the clock", c.Now, moment(to))
	w.same("the job", job.State, billing.JobDone)
}

// TestClockAdvance takes the accounts of one clock through what is due on the
// way, in order and by the clock. Accounts of another clock and real ones stay
// where they are, and real time moves nobody on a clock.
func TestClockAdvance(t *testing.T) {
	each(t, func(w *world) {
		fast, slow := w.newClock("2030-05-31 23:00"), w.newClock("2030-05-31 23:00")
		w.accountOn("a", &fast.ID)
		w.accountOn("b", &fast.ID)
		w.accountOn("c", &slow.ID)
		a, b := w.subscribe("basic-monthly", "a"), w.subscribe("basic-monthly", "b", trial, withoutRenewal)
		others := []*subscription.Subscription{w.subscribe("basic-monthly", "c"), w.subscribe("basic-monthly", "real")}
		w.same("the start on a clock", a.StartDate, day("2030-05-31"))
		w.same("when it was made", a.CreatedAt, w.clock.Now())
		w.advance(fast, "2030-07-15 00:00")
		w.same("the history of a", w.history(a.ID)[1:], []string{
			"job 1 for client 1 subscription.renewed ACTIVE>ACTIVE 2030-06-30 00:00",
		})
		w.same("the history of b", w.history(b.ID)[1:], []string{
			"job 1 for client 1 state.changed TRIAL>ACTIVE 2030-06-14 00:00",
			"job 1 for client 1 state.changed ACTIVE>EXPIRED 2030-07-14 00:00",
		})
		w.told(*a.TenantID, "subscription.created", "subscription.renewed")
		w.told(*b.TenantID, "subscription.created", "state.changed", "state.changed")
		for _, s := range others {
			w.told(*s.TenantID, "subscription.created")
		}
		w.same("written on real time", w.text(`SELECT count(*) FROM subscription_change WHERE at <> $1`, w.clock.Now().UnixMilli()), "0")

		// A day ends by the clock for whoever acts on its accounts.
		w.sub(quantity(2, nil)(w, a))
		w.same("an action on a clock", w.lastHistory(a.ID), actor+" quantity.changed ACTIVE>ACTIVE 2030-07-15 00:00")
		w.clock.Set(moment("2040-01-01 00:00"))
		w.runDue()
		w.told(*a.TenantID, "subscription.created", "subscription.renewed", "quantity.changed")
		w.told(*others[0].TenantID, "subscription.created")
	})
}

// TestClockRules refuses what a clock cannot do.
func TestClockRules(t *testing.T) {
	each(t, func(w *world) {
		clock := w.newClock("2026-01-15 12:00")
		w.untouched("a refusal", func() {
			_, _, err := w.Subscriptions.TestClockAdvance(w.ctx, clock.ID, moment("2026-01-15 11:59"))
			w.refused("going back", err, "INVALID to")
			_, _, err = w.Subscriptions.TestClockAdvance(w.ctx, clock.ID, moment("2026-01-15 12:00").AddDate(9000, 0, 0))
			w.refused("going too far", err, "INVALID to")
			_, _, err = w.Subscriptions.TestClockAdvance(w.ctx, 99, moment("2026-02-01 00:00"))
			w.refused("no clock", err, "NOT_FOUND id")
			_, err = w.Subscriptions.TestClockCreate(w.ctx, "", moment("2026-01-01 00:00"))
			w.refused("no name", err, "REQUIRED name")
			_, err = w.Subscriptions.TestClockDelete(w.ctx, 99)
			w.refused("no clock to delete", err, "NOT_FOUND id")
			_, err = w.Customers.AccountCreate(w.ctx, named("lost", ptr(billing.TestClockID(99))), nil)
			w.refused("no clock to be on", err, "NOT_FOUND testClockId")
		})
		w.advance(clock, "2026-01-15 12:00") // where it is

		// An account joins or leaves a clock only without subscriptions.
		put := func(a *billing.Account, id *billing.TestClockID) error {
			return second(w.Customers.AccountUpdate(w.ctx, a.ID, func(a *billing.Account) error {
				a.TestClockID = id
				return nil
			}, nil))
		}
		a := w.account("a")
		w.ok(put(a, &clock.ID))
		w.ok(put(a, nil))
		w.ok(put(a, &clock.ID))
		s := w.subscribe("basic-monthly", "a")
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(s), nil, false))
		w.refused("leaving", put(a, nil), "NOT_ALLOWED testClockId")
		w.refused("another clock", put(a, &w.newClock("2026-01-15 12:00").ID), "NOT_ALLOWED testClockId")
		b := w.account("b")
		w.subscribe("basic-monthly", "b")
		w.refused("joining", put(b, &clock.ID), "NOT_ALLOWED testClockId")
	})
}

// TestClockDelete removes the accounts of a clock with all that they own, and
// nothing else.
func TestClockDelete(t *testing.T) {
	each(t, func(w *world) {
		stays := w.subscribe("basic-monthly", "stays")
		w.sub(quantity(3, nil)(w, stays))
		before := w.text(owned)
		clock := w.newClock("2026-01-15 12:00")
		_, err := w.Customers.AccountCreate(w.ctx, named("goes", &clock.ID), func(c *billing.Contact) error {
			c.FirstName = "Ann"
			return nil
		})
		w.ok(err)
		w.subscribe("basic-monthly", "goes")
		w.subscribe("basic-monthly", "goes", inTenant("goes2"), trial)
		w.advance(clock, "2026-06-01 00:00")
		if w.text(owned) == before {
			w.t.Error("there is nothing to delete")
		}
		_, err = w.Subscriptions.TestClockDelete(w.ctx, clock.ID)
		w.ok(err)
		w.same("what is left", w.text(owned), before)
		w.same("clocks", w.text(`SELECT count(*) FROM test_clock`), "0")
		for action, n := range map[string]string{"subscriptionDelete": "2", "tenantDelete": "2", "contactDelete": "1", "accountDelete": "1", "testClockDelete": "1"} {
			w.same("audit entries of "+action, w.text(`SELECT count(*) FROM audit_entry WHERE action = $1 AND actor = $2`, action, actor), n)
		}
		w.same("whose tenant it was", w.text(`SELECT count(*) FROM audit_entry WHERE action = 'tenantDelete' AND detail LIKE '%goes2%'`), "1")
		w.told(*stays.TenantID, "subscription.created", "quantity.changed")
	})
}

// owned counts what accounts own.
const owned = `SELECT (SELECT count(*) FROM account) || ' ' || (SELECT count(*) FROM contact) || ' ' || (SELECT count(*) FROM tenant) || ' ' ||
	(SELECT count(*) FROM subscription) || ' ' || (SELECT count(*) FROM subscription_change) || ' ' ||
	(SELECT count(*) FROM webhook_event) || ' ' || (SELECT count(*) FROM webhook_stream)`

// TestLongAdvance answers before a long way is gone. The job goes on in the
// background; the clock shows how far it has come, and cannot be sent elsewhere
// meanwhile.
func TestLongAdvance(t *testing.T) {
	each(t, func(w *world) {
		clock := w.newClock("2026-01-15 12:00")
		w.accountOn("acme", &clock.ID)
		s := w.subscribe("basic-monthly", "acme")
		w.Subscriptions.AdvanceWait = 0
		c, job, err := w.Subscriptions.TestClockAdvance(w.ctx, clock.ID, moment("2026-12-31 00:00"))
		w.ok(err)
		w.same("the clock at first", c.Now, moment("2026-01-15 12:00"))
		w.same("the job at first", job.FinishedAt, (*time.Time)(nil))
		select {
		case <-w.Woken():
		default:
			w.t.Error("the engine was not woken")
		}
		_, _, err = w.Subscriptions.TestClockAdvance(w.ctx, clock.ID, moment("2027-12-31 00:00"))
		w.refused("on its way", err, "NOT_ALLOWED id")
		if err == nil || !strings.Contains(err.Error(), "2026-12-31") {
			w.t.Errorf("the refusal says %v", err)
		}

		// Half way somebody acts. No subscription is ahead of its clock.
		for range 3 {
			_, err := w.Jobs.Run(w.ctx)
			w.ok(err)
		}
		shown, err := store.TestClocks.Get(w.ctx, w.Read(), clock.ID)
		w.ok(err)
		w.same("the clock on its way", shown.Now, moment("2026-04-15 00:00"))
		w.sub(quantity(3, nil)(w, s))
		w.same("an action on the way", w.lastHistory(s.ID), actor+" quantity.changed ACTIVE>ACTIVE 2026-04-15 00:00")
		w.runJobs()
		w.same("the job", w.job(1), "done 11/11")
		w.same("the term", w.now(s).EndDate, day("2027-01-14"))
		w.inStep(*s.TenantID)
	})
}

// TestAdvancePastBroken goes on past a subscription that cannot be moved, and
// says so.
func TestAdvancePastBroken(t *testing.T) {
	each(t, func(w *world) {
		clock := w.newClock("2026-01-15 12:00")
		w.accountOn("acme", &clock.ID)
		bad, good := w.subscribe("basic-monthly", "acme", inTenant("bad")), w.subscribe("basic-monthly", "acme")
		w.damage(`UPDATE subscription SET charges = '[{' WHERE id = $1`, int64(bad.ID))
		c, job, err := w.Subscriptions.TestClockAdvance(w.ctx, clock.ID, moment("2026-03-20 00:00"))
		w.ok(err)
		w.same("the clock", c.Now, moment("2026-03-20 00:00"))
		w.same("the job", w.job(job.ID), "failed 2/3, 1 failed")
		w.told(*good.TenantID, "subscription.created", "subscription.renewed", "subscription.renewed")
		if w.now(bad).Problem == nil {
			w.t.Error("the broken one shows no problem")
		}
	})
}
