package program

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/itchyny/gojq"
)

const (
	// A program that has taken few steps when its time is up was not slow: the
	// machine was busy with others. It gets some more.
	fewSteps, patience = 20_000, 5
	// maxSteps bounds a run on any machine, however busy.
	maxSteps = 2_000_000
	// maxMemory is how much may be allocated while a program runs, by it and by
	// all others: nothing tells them apart. It is far above what a program and
	// its surroundings need in its time.
	maxMemory = 128 << 20
	// sampleEvery is the number of steps between two looks at the memory, after
	// the first, which is late enough that usual programs never get there. Big
	// values that come to sampleBytes are a reason to look at once.
	sampleEvery, firstSample, sampleBytes = 32, 2048, 4 << 20
)

// meter is the context that a program runs under. gojq asks it before every
// step whether to go on, which makes it the place to count them.
type meter struct {
	context.Context
	cancel  context.CancelFunc
	unwatch func() bool
	timer   *time.Timer
	late    atomic.Bool // the time is up
	over    atomic.Bool // all patience is, or the caller is gone
	steps   int
	slice   int    // how many steps are taken before others get a turn, 0 for all
	next    int    // the step to look at the memory next
	made    int64  // as it was when the memory was looked at last
	start   uint64 // what had been allocated at the first look
	sample  [1]metrics.Sample
	err     error
}

var (
	errSteps  = errors.New("the program does too much: it takes too many steps")
	errTime   = fmt.Errorf("the program takes longer than %v", MaxTime)
	errMemory = errors.New("the program uses too much memory")
	stopped   = make(chan struct{})
)

func init() { close(stopped) }

func newMeter(caller context.Context, slice int) *meter {
	m := &meter{slice: slice, next: firstSample, made: made.Load()}
	m.Context, m.cancel = context.WithTimeout(caller, patience*MaxTime)
	m.timer = time.AfterFunc(MaxTime, func() { m.late.Store(true) })
	m.unwatch = context.AfterFunc(m.Context, func() { m.over.Store(true) })
	m.sample[0].Name = "/gc/heap/allocs:bytes"
	return m
}

func (m *meter) stop() {
	m.timer.Stop()
	m.unwatch()
	m.cancel()
}

func (m *meter) allocated() uint64 {
	metrics.Read(m.sample[:])
	return m.sample[0].Value.Uint64()
}

// Done is called by gojq before each step.
func (m *meter) Done() <-chan struct{} {
	m.steps++
	if m.slice > 0 && m.steps%m.slice == 0 {
		runtime.Gosched()
	}
	switch {
	case m.err != nil:
	case m.over.Load() || m.steps > fewSteps && m.late.Load():
		if m.err = errTime; errors.Is(m.Context.Err(), context.Canceled) {
			m.err = context.Canceled
		}
	case m.steps > maxSteps:
		m.err = errSteps
	case m.steps >= m.next || made.Load()-m.made > sampleBytes:
		m.look()
	}
	if m.err != nil {
		return stopped
	}
	return nil
}

// look stops the program if too much has been allocated since the first look.
func (m *meter) look() {
	m.next, m.made = m.steps+sampleEvery, made.Load()
	now := m.allocated()
	if m.start == 0 {
		m.start = now
	}
	if now-m.start > maxMemory {
		m.err = errMemory
	}
}

// Err is why the program was stopped.
func (m *meter) Err() error { return m.err }

// explain words an error of the program for its author.
func (m *meter) explain(err error) error {
	if m.err != nil {
		return m.err
	}
	if halt := (*gojq.HaltError)(nil); errors.As(err, &halt) {
		return errors.New("the program halts")
	}
	return fmt.Errorf("the program fails: %s", shorten(err.Error()))
}
