package worker_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// checked is what the check of a run has counted.
type checked struct {
	tenants, events, deliveries, attempts, requests int
	delivered, superseded, exhausted, resends       int
	failed, unknown, unseen                         int
	// Why events were received more than once, and requests that came too late
	// from processes that were frozen.
	afterUnknown, afterFailure, byResend, stale int
	jobs                                        int
	// How often subscriptions were suspended and given back what they had.
	suspended, restored int
}

// story is all that the log says about a tenant, and all that the application
// saw of it.
type story struct {
	tenant     billing.Tenant
	strict     bool
	limit      int // attempts before a delivery is given up
	stream     *webhook.Stream
	events     []webhook.Event
	deliveries map[billing.EventID][]webhook.Delivery
	attempts   map[billing.DeliveryID][]webhook.Attempt
	visits     []*visit
}

// resync queues the newest event of tenants again whose application cannot
// know it, as an operator would: it was given up, or an older one was sent by
// force since. It returns how many those are.
func (c *convergence) resync() int {
	c.t.Helper()
	for _, s := range c.stories() {
		if len(s.events) == 0 {
			continue
		}
		newest := s.events[len(s.events)-1]
		last := s.deliveries[newest.ID][len(s.deliveries[newest.ID])-1]
		why := !s.stream.InSync() && last.State == webhook.DeliveryExhausted
		for _, list := range s.deliveries {
			for _, d := range list {
				// What was forced may have been believed even if it was not
				// answered; the stream has to know.
				why = why || d.Forced && !s.stream.InSync()
			}
		}
		if !why {
			continue
		}
		c.resynced++
		if _, err := c.service.Delivery.WebhookEventResend(c.ctx(), newest.ID, false); err != nil {
			c.t.Fatal(err)
		}
	}
	return c.resynced
}

// stories reads the log of all tenants.
func (c *convergence) stories() []*story {
	c.t.Helper()
	c.receiver.mu.Lock()
	visits := map[billing.TenantID][]*visit{}
	for _, v := range c.receiver.visits {
		visits[v.tenant] = append(visits[v.tenant], v)
	}
	c.receiver.mu.Unlock()
	var stories []*story
	for after := int64(0); ; {
		tenants, err := store.Tenants.List(c.ctx(), c.service.Read(), store.Page{After: after, Limit: 100})
		if err != nil {
			c.t.Fatal(err)
		}
		for i := range tenants {
			stories = append(stories, c.story(&tenants[i], visits[tenants[i].ID]))
			after = int64(tenants[i].ID)
		}
		if len(tenants) < 100 {
			return stories
		}
	}
}

func (c *convergence) story(t *billing.Tenant, visits []*visit) *story {
	c.t.Helper()
	s := &story{tenant: *t, visits: visits, deliveries: map[billing.EventID][]webhook.Delivery{}, attempts: map[billing.DeliveryID][]webhook.Attempt{}}
	fatal := func(err error) {
		if err != nil {
			c.t.Fatal(err)
		}
	}
	q := c.service.Read()
	flows, err := store.WorkflowsOf(c.ctx(), q, []billing.PlatformID{t.PlatformID})
	fatal(err)
	s.strict, s.limit = flows[0].Order == webhook.Strict, len(flows[0].RetryDelays)+1
	streams, err := outbox.StreamsOf(c.ctx(), q, []billing.TenantID{t.ID})
	fatal(err)
	s.stream = streams[t.ID]
	s.events, err = outbox.EventsOfTenant(c.ctx(), q, t.ID, 0, 1_000_000)
	fatal(err)
	for events := range slices.Chunk(s.events, 500) {
		var ids []billing.EventID
		for _, e := range events {
			ids = append(ids, e.ID)
		}
		deliveries, err := outbox.DeliveriesOf(c.ctx(), q, ids)
		fatal(err)
		var of []billing.DeliveryID
		for _, d := range deliveries {
			s.deliveries[d.EventID] = append(s.deliveries[d.EventID], d)
			of = append(of, d.ID)
		}
		attempts, err := outbox.AttemptsOf(c.ctx(), q, of)
		fatal(err)
		for _, a := range attempts {
			s.attempts[a.DeliveryID] = append(s.attempts[a.DeliveryID], a)
		}
	}
	return s
}

