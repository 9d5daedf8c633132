package subscriptions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

var TestClocks = operation.Resource[billing.TestClock, billing.TestClockID]{
	Name: "testClock", Words: "test clock", Table: store.TestClocks,
	Check: func(_ context.Context, _ *store.Tx, _, c *billing.TestClock) (billing.Problems, error) {
		return c.Check(), nil
	},
	Release: func(ctx context.Context, tx *store.Tx, c *billing.TestClock) error {
		onClock, err := store.LockAccountsOnClock(ctx, tx, c.ID)
		if err != nil {
			return err
		}
		for _, account := range onClock {
			if err := removeAccount(ctx, tx, &account); err != nil {
				return err
			}
		}
		return store.DeleteSeriesOnClock(ctx, tx, c.ID)
	},
}

// TestClockCreate makes a clock that shows a time until it is advanced.
func (s *Service) TestClockCreate(ctx context.Context, name string, now time.Time) (*billing.TestClock, error) {
	return TestClocks.Create(ctx, s.Runner, func(c *billing.TestClock) error {
		c.Name, c.Now = name, now.UTC().Truncate(time.Millisecond)
		return nil
	})
}

// TestClockDelete removes a clock with its accounts and all that they own.
func (s *Service) TestClockDelete(ctx context.Context, id billing.TestClockID) (*billing.TestClock, error) {
	return TestClocks.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billing.TestClock, error) {
		// Before the clock, as everybody does who changes a subscription.
		if _, err := store.LockAccountsOnClock(ctx, tx, id); err != nil {
			return nil, err
		}
		if err := store.LockSubscriptionsOnClock(ctx, tx, id); err != nil {
			return nil, err
		}
		return TestClocks.DeleteIn(ctx, tx, id)
	})
}

// removeAccount deletes an account of a test clock with all that it owns.
func removeAccount(ctx context.Context, tx *store.Tx, a *billing.Account) error {
	if err := auditParts(ctx, tx, a); err != nil {
		return err
	}
	if err := store.DeleteDocumentsOf(ctx, tx, a.ID); err != nil {
		return err
	}
	if err := store.DeleteSubscriptionsOf(ctx, tx, a.ID); err != nil {
		return err
	}
	if err := outbox.DeleteEventsOfAccount(ctx, tx, a.ID); err != nil {
		return err
	}
	if err := store.DeleteTenantsOf(ctx, tx, a.ID); err != nil {
		return err
	}
	if _, err := store.DeleteContactsOf(ctx, tx, a.ID); err != nil {
		return err
	}
	if err := store.Accounts.Delete(ctx, tx, a); err != nil {
		return err
	}
	return operation.Audit(ctx, tx, "accountDelete", "account", int64(a.ID), billing.Changes(a, nil))
}

// auditParts records that what an account owns goes with it.
func auditParts(ctx context.Context, tx *store.Tx, a *billing.Account) error {
	id := int64(a.ID)
	subscriptions := operation.Resource[subscription.Subscription, billing.SubscriptionID]{
		Name: "subscription", Table: store.Subscriptions,
	}
	if err := subscriptions.AuditDeletedParts(ctx, tx, "account", id, func(s *subscription.Subscription) bool { return s.AccountID == a.ID }); err != nil {
		return err
	}
	if err := Tenants.AuditDeletedParts(ctx, tx, "account", id, func(t *billing.Tenant) bool { return t.AccountID == a.ID }); err != nil {
		return err
	}
	return customers.Contacts.AuditDeletedParts(ctx, tx, "account", id, func(c *billing.Contact) bool { return c.AccountID == a.ID })
}

// clockAdvance is the work of advancing a clock.
type clockAdvance struct {
	ClockID billing.TestClockID `json:"clockId"`
	To      time.Time           `json:"to"`
	Actor   string              `json:"actor"`
}

// advanceWait is how long a call waits for the clock before it leaves the rest
// to the background.
const advanceWait = 30 * time.Second

// TestClockAdvance moves a clock on. Its accounts go through every transition on
// the way, in order, and the clock shows the new time when all is done. A long
// way is gone on in the background: then the job is returned unfinished.
func (s *Service) TestClockAdvance(ctx context.Context, id billing.TestClockID, to time.Time) (*billing.TestClock, *billing.Job, error) {
	to = to.UTC().Truncate(time.Millisecond)
	begun, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billing.Job, error) {
		return beginAdvance(ctx, tx, id, to)
	})
	if err != nil {
		return nil, nil, err
	}
	// The way can be long, and everybody would wait for a rehearsal.
	if !store.Rehearsing(ctx) {
		if err := s.waitForJob(ctx, begun.ID); err != nil {
			return nil, nil, err
		}
	}
	c, err := store.TestClocks.Get(ctx, s.Read(), id)
	if err != nil {
		return nil, nil, err
	}
	if c == nil {
		return nil, nil, billing.Missing("id", TestClocks.Words, id)
	}
	job, err := store.Jobs.Get(ctx, s.Read(), begun.ID)
	return c, job, err
}

