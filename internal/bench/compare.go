package main

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// clients is how many callers there are at once.
	clients = 32
	// slice is how long a side runs before it is the other one's turn: long
	// for a request, short for whatever else the machine begins to do.
	slice  = 250 * time.Millisecond
	warmUp = 500 * time.Millisecond
)

// side is one of two that are compared. It runs for a while and returns how
// many things it did per second.
type side func(ctx context.Context, d time.Duration) (float64, error)

// compared is the median rate of two sides, and the median of the ratios of
// neighbouring turns, which met the same machine.
type compared struct{ measured, against, ratio float64 }

// compare lets two sides take turns, for d each in all.
func compare(ctx context.Context, d time.Duration, a, b side) (compared, error) {
	return compareIn(ctx, d, slice, a, b)
}

// compareIn is compare with turns of that length, for sides that take a while
// to begin.
func compareIn(ctx context.Context, d, slice time.Duration, a, b side) (compared, error) {
	for _, s := range []side{a, b} {
		if _, err := s(ctx, warmUp); err != nil {
			return compared{}, err
		}
	}
	var ratesA, ratesB, ratios []float64
	for range max(1, int(d/slice)) {
		one, err := turn(ctx, slice, a)
		if err != nil {
			return compared{}, err
		}
		other, err := turn(ctx, slice, b)
		if err != nil {
			return compared{}, err
		}
		ratesA, ratesB, ratios = append(ratesA, one), append(ratesB, other), append(ratios, one/other)
	}
	return compared{median(ratesA), median(ratesB), median(ratios)}, nil
}

func turn(ctx context.Context, slice time.Duration, s side) (float64, error) {
	runtime.GC() // nobody pays for what the other side left behind
	return s(ctx, slice)
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