// check compares what the log says with what the application saw.
func (c *convergence) check() {
	c.t.Helper()
	for _, w := range c.receiver.wrong {
		c.t.Error(w)
	}
	for _, w := range c.complaints {
		c.t.Error(w)
	}
	requests := 0
	for _, s := range c.stories() {
		c.checked.tenants++
		requests += len(s.visits)
		if s.stream == nil {
			if len(s.events)+len(s.visits) > 0 {
				c.t.Errorf("tenant %d has no stream", s.tenant.ID)
			}
			continue
		}
		c.checkStream(s)
		c.checkDeliveries(s)
		c.checkVisits(s)
		c.checkOrder(s)
		c.checkState(s)
	}
	if requests != len(c.receiver.visits) {
		c.t.Errorf("%d requests are for tenants that nobody knows", len(c.receiver.visits)-requests)
	}
	c.checkJobs()
	c.checkStandings()
	if n := c.checked; n.events < 100 || n.requests < n.events/2 || n.failed == 0 || n.suspended == 0 || n.restored == 0 {
		c.t.Errorf("too little has happened to prove anything: %+v", n)
	}
}

// checkStream: nothing waits, and the application knows the newest.
func (c *convergence) checkStream(s *story) {
	c.t.Helper()
	l := s.stream
	if l.Waiting() != 0 || l.DueAt != nil || l.AttemptID != nil || !l.InSync() || l.LastSequence != len(s.events) {
		c.t.Errorf("tenant %d has %d events and the stream %+v", s.tenant.ID, len(s.events), *l)
	}
	for i, e := range s.events {
		if e.Sequence != i+1 {
			c.t.Errorf("tenant %d: event %d has the number %d", s.tenant.ID, i+1, e.Sequence)
			return
		}
	}
}

// checkDeliveries: each delivery is finished, in a way that its attempts
// explain.
func (c *convergence) checkDeliveries(s *story) {
	c.t.Helper()
	numbers := map[billing.EventID]int{}
	for _, e := range s.events {
		numbers[e.ID] = e.Sequence
	}
	for _, e := range s.events {
		c.checked.events++
		c.checked.resends += len(s.deliveries[e.ID]) - 1
		if len(s.deliveries[e.ID]) == 0 {
			c.t.Errorf("tenant %d: event %d was never queued", s.tenant.ID, e.Sequence)
		}
		for _, d := range s.deliveries[e.ID] {
			c.checked.deliveries++
			fault := func(what string) {
				c.t.Helper()
				c.t.Errorf("tenant %d, event %d (id %d): %s: %+v\nattempts %s", s.tenant.ID, e.Sequence, e.ID, what, d, outcomes(s.attempts[d.ID]))
			}
			count := c.countOutcomes(s.attempts[d.ID], fault)
			switch d.State {
			case webhook.DeliveryDelivered:
				c.checked.delivered++
				if count[webhook.AttemptDelivered] != 1 {
					fault("it is delivered, but not by one attempt")
				}
			case webhook.DeliveryExhausted:
				c.checked.exhausted++
				if count[webhook.AttemptFailed] != s.limit || count[webhook.AttemptDelivered] != 0 {
					fault("it was given up after another number of failures than it should")
				}
			case webhook.DeliverySuperseded:
				c.checked.superseded++
				switch {
				case d.SupersededBy == nil || numbers[*d.SupersededBy] < e.Sequence || numbers[*d.SupersededBy] == e.Sequence && d.Cause == webhook.CauseChange:
					fault("it was superseded by nothing newer")
				case s.strict && d.Cause == webhook.CauseChange:
					fault("it was superseded where nothing is")
				case count[webhook.AttemptDelivered] != 0:
					fault("it was delivered, and yet it is superseded")
				}
			default:
				fault("it was lost")
			}
		}
	}
}

