package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fake is work that a test has thought of. It notes when it was asked to do
// something, counted from the beginning of the test.
type fake struct {
	begin time.Time
	woken chan struct{}
	due   func(ctx context.Context, call int) (moved int, next time.Time, err error)
	job   func(ctx context.Context, call int) (ran bool, err error)

	mu       sync.Mutex
	held     bool
	passes   []bool
	dueCalls []time.Duration
	jobCalls []time.Duration
}

func newFake() *fake {
	return &fake{
		begin: time.Now(), woken: make(chan struct{}, 1),
		due: func(context.Context, int) (int, time.Time, error) { return 0, time.Time{}, nil },
		job: func(context.Context, int) (bool, error) { return false, nil },
	}
}

// noBilling has nothing to bill, no e-mail, and nothing to repair.
type noBilling struct{}

func (noBilling) RunDue(context.Context, time.Time) (int, time.Time, error) {
	return 0, time.Time{}, nil
}

func (noBilling) RunCollections(context.Context) (int, time.Time, error) { return 0, time.Time{}, nil }
func (noBilling) CollectionsWoken() <-chan struct{}                      { return nil }
func (noBilling) FinishCollections(context.Context)                      {}
func (noBilling) RunEmails(context.Context) (int, time.Time, error)      { return 0, time.Time{}, nil }
func (noBilling) RunRepairs(context.Context) (int, time.Time, error)     { return 0, time.Time{}, nil }

func (f *fake) RunDue(ctx context.Context, _ time.Time) (int, time.Time, error) {
	return f.due(ctx, f.note(&f.dueCalls))
}

func (f *fake) Held(context.Context, time.Time) (bool, error) { return f.held, nil }

func (f *fake) Passed(_ context.Context, _ time.Time, did bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.passes = append(f.passes, did)
	return nil
}

func (f *fake) Run(ctx context.Context) (bool, error) { return f.job(ctx, f.note(&f.jobCalls)) }

func (f *fake) Woken() <-chan struct{} { return f.woken }

// note returns which call it is, from 1 on.
func (f *fake) note(calls *[]time.Duration) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	*calls = append(*calls, time.Since(f.begin))
	return len(*calls)
}

// run lets an engine work for a while, in time that passes only when everybody
// waits, and returns what it logged.
func run(t *testing.T, f *fake, during func()) string {
	t.Helper()
	var log bytes.Buffer
	e := New(f, noBilling{}, noBilling{}, noBilling{}, f, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	e.Start()
	during()
	synctest.Wait()
	e.Stop()
	return log.String()
}

func pass(d time.Duration) { <-time.After(d) }

func same(t *testing.T, what string, have, want []time.Duration) {
	t.Helper()
	equal := len(have) == len(want)
	for i := 0; equal && i < len(have); i++ {
		equal = have[i] == want[i]
	}
	if !equal {
		t.Errorf("%s at %v, want %v", what, have, want)
	}
}

const ms = time.Millisecond

// TestSleepsUntilBoundary asks again at the very moment that something is due.
func TestSleepsUntilBoundary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		boundary := f.begin.Add(300 * ms)
		f.due = func(context.Context, int) (int, time.Time, error) {
			if time.Now().Before(boundary) {
				return 0, boundary, nil
			}
			return 0, f.begin.AddDate(1, 0, 0), nil
		}
		run(t, f, func() { pass(1900 * ms) })
		// After it, as rarely as news from other processes may wait.
		same(t, "what is due is looked for", f.dueCalls, []time.Duration{0, 300 * ms, 1300 * ms})
		same(t, "jobs are looked for", f.jobCalls, []time.Duration{0, 1000 * ms})
	})
}

// TestBehindBoundary does not spin when the clock went back between two looks.
func TestBehindBoundary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.due = func(context.Context, int) (int, time.Time, error) { return 0, f.begin.Add(-time.Hour), nil }
		run(t, f, func() { pass(10 * ms) })
		if n := len(f.dueCalls); n < 5 || n > 12 {
			t.Errorf("asked %d times in ten milliseconds", n)
		}
	})
}

