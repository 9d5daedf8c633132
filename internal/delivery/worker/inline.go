package worker

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
)

// inlineIDs is how many ids of attempts there are for inline deliveries at once.
const inlineIDs = 1024

// inline is how a worker delivers without polling. An event that this process
// commits while nothing waits in its stream is leased to the worker in the same
// transaction, and sent as soon as that is committed.
type inline struct {
	// open says that streams may be leased this way, for the route.
	open  bool
	route *outbox.Route
	// used is how many leases were given, but for those whose requests were
	// recorded, and pending how many of them to transactions that have not ended.
	used, pending int
	ids           attemptIDs
	committed     []*job // to be sent
}

// inlineLease is what the store hands back with a lease.
type inlineLease struct {
	worker     *worker
	generation int64
}

// offer returns a lease, unless the polling worker is to deliver what comes next:
// there is enough to do already, or the endpoint fails.
func (w *worker) offer() (outbox.Lease, bool) {
	now := w.engine.Now()
	generation, holder := w.engine.generation.Load(), w.engine.holder.Load()
	w.mu.Lock()
	defer w.mu.Unlock()
	i := &w.inline
	if !i.open || i.used >= i.route.Workflow.MaxConcurrency || i.ids.left() == 0 || w.stopping() || w.closed.Load() || w.inRow.Load() > 0 {
		return outbox.Lease{}, false
	}
	i.used++
	i.pending++
	until := leaseEnd(now, i.route.Workflow.Timeout(), w.engine.Slack).Add(w.engine.leapOf(holder))
	return outbox.Lease{
		Attempt: i.ids.take(), Until: until, Version: i.route.Endpoint.Version,
		Holder: holder, From: inlineLease{w, generation},
	}, true
}

// withdraw hears that a lease is not used.
func (w *worker) withdraw() {
	w.tell(func() {
		w.inline.used--
		w.inline.pending--
	})
}

// taken hears that an event was committed whose stream is leased to the worker. If
// its route has changed meanwhile, it is left to the next batch, as if it had been
// leased and not sent.
func (w *worker) taken(t *outbox.Taken, from inlineLease) {
	now := w.engine.Now()
	w.tell(func() {
		i := &w.inline
		j := &job{
			subject: t.Subject, sequence: t.Sequence, queued: t.Queued, route: i.route, row: 1,
			leaseEnd: t.Until.Add(-w.engine.leapOf(t.Holder)), generation: from.generation, inline: true,
			attempt: &webhook.Attempt{
				ID: t.Attempt, DeliveryID: t.Delivery.ID, Number: 1, Outcome: webhook.AttemptUnsent, RequestHeaders: []byte("{}"), StartedAt: now,
			},
		}
		if t.Current && t.Version == i.route.Endpoint.Version && goesInline(i.route) {
			j.attempt.Outcome, j.attempt.URL = webhook.AttemptStarted, *i.route.Platform.WebhookURL
		}
		i.pending--
		i.committed = append(i.committed, j)
	})
}

// startInline has requests made for what was taken and committed.
func (w *worker) startInline(jobs []*job) {
	send := jobs[:0]
	for _, j := range jobs {
		if j.attempt.Outcome == webhook.AttemptUnsent {
			w.finish(j)
		} else {
			send = append(send, j)
		}
	}
	if len(send) > 0 {
		w.start(send)
	}
}

// nothingToCome says that no transaction may bring something to send.
// When requests are cut off nobody waits for transactions any longer: their
// leases will run out.
func (w *worker) nothingToCome() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.engine.requests.Err() != nil || w.inline.pending == 0 && len(w.inline.committed) == 0
}

// goesInline says whether events can be sent that way without a batch. What a
// payload program makes is stored before it is sent, which is left to batches.
func goesInline(r *outbox.Route) bool {
	return r.State() == webhook.EndpointReady && r.Workflow.PayloadProgram == nil
}

// openInline decides after a batch whether events are delivered inline from now
// on: the endpoint was ready before it too, so that its version is the one that was
// read, and no more is due than there is room for.
func (w *worker) openInline(b *batch) {
	ready := b.before.OpenUntil == nil && b.before.PausedAt == nil && goesInline(b.route)
	recorded := 0
	for j := range b.recorded {
		if j.inline {
			recorded++
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	i := &w.inline
	i.used -= recorded
	i.route, i.open = b.route, ready && !b.full && !w.stopping()
	if i.open && i.ids.left() < inlineIDs/4 && w.ids.left() >= inlineIDs {
		i.ids = w.ids.part(inlineIDs)
	}
}

// Offer is for the store.
func (e *Engine) Offer(id billing.PlatformID) (outbox.Lease, bool) {
	e.mu.Lock()
	w := e.workers[id]
	e.mu.Unlock()
	if w == nil {
		return outbox.Lease{}, false
	}
	return w.offer()
}

// Withdraw is for the store.
func (e *Engine) Withdraw(l outbox.Lease) { l.From.(inlineLease).worker.withdraw() }

// Queued is for the store.
func (e *Engine) Queued(c *outbox.Commit) {
	e.metrics.events.Add(float64(c.Events))
	for _, t := range c.Taken {
		from := t.From.(inlineLease)
		from.worker.taken(t, from)
	}
	if len(c.Platforms) > 0 {
		e.announceSoon(c.Platforms)
		e.wake(c.Platforms)
	}
}
