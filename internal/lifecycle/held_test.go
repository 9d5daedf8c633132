package lifecycle

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestHeld: while the clock cannot be believed nothing is looked for that is due,
// and jobs go on.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.held = true
		run(t, f, func() {
			timer := time.NewTimer(3500 * time.Millisecond)
			<-timer.C
		})
		if len(f.dueCalls) > 0 || len(f.passes) > 0 || len(f.jobCalls) < 3 {
			t.Errorf("%d looks for what is due, %d passes, %d for jobs", len(f.dueCalls), len(f.passes), len(f.jobCalls))
		}
	})
}

// TestPassed: a pass is over when nothing is left, and says whether it did
// something.
func TestPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.due = func(_ context.Context, call int) (int, time.Time, error) {
			if call == 1 {
				return 5, time.Time{}, nil
			}
			return 0, time.Time{}, nil
		}
		run(t, f, func() {
			timer := time.NewTimer(1500 * time.Millisecond)
			<-timer.C
		})
		if want := []bool{true, false}; !slices.Equal(f.passes, want) {
			t.Errorf("the passes did something: %v, want %v", f.passes, want)
		}
	})
}
