package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

const mebibyte = 1 << 20

// measureRenewals compares the time and the memory of a renewal when very many
// are due with those when a hundredth of them is: batch by batch in turns, until
// the few are done.
func measureRenewals(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	many, err := newCrowd(ctx, e, "due_many", b.subs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, many.close()) }()
	few, err := newCrowd(ctx, e, "due_few", b.subs/100)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, few.close()) }()

	var times, memories [2][]float64
	for left := b.subs / 100; left > 0; {
		for i, c := range []*crowd{many, few} {
			moved, took, memory, err := c.renewBatch(ctx)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], milliseconds(took)/float64(moved))
			memories[i] = append(memories[i], memory)
			if c == few {
				left -= moved
			}
		}
	}
	return []result{
		newResult("renewals, each", e.name, "ms", median(times[0]), median(times[1])).atMost(1.3),
		newResult("renewals, memory", e.name, "MiB", median(memories[0]), median(memories[1])).atMost(1.3),
	}, nil
}

// renewBatch renews the next batch. It returns how many that were, how long they
// took, and how much memory was in use at the end, with what was left lying
// around meanwhile.
func (c *crowd) renewBatch(ctx context.Context) (moved int, took time.Duration, memory float64, err error) {
	runtime.GC() // nobody pays for what others left behind
	start := now()
	tagged(ctx, "server", func(ctx context.Context) { moved, _, err = c.Subscriptions.RunDue(ctx, crowdDue) })
	took = now().Sub(start)
	if err == nil && moved == 0 {
		err = fmt.Errorf("nothing is due any more")
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return moved, took, float64(stats.HeapAlloc) / mebibyte, err
}
