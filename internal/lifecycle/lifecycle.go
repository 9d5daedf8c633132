// Package lifecycle runs work in the background: it starts, renews and ends
// subscriptions when that is due, bills accounts, collects, sends e-mail, repairs tenants
// that wait for it, and continues jobs after the request that created them.
//
// It decides only when work is done. The work itself is in package service, and
// package billing decides what happens to a subscription.
package lifecycle

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Work is what the engine runs.
type Work interface {
	// Held says whether nothing that is due may be done at the moment, because
	// the clock cannot be believed.
	Held(ctx context.Context, now time.Time) (bool, error)
	// Passed hears that all is done that was due at a time, and whether there was
	// something.
	Passed(ctx context.Context, now time.Time, did bool) error
	// RunDue moves a batch of subscriptions that something is due for. If it
	// moved none, next is when to look again, or zero. An error beside moved
	// ones is about others.
	RunDue(ctx context.Context, now time.Time) (moved int, next time.Time, err error)
	// Woken is signaled when there may be something new to do.
	Woken() <-chan struct{}
}

// Billing is billing, which is done beside the work: it may take longer.
type Billing interface {
	// RunDue bills a batch of accounts on which something is due. If it looked at
	// none, next is when to look again, or zero.
	RunDue(ctx context.Context, now time.Time) (looked int, next time.Time, err error)
	// RunCollections asks payment providers for what is due. If it recorded no
	// answer, next is when to look again, or zero.
	RunCollections(ctx context.Context) (recorded int, next time.Time, err error)
	// CollectionsWoken is signaled when there may be something new to ask for.
	CollectionsWoken() <-chan struct{}
	// FinishCollections waits a little for requests that are under way.
	FinishCollections(ctx context.Context)
}

// Mail is e-mail that waits to be sent.
type Mail interface {
	// RunEmails sends what is due. If it dealt with none, next is when to look again, or
	// zero.
	RunEmails(ctx context.Context) (done int, next time.Time, err error)
}

// Repairs is tenants that wait to be told their state again.
type Repairs interface {
	// RunRepairs tells some of those whose turn it is. If it looked at none, next is when
	// to look again, or zero.
	RunRepairs(ctx context.Context) (looked int, next time.Time, err error)
}

// Jobs is what is done in the background whenever there is something.
type Jobs interface {
	// Run works on one open job for a while and reports whether there was one.
	Run(ctx context.Context) (ran bool, err error)
}

const (
	// longestSleep bounds how long the engine trusts what it knew: another
	// replica may have made something due sooner, or left a job behind.
	longestSleep = time.Second
	// pause is how long it waits after a failure.
	pause = time.Second
)

// Engine runs work in the background: what is due, and beside it billing, e-mail, repairs
// and jobs, so that a long one does not keep a subscription from its boundary.
type Engine struct {
	work    Work
	billing Billing
	mail    Mail
	repairs Repairs
	jobs    Jobs
	now     func() time.Time
	log     *slog.Logger
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// New returns an engine that is not started.
func New(work Work, billing Billing, mail Mail, repairs Repairs, jobs Jobs, now func() time.Time, log *slog.Logger) *Engine {
	return &Engine{work: work, billing: billing, mail: mail, repairs: repairs, jobs: jobs, now: now, log: log}
}

// Start begins to work in the background.
func (e *Engine) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	e.stop = cancel
	due, bills, jobs := make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)
	e.done.Go(func() { e.spread(ctx, due, bills, jobs) })
	e.done.Go(func() { e.loop(ctx, due, e.runDue) })
	e.done.Go(func() { e.loop(ctx, bills, e.runBilling) })
	e.done.Go(func() {
		e.loop(ctx, e.billing.CollectionsWoken(), e.runCollections)
		e.billing.FinishCollections(ctx)
	})
	e.done.Go(func() { e.loop(ctx, nil, e.runMail) })
	e.done.Go(func() { e.loop(ctx, nil, e.runRepairs) })
	e.done.Go(func() { e.loop(ctx, jobs, e.runJobs) })
}

// Stop lets what is under way finish its transaction or takes it back, and
// returns when the engine rests.
func (e *Engine) Stop() {
	if e.stop != nil {
		e.stop()
	}
	e.done.Wait()
}

// spread wakes the loops when the work says so.
func (e *Engine) spread(ctx context.Context, loops ...chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.work.Woken():
		}
		for _, woken := range loops {
			select {
			case woken <- struct{}{}:
			default: // a signal is there already
			}
		}
	}
}