// beginAdvance records the job that moves a clock on.
func beginAdvance(ctx context.Context, tx *store.Tx, id billing.TestClockID, to time.Time) (*billing.Job, error) {
	c, err := TestClocks.Lock(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	busy, err := store.OpenJobs(ctx, tx.Queries, billing.JobClockAdvance)
	if err != nil {
		return nil, err
	}
	for i := range busy {
		params, err := jobs.Params[clockAdvance](&busy[i])
		if err == nil && params.ClockID == id {
			return nil, billing.Fail(billing.NotAllowed, "id", "The clock is still on its way to %s (job %d).", params.To.Format(time.RFC3339), busy[i].ID)
		}
	}
	if to.Before(c.Now) {
		return nil, billing.Fail(billing.Invalid, "to", "A clock cannot go back: it shows %s.", c.Now.Format(time.RFC3339))
	}
	after := *c
	after.Now = to
	if err := after.Check().Err(); err != nil {
		return nil, operation.RenameField(err, "now", "to")
	}
	job := &billing.Job{
		Kind: billing.JobClockAdvance, State: billing.JobWaiting, ClaimedUntil: tx.Now,
		Params: operation.MustJSON(clockAdvance{id, to, operation.CallerOf(ctx).Actor}), Total: 1,
	}
	if err := store.Jobs.Insert(ctx, tx, job); err != nil {
		return nil, err
	}
	return job, operation.Audit(ctx, tx, "testClockAdvance", "testClock", int64(id), billing.Changes(c, &after))
}

// waitForJob works on a job until it is finished, for a while at most.
func (s *Service) waitForJob(ctx context.Context, id billing.JobID) error {
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, s.AdvanceWait)
	defer cancel()
	err := s.workOn(ctx, id)
	if err == nil || ctx.Err() == nil {
		return err
	}
	s.Wake() // the rest is done in the background
	return caller.Err()
}

func (s *Service) workOn(ctx context.Context, id billing.JobID) error {
	for {
		job, err := store.Jobs.Get(ctx, s.Read(), id)
		if err != nil || job == nil || job.FinishedAt != nil {
			return err
		}
		ran, err := s.Jobs.RunOnly(ctx, id)
		if err != nil {
			return err
		}
		if ran {
			continue
		}
		timer := time.NewTimer(20 * time.Millisecond) // another process is at it
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// RunClockAdvance takes the accounts of a clock through the next day on which
// something is due.
func (s *Service) RunClockAdvance(ctx context.Context, job *billing.Job) error {
	params, err := jobs.Params[clockAdvance](job)
	if err != nil {
		return s.Jobs.Fail(ctx, job, err)
	}
	zone, err := calendar.ZoneOf(ctx, s.Read())
	if err != nil {
		return err
	}
	day, arrived, err := s.moveClock(ctx, job, params, zone)
	if err != nil || arrived {
		return err
	}
	ids, err := store.DueOnClock(ctx, s.Read(), params.ClockID, day, s.Batch)
	if err != nil {
		return err
	}
	all := s.moveAll(ctx, ids, move{day: day, actor: fmt.Sprintf("job %d for %s", job.ID, params.Actor)})
	if len(ids) == 0 { // all that was due has happened: it can be billed
		if _, err := s.Billing.RunClock(ctx, params.ClockID, day); err != nil {
			return err
		}
	}
	_, err = s.Jobs.Update(ctx, job, func(_ context.Context, tx *store.Tx, mine *billing.Job) error {
		mine.Done += all.moved - all.asides
		mine.Failed += all.asides
		if all.aside != nil {
			text := all.aside.Error()
			mine.Error = &text
		}
		mine.Total = max(mine.Total, mine.Done+mine.Failed+1)
		mine.ClaimedUntil = tx.Now
		return nil
	})
	return errors.Join(all.failed, err)
}

// moveClock sets the clock to the beginning of the next day on which something
// is due, or to when a draft is issued, before anything happens then: nobody finds a
// subscription ahead of its clock. If nothing is left to do on the way it sets the clock to
// where it was to go, and ends the job.
func (s *Service) moveClock(ctx context.Context, job *billing.Job, params clockAdvance, zone *time.Location) (day billing.Date, arrived bool, err error) {
	mine, err := s.Jobs.Update(ctx, job, func(ctx context.Context, tx *store.Tx, mine *billing.Job) error {
		c, err := store.TestClocks.Lock(ctx, tx, params.ClockID)
		if err != nil {
			return err
		}
		var next time.Time
		due := false
		// With the clock locked, nobody adds to what is due by its old time.
		if c != nil {
			if next, due, err = s.nextOnClock(ctx, tx, c, zone); err != nil {
				return err
			}
		}
		to := params.To
		if arrived = !due || next.After(params.To); arrived {
			jobs.End(tx, mine)
		} else {
			to = next
			mine.ClaimedUntil = tx.Now.Add(jobs.Claim)
		}
		day = billing.DateOf(to, zone)
		if c == nil || !c.Now.Before(to) {
			return nil
		}
		c.Now = to.UTC()
		return store.TestClocks.Update(ctx, tx, c)
	})
	return day, arrived || !mine, err
}

// nextOnClock is when something is due next for accounts on a clock: the beginning of
// a day on which something happens to a subscription or has to be billed, or when a
// draft is to be issued or a step of an unpaid invoice carried out; and whether anything
// is.
func (s *Service) nextOnClock(ctx context.Context, tx *store.Tx, c *billing.TestClock, zone *time.Location) (next time.Time, due bool, err error) {
	soonest := func(at time.Time, some bool) {
		if some && (!due || at.Before(next)) {
			next, due = at, true
		}
	}
	for _, find := range []func(context.Context, store.Queries, billing.TestClockID) (billing.Date, bool, error){store.NextDueOnClock, store.NextToBillOnClock} {
		day, some, err := find(ctx, tx.Queries, c.ID)
		if err != nil {
			return next, false, err
		}
		if some {
			soonest(day.Start(zone), true)
		}
	}
	at, some, err := store.NextDraftOnClock(ctx, tx.Queries, c.ID, billing.DateOf(c.Now, zone))
	if soonest(at, some); err != nil || s.Billing == nil {
		return next, due, err
	}
	at, some, err = s.Billing.NextDunningOnClock(ctx, tx, c.ID)
	soonest(at, some)
	return next, due, err
}
