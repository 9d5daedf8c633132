package worker

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

const (
	// gather is how long the outcome of a request waits for others to be
	// recorded with, if nothing is to be sent meanwhile.
	gather = 50 * time.Millisecond
	// A batch that had little to do and took longer than a short one is followed
	// by a rest of so many times as long, but no longer than longestRest: what
	// comes meanwhile is done together. On PostgreSQL five deliveries cost
	// hardly more than one.
	shortBatch  = time.Millisecond
	rests       = 8
	longestRest = 25 * time.Millisecond
	// lastTries is how often a worker that stops tries to record outcomes.
	lastTries = 20
)

// worker sends the webhooks of one platform. All but the fields under mu belong
// to the goroutine of run.
type worker struct {
	engine   *Engine
	platform billing.PlatformID
	results  chan *job
	jobs     chan *job
	reports  chan []reported
	// senders is how many goroutines make requests, but for those leaving.
	senders int
	leaving atomic.Int64
	routes  routeCache
	// most is how many requests this process may make at once, and closed says
	// that the endpoint takes none for now. inRow counts the requests that failed
	// in a row, those that are not recorded yet too.
	most   int
	closed atomic.Bool
	inRow  atomic.Int64

	// underWay is how many requests have no outcome yet.
	underWay int
	// finished are requests whose outcome is to be recorded; recordBy is when that
	// is to be done at the latest.
	finished []*job
	recordBy time.Time
	// look says that something may be due, more that something is due but
	// enough is taken, and hurry that something may wait for what is under way.
	look, more, hurry bool
	restUntil         time.Time
	gone              bool
	// needsSecrets says that it was logged that webhooks wait for secrets.
	needsSecrets bool
	troubles     int
	ids          attemptIDs
	prefetch     prefetch

	news   chan struct{}
	mu     sync.Mutex
	woken  bool
	lookAt time.Time // when something will be due, zero if that is not known
	inline inline
}

func newWorker(e *Engine, id billing.PlatformID) *worker {
	return &worker{
		engine: e, platform: id, news: make(chan struct{}, 1), reports: make(chan []reported, 4),
		results: make(chan *job, prefetchStreams+2*webhook.MaxConcurrency), jobs: make(chan *job, prefetchStreams+2*webhook.MaxConcurrency),
	}
}

// wake has the worker look for something to send.
func (w *worker) wake() { w.tell(func() { w.woken = true }) }

// due tells the worker when there will be something to do.
func (w *worker) due(at time.Time) {
	w.tell(func() {
		if !at.After(w.engine.Now()) {
			w.woken = true
		} else if w.lookAt.IsZero() || at.Before(w.lookAt) {
			w.lookAt = at
		}
	})
}

func (w *worker) tell(what func()) {
	w.mu.Lock()
	what()
	w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// run commits batches until the engine stops and all that was begun is recorded.
func (w *worker) run() {
	defer close(w.jobs)
	var reporting sync.WaitGroup
	reporting.Go(w.report)
	defer func() { close(w.reports); reporting.Wait() }()
	for {
		w.await()
		switch {
		case w.gone:
			w.engine.gone(w)
			return
		case w.stopping() && w.underWay == 0 && len(w.finished) == 0 && w.nothingToCome(),
			w.stopping() && w.troubles > lastTries: // the leases will run out
			return
		}
		if err := w.work(); err != nil {
			w.trouble(err)
		}
	}
}

// reported is a request and what became of it.
type reported struct {
	job     *job
	outcome string
}

// report counts and logs what was recorded, beside the batches.
func (w *worker) report() {
	for done := range w.reports {
		for _, r := range done {
			w.engine.report(w, r.job, r.outcome)
		}
	}
}

func (w *worker) stopping() bool { return w.engine.work.Err() != nil }

// trouble rests after a batch that failed. Outcomes stay to be recorded.
func (w *worker) trouble(err error) {
	if w.troubles++; w.troubles == 1 {
		w.engine.Log.Error("webhooks cannot be sent at the moment; trying again", "platform", w.platform, "error", err)
	}
	w.look = true
	timer := time.NewTimer(troubleRest)
	<-timer.C
}

// realNow is for the few milliseconds that outcomes wait for each other.
func realNow() time.Time {
	//house:clock such a moment is as long for tests
	return time.Now()
}

// await waits until there is something for a batch to do.
func (w *worker) await() {
	for {
		w.drain()
		wait, ready := w.pause()
		if ready {
			return
		}
		w.block(wait)
	}
}

// drain takes news and outcomes that are there.
func (w *worker) drain() {
	w.mu.Lock()
	w.look, w.hurry, w.woken = w.look || w.woken, w.hurry || w.woken, false
	committed := w.inline.committed
	w.inline.committed = nil
	w.mu.Unlock()
	w.startInline(committed)
	for {
		select {
		case j := <-w.results:
			w.collect(j)
		default:
			return
		}
	}
}

func (w *worker) collect(j *job) {
	w.underWay--
	w.finish(j)
}

// finish has the outcome of a request recorded in the next batch.
func (w *worker) finish(j *job) {
	if len(w.finished) == 0 {
		w.recordBy = realNow().Add(gather)
	}
	w.finished = append(w.finished, j)
}

// pause returns how long there is nothing to do, -1 for as long as there is no
// news, and whether there is something to do now.
func (w *worker) pause() (wait time.Duration, ready bool) {
	n := len(w.finished)
	switch {
	case w.gone:
		return -1, true
	case w.stopping():
		return -1, n > 0 || w.underWay == 0 && w.nothingToCome()
	}
	wait = -1
	enough := n >= w.most/2 || w.hurry && w.underWay+n < w.most/2
	if plenty := len(w.jobs) > w.prefetch.streams(w.most)/2; !plenty && (w.look || n > 0 && enough) {
		if wait = w.restUntil.Sub(realNow()); wait <= 0 || n > w.most/2 {
			return 0, true
		}
	}
	if n > 0 {
		by := w.recordBy.Sub(realNow())
		if by <= 0 {
			return 0, true
		}
		if wait < 0 || by < wait {
			wait = by
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.lookAt.IsZero() {
		until := w.engine.real(w.lookAt.Sub(w.engine.Now()))
		if until <= 0 {
			w.lookAt = time.Time{}
			w.look = true
			return 0, true
		}
		if wait < 0 || until < wait {
			wait = until
		}
	}
	return wait, false
}

// block waits for news, an outcome, the end of the pause or of the engine.
func (w *worker) block(wait time.Duration) {
	var timer <-chan time.Time
	if wait >= 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		timer = t.C
	}
	stop := w.engine.work.Done()
	if w.stopping() {
		stop = w.engine.requests.Done()
	}
	if w.engine.requests.Err() != nil {
		stop = nil
	}
	select {
	case j := <-w.results:
		w.collect(j)
	case <-w.news:
	case <-timer:
	case <-stop:
	}
}
