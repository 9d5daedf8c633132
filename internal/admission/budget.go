package admission

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Limits are what a caller may take. Zero is no limit.
type Limits struct {
	Requests int           // at once
	CPU      time.Duration // in a minute
	Bytes    int64         // in a minute, of requests and answers
}

// or takes what is not set from others.
func (l Limits) or(others Limits) Limits {
	return Limits{cmp.Or(l.Requests, others.Requests), cmp.Or(l.CPU, others.CPU), cmp.Or(l.Bytes, others.Bytes)}
}

// Caller is who makes a request, known by a token or a session.
type Caller struct {
	Key    string // of nobody else
	Label  string // in metrics; there are as many as API clients
	Limits Limits // the caller's own; what is zero is the same for all
}

// Reason is which limit a request was refused by.
type Reason string

// The limits.
const (
	TooManyRequests Reason = "requests"
	TooMuchCPU      Reason = "cpu"
	TooManyBytes    Reason = "bytes"
)

// Refusal is why a caller may not go on, and when to try again.
type Refusal struct {
	Reason Reason
	Limits Limits // in force
	After  time.Duration
}

// Message says which limit was reached, after the caller's name.
func (r *Refusal) Message() string {
	limit := ""
	switch r.Reason {
	case TooManyRequests:
		limit = fmt.Sprintf("has %d requests under way, which is its limit", r.Limits.Requests)
	case TooMuchCPU:
		limit = fmt.Sprintf("has used %g seconds of CPU time in the last minute, which is its limit", r.Limits.CPU.Seconds())
	case TooManyBytes:
		limit = fmt.Sprintf("has sent and got %d MiB in the last minute, which is its limit", r.Limits.Bytes>>20)
	}
	seconds := "a second"
	if n := int(r.After / time.Second); n > 1 {
		seconds = fmt.Sprintf("%d seconds", n)
	}
	return limit + ". Try again in " + seconds + "."
}

// Budgets knows what callers took in the last minute. It is safe for concurrent
// use.
type Budgets struct {
	defaults Limits
	seconds  func() int64
	clock    cpuClock

	mu      sync.Mutex
	callers map[string]*account

	refused    *prometheus.CounterVec
	cpu, bytes *prometheus.CounterVec
}

// account is what one caller took.
type account struct {
	running    int
	cpu, bytes window
}

// NewBudgets returns budgets with limits for those who have no own ones. Seconds
// are counted by elapsed, which no clock that is set may change.
func NewBudgets(defaults Limits, elapsed func() time.Duration) *Budgets {
	b := &Budgets{
		defaults: defaults, callers: map[string]*account{}, clock: cpuClock{used: processCPU},
		seconds: func() int64 { return int64(elapsed() / time.Second) },
	}
	b.register()
	return b
}

// Visit is one request of a caller that was let in.
type Visit struct {
	budgets *Budgets
	caller  Caller
	account *account

	mu    sync.Mutex
	runs  bool
	start time.Duration
	cpu   time.Duration // before start
	over  bool
}

// Begin lets a request of the caller in, or says why not. What it takes is
// charged when it is over, so the last one may go beyond the limit.
func (b *Budgets) Begin(c Caller) (*Visit, *Refusal) {
	limits := c.Limits.or(b.defaults)
	b.mu.Lock()
	a := b.callers[c.Key]
	if a == nil {
		a = &account{}
		b.forget()
		b.callers[c.Key] = a
		for _, reason := range []Reason{TooManyRequests, TooMuchCPU, TooManyBytes} {
			b.refused.WithLabelValues(c.Label, string(reason)) // seen before the first refusal
		}
	}
	no := a.judge(limits, b.seconds())
	if no == nil {
		a.running++
	}
	b.mu.Unlock()
	if no != nil {
		b.refused.WithLabelValues(c.Label, string(no.Reason)).Inc()
		return nil, no
	}
	return &Visit{budgets: b, caller: c, account: a}, nil
}

func (a *account) judge(l Limits, second int64) *Refusal {
	if l.Requests > 0 && a.running >= l.Requests {
		return &Refusal{TooManyRequests, l, time.Second}
	}
	if l.CPU > 0 {
		if wait := a.cpu.wait(second, int64(l.CPU)); wait > 0 {
			return &Refusal{TooMuchCPU, l, wait}
		}
	}
	if l.Bytes > 0 {
		if wait := a.bytes.wait(second, l.Bytes); wait > 0 {
			return &Refusal{TooManyBytes, l, wait}
		}
	}
	return nil
}

// Run begins to charge CPU time. What is used while a request with this context
// pauses is not charged.
func (v *Visit) Run(ctx context.Context) {
	v.resume()
	if p := slotIn(ctx); p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.visit = v
	}
}

func (v *Visit) resume() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.runs && !v.over {
		v.start, v.runs = v.budgets.clock.begin(), true
	}
}

func (v *Visit) pause() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.runs {
		v.cpu += v.budgets.clock.end(v.start)
		v.runs = false
	}
}

// end returns the CPU time to charge.
func (v *Visit) end() time.Duration {
	v.pause()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.over = true
	return v.cpu
}

// End charges what the request took.
func (v *Visit) End(bytes int64) {
	b := v.budgets
	cpu := v.end()
	b.mu.Lock()
	second := b.seconds()
	v.account.running--
	v.account.cpu.add(second, int64(cpu))
	v.account.bytes.add(second, bytes)
	b.mu.Unlock()
	b.cpu.WithLabelValues(v.caller.Label).Add(cpu.Seconds())
	b.bytes.WithLabelValues(v.caller.Label).Add(float64(bytes))
}

// manyCallers is how many are remembered before those are forgotten who took
// nothing for a minute.
const manyCallers = 1000

func (b *Budgets) forget() {
	if len(b.callers) < manyCallers {
		return
	}
	second := b.seconds()
	for key, a := range b.callers {
		a.cpu.at(second)
		a.bytes.at(second)
		if a.running == 0 && a.cpu.sum == 0 && a.bytes.sum == 0 {
			delete(b.callers, key)
		}
	}
}