// TestGoesOn does batch after batch, of what is due and of jobs, until there is
// nothing more.
func TestGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.due = func(_ context.Context, call int) (int, time.Time, error) {
			if call <= 3 {
				return 256, time.Time{}, nil
			}
			return 0, time.Time{}, nil
		}
		f.job = func(_ context.Context, call int) (bool, error) { return call <= 2, nil }
		run(t, f, func() { pass(900 * ms) })
		same(t, "due", f.dueCalls, []time.Duration{0, 0, 0, 0})
		same(t, "jobs", f.jobCalls, []time.Duration{0, 0, 0})
	})
}

// TestWoken looks for everything at once when there may be news.
func TestWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		run(t, f, func() {
			pass(400 * ms)
			f.woken <- struct{}{}
			pass(200 * ms)
		})
		same(t, "due", f.dueCalls, []time.Duration{0, 400 * ms})
		same(t, "jobs", f.jobCalls, []time.Duration{0, 400 * ms})
	})
}

// TestFailure says so, pauses and tries again; the other half of the work goes
// on meanwhile.
func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.due = func(context.Context, int) (int, time.Time, error) {
			return 0, time.Time{}, errors.New("the disk is full")
		}
		f.job = func(_ context.Context, call int) (bool, error) {
			if call == 1 {
				return true, errors.New("this job is broken")
			}
			return call == 2, nil
		}
		log := run(t, f, func() { pass(2500 * ms) })
		same(t, "due", f.dueCalls, []time.Duration{0, 1000 * ms, 2000 * ms})
		same(t, "jobs", f.jobCalls, []time.Duration{0, 0, 0, 1000 * ms, 2000 * ms})
		for text, want := range map[string]int{"the disk is full": 3, "this job is broken": 1} {
			if n := bytes.Count([]byte(log), []byte(text)); n != want {
				t.Errorf("%q was logged %d times, want %d:\n%s", text, n, want, log)
			}
		}
	})
}

// TestSetAside logs what was set aside and goes on at once with the rest.
func TestSetAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.due = func(_ context.Context, call int) (int, time.Time, error) {
			if call == 1 {
				return 256, time.Time{}, errors.New("subscription 7 was set aside")
			}
			return 0, time.Time{}, nil
		}
		log := run(t, f, func() { pass(500 * ms) })
		same(t, "due", f.dueCalls, []time.Duration{0, 0})
		if !bytes.Contains([]byte(log), []byte("subscription 7 was set aside")) {
			t.Errorf("the log says %q", log)
		}
	})
}

// repairer has tenants to repair a few times.
type repairer struct {
	*fake
	calls []time.Duration
}

func (r *repairer) RunRepairs(context.Context) (int, time.Time, error) {
	if r.note(&r.calls) <= 2 {
		return 1, time.Time{}, nil
	}
	return 0, r.begin.Add(time.Minute), nil
}

// TestRepairs goes on with repairs until none is due, and looks for more once a second,
// but not while the clock is not believed.
func TestRepairs(t *testing.T) {
	for _, held := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			f.held = held
			r := &repairer{fake: f}
			e := New(f, noBilling{}, noBilling{}, r, f, time.Now, slog.New(slog.DiscardHandler))
			e.Start()
			pass(1500 * ms)
			e.Stop()
			want := []time.Duration{0, 0, 0, 1000 * ms}
			if held {
				want = nil
			}
			same(t, "repairs", r.calls, want)
		})
	}
}

// TestLongJob keeps nobody from a boundary, and ends with the engine.
func TestLongJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.job = func(ctx context.Context, _ int) (bool, error) {
			<-ctx.Done()
			return true, ctx.Err()
		}
		log := run(t, f, func() { pass(2500 * ms) })
		same(t, "due", f.dueCalls, []time.Duration{0, 1000 * ms, 2000 * ms})
		same(t, "jobs", f.jobCalls, []time.Duration{0})
		if log != "" {
			t.Errorf("stopping is no failure, but was logged: %s", log)
		}
	})
}

// TestStop ends the engine, and what it does; nothing is begun afterwards. An
// engine that was never started can be stopped too.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		run(t, f, func() {})
		f.woken <- struct{}{}
		pass(5 * time.Second)
		same(t, "due", f.dueCalls, []time.Duration{0})
		same(t, "jobs", f.jobCalls, []time.Duration{0})
		New(f, noBilling{}, noBilling{}, noBilling{}, f, time.Now, slog.New(slog.DiscardHandler)).Stop()
	})
}
