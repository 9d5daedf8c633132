package invoicing_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// numbers returns jobs that double the numbers below n, of which the last that is at
// work ends first.
func numbers(n int) func() (func(context.Context) (int, error), error) {
	next := 0
	done := make([]chan bool, n+1)
	for i := range done {
		done[i] = make(chan bool)
	}
	close(done[n])
	return func() (func(context.Context) (int, error), error) {
		if next == n {
			return nil, nil
		}
		mine := next
		next++
		return func(context.Context) (int, error) {
			if mine%2 == 0 { // it waits for the one after it
				<-done[mine+1]
			}
			close(done[mine])
			return 2 * mine, nil
		}, nil
	}
}

func TestInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8} {
		var have, want []int
		for i := range n {
			want = append(want, 2*i)
		}
		if err := invoicing.InOrder(t.Context(), 2, numbers(n), func(i int) error { have = append(have, i); return nil }); err != nil || !slices.Equal(have, want) {
			t.Errorf("%d jobs: %v, %v", n, have, err)
		}
	}
}

// TestInOrderEnds ends with the first error, be it of a job, of what comes next or of
// what is done with it. Nobody is at work any more then.
func TestInOrderEnds(t *testing.T) {
	broken := errors.New("broken")
	for _, at := range []string{"job", "next", "use"} {
		working, started := make(chan bool, 100), 0
		next := func() (func(context.Context) (int, error), error) {
			if started++; at == "next" && started == 5 {
				return nil, broken
			}
			mine := started
			return func(ctx context.Context) (int, error) {
				working <- true
				defer func() { <-working }()
				if at == "job" && mine == 5 {
					return 0, broken
				}
				if mine > 5 {
					<-ctx.Done() // which an error before it brings about
				}
				return mine, ctx.Err()
			}, nil
		}
		last := 0
		err := invoicing.InOrder(t.Context(), 3, next, func(i int) error {
			if last = i; at == "use" && i == 5 {
				return broken
			}
			return nil
		})
		if !errors.Is(err, broken) || last > 5 || len(working) > 0 {
			t.Errorf("%s: %v after %d, %d at work", at, err, last, len(working))
		}
	}
}
