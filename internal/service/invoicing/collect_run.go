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

// underWay are the requests to payment providers that were not answered yet.
type underWay struct {
	count   int
	answers chan answer
}

// RunCollections asks payment providers for what is due, and what has become of what
// was asked before, some at once. It returns how many answers were recorded, and if
// none, when to look again: zero if nothing is to come. Only one goroutine calls it.
func (s *Service) RunCollections(ctx context.Context) (recorded int, next time.Time, err error) {
	w := &s.underWay
	limit := s.Payments.Concurrency
	if limit == 0 {
		limit = defaultConcurrency
	}
	if w.answers == nil {
		w.answers = make(chan answer, limit)
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
	if free := limit - w.count; free > 0 && !collection.IsZero() && !collection.After(now) {
		questions, err := s.claim(ctx, free)
		if err != nil {
			return 0, next, err
		}
		for _, q := range questions {
			w.count++
			go func() { w.answers <- s.ask(context.WithoutCancel(ctx), q) }()
		}
	}
	if w.count == 0 {
		if refund, collection, err = s.nextRequests(ctx); refund.IsZero() {
			return 0, collection, err
		}
		return 0, sooner(refund, collection), err
	}
	recorded, err = s.record(ctx, patience)
	if recorded == 0 && err == nil {
		next = s.Store.Now() // requests are under way
	}
	return recorded, next, err
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
	for s.underWay.count > 0 && ctx.Err() == nil {
		if _, err := s.record(ctx, collectGrace); err != nil {
			return
		}
	}
}

// record waits for an answer and records it, with others that are there already.
func (s *Service) record(ctx context.Context, wait time.Duration) (recorded int, err error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	var all []news
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-timer.C:
		return 0, nil
	case a := <-s.underWay.answers:
		all = append(all, a.news())
	}
	for len(all) < collectBatch && len(all) < s.underWay.count {
		select {
		case a := <-s.underWay.answers:
			all = append(all, a.news())
			continue
		default:
		}
		break
	}
	s.underWay.count -= len(all)
	err = s.learn(ctx, all)
	if err == nil {
		s.Wake()
	}
	return len(all), err
}