func (c *convergence) countOutcomes(attempts []webhook.Attempt, fault func(string)) map[string]int {
	count := map[string]int{}
	for i, a := range attempts {
		c.checked.attempts++
		count[a.Outcome]++
		switch a.Outcome {
		case webhook.AttemptFailed:
			c.checked.failed++
		case webhook.AttemptUnknown:
			c.checked.unknown++
		case webhook.AttemptDelivered:
			if i < len(attempts)-1 {
				fault("it was sent again although it had arrived")
			}
		default:
			fault("an attempt has no outcome")
		}
		if a.Number != i+1 {
			fault("the attempts are not numbered one by one")
		}
	}
	return count
}

func outcomes(attempts []webhook.Attempt) (list []string) {
	for _, a := range attempts {
		text := fmt.Sprint(a.Number, " ", a.Outcome)
		if a.Error != nil {
			text += " " + *a.Error
		}
		list = append(list, text)
	}
	return list
}

// request is what tells requests apart, but for the deliveries of an event.
type requestKey struct {
	event   billing.EventID
	attempt int
}

// checkVisits: no request without an attempt, no attempt that claims an answer
// nobody gave, and what came more than once is explained.
func (c *convergence) checkVisits(s *story) {
	c.t.Helper()
	rows := map[requestKey][]webhook.Attempt{}
	for event, deliveries := range s.deliveries {
		for _, d := range deliveries {
			for _, a := range s.attempts[d.ID] {
				key := requestKey{event, a.Number}
				rows[key] = append(rows[key], a)
			}
		}
	}
	seen, perEvent := map[requestKey][]*visit{}, map[billing.EventID]int{}
	for _, v := range s.visits {
		c.checked.requests++
		key := requestKey{v.event, v.attempt}
		seen[key] = append(seen[key], v)
		perEvent[v.event]++
		if len(rows[key]) < len(seen[key]) {
			c.t.Errorf("tenant %d: request %d for event %d (number %d) has no attempt in the log", s.tenant.ID, v.attempt, v.event, v.sequence)
		}
	}
	for key, attempts := range rows {
		for _, a := range attempts {
			c.checkTruth(s, key, &a, seen[key])
		}
		c.checked.unseen += max(0, len(attempts)-len(seen[key]))
	}
	for event, n := range perEvent {
		c.explain(s, event, n)
	}
}

// checkTruth: what an attempt says was answered, the application has answered.
func (c *convergence) checkTruth(s *story, key requestKey, a *webhook.Attempt, seen []*visit) {
	c.t.Helper()
	if a.Status == nil {
		if a.Outcome == webhook.AttemptDelivered {
			c.t.Errorf("tenant %d: attempt %d for event %d arrived without an answer", s.tenant.ID, a.Number, key.event)
		}
		return
	}
	if !slices.ContainsFunc(seen, func(v *visit) bool { return v.status == *a.Status }) {
		c.t.Errorf("tenant %d: attempt %d for event %d says %d was answered, which nobody did", s.tenant.ID, a.Number, key.event, *a.Status)
	}
	if arrived := *a.Status/100 == 2; arrived != (a.Outcome == webhook.AttemptDelivered) {
		c.t.Errorf("tenant %d: attempt %d for event %d is %s after the answer %d", s.tenant.ID, a.Number, key.event, a.Outcome, *a.Status)
	}
}

// explain counts why an event was received more than once. That each time has
// its attempt, and that none follows one that arrived, is checked elsewhere.
func (c *convergence) explain(s *story, event billing.EventID, received int) {
	c.t.Helper()
	unknown, failed, resent := 0, 0, len(s.deliveries[event])-1
	for _, d := range s.deliveries[event] {
		for _, a := range s.attempts[d.ID] {
			switch a.Outcome {
			case webhook.AttemptUnknown:
				unknown++
			case webhook.AttemptFailed:
				failed++
			}
		}
	}
	again := received - 1
	if again > unknown+failed+resent {
		c.t.Errorf("tenant %d: event %d was received %d times, which nothing explains", s.tenant.ID, event, received)
	}
	take := func(n int) int { n = min(n, again); again -= n; return n }
	c.checked.afterFailure += take(failed)
	c.checked.byResend += take(resent)
	c.checked.afterUnknown += take(unknown)
}

