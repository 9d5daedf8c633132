package webhook

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// lost is what becomes of an outcome when the lease ran out before it was
// recorded: somebody else has the lane now.
const lost = "lost"

// finish records how requests went. A lane that another transaction works in is
// left for the next turn; one whose lease was lost is left alone.
func (t *turn) finish(ctx context.Context, finished []*job) error {
	if len(finished) == 0 {
		return nil
	}
	ids := make([]billing.TenantID, len(finished))
	for i, j := range finished {
		ids[i] = j.tenant
	}
	lanes, err := store.LockLanes(ctx, t.tx, ids)
	if err != nil {
		return err
	}
	if len(lanes) < len(finished) {
		if err := t.findLost(ctx, finished, lanes); err != nil {
			return err
		}
	}
	for _, j := range finished {
		lane := lanes[j.tenant]
		if lane == nil {
			continue
		}
		t.finishOne(j, lane)
		if lane.DueAt != nil && (t.next.IsZero() || lane.DueAt.Before(t.next)) {
			t.next = *lane.DueAt
		}
	}
	if err := t.saveLanes(ctx); err != nil {
		return err
	}
	if err := store.FinishAttempts(ctx, t.tx, t.ended); err != nil {
		return err
	}
	if err := store.MarkUnknown(ctx, t.tx, t.unknown); err != nil {
		return err
	}
	t.unknown = nil
	if err := store.ForgetAttempts(ctx, t.tx, t.unsent); err != nil {
		return err
	}
	return store.EndDeliveries(ctx, t.tx, t.ends)
}

// findLost tells lanes that are gone or somebody else's from those that are
// only locked at the moment.
func (t *turn) findLost(ctx context.Context, finished []*job, locked map[billing.TenantID]*billing.Lane) error {
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
	t.lanes = append(t.lanes, lane)
	switch j.attempt.Outcome {
	case billing.AttemptUnknown, billing.AttemptUnsent:
		lane.Release(t.now)
		if j.probe {
			endpoint.Probe(t.now)
		}
		if j.attempt.Outcome == billing.AttemptUnknown {
			t.unknown = append(t.unknown, j.attempt.ID)
		} else {
			lane.Tries--
			t.unsent = append(t.unsent, j.attempt.ID)
		}
		return
	case billing.AttemptDelivered:
		lane.Delivered(j.sequence, t.now)
		endpoint.Arrived()
		t.ends = append(t.ends, store.DeliveryEnd{ID: j.attempt.DeliveryID, State: billing.DeliveryDelivered})
	default:
		retry := billing.Retry{Delays: t.route.Workflow.RetryDelays, Order: t.route.Workflow.Order, Jitter: jitter(), After: j.retryAfter}
		if lane.Failed(retry, *j.attempt.Error, t.now) {
			t.ends = append(t.ends, store.DeliveryEnd{ID: j.attempt.DeliveryID, State: billing.DeliveryExhausted})
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
