package subscriptions_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// TestResumedBeforeItWasNoticed: a clock jumps, somebody says at once that it is
// right, and a process that notices it only then goes by that. What was said of
// the time before a jump does not count.
func TestResumedBeforeItWasNoticed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		jump, said time.Duration
		held       bool
	}{
		"said of the new time":   {time.Hour, time.Hour, false},
		"said of the old time":   {time.Hour, 0, true},
		"said shortly before it": {-6 * time.Minute, -2 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var moved atomic.Int64
			wall := func() time.Time { return time.Now().Add(time.Duration(moved.Load())) }
			st, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "t.db"), Wall: wall})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { st.Close() })
			s := service.New(st, nil, nil)
			if held, err := s.Subscriptions.Held(t.Context(), st.Now()); held || err != nil {
				t.Fatal("it is held before anything happened", err)
			}
			said := time.Now().Add(c.said)
			moved.Store(int64(c.jump))
			if err := st.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error { return store.Resume(ctx, tx, said) }); err != nil {
				t.Fatal(err)
			}
			late := time.After(time.Minute)
			for ticks := time.Tick(10 * time.Millisecond); st.Clock().Apart() == nil; {
				select {
				case <-ticks:
				case <-late:
					t.Fatal("the jump went unnoticed")
				}
			}
			if _, err := s.Subscriptions.Held(t.Context(), st.Now()); err != nil {
				t.Fatal(err)
			}
			if hold := s.Subscriptions.Hold(); (hold != nil) != c.held || (st.Clock().Apart() != nil) != c.held {
				t.Errorf("held by %+v, want %t", hold, c.held)
			}
		})
	}
}
