package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBusy says that a request waited too long for its turn, or that too many
// wait already. It was not begun, and may be sent again.
var ErrBusy = errors.New("too many requests at once")

// Gate bounds how many requests run at once. Those that find it full wait in a
// line for each caller, and callers take turns: who sends many requests waits for
// its own ones, and nobody else does. No caller has more than three quarters of
// the slots, however long its requests take. It is safe for concurrent use.
type Gate struct {
	queue int // how many may wait
	wait  time.Duration

	mu      sync.Mutex
	size    int
	most    int            // of one caller
	running int            // of all
	held    map[string]int // of each caller that has some
	waiting int
	lines   map[string][]*waiter
	turns   []string // the callers with a line, in the order of their turns
	refused int64
}

// waiter is a request in a line. Exactly one of its channels is used, once.
type waiter struct {
	caller string
	turn   chan struct{} // closed when it may run
	out    chan struct{} // closed when it must give way
}

// NewGate returns a gate for so many requests at once, with a queue of so many
// that wait for at most so long.
func NewGate(slots, queue int, wait time.Duration) *Gate {
	return &Gate{size: slots, most: max(1, slots*3/4), queue: queue, wait: wait, held: map[string]int{}, lines: map[string][]*waiter{}}
}

// Enter waits for the caller's turn. It returns ErrBusy if that does not come
// soon, and otherwise leave, which is to be called once the request is over.
func (g *Gate) Enter(ctx context.Context, caller string) (leave func(), err error) {
	w := g.join(caller)
	leave = func() { g.leave(caller) }
	if w == nil {
		return leave, nil
	}
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	err = ErrBusy
	select {
	case <-w.turn:
		return leave, nil
	case <-w.out:
		return nil, ErrBusy
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if g.giveUp(w) {
		return nil, err
	}
	return leave, nil // its turn came at the same moment
}

// join lets the caller run, for which it returns nil, or wait. If too many wait,
// the last of the longest line has to go, which may be this one.
func (g *Gate) join(caller string) *waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running < g.size && g.held[caller] < g.most {
		g.take(caller)
		return nil
	}
	w := &waiter{caller, make(chan struct{}), make(chan struct{})}
	if len(g.lines[caller]) == 0 {
		g.turns = append(g.turns, caller)
	}
	g.lines[caller] = append(g.lines[caller], w)
	if g.waiting++; g.waiting > g.queue {
		longest := caller
		for other, line := range g.lines {
			if len(line) > len(g.lines[longest]) {
				longest = other
			}
		}
		line := g.lines[longest]
		last := line[len(line)-1]
		g.remove(last)
		g.refused++
		close(last.out)
	}
	return w
}

// giveUp takes a request out of its line, and reports whether it still was there.
func (g *Gate) giveUp(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.turn:
		return false
	case <-w.out: // and counted
		return true
	default:
	}
	g.remove(w)
	g.refused++
	return true
}

func (g *Gate) remove(w *waiter) {
	line := slices.DeleteFunc(g.lines[w.caller], func(other *waiter) bool { return other == w })
	g.waiting--
	if g.lines[w.caller] = line; len(line) > 0 {
		return
	}
	delete(g.lines, w.caller)
	g.turns = slices.DeleteFunc(g.turns, func(caller string) bool { return caller == w.caller })
}

func (g *Gate) take(caller string) {
	g.running++
	g.held[caller]++
}

// leave gives the slot to the first in the line of the next caller that may have
// one more.
func (g *Gate) leave(caller string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	if g.held[caller]--; g.held[caller] == 0 {
		delete(g.held, caller)
	}
	for i := 0; i < len(g.turns) && g.running < g.size; {
		next := g.turns[i]
		if g.held[next] >= g.most {
			i++
			continue
		}
		w := g.lines[next][0]
		g.turns = append(slices.Delete(g.turns, i, i+1), next) // its next turn is after all others
		g.remove(w)
		g.take(next)
		close(w.turn)
	}
}

// again takes a slot whether there is one or not: for a request that had one and
// goes on.
func (g *Gate) again(caller string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.take(caller)
}