// loop runs work, sleeps as long as that says, and begins again.
func (e *Engine) loop(ctx context.Context, woken <-chan struct{}, run func(context.Context) time.Duration) {
	for ctx.Err() == nil {
		timer := time.NewTimer(run(ctx))
		select {
		case <-ctx.Done():
		case <-woken:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// runDue does all that is due and returns how long to sleep then: until the
// next boundary, but never so long that news from another replica would be
// heard late.
func (e *Engine) runDue(ctx context.Context) time.Duration {
	did := false
	for ctx.Err() == nil {
		now := e.now()
		if held, err := e.work.Held(ctx, now); held {
			if err != nil {
				e.failed(ctx, "nobody knows whether the clock can be believed", err)
			}
			return longestSleep
		}
		moved, next, err := e.work.RunDue(ctx, now)
		if err != nil {
			e.failed(ctx, "not all that is due was done", err)
		}
		if moved > 0 {
			did = true
			continue
		}
		if err == nil {
			err = e.passed(ctx, now, did)
		}
		switch {
		case err != nil:
			return pause
		case next.IsZero():
			return longestSleep
		}
		return min(max(next.Sub(e.now()), time.Millisecond), longestSleep)
	}
	return 0
}

// runBilling bills everything that is due and returns how long to sleep then.
func (e *Engine) runBilling(ctx context.Context) time.Duration {
	for ctx.Err() == nil {
		now := e.now()
		if held, _ := e.work.Held(ctx, now); held {
			return longestSleep // which the other loop reports
		}
		looked, next, err := e.billing.RunDue(ctx, now)
		if err != nil {
			e.failed(ctx, "not all that is due was billed", err)
		}
		switch {
		case looked > 0:
		case err != nil:
			return pause
		case next.IsZero():
			return longestSleep
		default:
			return min(max(next.Sub(e.now()), time.Millisecond), longestSleep)
		}
	}
	return 0
}

// runCollections asks payment providers until there is nothing to ask, and returns how
// long to sleep then.
func (e *Engine) runCollections(ctx context.Context) time.Duration {
	return e.drain(ctx, "not all that payment providers said was recorded", func(ctx context.Context) (int, time.Time, error) {
		if held, _ := e.work.Held(ctx, e.now()); held {
			return 0, time.Time{}, nil // which another loop reports
		}
		return e.billing.RunCollections(ctx)
	})
}

// runMail sends e-mail until there is none to send, and returns how long to sleep then.
func (e *Engine) runMail(ctx context.Context) time.Duration {
	return e.drain(ctx, "not all e-mail was sent", e.mail.RunEmails)
}

// runRepairs goes on with tenants that wait to be told their state again, and returns how
// long to sleep then.
func (e *Engine) runRepairs(ctx context.Context) time.Duration {
	return e.drain(ctx, "not all tenants that wait to be repaired were", func(ctx context.Context) (int, time.Time, error) {
		if held, _ := e.work.Held(ctx, e.now()); held {
			return 0, time.Time{}, nil // which another loop reports
		}
		return e.repairs.RunRepairs(ctx)
	})
}

// drain runs work until there is none that is due, and returns how long to sleep then.
func (e *Engine) drain(ctx context.Context, failure string, run func(context.Context) (done int, next time.Time, err error)) time.Duration {
	for ctx.Err() == nil {
		done, next, err := run(ctx)
		switch {
		case err != nil:
			e.failed(ctx, failure, err)
			return pause
		case done > 0:
		case next.IsZero():
			return longestSleep
		case next.After(e.now()):
			return min(max(next.Sub(e.now()), time.Millisecond), longestSleep)
		}
	}
	return 0
}

// passed says that all is done that was due.
func (e *Engine) passed(ctx context.Context, now time.Time, did bool) error {
	err := e.work.Passed(ctx, now, did)
	if err != nil {
		e.failed(ctx, "it was not recorded that all is done that was due", err)
	}
	return err
}

// runJobs works on jobs until there is none and returns how long to sleep then.
func (e *Engine) runJobs(ctx context.Context) time.Duration {
	for ctx.Err() == nil {
		ran, err := e.jobs.Run(ctx)
		if err != nil {
			e.failed(ctx, "a job was not worked on", err)
		}
		switch {
		case err != nil && !ran:
			return pause
		case !ran:
			return longestSleep
		}
	}
	return 0
}

func (e *Engine) failed(ctx context.Context, message string, err error) {
	if ctx.Err() == nil {
		e.log.Error(message, slog.Any("error", err))
	}
}
