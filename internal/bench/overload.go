package main

import (
	"bytes"
	"context"
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
func measureOverload(ctx context.Context, b *bench, e *engine) ([]result, error) {
	if runtime.GOOS != "linux" {
		say("memory is read from /proc: left out")
		return nil, nil
	}
	database, err := e.accounts(ctx, fewAccounts)
	if err != nil {
		return nil, err
	}
	child, err := startChild(ctx, b, "--db", database, "--max-connections", "10100")
	if err != nil {
		return nil, err
	}
	defer child.stop()
	token, err := fetchToken(ctx, child.address)
	if err != nil {
		return nil, err
	}
	o := &overload{ctx: ctx, address: child.address, request: graphQL(token, overloadQuery, nil)}
	usual, err := newLoad(ctx, child.address, accountsWant, always(o.request))
	if err != nil {
		return nil, err
	}
	defer usual.close()
	most, err := usual.run(ctx, b.duration())
	if err != nil {
		return nil, err
	}
	did, err := o.crowd(b.duration(), most)
	if err != nil {
		return nil, err
	}
	recovery, err := recoveryTime(ctx, usual, most)
	if err != nil {
		return nil, err
	}
	after, err := usual.run(ctx, b.duration())
	if err != nil {
		return nil, err
	}
	most = (most + after) / 2 // what others do on the machine meets both
	open, memory, err := o.connections(child.pid)
	if err != nil {
		return nil, err
	}
	return []result{
		newResult("overload, asked for", e.name, "/s", did.asked, most).atLeast(overloadTimes * 0.9),
		newResult("overload, done", e.name, "/s", did.done, most).atLeast(0.8),
		newResult("overload, slowest token", e.name, "s", did.token, tokenLimit).atMost(1),
		newResult("overload, recovery", e.name, "s", recovery, recoverySeconds).atMost(1),
		newResult(fmt.Sprintf("memory, %d connections", open), e.name, "MiB", memory, crowdMemory).atMost(1),
	}, nil
}

// overload is more callers than a server can serve.
type overload struct {
	ctx     context.Context
	address string
	request []byte
}

// outcome is what a second of overload came to, and how long a token took at the
// worst.
type outcome struct{ asked, done, token float64 }

// crowd asks for overloadTimes as much as can be done. Who is refused comes back
// after a while, so that so much is asked for and not more.
func (o *overload) crowd(d time.Duration, most float64) (outcome, error) {
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
			c, err := dial(o.ctx, o.address)
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
	for now().Sub(start) < d && !over.Load() {
		began := now()
		if _, err := fetchToken(o.ctx, o.address); err != nil {
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
	return result, errors.Join(failed, o.ctx.Err())
}

// recoveryTime is how long it takes until as much is done as before, or nearly.
func recoveryTime(ctx context.Context, usual *load, most float64) (float64, error) {
	start := now()
	for {
		rate, err := usual.run(ctx, 500*time.Millisecond)
		if err != nil {
			return 0, err
		}
		if took := now().Sub(start).Seconds(); rate >= 0.8*most || took > 2*recoverySeconds {
			return took, nil
		}
	}
}

// connections opens many, asks once on each, and returns how many there are and
// what the server keeps in memory then.
func (o *overload) connections(pid int) (open int, memory float64, err error) {
	var all []*conn
	defer func() {
		for _, c := range all {
			c.close()
		}
	}()
	most := min(manyConnections, openFiles()-500)
	for len(all) < most {
		c, err := dial(o.ctx, o.address)
		if err != nil {
			return 0, 0, err
		}
		all = append(all, c)
		if _, err := c.try(o.request); err != nil {
			return 0, 0, err
		}
	}
	memory, err = residentMiB(pid)
	return len(all), memory, err
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
