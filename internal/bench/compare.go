package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// clients is how many callers there are at once.
	clients = 32
	// turnTime is how long a side runs before the other one does: long for a
	// request, short for whatever else the machine begins to do.
	turnTime = 250 * time.Millisecond
	warmUp   = 500 * time.Millisecond
)

// side is one of two that are compared. It runs for a while and returns how
// many things it did per second.
type side func(ctx context.Context, d time.Duration) (float64, error)

// crewSide is a side of clients that do something over and over, in a profile
// under that tag.
func crewSide(tag string, do func(ctx context.Context, client int) error) side {
	return func(ctx context.Context, d time.Duration) (rate float64, err error) {
		tagged(ctx, tag, func(ctx context.Context) {
			rate, err = crew(ctx, d, func(client int) error { return do(ctx, client) })
		})
		return rate, err
	}
}

// crew has every client do something over and over for a while, and returns
// how often it was done per second.
func crew(ctx context.Context, d time.Duration, do func(client int) error) (float64, error) {
	var over atomic.Bool // cheaper to look at than a clock
	timer := time.AfterFunc(d, func() { over.Store(true) })
	defer timer.Stop()
	defer context.AfterFunc(ctx, func() { over.Store(true) })()

	var wait sync.WaitGroup
	var done atomic.Int64
	errs := make([]error, clients)
	start := now()
	for client := range clients {
		wait.Go(func() {
			var n int64
			for !over.Load() {
				if errs[client] = do(client); errs[client] != nil {
					over.Store(true)
					break
				}
				n++
			}
			done.Add(n)
		})
	}
	wait.Wait()
	took := now().Sub(start)
	return float64(done.Load()) / took.Seconds(), errors.Join(append(errs, ctx.Err())...)
}

func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
