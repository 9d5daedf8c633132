package worker_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

const (
	seedEnv = "TENANTRY_SEED"
	soakEnv = "TENANTRY_SOAK"
	// shortRun is how long the troubles last if nobody says.
	shortRun = 20 * time.Second
	// convergeSpeed makes a timeout of a minute one and a half seconds, and the
	// five minutes after which a failing event gives way less than eight.
	convergeSpeed = 40
	// convergeSlack is two seconds: a process that is frozen for longer loses
	// its leases.
	convergeSlack = 80 * time.Second
	// convergeGrace is less than the lease of a process that was killed, so that
	// some are taken over and others run out.
	convergeGrace = 700 * time.Millisecond
)

// TestConvergence is the promise of webhooks as a whole. Processes change
// subscriptions and the catalog at random, pay invoices or do not, send what follows from that, and are
// killed, stopped and frozen meanwhile; the application on the other side fails
// in every way it can. When all that is over, the application knows for every
// tenant exactly what its subscriptions give, was told all in order, and got
// nothing twice that the log does not explain.
func TestConvergence(t *testing.T) {
	// Not beside other tests of this package: the processes need the machine.
	run, seed := shortRun, rand.Uint64()>>1
	if text := os.Getenv(soakEnv); text != "" {
		var err error
		if run, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s must be a duration such as 15m: %v", soakEnv, err)
		}
	}
	if text := os.Getenv(seedEnv); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 63); err != nil {
			t.Fatalf("%s must be a number: %v", seedEnv, err)
		}
	}
	fmt.Printf("the seed of the convergence test is %d; run it again with %s=%d\n", seed, seedEnv, seed)
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		c := newConvergence(t, db, seed)
		c.trouble(run)
		c.settle()
		c.check()
		c.report(run)
	})
}

// convergence is a run of the test on one engine.
type convergence struct {
	t        *testing.T
	setting  setting
	store    *store.Store
	service  *service.Service
	receiver *moody
	random   *rand.Rand
	halls    map[string]hall

	mu       sync.Mutex
	replicas []*replica
	// over says that nothing is killed any more.
	over                           bool
	kills, strikes, stops, freezes int
	resynced                       int
	// planted is how often the application was changed by hand, found how often that was
	// reported, and repaired how many tenants were told again because of reports.
	planted, found, repaired int
	complaints               []string
	checked                  checked
}

// replica is one of the processes; there is always one of its name.
type replica struct {
	*process
	name string
	// thaws are when it went on after it was frozen.
	thaws []time.Time
	lives int
}

