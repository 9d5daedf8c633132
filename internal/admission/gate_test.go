package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

const patient = time.Minute

func enter(t *testing.T, g *Gate, caller string) (leave func()) {
	t.Helper()
	leave, err := g.Enter(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	return leave
}

// state is how many requests run and wait, and how many were refused.
func (g *Gate) state() (running, waiting int, refused int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, g.waiting, g.refused
}

// queued starts a request that has to wait, and returns when it does.
func queued(t *testing.T, g *Gate, caller string, then func(leave func(), err error)) {
	t.Helper()
	_, before, refusedBefore := g.state()
	go func() { then(g.Enter(t.Context(), caller)) }()
	for {
		if _, waiting, refused := g.state(); waiting > before || refused > refusedBefore {
			return
		}
	}
}

// Callers take turns, however many requests each has.
func TestCallersTakeTurns(t *testing.T) {
	t.Parallel()
	g := NewGate(1, 100, patient)
	leave := enter(t, g, "greedy")
	var mu sync.Mutex
	var order []string
	var all sync.WaitGroup
	for _, caller := range []string{"greedy", "greedy", "greedy", "greedy", "modest", "shy"} {
		all.Add(1)
		queued(t, g, caller, func(leave func(), err error) {
			defer all.Done()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, caller)
			mu.Unlock()
			leave()
		})
	}
	leave()
	all.Wait()
	if want := []string{"greedy", "modest", "shy", "greedy", "greedy", "greedy"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	if running, waiting, refused := g.state(); running+waiting != 0 || refused != 0 || len(g.lines)+len(g.turns) != 0 {
		t.Errorf("%d run, %d wait, %d refused, lines %v", running, waiting, refused, g.lines)
	}
}

// When too many wait, the caller with the most of them is refused.
func TestTheLongestLineGivesWay(t *testing.T) {
	t.Parallel()
	g := NewGate(1, 3, patient)
	leave := enter(t, g, "greedy")
	outcomes := make(chan error, 4)
	note := func(leave func(), err error) {
		outcomes <- err
		if err == nil {
			leave()
		}
	}
	for range 3 {
		queued(t, g, "greedy", note)
	}
	queued(t, g, "modest", note)
	if err := <-outcomes; !errors.Is(err, ErrBusy) {
		t.Errorf("the last of the longest line: %v", err)
	}
	queued(t, g, "greedy", note)
	if err := <-outcomes; !errors.Is(err, ErrBusy) {
		t.Errorf("another of the longest line: %v", err)
	}
	leave()
	for range 3 {
		if err := <-outcomes; err != nil {
			t.Error(err)
		}
	}
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	g := NewGate(1, 3, time.Millisecond)
	leave := enter(t, g, "a")
	if _, err := g.Enter(t.Context(), "a"); !errors.Is(err, ErrBusy) {
		t.Errorf("after the wait: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	slow := NewGate(0, 3, patient)
	if _, err := slow.Enter(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	leave()
	enter(t, g, "a")()
	if running, waiting, _ := g.state(); running+waiting != 0 {
		t.Errorf("%d run, %d wait", running, waiting)
	}
}

// However long its requests take, a caller leaves slots for others.
func TestNobodyHasAllPlaces(t *testing.T) {
	t.Parallel()
	g := NewGate(4, 10, patient)
	var leaves []func()
	for range 3 {
		leaves = append(leaves, enter(t, g, "greedy"))
	}
	came := make(chan func(), 2)
	for range 2 {
		queued(t, g, "greedy", func(leave func(), err error) { came <- leave })
	}
	enter(t, g, "modest")() // at once, and its slot is for nobody greedy
	if len(came) != 0 {
		t.Error("the greedy one has all slots")
	}
	leaves[0]()
	next := <-came
	leaves[1]()
	(<-came)()
	next()
	leaves[2]()
	if running, waiting, _ := g.state(); running+waiting+len(g.held) != 0 {
		t.Errorf("%d run, %d wait, %v", running, waiting, g.held)
	}
}

// While a request waits for something else, another one has its slot, and it
// goes on without waiting for that to end.
func TestPausesGiveThePlaceAway(t *testing.T) {
	t.Parallel()
	g := NewGate(1, 0, patient)
	leave := enter(t, g, "a")
	ctx := g.Hold(t.Context(), "a")
	resume, also := Pause(ctx), Pause(ctx)
	other := enter(t, g, "b")
	resume()
	also()
	if running, _, _ := g.state(); running != 2 {
		t.Errorf("%d run, want 2", running)
	}
	other()
	if _, err := g.Enter(t.Context(), "b"); !errors.Is(err, ErrBusy) {
		t.Errorf("the slot is taken again: %v", err)
	}
	leave()
	enter(t, g, "b")()
	Pause(t.Context())() // nobody's
}
