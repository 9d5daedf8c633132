package worker

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// pollEvery backs up what wakes workers: a commit in this process, and
	// announcements of others.
	pollEvery = time.Second
	// announceEvery bounds how often other processes are told of commits.
	announceEvery = 250 * time.Millisecond
	// slack is how much longer than its request a lease lasts.
	slack = 30 * time.Second
	// leap is how far the clock may be set meanwhile: what is more is a fault, and
	// noticed as one.
	leap = 5 * time.Minute
	// troubleRest is how long a worker rests when the database fails.
	troubleRest = 200 * time.Millisecond
)

// Options are what an engine works with.
type Options struct {
	Store  *store.Store
	Sender *send.Sender
	// Secrets opens what a route keeps sealed.
	Secrets func(r *outbox.Route, now time.Time) (delivery.RouteSecrets, error)
	Log     *slog.Logger
	// Now is the clock of leases, retries and the breaker.
	Now func() time.Time
	// Latest is how late it may be by that clock, for those who must not be late;
	// Now if nil.
	Latest func() time.Time
	// Speed is how much faster than real that clock goes: tests have no time
	// for three days of retries. 0 means 1.
	Speed float64
	// Slack is how much longer than its request a lease lasts; 0 means half a
	// minute.
	Slack time.Duration
	// Leap is how far the clock may be set while a request is under way without
	// ending its lease, where others can tell whether this process lives; 0 means
	// five minutes.
	Leap time.Duration
	// Grace is how long a process may give no sign of life before its leases are
	// taken over; 0 means some seconds.
	Grace time.Duration
	// Poll is how often the engine looks whether something is due that nobody told
	// it of; 0 means every second.
	Poll time.Duration
	// UserAgent names the sender to receivers.
	UserAgent string
}

// Engine sends webhooks until it is stopped.
type Engine struct {
	Options
	metrics *metrics
	// number is that of no other engine. holder is the number while this process
	// can prove that it lives, 0 while it cannot; generation counts how often it
	// could not any more.
	number     int64
	holder     atomic.Int64
	generation atomic.Int64

	// work ends when nothing new is begun, requests when those under way are
	// cut off, attending when none are left.
	work, requests, attending  context.Context
	endWork, cutOff, endAttend context.CancelFunc
	background, deliveries     sync.WaitGroup

	announced chan struct{}

	mu      sync.Mutex
	workers map[billing.PlatformID]*worker
	// toTell are the platforms that other processes have not been told of.
	toTell map[billing.PlatformID]bool
}

// New makes an engine that does nothing yet.
func New(o Options) *Engine {
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Slack == 0 {
		o.Slack = slack
	}
	if o.Leap == 0 {
		o.Leap = leap
	}
	if o.Poll == 0 {
		o.Poll = pollEvery
	}
	if o.Latest == nil {
		o.Latest = o.Now
	}
	if o.Grace == 0 {
		o.Grace = grace
	}
	e := &Engine{
		Options: o, metrics: newMetrics(o.Store, o.Now), number: newNumber(),
		workers: map[billing.PlatformID]*worker{}, toTell: map[billing.PlatformID]bool{}, announced: make(chan struct{}, 1),
	}
	e.work, e.endWork = context.WithCancel(context.Background())
	e.requests, e.cutOff = context.WithCancel(context.Background())
	e.attending, e.endAttend = context.WithCancel(context.Background())
	return e
}

// Start begins to send.
func (e *Engine) Start() {
	if e.Store.Alone() { // whoever had leases is dead
		if err := e.endLeases(e.work, nil); err != nil {
			e.Log.Warn("the leases of processes before this one last until they run out", "error", err)
		}
	}
	outbox.SetSender(e.Store, e)
	e.background.Go(e.attend)
	e.background.Go(e.poll)
	e.background.Go(e.listen)
	e.background.Go(e.announce)
}

// Stop begins nothing new, lets requests under way finish until ctx ends, and
// then cuts them off: their outcome is recorded as unknown.
func (e *Engine) Stop(ctx context.Context) {
	outbox.SetSender(e.Store, nil)
	e.endWork()
	finished := make(chan struct{})
	go func() { e.deliveries.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-ctx.Done():
		e.cutOff()
		<-finished
	}
	e.cutOff()
	e.endAttend()
	e.background.Wait()
	e.Sender.Close()
}

// announceSoon has other processes told that there is something to send.
func (e *Engine) announceSoon(platforms []billing.PlatformID) {
	e.mu.Lock()
	for _, id := range platforms {
		e.toTell[id] = true
	}
	e.mu.Unlock()
	select {
	case e.announced <- struct{}{}:
	default:
	}
}

// wake has the workers of those platforms look for something to send.
func (e *Engine) wake(platforms []billing.PlatformID) {
	for _, id := range platforms {
		if w := e.worker(id); w != nil {
			w.wake()
		}
	}
}

// worker returns the worker of a platform, nil when there are no new ones any
// more.
func (e *Engine) worker(id billing.PlatformID) *worker {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w := e.workers[id]; w != nil || e.work.Err() != nil {
		return w
	}
	w := newWorker(e, id)
	e.workers[id] = w
	e.deliveries.Go(w.run)
	return w
}

// gone forgets a worker whose platform is no more.
func (e *Engine) gone(w *worker) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.workers, w.platform)
}

// poll tells workers, every now and then, when something is due on their
// platform: retries, and what no other way told of.
func (e *Engine) poll() {
	var failing bool
	missing := map[int64]time.Time{}
	for e.work.Err() == nil {
		err := e.takeOver(e.work, missing)
		var due []outbox.DuePlatform
		if err == nil {
			due, err = outbox.DuePlatforms(e.work, e.Store.Queries())
		}
		if err != nil && e.work.Err() == nil && !failing {
			e.Log.Warn("cannot look for webhooks that are due; trying again", "error", err)
		}
		failing = err != nil
		for _, p := range due {
			if w := e.worker(p.ID); w != nil {
				w.due(p.DueAt)
			}
		}
		e.rest(e.Poll)
	}
}

// rest waits in real time, or until the engine stops.
func (e *Engine) rest(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-e.work.Done():
	}
}

// listen hears what other processes announce. Without it, polling is slower
// but enough.
func (e *Engine) listen() {
	for e.work.Err() == nil {
		err := outbox.Listen(e.work, e.Store, e.wake)
		if err != nil && !errors.Is(err, context.Canceled) {
			e.Log.Debug("no announcements at the moment", "error", err)
		}
		e.rest(pollEvery)
	}
}

// announce tells other processes what was queued, not more often than they
// need to know.
func (e *Engine) announce() {
	for {
		select {
		case <-e.announced:
		case <-e.work.Done():
			return
		}
		e.mu.Lock()
		var platforms []billing.PlatformID
		for id := range e.toTell {
			platforms = append(platforms, id)
		}
		clear(e.toTell)
		e.mu.Unlock()
		if err := outbox.Announce(e.work, e.Store, platforms); err != nil {
			e.Log.Debug("could not announce what was queued", "error", err)
		}
		e.rest(announceEvery)
	}
}

// real turns a duration of the engine's clock into a real one.
func (e *Engine) real(d time.Duration) time.Duration { return time.Duration(float64(d) / e.Speed) }

// jitter varies delays by up to a fifth, so that what failed together is not
// tried again together.
func jitter() float64 { return 0.8 + 0.4*rand.Float64() }