func newConvergence(t *testing.T, db *storetest.Database, seed uint64) *convergence {
	clock := shared{begin: time.Now(), speed: convergeSpeed}
	c := &convergence{
		t: t, random: rand.New(rand.NewPCG(seed, 3)), receiver: newMoody(t, seed), halls: map[string]hall{},
		setting: setting{url: db.URL, clock: clock, slack: convergeSlack, seed: seed, grace: convergeGrace},
	}
	st, err := store.Open(t.Context(), store.Options{URL: db.URL, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	box, err := secret.NewBox(secretKey)
	if err != nil {
		t.Fatal(err)
	}
	c.store, c.service = st, service.New(st, box, nil)
	c.furnish()
	names, pace := []string{"one"}, 20*time.Millisecond
	if db.Engine == "postgres" {
		names, pace = []string{"one", "two", "three"}, 60*time.Millisecond
	}
	c.setting.pace = pace
	c.receiver.struck = c.strike
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		r := &replica{name: name}
		c.replicas = append(c.replicas, r)
		c.launch(r)
	}
	return c
}

func (c *convergence) ctx() context.Context {
	return operation.As(c.t.Context(), operation.Caller{Actor: "test"})
}

// furnish makes the platforms, which differ in how they are sent to.
func (c *convergence) furnish() {
	c.t.Helper()
	for _, code := range []string{orderedHall, strictHall} {
		h, err := openHall(c.ctx(), c.service, code, c.receiver.URL+"/"+code)
		if err != nil {
			c.t.Fatal(err)
		}
		c.halls[code] = h
		flows, err := store.WorkflowsOf(c.ctx(), c.service.Read(), []billing.PlatformID{h.platform})
		if err != nil {
			c.t.Fatal(err)
		}
		_, err = c.service.Delivery.WorkflowUpdate(c.ctx(), flows[0].ID, func(w *delivery.WorkflowDraft) error {
			w.TimeoutSeconds, w.Order, w.RetryDelays = 60, webhook.Ordered, []int{2, 5, 10, 20, 40, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60}
			if code == strictHall {
				w.Order, w.RetryDelays, w.MaxConcurrency = webhook.Strict, []int{2, 5, 10, 15, 15, 15}, 8
				w.PayloadProgram = ptr(`. + {via: "program"}`)
			}
			return nil
		}, webhook.ReleaseAll)
		if err != nil {
			c.t.Fatal(err)
		}
	}
	if err := openOffice(c.ctx(), c.service, billing.DateOf(c.setting.clock.Now(), time.UTC)); err != nil {
		c.t.Fatal(err)
	}
	for range hallClocks {
		if _, err := c.service.Subscriptions.TestClockCreate(c.ctx(), "clock", c.setting.clock.Now()); err != nil {
			c.t.Fatal(err)
		}
	}
}

// launch starts a process in the place of the one before.
func (c *convergence) launch(r *replica) {
	s := c.setting
	r.lives++
	s.name, s.seed = r.name, s.seed+uint64(r.lives)*1000+uint64(len(r.name))
	if r.process != nil && r.cmd.ProcessState.ExitCode() > 0 {
		c.complaints = append(c.complaints, fmt.Sprintf("a process ended: %v\n%s", r.cmd.ProcessState, r.process.complaints()))
	}
	r.process = s.launch(c.t, roleDriver)
	go c.listen(r.process)
}

// listen hears what a process says, which is nothing but that it is ready, and
// quiet, unless something went wrong.
func (c *convergence) listen(p *process) {
	for {
		select {
		case line := <-p.said:
			c.hear(p, line)
		case <-p.ended:
			for len(p.said) > 0 {
				c.hear(p, <-p.said)
			}
			return
		}
	}
}

func (c *convergence) hear(p *process, line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case line == "ready":
		close(p.ready)
	case line == "quiet":
		close(p.quiet)
	case strings.HasPrefix(line, "error"):
		c.complaints = append(c.complaints, line)
	}
}

// strike kills a process in the moment in which its request was answered.
func (c *convergence) strike(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.replicas {
		if r.name == name && !c.over {
			_ = r.cmd.Process.Kill()
			c.strikes++
		}
	}
}

// trouble kills, stops and freezes processes for a while, and lets the
// application change its mood.
func (c *convergence) trouble(run time.Duration) {
	end := time.After(run)
	for {
		select {
		case <-end:
			return
		case <-time.After(time.Duration(200+c.random.IntN(1000)) * time.Millisecond):
		}
		c.receiver.turns("")
		c.reportSome(false)
		c.revive()
		r := c.replicas[c.random.IntN(len(c.replicas))]
		switch c.random.IntN(7) {
		case 0, 1, 2:
			r.kill()
			c.kills++
		case 3:
			c.stop(r)
		case 4, 5:
			c.freeze()
		}
		c.revive()
	}
}

// freeze stops a process that has just made a request for a while, often for
// longer than its lease if there is another one to take over.
func (c *convergence) freeze() {
	caught := make(chan *replica, 1)
	catch := func(by string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, r := range c.replicas {
			if r.name == by {
				r.freeze()
				caught <- r
			}
		}
	}
	c.receiver.catch.Store(&catch)
	select {
	case r := <-caught:
		c.keepFrozen(r)
	case <-time.After(time.Second):
		if !c.receiver.catch.CompareAndSwap(&catch, nil) {
			c.keepFrozen(<-caught)
		}
	}
}

