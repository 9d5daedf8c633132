package webhook

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// lost is what becomes of an outcome when the lease ran out before it was
// recorded: somebody else has the lane now.
const lost = "lost"

// cutOff is what the log says of a request whose outcome nobody knows.
const cutOff = "The process that made the request did not live to see the answer, or was told to stop."

// finish records how requests went, and takes what is next in lanes that go on.
// A lane that another transaction works in is left for the next turn; one whose
// lease was lost is left alone.
func (t *turn) finish(ctx context.Context, finished []*job, lanes map[billing.TenantID]*store.Locked) error {
	if len(lanes) < len(finished) {
		if err := t.findLost(ctx, finished, lanes); err != nil {
			return err
		}
	}
	for _, j := range finished {
		if lane := lanes[j.tenant]; lane != nil {
			t.finishOne(j, &lane.Lane)
		}
	}
	for _, j := range finished {
		if lane := lanes[j.tenant]; lane != nil && t.recorded[j] != lost {
			if err := t.goOn(ctx, j, lane); err != nil {
				return err
			}
		}
	}
	if err := store.InsertAttempts(ctx, t.tx, t.ended); err != nil {
		return err
	}
	return store.EndDeliveries(ctx, t.tx, t.ends)
}

// goOn takes what is next in the lane of a request that has arrived, without
// releasing the lane in between. What somebody resent is left to the usual way,
// as is a lane that has had its share while others wait.
func (t *turn) goOn(ctx context.Context, j *job, lane *store.Locked) error {
	next := lane.Next
	if t.recorded[j] == billing.AttemptDelivered && next != nil && next.Delivery.Cause == billing.CauseChange && lane.Waiting() > 0 &&
		j.row < inARow && !t.overdue && !t.worker.stopping() && t.route.State() == billing.EndpointReady && t.have() < t.capacity() {
		starting := len(t.starting)
		err := t.claimOne(ctx, &lane.Lane, next, &t.goingOn, j.row+1)
		if len(t.starting) > starting {
			t.starting[starting].place = j.place
		}
		return err
	}
	t.lanes = append(t.lanes, &lane.Lane)
	if lane.DueAt != nil && (t.next.IsZero() || lane.DueAt.Before(t.next)) {
		t.next = *lane.DueAt
	}
	return nil
}

// findLost tells lanes that are gone or somebody else's from those that are
// only locked at the moment.
func (t *turn) findLost(ctx context.Context, finished []*job, locked map[billing.TenantID]*store.Locked) error {
	var missing []billing.TenantID
	for _, j := range finished {
		if locked[j.tenant] == nil {
			missing = append(missing, j.tenant)
		}
	}
	lanes, err := store.LanesOf(ctx, t.tx.Queries, missing)
	if err != nil {
		return err
	}
	for _, j := range finished {
		if locked[j.tenant] == nil && (lanes[j.tenant] == nil || !j.holds(lanes[j.tenant])) {
			t.recorded[j] = lost
		}
	}
	return nil
}

func (t *turn) finishOne(j *job, lane *billing.Lane) {
	if !j.holds(lane) {
		t.recorded[j] = lost
		return
	}
	endpoint := &t.route.Endpoint
	t.recorded[j] = j.attempt.Outcome
	t.overdue = t.overdue || !lane.DueAt.After(t.now)
	switch j.attempt.Outcome {
	case billing.AttemptUnknown, billing.AttemptUnsent:
		lane.Release(t.now)
		if j.probe {
			endpoint.Probe(t.now)
		}
		if j.attempt.Outcome == billing.AttemptUnsent {
			lane.Tries--
			return
		}
		why := cutOff
		j.attempt.Error, j.attempt.FinishedAt = &why, nil
	case billing.AttemptDelivered:
		lane.Delivered(j.sequence, t.now)
		endpoint.Arrived()
		t.ends = append(t.ends, store.DeliveryEnd{ID: j.attempt.DeliveryID, State: billing.DeliveryDelivered})
	default:
		retry := billing.Retry{Delays: t.route.Workflow.RetryDelays, Order: t.route.Workflow.Order, Jitter: jitter(), After: j.retryAfter}
		if lane.Failed(retry, *j.attempt.Error, t.now) {
			t.ends = append(t.ends, store.DeliveryEnd{ID: j.attempt.DeliveryID, State: billing.DeliveryExhausted})
			if j.forced {
				lane.GaveUpBack()
			}
		}
		t.blame(j)
	}
	t.ended = append(t.ended, j.attempt)
}

// blame notes a failure on the endpoint, if it is the endpoint's.
func (t *turn) blame(j *job) {
	endpoint := &t.route.Endpoint
	if j.ownFault {
		if j.probe {
			endpoint.Probe(t.now)
		}
		return
	}
	endpoint.Refused(j.tenant, j.probe, t.now)
	if s := j.attempt.Status; s != nil && *s == 410 && endpoint.PausedAt == nil {
		endpoint.Pause("The endpoint answered 410 Gone: it does not want webhooks any more. Resume it when it does.", t.now)
	}
}
