package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// ended is a turn that came to its end.
type ended struct {
	task
	turn *turn // nil if it failed
	err  error
	took time.Duration
}

// begin has a turn taken, beside the worker if others may follow soon.
func (w *worker) begin() error {
	k := task{worker: w, jobs: w.finished, alone: !w.alone, ahead: w.ahead, others: w.underWay + w.recording}
	k.claims = k.alone && (w.look || w.more) && !w.stopping()
	need := len(k.jobs) // each may be followed by another
	if k.alone {
		need += max(w.capacity()-k.others, 1)
		if w.most == 0 { // which the first turn finds out
			need += claimAtOnce
		}
	}
	if err := w.ids.reserve(context.WithoutCancel(w.engine.work), w.engine.Store, need+directIDs); err != nil {
		return err
	}
	k.era, k.holder = w.engine.era.Load(), w.engine.holder.Load()
	k.direct = w.directNow()
	k.ids = w.ids.part(need)
	w.finished, w.faults = nil, 0
	w.recording += len(k.jobs)
	w.turns++
	if k.alone {
		w.alone = true
	}
	if k.claims {
		w.look, w.more = false, false
	}
	began := realNow()
	take := func() *ended {
		t, err := k.take()
		return &ended{task: k, turn: t, err: err, took: realNow().Sub(began)}
	}
	if w.turnsAtOnce() == 1 || w.underWay+w.recording < w.most/2 { // nothing will want to overlap
		w.end(take())
		return nil
	}
	go func() { w.turned <- take() }()
	return nil
}

// mayOverlap says whether a turn may begin before another one has ended. It
// records requests in the meantime and goes on in their lanes, which needs
// neither the other's nor the route for itself, if all of them arrived.
func (w *worker) mayOverlap() bool {
	return w.turns < w.turnsAtOnce() && len(w.finished) > w.capacity()/overlaps && !w.stopping() && !w.gone &&
		(!w.alone || w.faults == 0 && !w.strict)
}

// turnsAtOnce is how many turns there may be at once.
func (w *worker) turnsAtOnce() int {
	if w.engine.Store.WritesTogether() {
		return mostTurns
	}
	return 1
}

// capacity is how many requests the worker may have taken.
func (w *worker) capacity() int { return w.most + w.ahead.lanes(w.most) }

// end acts on the end of a turn.
func (w *worker) end(e *ended) {
	w.turns--
	w.recording -= len(e.jobs)
	if e.alone {
		w.alone, w.strict = false, false
	}
	if e.err != nil { // its ids may be in the database all the same
		for _, j := range e.jobs {
			w.finish(j)
		}
		w.look = w.look || e.claims
		if errors.Is(e.err, errNotAlone) {
			w.strict = true
		} else {
			w.trouble(e.err)
		}
		return
	}
	w.troubles = 0
	w.ids.giveBack(e.turn.ids)
	w.committed(e.turn)
	w.rest(len(e.turn.recorded)+len(e.turn.starting), e.took)
}

// rest keeps the next turn waiting after one that did little.
func (w *worker) rest(did int, took time.Duration) {
	w.restUntil = time.Time{}
	if did < w.most/2 && took > shortTurn {
		w.restUntil = realNow().Add(min(rests*took, longestRest))
	}
}

// committed acts on a turn that is in the database.
func (w *worker) committed(t *turn) {
	if t.route == nil {
		w.gone, w.finished = true, nil
		return
	}
	w.settle(t)
	w.letGo(t)
	w.keep(t)
	w.hurry = w.hurry && w.underWay+len(t.starting) > 0
	w.engine.metrics.superseded.Add(float64(t.superseded))
	w.most = t.route.Workflow.MaxConcurrency
	state := t.route.State()
	if closed := state != billing.EndpointReady; closed || t.alone {
		w.closed.Store(closed)
	}
	if needs := state == billing.EndpointSecretsNeeded; needs != w.needsSecrets {
		if w.needsSecrets = needs; needs {
			w.engine.Log.Warn("webhooks wait: "+billing.GiveAgain(&t.route.Platform, t.route.NeededSecrets()), "platform", w.platform)
		}
	}
	if known := w.underWay+w.recording+len(w.finished) == 0; known || t.route.Endpoint.Failures >= billing.BreakerFailures {
		w.inRow.Store(t.failuresInRow())
	}
	w.start(t.starting)
	switch {
	case t.crowded:
		w.more = true
	case !t.full:
	case w.underWay <= w.ahead.lanes(w.most):
		w.look = true
	default:
		w.more = true
	}
	if until := t.route.Endpoint.OpenUntil; until != nil {
		w.due(*until)
	} else if t.next.After(t.now) {
		w.due(t.next)
	} else if !t.next.IsZero() && !t.alone {
		w.look = true
	}
}

// settle has what was recorded counted and logged; what could not be is left to
// the next turn.
func (w *worker) settle(t *turn) {
	done := make([]reported, 0, len(t.recorded)+len(t.expired))
	for _, j := range t.expired {
		done = append(done, reported{j, billing.AttemptUnknown})
	}
	for _, j := range t.jobs {
		if outcome, ok := t.recorded[j]; ok {
			done = append(done, reported{j, outcome})
		} else {
			w.finish(j)
		}
	}
	if len(done) > 0 {
		w.reports <- done
	}
}
