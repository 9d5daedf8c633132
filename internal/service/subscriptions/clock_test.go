package subscriptions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// advance moves a clock on. All is done when it returns.
func advance(w *servicetest.World, clock *billing.TestClock, to string) {
	w.T.Helper()
	c, job, err := w.Subscriptions.TestClockAdvance(w.Ctx, clock.ID, servicetest.Moment(to))
	w.OK(err)
	w.Equal("the clock", c.Now, servicetest.Moment(to))
	w.Equal("the job", job.State, billing.JobDone)
}

// TestClockAdvance takes the accounts of one clock through what is due on the
// way, in order and by the clock. Accounts of another clock and real ones stay
// where they are, and real time moves nobody on a clock.
func TestClockAdvance(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		fast, slow := w.NewClock("2030-05-31 23:00"), w.NewClock("2030-05-31 23:00")
		w.AccountOn("a", &fast.ID)
		w.AccountOn("b", &fast.ID)
		w.AccountOn("c", &slow.ID)
		a, b := w.Subscribe("basic-monthly", "a"), w.Subscribe("basic-monthly", "b", servicetest.Trial, servicetest.WithoutRenewal)
		others := []*subscription.Subscription{w.Subscribe("basic-monthly", "c"), w.Subscribe("basic-monthly", "real")}
		w.Equal("the start on a clock", a.StartDate, servicetest.Day("2030-05-31"))
		w.Equal("when it was made", a.CreatedAt, w.Clock.Now())
		advance(w, fast, "2030-07-15 00:00")
		w.Equal("the history of a", w.History(a.ID)[1:], []string{
			"job 1 for client 1 subscription.renewed ACTIVE>ACTIVE 2030-06-30 00:00",
		})
		w.Equal("the history of b", w.History(b.ID)[1:], []string{
			"job 1 for client 1 state.changed TRIAL>ACTIVE 2030-06-14 00:00",
			"job 1 for client 1 state.changed ACTIVE>EXPIRED 2030-07-14 00:00",
		})
		w.WasTold(*a.TenantID, "subscription.created", "subscription.renewed")
		w.WasTold(*b.TenantID, "subscription.created", "state.changed", "state.changed")
		for _, s := range others {
			w.WasTold(*s.TenantID, "subscription.created")
		}
		w.Equal("written on real time", w.QueryText(`SELECT count(*) FROM subscription_change WHERE at <> $1`, w.Clock.Now().UnixMilli()), "0")

		// A day ends by the clock for whoever acts on its accounts.
		w.Sub(servicetest.Quantity(2, nil)(w, a))
		w.Equal("an action on a clock", w.LastHistory(a.ID), servicetest.Actor+" quantity.changed ACTIVE>ACTIVE 2030-07-15 00:00")
		w.Clock.Set(servicetest.Moment("2040-01-01 00:00"))
		w.RunDue()
		w.WasTold(*a.TenantID, "subscription.created", "subscription.renewed", "quantity.changed")
		w.WasTold(*others[0].TenantID, "subscription.created")
	})
}

// TestClockRules refuses what a clock cannot do.
func TestClockRules(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		clock := w.NewClock("2026-01-15 12:00")
		w.Unchanged("a refusal", func() {
			_, _, err := w.Subscriptions.TestClockAdvance(w.Ctx, clock.ID, servicetest.Moment("2026-01-15 11:59"))
			w.Refused("going back", err, "INVALID to")
			_, _, err = w.Subscriptions.TestClockAdvance(w.Ctx, clock.ID, servicetest.Moment("2026-01-15 12:00").AddDate(9000, 0, 0))
			w.Refused("going too far", err, "INVALID to")
			_, _, err = w.Subscriptions.TestClockAdvance(w.Ctx, 99, servicetest.Moment("2026-02-01 00:00"))
			w.Refused("no clock", err, "NOT_FOUND id")
			_, err = w.Subscriptions.TestClockCreate(w.Ctx, "", servicetest.Moment("2026-01-01 00:00"))
			w.Refused("no name", err, "REQUIRED name")
			_, err = w.Subscriptions.TestClockDelete(w.Ctx, 99)
			w.Refused("no clock to delete", err, "NOT_FOUND id")
			_, err = w.Customers.AccountCreate(w.Ctx, servicetest.Named("lost", new(billing.TestClockID(99))), nil)
			w.Refused("no clock to be on", err, "NOT_FOUND testClockId")
		})
		advance(w, clock, "2026-01-15 12:00") // where it is

		// An account joins or leaves a clock only without subscriptions.
		put := func(a *billing.Account, id *billing.TestClockID) error {
			return servicetest.ErrorOf(w.Customers.AccountUpdate(w.Ctx, a.ID, func(a *billing.Account) error {
				a.TestClockID = id
				return nil
			}, nil))
		}
		a := w.Account("a")
		w.OK(put(a, &clock.ID))
		w.OK(put(a, nil))
		w.OK(put(a, &clock.ID))
		s := w.Subscribe("basic-monthly", "a")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(s), subscription.Cancellation{}))
		w.Refused("leaving", put(a, nil), "NOT_ALLOWED testClockId")
		w.Refused("another clock", put(a, &w.NewClock("2026-01-15 12:00").ID), "NOT_ALLOWED testClockId")
		b := w.Account("b")
		w.Subscribe("basic-monthly", "b")
		w.Refused("joining", put(b, &clock.ID), "NOT_ALLOWED testClockId")
	})
}

