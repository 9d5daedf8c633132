package invoicing

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/store"
)

// collectBatch is how many outcomes are recorded in one transaction.
const collectBatch = 64

// collectGrace is how long requests may go on when the server stops.
const collectGrace = 5 * time.Second

// patience is how long to wait for an answer before looking for more to ask.
const patience = 100 * time.Millisecond

// underWay are the requests to payment providers that were not answered yet, and the
// answers that were not recorded yet. Answers are recorded while others are asked for, so
// that the provider, and not the database, says how fast it goes.
type underWay struct {
	count   int
	answers chan answer
	// heard are answers to record. While recording, others are on their way to the
	// database, and recorded tells when they are there.
	heard     []news
	recording bool
	recorded  chan recorded
}

// recorded says that so many answers were recorded, or why they were not.
type recorded struct {
	count int
	err   error
}

// free is how many requests can be sent now. Answers that wait to be recorded count from
// twice as many on.
func (w *underWay) free(limit int) int { return min(limit, 2*limit-len(w.heard)) - w.count }

// idle reports whether nothing is under way.
func (w *underWay) idle() bool { return w.count == 0 && len(w.heard) == 0 && !w.recording }

// RunCollections asks payment providers for what is due, and what has become of what
// was asked before, some at once. It returns how many answers were recorded, and if
// none, when to look again: zero if nothing is to come. Only one goroutine calls it.
func (s *Service) RunCollections(ctx context.Context) (done int, next time.Time, err error) {
	w := &s.underWay
	limit := s.Payments.Concurrency
	if limit == 0 {
		limit = defaultConcurrency
	}
	if w.answers == nil {
		w.answers, w.recorded = make(chan answer, limit), make(chan recorded, 1)
	}
	refund, collection, err := s.nextRequests(ctx)
	if err != nil {
		return 0, next, err
	}
	now := s.Store.Now()
	if !refund.IsZero() && !refund.After(now) {
		if sent, err := s.runRefunds(ctx); sent > 0 || err != nil {
			return sent, next, err
		}
	}
	if free := w.free(limit); free > 0 && !collection.IsZero() && !collection.After(now) {
		questions, err := s.claim(ctx, free)
		if err != nil {
			return 0, next, err
		}
		for _, q := range questions {
			w.count++
			go func() { w.answers <- s.ask(context.WithoutCancel(ctx), q) }()
		}
	}
	if w.idle() {
		if refund, collection, err = s.nextRequests(ctx); refund.IsZero() {
			return 0, collection, err
		}
		return 0, sooner(refund, collection), err
	}
	done, err = s.record(ctx, patience)
	if done == 0 && err == nil {
		next = s.Store.Now() // requests are under way
	}
	return done, next, err
}

// nextRequests is when a refund and a collection are due next; zero if there is none.
func (s *Service) nextRequests(ctx context.Context) (refund, collection time.Time, err error) {
	if collection, _, err = store.NextCollection(ctx, s.Read(), nil); err == nil {
		refund, _, err = store.NextRefund(ctx, s.Read())
	}
	return refund, collection, err
}

// CollectionsWoken is signaled when there may be something new to ask providers for.
func (s *Service) CollectionsWoken() <-chan struct{} { return s.toCollect }

// wakeCollecting says that there is something to ask providers for.
func (s *Service) wakeCollecting() {
	select {
	case s.toCollect <- struct{}{}:
	default: // a signal is there already
	}
}

// FinishCollections waits a little for the requests that are under way. What is not
// answered then is looked up by whoever comes next.
func (s *Service) FinishCollections(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), collectGrace)
	defer cancel()
	for !s.underWay.idle() && ctx.Err() == nil {
		if _, err := s.record(ctx, collectGrace); err != nil {
			return
		}
	}
}

// record waits until there is an answer, or answers have been recorded, and has those
// recorded that are there. It returns how many were.
func (s *Service) record(ctx context.Context, wait time.Duration) (done int, err error) {
	w := &s.underWay
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-timer.C:
		return 0, nil
	case r := <-w.recorded:
		w.recording, done, err = false, r.count, r.err
	case a := <-w.answers:
		w.hear(a)
	}
	for len(w.answers) > 0 {
		w.hear(<-w.answers)
	}
	if !w.recording && len(w.heard) > 0 {
		batch := w.heard[:min(collectBatch, len(w.heard))]
		w.heard, w.recording = w.heard[len(batch):], true
		go func() {
			err := s.learn(context.WithoutCancel(ctx), batch)
			if err == nil {
				s.Wake()
			}
			w.recorded <- recorded{len(batch), err}
		}()
	}
	return done, err
}

// hear takes an answer.
func (w *underWay) hear(a answer) {
	w.count--
	w.heard = append(w.heard, a.news())
}
