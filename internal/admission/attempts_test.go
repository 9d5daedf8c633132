package admission

import (
	"testing"
	"time"
)

func TestAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Duration(0)
	a := NewAttempts[int](func() time.Duration { return now }, 100)
	guess := func(key int) time.Duration {
		return a.Take(Allowance[int]{key, Pace{Interval: time.Second, Burst: 1000}})
	}
	for range 1000 {
		guess(-1)
	}
	for i := range 10_000 {
		guess(i)
	}
	if n := a.Len(); n > 100 {
		t.Errorf("%d keys are remembered", n)
	}
	if guess(-1) == 0 {
		t.Error("the key with the most attempts is forgotten first")
	}
	now = time.Second
	a.Sweep()
	if a.Len() != 1 {
		t.Errorf("%d keys after the others have their burst again", a.Len())
	}
	now = 2000 * time.Second
	a.Sweep()
	if a.Len() != 0 {
		t.Errorf("%d keys after all have their burst again", a.Len())
	}
}

// TestAttemptsCountForAllOrNone refuses an attempt that one of its allowances does
// not permit, and leaves the others whole.
func TestAttemptsCountForAllOrNone(t *testing.T) {
	t.Parallel()
	a := NewAttempts[string](func() time.Duration { return 0 }, 100)
	narrow, wide := Allowance[string]{"narrow", Pace{Interval: time.Second, Burst: 1}}, Allowance[string]{"wide", Pace{Interval: time.Minute, Burst: 2}}
	if a.Take(narrow, wide) != 0 || a.Take(narrow, wide) != time.Second || a.Take(wide) != 0 || a.Take(wide) != time.Minute {
		t.Error("an attempt that was refused is counted")
	}
	a.Return(wide)
	a.Forget("narrow")
	if a.Take(narrow, wide) != 0 {
		t.Error("nothing was taken back")
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	b := Bucket{Pace: Pace{Interval: time.Second, Burst: 2}}
	for i, step := range []struct{ now, wait time.Duration }{
		{0, 0}, {0, 0}, {0, time.Second}, {400 * time.Millisecond, 600 * time.Millisecond},
		{time.Second, 0}, {time.Second, time.Second},
		{time.Hour, 0}, {time.Hour, 0}, {time.Hour, time.Second}, // no more than the burst is saved up
	} {
		if wait := b.Take(step.now); wait != step.wait {
			t.Errorf("step %d at %v: wait %v, want %v", i, step.now, wait, step.wait)
		}
	}
}