// TestClockDelete removes the accounts of a clock with all that they own, and
// nothing else.
func TestClockDelete(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		stays := w.Subscribe("basic-monthly", "stays")
		w.Sub(servicetest.Quantity(3, nil)(w, stays))
		before := w.QueryText(owned)
		clock := w.NewClock("2026-01-15 12:00")
		_, err := w.Customers.AccountCreate(w.Ctx, servicetest.Named("goes", &clock.ID), func(c *billing.Contact) error {
			c.FirstName = "Ann"
			return nil
		})
		w.OK(err)
		w.Subscribe("basic-monthly", "goes")
		w.Subscribe("basic-monthly", "goes", servicetest.InTenant("goes2"), servicetest.Trial)
		advance(w, clock, "2026-06-01 00:00")
		if w.QueryText(owned) == before {
			w.T.Error("there is nothing to delete")
		}
		_, err = w.Subscriptions.TestClockDelete(w.Ctx, clock.ID)
		w.OK(err)
		w.Equal("what is left", w.QueryText(owned), before)
		w.Equal("clocks", w.QueryText(`SELECT count(*) FROM test_clock`), "0")
		for action, n := range map[string]string{"subscriptionDelete": "2", "tenantDelete": "2", "contactDelete": "1", "accountDelete": "1", "testClockDelete": "1"} {
			w.Equal("audit entries of "+action, w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = $1 AND actor = $2`, action, servicetest.Actor), n)
		}
		w.Equal("whose tenant it was", w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'tenantDelete' AND detail LIKE '%goes2%'`), "1")
		w.WasTold(*stays.TenantID, "subscription.created", "quantity.changed")
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
	servicetest.Each(t, func(w *servicetest.World) {
		clock := w.NewClock("2026-01-15 12:00")
		w.AccountOn("acme", &clock.ID)
		s := w.Subscribe("basic-monthly", "acme")
		w.Subscriptions.AdvanceWait = 0
		c, job, err := w.Subscriptions.TestClockAdvance(w.Ctx, clock.ID, servicetest.Moment("2026-12-31 00:00"))
		w.OK(err)
		w.Equal("the clock at first", c.Now, servicetest.Moment("2026-01-15 12:00"))
		w.Equal("the job at first", job.FinishedAt, (*time.Time)(nil))
		select {
		case <-w.Woken():
		default:
			w.T.Error("the engine was not woken")
		}
		_, _, err = w.Subscriptions.TestClockAdvance(w.Ctx, clock.ID, servicetest.Moment("2027-12-31 00:00"))
		w.Refused("on its way", err, "NOT_ALLOWED id")
		if err == nil || !strings.Contains(err.Error(), "2026-12-31") {
			w.T.Errorf("the refusal says %v", err)
		}

		// Half way somebody acts. No subscription is ahead of its clock.
		for range 3 {
			_, err := w.Jobs.Run(w.Ctx)
			w.OK(err)
		}
		shown, err := store.TestClocks.Get(w.Ctx, w.Read(), clock.ID)
		w.OK(err)
		w.Equal("the clock on its way", shown.Now, servicetest.Moment("2026-04-15 00:00"))
		w.Sub(servicetest.Quantity(3, nil)(w, s))
		w.Equal("an action on the way", w.LastHistory(s.ID), servicetest.Actor+" quantity.changed ACTIVE>ACTIVE 2026-04-15 00:00")
		w.RunJobs()
		w.Equal("the job", w.Job(1), "done 11/11")
		w.Equal("the term", w.Now(s).EndDate, servicetest.Day("2027-01-14"))
		w.InSync(*s.TenantID)
	})
}

// TestAdvancePastBroken goes on past a subscription that cannot be moved, and
// says so.
func TestAdvancePastBroken(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		clock := w.NewClock("2026-01-15 12:00")
		w.AccountOn("acme", &clock.ID)
		bad, good := w.Subscribe("basic-monthly", "acme", servicetest.InTenant("bad")), w.Subscribe("basic-monthly", "acme")
		w.Damage(`UPDATE subscription SET charges = '[{' WHERE id = $1`, int64(bad.ID))
		c, job, err := w.Subscriptions.TestClockAdvance(w.Ctx, clock.ID, servicetest.Moment("2026-03-20 00:00"))
		w.OK(err)
		w.Equal("the clock", c.Now, servicetest.Moment("2026-03-20 00:00"))
		w.Equal("the job", w.Job(job.ID), "failed 2/3, 1 failed")
		w.WasTold(*good.TenantID, "subscription.created", "subscription.renewed", "subscription.renewed")
		if w.Now(bad).Problem == nil {
			w.T.Error("the broken one shows no problem")
		}
	})
}
