package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// Claim is how long a batch may take before another process takes the
	// job over: its worker must have died.
	Claim = time.Minute
	// rest is how long a job that failed waits, so that it does not keep
	// the others.
	rest = 5 * time.Second
)

// Run works on one open job for one batch. It reports whether there was one
// to work on. Jobs take turns. A job that was cut off goes on behind the last
// batch that was committed, with nothing skipped and nothing done twice.
func (s *Service) Run(ctx context.Context) (bool, error) { return s.RunOnly(ctx, 0) }

// RunOnly is Run for one job only, if id is not 0.
func (s *Service) RunOnly(ctx context.Context, id billing.JobID) (bool, error) {
	if waits, err := store.HasWaitingJob(ctx, s.Read(), id, s.Store.Now()); err != nil || !waits {
		return false, err
	}
	claim := secret.RandomText(12)
	var job *billing.Job
	err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		job, err = store.ClaimJob(ctx, tx, id, claim, tx.Now.Add(Claim))
		return err
	})
	if err != nil || job == nil {
		return false, err
	}
	if work, known := s.Kinds[job.Kind]; known {
		err = work(ctx, job)
	} else {
		err = s.Fail(ctx, job, fmt.Errorf("nobody knows how to do a job of the kind %q", job.Kind))
	}
	if err != nil {
		wait := rest
		if ctx.Err() != nil {
			wait = 0 // it was only cut off
		}
		s.LetGo(ctx, job, wait)
		return true, fmt.Errorf("job %d (%s): %w", job.ID, job.Kind, err)
	}
	return true, nil
}

// Update changes a job, unless somebody else took it over. It reports whether
// it was still the caller's.
func (s *Service) Update(ctx context.Context, job *billing.Job, change func(context.Context, *store.Tx, *billing.Job) error) (mine bool, err error) {
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		defer operation.Recovered(&err)
		now, err := store.LockJob(ctx, tx, job.ID, job.Claim)
		if mine = now != nil; err != nil || !mine {
			return err
		}
		if err := change(ctx, tx, now); err != nil {
			return err
		}
		return store.Jobs.Update(ctx, tx, now)
	})
	return mine, err
}

// End says that a job has done all it could.
func End(tx *store.Tx, job *billing.Job) {
	job.State, job.FinishedAt, job.Total = billing.JobDone, &tx.Now, job.Done+job.Failed
	if job.Failed > 0 {
		job.State = billing.JobFailed
	}
}

// Fail ends a job that cannot go on.
func (s *Service) Fail(ctx context.Context, job *billing.Job, failure error) error {
	_, err := s.Update(ctx, job, func(_ context.Context, tx *store.Tx, mine *billing.Job) error {
		text := failure.Error()
		mine.State, mine.FinishedAt, mine.Error = billing.JobFailed, &tx.Now, &text
		return nil
	})
	return err
}

// LetGo gives a job back after a failure. If that fails too, the claim runs out.
func (s *Service) LetGo(ctx context.Context, job *billing.Job, rest time.Duration) {
	_, _ = s.Update(context.WithoutCancel(ctx), job, func(_ context.Context, tx *store.Tx, mine *billing.Job) error {
		mine.ClaimedUntil = tx.Now.Add(rest)
		return nil
	})
}

// jobRemembered is how long a job that is finished can be looked at.
const jobRemembered = 30 * 24 * time.Hour

// ForgetOld removes jobs that were finished long ago, in small
// transactions, unless nobody knows what time it is.
func (s *Service) ForgetOld(ctx context.Context) error {
	for {
		var n int64
		err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if n = 0; tx.Unsure {
				return nil
			}
			n, err = store.DeleteJobsBefore(ctx, tx, tx.Now.Add(-jobRemembered), operation.ForgetBatch)
			return err
		})
		if err != nil || n < operation.ForgetBatch {
			return err
		}
	}
}

// Insert records a job in the transaction that asks for it.
func Insert(ctx context.Context, tx *store.Tx, kind string, params any) error {
	job := &billing.Job{Kind: kind, State: billing.JobWaiting, Params: operation.MustJSON(params), ClaimedUntil: tx.Now}
	if p := operation.PreviewIn(ctx); p != nil {
		p.Jobs = append(p.Jobs, *job)
	}
	return store.Jobs.Insert(ctx, tx, job)
}

// Params reads what a job is about.
func Params[T any](job *billing.Job) (params T, err error) {
	return params, json.Unmarshal(job.Params, &params)
}
