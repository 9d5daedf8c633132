package oauth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/store"
)

const (
	tickEvery  = 10 * time.Second // also how late lastUsedAt is written
	keysEvery  = time.Minute
	sweepEvery = time.Hour
)

// background is the work that no request waits for.
type background struct {
	keys, sweep due // touched by runOnce alone

	mu   sync.Mutex
	stop context.CancelFunc // nil while nothing runs
	done chan struct{}
}

// due says whether an interval has passed since it last said so.
type due struct {
	every, last time.Duration
	elapsed     func() time.Duration
}

func (d *due) now() bool {
	now := d.elapsed()
	if now-d.last < d.every {
		return false
	}
	d.last = now
	return true
}

func (b *background) init(elapsed func() time.Duration) {
	b.keys = due{every: keysEvery, elapsed: elapsed}
	b.sweep = due{every: sweepEvery, elapsed: elapsed}
}

// Start begins the background work; it goes on until Stop.
func (s *Server) Start() {
	b := &s.background
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	b.stop, b.done = cancel, done
	go func() {
		defer close(done)
		s.run(ctx)
	}()
}

// Stop ends the background work and writes down what is still in memory. It
// returns when that is done, or ctx is.
func (s *Server) Stop(ctx context.Context) {
	b := &s.background
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop != nil {
		b.stop()
		select {
		case <-b.done:
		case <-ctx.Done():
			return
		}
		b.stop = nil
	}
	if err := s.writeUsage(ctx); err != nil {
		s.log.Error("cannot record when API clients were last used", "error", err)
	}
}

func (s *Server) run(ctx context.Context) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			err := s.runOnce(ctx)
			if err != nil && !failing && ctx.Err() == nil { // the first of many
				s.log.Error("background work on tokens failed; it is tried again", "error", err)
			}
			failing = err != nil
		}
	}
}

// runOnce does what is due: it writes when clients were last used, loads and
// rotates the signing keys, and forgets what is no longer needed.
func (s *Server) runOnce(ctx context.Context) error {
	var errs []error
	try := func(what string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	try("last use of API clients", s.writeUsage(ctx))
	if s.background.keys.now() {
		try("signing keys", s.keys.prepare(ctx))
	}
	if s.background.sweep.now() {
		s.wrong.Sweep()
		try("deleted API clients", s.forgetClients(ctx))
	}
	return errors.Join(errs...)
}

func (s *Server) forgetClients(ctx context.Context) error {
	return s.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := store.ForgetDeletedClients(ctx, tx, tx.Now.Add(-deletedAfter))
		return err
	})
}
