package worker

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// work commits a batch and acts on it. What a batch that failed was to record is
// left to the next one.
func (w *worker) work() error {
	b := batch{worker: w, jobs: w.finished, claims: (w.look || w.more) && !w.stopping(), prefetch: w.prefetch, others: w.underWay}
	need := len(b.jobs) + max(w.capacity()-b.others, 1) // each may be followed by another
	if w.most == 0 {                                    // which the first batch finds out
		need += claimAtOnce
	}
	if err := w.ids.reserve(context.WithoutCancel(w.engine.work), w.engine.Store, need+inlineIDs); err != nil {
		return err
	}
	b.generation, b.holder = w.engine.generation.Load(), w.engine.holder.Load()
	b.ids = w.ids.part(need)
	began := realNow()
	done, err := b.commit()
	if err != nil { // its ids may be in the database all the same
		w.look = w.look || b.claims
		return err
	}
	w.finished, w.troubles = nil, 0
	if b.claims {
		w.look, w.more = false, false
	}
	w.ids.giveBack(done.ids)
	w.committed(done)
	w.rest(len(done.recorded)+len(done.starting), realNow().Sub(began))
	return nil
}

// capacity is how many requests the worker may have taken.
func (w *worker) capacity() int { return w.most + w.prefetch.streams(w.most) }

// rest keeps the next batch waiting after one that did little.
func (w *worker) rest(did int, took time.Duration) {
	w.restUntil = time.Time{}
	if did < w.most/2 && took > shortBatch {
		w.restUntil = realNow().Add(min(rests*took, longestRest))
	}
}

// committed acts on a batch that is in the database.
func (w *worker) committed(b *batch) {
	if b.route == nil {
		w.gone = true
		return
	}
	w.settle(b)
	w.openInline(b)
	w.hurry = w.hurry && w.underWay+len(b.starting) > 0
	w.engine.metrics.superseded.Add(float64(b.superseded))
	w.most = b.route.Workflow.MaxConcurrency
	w.notice(b.route.State(), b)
	if w.underWay+len(w.finished) == 0 || b.route.Endpoint.Failures >= webhook.BreakerFailures {
		w.inRow.Store(b.failuresInRow())
	}
	w.start(b.starting)
	switch {
	case !b.full:
	case w.underWay <= w.prefetch.streams(w.most):
		w.look = true
	default:
		w.more = true
	}
	if until := b.route.Endpoint.OpenUntil; until != nil {
		w.due(*until)
	} else if b.next.After(b.now) {
		w.due(b.next)
	}
}

// notice keeps in mind whether the endpoint takes requests, and logs what only a
// person can mend.
func (w *worker) notice(state webhook.EndpointState, b *batch) {
	w.closed.Store(state != webhook.EndpointReady)
	needs := state == webhook.EndpointSecretsNeeded
	if needs && !w.needsSecrets {
		w.engine.Log.Warn("webhooks wait: "+webhook.GiveAgain(&b.route.Platform, b.route.NeededSecrets()), "platform", w.platform)
	}
	w.needsSecrets = needs
}

// settle has what was recorded counted and logged; what could not be is left to
// the next batch.
func (w *worker) settle(b *batch) {
	done := make([]reported, 0, len(b.recorded)+len(b.expired))
	for _, j := range b.expired {
		done = append(done, reported{j, webhook.AttemptUnknown})
	}
	for _, j := range b.jobs {
		if outcome, ok := b.recorded[j]; ok {
			done = append(done, reported{j, outcome})
		} else {
			w.finish(j)
		}
	}
	if len(done) > 0 {
		w.reports <- done
	}
}
