package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// overloadTimes is how much more is asked for than can be done.
	overloadTimes = 3
	// crowdSize is how many callers there are under overload: more than run and
	// wait, so that some are always refused.
	crowdSize = 600
	// manyConnections are open at once in the end, if the system allows it.
	manyConnections = 10_000
	crowdMemory     = 1024 // MiB
	recoverySeconds = 10
	// tokenLimit is what a token may take meanwhile.
	tokenLimit    = 1
	overloadQuery = "{ accounts(limit: 500) { id name code billingDay createdAt } }"
)

// measureOverload asks for as much as a server can do, then for three times that,
// and looks whether it still does as much, and how soon it is as before.
func measureOverload(r *run) []result {
	if runtime.GOOS != "linux" {
		say("memory is read from /proc: left out")
		return nil
	}
	child := r.startChild("--db", r.seeded(fewAccounts), "--max-connections", "10100")
	o := &overload{run: r, address: child.address, request: graphQL(r.fetchToken(child.address, usualScope), overloadQuery, nil)}
	usual := r.newLoad(child.address).side(accountsWant, always(o.request))
	most := must(usual(r.Context(), r.duration()))
	did := o.crowd(most)
	recovery := r.recoveryTime(usual, most)
	after := must(usual(r.Context(), r.duration()))
	most = (most + after) / 2 // what others do on the machine meets both
	open, memory := o.connections(child.pid)
	return []result{
		r.result("overload, asked for", "/s", did.asked, most).atLeast(overloadTimes * 0.9),
		r.result("overload, done", "/s", did.done, most).atLeast(0.8),
		r.result("overload, slowest token", "s", did.token, tokenLimit).atMost(1),
		r.result("overload, recovery", "s", recovery, recoverySeconds).atMost(1),
		r.result(fmt.Sprintf("memory, %d connections", open), "MiB", memory, crowdMemory).atMost(1),
	}
}

// overload is more callers than a server can serve.
type overload struct {
	*run
	address string
	request []byte
}

// outcome is what a second of overload came to, and how long a token took at the
// worst.
type outcome struct{ asked, done, token float64 }

// crowd asks for overloadTimes as much as can be done. Who is refused comes back
// after a while, so that so much is asked for and not more.
func (o *overload) crowd(most float64) outcome {
	var over atomic.Bool
	var done, asked atomic.Int64
	var wait sync.WaitGroup
	var failed error
	var once sync.Once
	fail := func(err error) {
		once.Do(func() { failed = err })
		over.Store(true)
	}
	pace := time.Duration(crowdSize / (overloadTimes * most) * float64(time.Second))
	start := now()
	for n := range crowdSize {
		wait.Go(func() {
			c, err := dial(o.Context(), o.address)
			if err != nil {
				fail(err)
				return
			}
			defer c.close()
			// One after another, and not all at the same moment.
			for next := start.Add(pace * time.Duration(n) / crowdSize); !over.Load(); next = next.Add(pace) {
				//house:clock the pace of a caller
				time.Sleep(next.Sub(now()))
				ok, err := c.try(o.request)
				if err != nil {
					fail(err)
					return
				}
				if asked.Add(1); ok {
					done.Add(1)
				}
			}
		})
	}
	slowest := time.Duration(0)
	for now().Sub(start) < o.duration() && !over.Load() {
		began := now()
		if err := catch(func() { o.fetchToken(o.address, usualScope) }); err != nil {
			fail(err)
		}
		slowest = max(slowest, now().Sub(began))
		//house:clock the pace of those who ask for tokens
		time.Sleep(100 * time.Millisecond)
	}
	over.Store(true)
	took := now().Sub(start).Seconds()
	result := outcome{float64(asked.Load()) / took, float64(done.Load()) / took, slowest.Seconds()}
	wait.Wait()
	check(errors.Join(failed, o.Context().Err()))
	return result
}

// recoveryTime is how long it takes until as much is done as before, or nearly.
func (r *run) recoveryTime(usual side, most float64) float64 {
	start := now()
	for {
		rate := must(usual(r.Context(), 500*time.Millisecond))
		if took := now().Sub(start).Seconds(); rate >= 0.8*most || took > 2*recoverySeconds {
			return took
		}
	}
}

// connections opens many, asks once on each, and returns how many there are and
// what the server keeps in memory then.
func (o *overload) connections(pid int) (open int, memory float64) {
	open = min(manyConnections, openFiles()-500)
	for range open {
		must(o.dial(o.address).try(o.request))
	}
	return open, residentMiB(pid)
}

var statusBusy = []byte("HTTP/1.1 503 ")

// try is do for an answer that may also be that the server is busy.
func (c *conn) try(request []byte) (ok bool, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return false, err
	}
	line, err := c.reader.Peek(len(statusBusy))
	if err != nil {
		return false, err
	}
	ok = !bytes.Equal(line, statusBusy)
	length, err := c.readHeader(ok)
	if err != nil {
		return false, err
	}
	_, err = c.reader.Discard(length)
	return ok, err
}
