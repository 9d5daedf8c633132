package main

import (
	"context"
	"errors"
	"runtime"
	"time"
)

const mebibyte = 1 << 20

// measureRenewals compares the time and the memory of a renewal when very many
// are due with those when a hundredth of them is: batch by batch in turns, until
// the few are done.
func measureRenewals(r *run) []result {
	many, few := r.newCrowd("due_many", r.subs), r.newCrowd("due_few", r.subs/100)
	var times, memories [2][]float64
	for left := r.subs / 100; left > 0; {
		for i, c := range []*crowd{many, few} {
			moved, took, memory := c.renewBatch(r.Context())
			times[i] = append(times[i], milliseconds(took)/float64(moved))
			memories[i] = append(memories[i], memory)
			if c == few {
				left -= moved
			}
		}
	}
	return []result{
		r.result("renewals, each", "ms", median(times[0]), median(times[1])).atMost(1.3),
		r.result("renewals, memory", "MiB", median(memories[0]), median(memories[1])).atMost(1.3),
	}
}

// renewBatch renews the next batch. It returns how many that were, how long they
// took, and how much memory was in use at the end, with what was left lying
// around meanwhile.
func (c *crowd) renewBatch(ctx context.Context) (moved int, took time.Duration, memory float64) {
	return batch(ctx, c.Subscriptions.RunDue, crowdDue)
}

// batch does the next batch of what is due by then.
func batch(ctx context.Context, run func(context.Context, time.Time) (int, time.Time, error), by time.Time) (done int, took time.Duration, memory float64) {
	runtime.GC() // nobody pays for what others left behind
	start := now()
	tagged(ctx, "server", func(ctx context.Context) {
		var err error
		done, _, err = run(ctx, by)
		check(err)
	})
	took = now().Sub(start)
	if done == 0 {
		check(errors.New("nothing is due any more"))
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return done, took, float64(stats.HeapAlloc) / mebibyte
}
