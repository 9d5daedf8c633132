package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testJobs(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a, b, over *billing.Job
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		over, a, b = m.job(billing.JobFanOut), m.job(billing.JobFanOut), m.job(billing.JobProvisioning)
		over.FinishedAt, over.Claim = ptr(tx.Now), "mine"
		must(store.Jobs.Update(ctx, tx, over))
	})
	open := func(kind string) []billing.Job {
		return got[[]billing.Job](t)(store.OpenJobs(t.Context(), s.Queries(), kind))
	}
	same(t, "OpenJobs", open(billing.JobFanOut), []billing.Job{*a})
	same(t, "OpenJobs of another kind", open(billing.JobClockAdvance), []billing.Job{})

	const locked = "of one that is locked" // which waits all the same
	// claimed expects job, with its new claim, or none if it is nil.
	claimed := func(ctx context.Context, tx *store.Tx, what string, id billing.JobID, claim string, until time.Time, job *billing.Job) {
		if waits := got[bool](t)(store.HasWaitingJob(ctx, tx.Queries, id, tx.Now)); what != locked {
			same(t, "HasWaitingJob "+what, waits, job != nil)
		}
		have, err := store.ClaimJob(ctx, tx, id, claim, until)
		must(err)
		if job != nil {
			job.Claim, job.ClaimedUntil, job.State, job.UpdatedAt = claim, until, billing.JobRunning, tx.Now
		}
		same(t, "ClaimJob "+what, have, job)
	}
	claim := func(what string, id billing.JobID, name string, until time.Time, job *billing.Job) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) { claimed(ctx, tx, what, id, name, until, job) })
	}
	until := db.Clock.Now().Add(time.Minute)
	claim("of one that is over", over.ID, "mine", until, nil)
	claim("by its id", b.ID, "mine", until, b)
	claim("of one that is taken", b.ID, "theirs", until, nil)
	claim("of any", 0, "theirs", until.Add(time.Second), a)
	claim("when all are taken", 0, "third", until, nil)
	same(t, "OpenJobs that are claimed", open(billing.JobFanOut), []billing.Job{*a})

	lock := func(what string, id billing.JobID, claim string, want *billing.Job) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			have, err := store.LockJob(ctx, tx, id, claim)
			must(err)
			same(t, "LockJob "+what, have, want)
		})
	}
	lock("of one's own", b.ID, "mine", b)
	lock("of another's", a.ID, "mine", nil)
	lock("of one that is over", over.ID, "mine", nil)
	lock("of none", 1<<40, "mine", nil)
	checkWaits(t, s, "a locked job",
		func(ctx context.Context, tx *store.Tx) {
			_, err := store.LockJob(ctx, tx, b.ID, "mine")
			must(err)
		},
		func(ctx context.Context, tx *store.Tx) {
			_, err := store.Jobs.Lock(ctx, tx, b.ID)
			must(err)
		})

	db.Clock.Set(until.Add(-time.Millisecond))
	claim("just before a claim is over", 0, "third", until, nil)
	db.Clock.Set(until.Add(time.Hour))
	later := db.Clock.Now().Add(time.Minute)
	if s.Engine() == "postgres" { // where another transaction can be under way
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			_, err := store.LockJob(ctx, tx, b.ID, "mine")
			must(err)
			claim(locked, b.ID, "third", later, nil)
		})
	}
	claim("of the one that waited longest", 0, "third", later, b)
	claim("of the next", 0, "third", later, a)
	lock("of a claim that was lost", b.ID, "mine", nil)
	lock("of a claim that was taken over", b.ID, "third", b)
}

func testOldJobs(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	finished := func(at *time.Time) billing.JobID {
		job := &billing.Job{Kind: billing.JobFanOut, State: billing.JobDone, FinishedAt: at} // about nothing
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.Jobs.Insert(ctx, tx, job)) })
		found := got[*billing.Job](t)(store.Jobs.Get(t.Context(), s.Queries(), job.ID))
		same(t, "the params of a job about nothing", string(found.Params), "null")
		return job.ID
	}
	now := db.Clock.Now()
	open, young := finished(nil), finished(&now)
	for range 3 {
		finished(ptr(now.Add(-time.Millisecond)))
	}
	for _, want := range []int64{2, 1, 0} {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			n, err := store.DeleteJobsBefore(ctx, tx, now, 2)
			must(err)
			same(t, "DeleteJobsBefore", n, want)
		})
	}
	left := listed(t, s, store.Jobs, billing.Filter{})
	same(t, "jobs that are left", []billing.JobID{left[0].ID, left[1].ID}, []billing.JobID{open, young})
	same(t, "how many are left", len(left), 2)
}