func (c *convergence) keepFrozen(r *replica) {
	wait := time.Duration(500+c.random.IntN(1500)) * time.Millisecond
	if len(c.replicas) > 1 && c.random.IntN(3) > 0 {
		wait += 4500 * time.Millisecond
	}
	<-time.After(wait)
	c.mu.Lock()
	c.freezes, r.thaws = c.freezes+1, append(r.thaws, time.Now())
	c.mu.Unlock()
	r.thaw()
}

// stop ends a process in order, unless it has ended otherwise before.
func (c *convergence) stop(r *replica) {
	c.t.Helper()
	select {
	case <-r.ready: // before that it does not listen
	case <-r.ended:
		return
	}
	r.terminate()
	select {
	case <-r.ended:
		c.stops++
	case <-time.After(time.Minute):
		c.t.Fatalf("a process does not stop\n%s", r.process.complaints())
	}
}

// revive starts anew what was killed.
func (c *convergence) revive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.replicas {
		select {
		case <-r.ended:
			c.launch(r)
		default:
		}
	}
}

// quieten has a process make no more changes.
func (c *convergence) quieten(r *replica) {
	c.t.Helper()
	for {
		_, _ = r.input.Write([]byte("quiet\n")) // it may just have been killed
		select {
		case <-r.quiet:
			return
		case <-r.ended:
			c.revive()
		case <-time.After(2 * time.Minute):
			c.t.Fatalf("a process does not become quiet\n%s", r.complaints())
		}
	}
}

// settle ends the troubles and waits until nothing is left to do.
func (c *convergence) settle() {
	c.t.Helper()
	c.receiver.turns(well)
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	for _, r := range c.replicas {
		c.quieten(r)
	}
	for _, h := range c.halls {
		flows, err := store.WorkflowsOf(c.ctx(), c.service.Read(), []billing.PlatformID{h.platform})
		if err != nil {
			c.t.Fatal(err)
		}
		if err := enable(c.ctx(), c.service, flows[0].ID, true, webhook.ReleaseAll); err != nil {
			c.t.Fatal(err)
		}
		_, err = c.service.Delivery.PlatformEndpointResume(c.ctx(), h.platform, webhook.ReleaseAll)
		if _, nothing := billing.AsProblems(err); err != nil && !nothing {
			c.t.Fatal(err)
		}
	}
	c.awaitIdle()
	c.collectDebts()
	c.awaitIdle()
	if c.resync() > 0 {
		c.awaitIdle()
	}
	c.repairDrift()
	for _, r := range c.replicas {
		r.finish(r.endInput)
	}
}

// awaitIdle waits until no job is open, no day has begun that something is due
// on, and no stream has anything to send.
func (c *convergence) awaitIdle() {
	c.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	end := time.After(3 * time.Minute)
	for {
		working := c.working()
		if working == "" {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			c.t.Fatalf("it never becomes quiet: %s", working)
		}
	}
}

// working says what is still to be done, beginning with what leads to the rest.
func (c *convergence) working() string {
	c.t.Helper()
	day, some, err := store.NextDue(c.ctx(), c.service.Read())
	if err != nil {
		c.t.Fatal(err)
	}
	if some && !day.Start(time.UTC).After(c.setting.clock.Now()) {
		return fmt.Sprintf("something is due on %s", day)
	}
	for _, kind := range []string{billing.JobClockAdvance, billing.JobFanOut, billing.JobProvisioning, billing.JobResend} {
		open, err := store.OpenJobs(c.ctx(), c.service.Read(), kind)
		if err != nil {
			c.t.Fatal(err)
		}
		if len(open) > 0 {
			return fmt.Sprintf("%d jobs of the kind %s are open", len(open), kind)
		}
	}
	backlog, err := log.ReadBacklog(c.ctx(), c.service.Read())
	if err != nil {
		c.t.Fatal(err)
	}
	if backlog.Streams > 0 {
		return fmt.Sprintf("%+v", *backlog)
	}
	return ""
}
