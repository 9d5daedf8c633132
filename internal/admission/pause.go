package admission

import (
	"context"
	"sync"
)

// slot is the slot of a request at a gate, which it can leave for a while.
type slot struct {
	gate   *Gate
	caller string

	mu     sync.Mutex
	paused int    // by how many parts of the request
	visit  *Visit // whose CPU time is charged, nil for nobody's
}

type slotKey struct{}

// Hold returns a context in which the caller's request can give its slot at the
// gate away while it waits: see Pause.
func (g *Gate) Hold(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, slotKey{}, &slot{gate: g, caller: caller})
}

func slotIn(ctx context.Context) *slot {
	p, _ := ctx.Value(slotKey{}).(*slot)
	return p
}

// Pause gives the slot of a request to others while it waits for something that
// has bounds of its own, such as a receiver or the slot of a preview, and has no
// CPU time charged meanwhile. The request goes on at once when resume is called.
// A context without a slot is fine.
func Pause(ctx context.Context) (resume func()) {
	p := slotIn(ctx)
	if p == nil {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused++; p.paused == 1 {
		if p.visit != nil {
			p.visit.pause()
		}
		p.gate.leave(p.caller)
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.paused--; p.paused == 0 {
			p.gate.again(p.caller)
			if p.visit != nil {
				p.visit.resume()
			}
		}
	}
}
