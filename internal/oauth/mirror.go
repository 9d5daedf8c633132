package oauth

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/store"
)

// mirror decides when to read again what is kept in memory of the database.
// Nothing is read until somebody needs it; then one reads and everybody who
// needs it too waits for that reading.
type mirror struct {
	what string // for the log
	// load reads what changed. age is how old the last reading is.
	load    func(ctx context.Context, age time.Duration) error
	elapsed func() time.Duration
	log     *slog.Logger
	second  admission.Bucket // limits second looks

	last atomic.Pointer[reading] // the newest that succeeded

	mu      sync.Mutex
	running *reading
	count   int64
	failing bool
}

// reading is one look at the database. It tells what was committed when it
// began, so its age counts from there.
type reading struct {
	number int64
	began  time.Duration
	done   chan struct{}
	err    error // to be read after done
}

const (
	// readTimeout bounds how long requests wait for a database that hangs.
	readTimeout = 5 * time.Second
	never       = time.Duration(math.MaxInt64)
)

// fresh makes sure that what is known is not older than maxAge.
func (m *mirror) fresh(ctx context.Context, maxAge time.Duration) error {
	oldest := m.elapsed() - maxAge
	if last := m.last.Load(); last != nil && last.began >= oldest {
		return nil
	}
	return m.read(ctx, func(r *reading) bool { return r.began >= oldest })
}

// refresh makes sure that everything committed before the call is known.
func (m *mirror) refresh(ctx context.Context) error {
	m.mu.Lock()
	before := m.count
	m.mu.Unlock()
	return m.read(ctx, func(r *reading) bool { return r.number > before })
}

// secondLook refreshes before somebody is refused, because another replica may
// just have changed things. It reports whether it did: strangers who are
// refused all the time do not make it read without end.
func (m *mirror) secondLook(ctx context.Context) (looked bool, err error) {
	if m.second.Take(m.elapsed()) > 0 {
		return false, nil
	}
	return true, m.refresh(ctx)
}

// distrust forgets how old the last reading is, so that the next to need it
// reads again.
func (m *mirror) distrust() { m.last.Store(nil) }

// read returns when there is a reading that is good enough, or the one it
// waited for failed. A failure is shared: a database that hangs is asked once,
// not by one waiting request after the other.
func (m *mirror) read(ctx context.Context, enough func(*reading) bool) error {
	for {
		m.mu.Lock()
		if last := m.last.Load(); last != nil && enough(last) {
			m.mu.Unlock()
			return nil
		}
		r := m.running
		if r != nil {
			m.mu.Unlock()
			select {
			case <-r.done:
			case <-ctx.Done():
				return ctx.Err()
			}
		} else {
			m.count++
			r = &reading{number: m.count, began: m.elapsed(), done: make(chan struct{})}
			m.running = r
			m.mu.Unlock()
			m.run(ctx, r)
		}
		if r.err != nil || enough(r) {
			return r.err
		}
	}
}

func (m *mirror) run(ctx context.Context, r *reading) {
	age := never
	if last := m.last.Load(); last != nil {
		age = r.began - last.began
	}
	r.err = context.Canceled // what those who wait get if load panics
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if r.err == nil {
			m.last.Store(r)
		}
		m.running = nil
		close(r.done)
		m.report(r.err)
	}()
	// Others wait for this reading too: it does not end with the request that
	// happened to begin it, nor wait for a connection with it.
	ctx, cancel := context.WithTimeout(store.ForServer(context.WithoutCancel(ctx)), readTimeout)
	defer cancel()
	r.err = m.load(ctx, age)
}

// report logs the first of many failures, and the end of them.
func (m *mirror) report(err error) {
	switch {
	case err != nil && !m.failing:
		m.log.Error("cannot read from the database", "what", m.what, "error", err)
	case err == nil && m.failing:
		m.log.Info("reading from the database works again", "what", m.what)
	}
	m.failing = err != nil
}
