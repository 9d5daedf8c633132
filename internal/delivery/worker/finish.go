package worker

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
)

// lost is what becomes of an outcome when the lease ran out before it was
// recorded: somebody else has the stream now.
const lost = "lost"

// cutOff is what the log says of a request whose outcome nobody knows.
const cutOff = "The process that made the request did not live to see the answer, or was told to stop."

// finish records how requests went, and takes what is next in streams that go on.
// A stream that another transaction works in is left for the next batch; one whose
// lease was lost is left alone.
func (b *batch) finish(ctx context.Context, finished []*job, streams map[billing.StreamID]*outbox.Locked) error {
	if len(streams) < len(finished) {
		if err := b.findLost(ctx, finished, streams); err != nil {
			return err
		}
	}
	for _, j := range finished {
		if stream := streams[j.queued.Delivery.StreamID]; stream != nil {
			b.finishOne(j, &stream.Stream)
		}
	}
	for _, j := range finished {
		if stream := streams[j.queued.Delivery.StreamID]; stream != nil && b.recorded[j] != lost {
			if err := b.goOn(ctx, j, stream); err != nil {
				return err
			}
		}
	}
	if err := outbox.InsertAttempts(ctx, b.tx, b.ended); err != nil {
		return err
	}
	return outbox.EndDeliveries(ctx, b.tx, b.ends)
}

// goOn takes what is next in the stream of a request that has arrived, without
// releasing the stream in between. What somebody resent is left to the usual way,
// as is a stream that has had its share while others wait.
func (b *batch) goOn(ctx context.Context, j *job, stream *outbox.Locked) error {
	next := stream.Next
	if b.recorded[j] == webhook.AttemptDelivered && next != nil && next.Delivery.Cause == webhook.CauseChange && stream.Waiting() > 0 &&
		j.row < inARow && !b.overdue && !b.worker.stopping() && b.route.State() == webhook.EndpointReady && b.have() < b.capacity() {
		return b.claimOne(ctx, &stream.Stream, next, &b.goingOn, j.row+1)
	}
	b.streams = append(b.streams, &stream.Stream)
	if stream.DueAt != nil && (b.next.IsZero() || stream.DueAt.Before(b.next)) {
		b.next = *stream.DueAt
	}
	return nil
}

// findLost tells streams that are gone or somebody else's from those that are
// only locked at the moment.
func (b *batch) findLost(ctx context.Context, finished []*job, locked map[billing.StreamID]*outbox.Locked) error {
	var missing []billing.StreamID
	for _, j := range finished {
		if id := j.queued.Delivery.StreamID; locked[id] == nil {
			missing = append(missing, id)
		}
	}
	streams, err := outbox.Streams(ctx, b.tx.Queries, missing)
	if err != nil {
		return err
	}
	for _, j := range finished {
		if id := j.queued.Delivery.StreamID; locked[id] == nil && (streams[id] == nil || !j.holds(streams[id])) {
			b.recorded[j] = lost
		}
	}
	return nil
}

func (b *batch) finishOne(j *job, stream *webhook.Stream) {
	if !j.holds(stream) {
		b.recorded[j] = lost
		return
	}
	endpoint := &b.route.Endpoint
	b.recorded[j] = j.attempt.Outcome
	b.overdue = b.overdue || !stream.DueAt.After(b.now)
	switch j.attempt.Outcome {
	case webhook.AttemptUnknown, webhook.AttemptUnsent:
		stream.Release(b.now)
		if j.probe {
			endpoint.Probe(b.now)
		}
		if j.attempt.Outcome == webhook.AttemptUnsent {
			stream.Tries--
			return
		}
		why := cutOff
		j.attempt.Error, j.attempt.FinishedAt = &why, nil
	case webhook.AttemptDelivered:
		stream.Delivered(j.sequence, b.now)
		endpoint.Arrived()
		b.ends = append(b.ends, outbox.DeliveryEnd{ID: j.attempt.DeliveryID, State: webhook.DeliveryDelivered})
	default:
		retry := webhook.Retry{Delays: b.route.Workflow.RetryDelays, Order: b.route.Workflow.Order, Jitter: jitter(), After: j.retryAfter}
		if stream.Failed(retry, *j.attempt.Error, b.now) {
			b.ends = append(b.ends, outbox.DeliveryEnd{ID: j.attempt.DeliveryID, State: webhook.DeliveryExhausted})
			if j.forced {
				stream.GaveUpBack()
			}
		}
		b.blame(j)
	}
	b.ended = append(b.ended, j.attempt)
}

// blame notes a failure on the endpoint, if it is the endpoint's.
func (b *batch) blame(j *job) {
	endpoint := &b.route.Endpoint
	if j.ownFault {
		if j.probe {
			endpoint.Probe(b.now)
		}
		return
	}
	endpoint.Refused(j.subject, j.probe, b.now)
	if s := j.attempt.Status; s != nil && *s == 410 && endpoint.PausedAt == nil {
		endpoint.Pause("The endpoint answered 410 Gone: it does not want webhooks any more. Resume it when it does.", b.now)
	}
}