// checkOrder: what a tenant is told never goes back, but for resends; where
// order is strict, nothing is left out either.
func (c *convergence) checkOrder(s *story) {
	c.t.Helper()
	highest := 0
	for _, v := range s.visits {
		switch {
		case v.forced || len(s.deliveries[v.event]) > 1:
			highest = max(highest, v.sequence)
			continue
		case v.sequence >= highest:
		case c.wasFrozen(v):
			c.checked.stale++
			continue
		default:
			c.t.Errorf("tenant %d was told number %d after number %d", s.tenant.ID, v.sequence, highest)
		}
		if s.strict && v.sequence > highest+1 {
			c.t.Errorf("tenant %d was told number %d right after number %d", s.tenant.ID, v.sequence, highest)
		}
		highest = max(highest, v.sequence)
	}
}

// wasFrozen says whether a request comes from a process that was frozen a
// moment before: no lease can keep such a one from writing what it was about to
// write. This is what receivers compare numbers for.
func (c *convergence) wasFrozen(v *visit) bool {
	for _, r := range c.replicas {
		for _, at := range r.thaws {
			if r.name == v.by && v.arrived.After(at) && v.arrived.Sub(at) < 2*time.Second {
				return true
			}
		}
	}
	return false
}

// checkState: the application knows what the subscriptions give.
func (c *convergence) checkState(s *story) {
	c.t.Helper()
	state, err := c.service.Provisioning.State(c.ctx(), s.tenant.ID)
	if err != nil || state == nil {
		c.t.Fatal(state, err)
	}
	var have, want any
	knows := c.receiver.knows[s.tenant.ID]
	_ = json.Unmarshal([]byte(knows.features), &have)
	_ = json.Unmarshal(webhook.FeaturesJSON(state.Features()), &want)
	if len(s.events) > 0 && !reflect.DeepEqual(have, want) {
		c.t.Errorf("the application of tenant %d knows, by number %d of %d, %s\nbut its subscriptions give %s",
			s.tenant.ID, knows.sequence, len(s.events), knows.features, webhook.FeaturesJSON(state.Features()))
	}
}

func (c *convergence) checkJobs() {
	c.t.Helper()
	jobs, err := store.Jobs.List(c.ctx(), c.service.Read(), store.Page{Limit: 100_000})
	if err != nil {
		c.t.Fatal(err)
	}
	c.checked.jobs = len(jobs)
	for _, j := range jobs {
		if j.State != billing.JobDone {
			c.t.Errorf("job %d (%s) is %s: %v", j.ID, j.Kind, j.State, j.Error)
		}
	}
}

// report says how much has happened.
func (c *convergence) report(run time.Duration) {
	c.t.Helper()
	n := c.checked
	changes, err := store.AuditEntries.Count(c.ctx(), c.service.Read(), billing.Filter{}) // each is there
	if err != nil {
		c.t.Fatal(err)
	}
	fmt.Printf(`convergence on %s after %s of troubles: %d tenants, %d changes, %d jobs; %d times suspended, %d restored
  processes: %d killed, %d killed right after an answer, %d stopped, %d frozen
  %d events, %d deliveries: %d delivered, %d superseded, %d given up; %d resends, %d of them to get back in step
  %d attempts: %d failed, %d unknown, %d never seen by the application; %d requests
  received again: %d after a failure, %d after an unknown outcome, %d resent; %d too late from a frozen process
  drift: %d times planted, %d times found, %d repairs
`, c.store.Engine(), run, n.tenants, changes, n.jobs, n.suspended, n.restored, c.kills, c.strikes, c.stops, c.freezes,
		n.events, n.deliveries, n.delivered, n.superseded, n.exhausted, n.resends, c.resynced,
		n.attempts, n.failed, n.unknown, n.unseen, n.requests, n.afterFailure, n.afterUnknown, n.byResend, n.stale, c.planted, c.found, c.repaired)
}
