package app

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// However many ask, the database is asked by one at a time and now and then, and
// what it answers is known soon.
func TestPingsAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("away")
		pings, outcome := 0, error(nil)
		p := &pinger{ping: func(context.Context) error {
			pings++
			<-time.After(time.Millisecond)
			return outcome
		}}
		ask := func(want error) {
			t.Helper()
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					if err := p.ask(t.Context()); !errors.Is(err, want) {
						t.Errorf("%v, want %v", err, want)
					}
				})
			}
			all.Wait()
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.ask(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("who is gone gets %v", err)
		}
		ask(nil)
		outcome = away
		ask(nil)
		<-time.After(pingRest)
		synctest.Wait()
		ask(away)
		outcome = nil
		ask(away)
		<-time.After(pingRest)
		synctest.Wait()
		ask(nil)
		if pings != 3 {
			t.Errorf("%d pings", pings)
		}
		<-time.After(pingRest)
	})
}
