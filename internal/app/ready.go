package app

import (
	"context"
	"sync"
	"time"
)

const (
	// pingTime is how long the database has to answer.
	pingTime = 2 * time.Second
	// pingRest is how long its answer is believed.
	pingRest = 500 * time.Millisecond
)

// pinger asks whether the database answers, for many at once and now and then:
// whoever may ask for it must not take connections from those who work.
type pinger struct {
	ping func(context.Context) error

	mu   sync.Mutex
	last *pinged // nil if it is to be asked again
}

// pinged is the outcome for all who asked.
type pinged struct {
	done chan struct{}
	err  error // to be read after done
}

// ask returns nil if the database answers, or did a moment ago.
func (p *pinger) ask(ctx context.Context) error {
	p.mu.Lock()
	one := p.last
	if one == nil {
		one = &pinged{done: make(chan struct{})}
		p.last = one
		go p.find(one)
	}
	p.mu.Unlock()
	select {
	case <-one.done:
		return one.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// find asks the database. It goes on when whoever was the first to ask is gone.
func (p *pinger) find(one *pinged) {
	ctx, cancel := context.WithTimeout(context.Background(), pingTime)
	defer cancel()
	one.err = p.ping(ctx)
	close(one.done)
	time.AfterFunc(pingRest, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.last = nil
	})
}
