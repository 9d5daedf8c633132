package worker

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
)

// supersedeAtOnce bounds how many deliveries of a stream a batch supersedes.
const supersedeAtOnce = 1000

// claim takes streams in which something is due. due says that this is so for one
// of those just finished.
func (b *batch) claim(ctx context.Context, due bool) error {
	room := b.room()
	if room == 0 {
		return nil
	}
	if !b.probe && b.capacity()-b.have() < b.capacity()/4 {
		b.full = true // there is enough to do; later it is more at once
		return nil
	}
	if due || b.overdue {
		if err := b.saveStreams(ctx); err != nil {
			return err
		}
	}
	claims, err := outbox.DueStreams(ctx, b.tx, b.worker.platform, b.now, room)
	if err != nil {
		return err
	}
	b.full = len(claims) == room && !b.probe
	if err := b.expire(ctx, claims); err != nil {
		return err
	}
	for i := range claims {
		if err := b.claimOne(ctx, &claims[i].Stream, claims[i].Head, &b.streams, 1); err != nil {
			return err
		}
	}
	return nil
}

// have is how many requests this process has taken.
func (b *batch) have() int {
	return b.others + len(b.jobs) - len(b.recorded) + len(b.starting)
}

// capacity is how many it may take at most.
func (b *batch) capacity() int {
	most := b.route.Workflow.MaxConcurrency
	return most + b.prefetch.streams(most)
}

// room returns how many streams may be taken now. While the breaker is open that
// is one, when its time has come.
func (b *batch) room() int {
	switch b.route.State() {
	case webhook.EndpointReady:
		return max(0, min(claimAtOnce, b.ids.left(), b.capacity()-b.have()))
	case webhook.EndpointBreakerOpen:
		if !b.now.Before(*b.route.Endpoint.OpenUntil) {
			b.probe = true
			return 1
		}
	}
	return 0
}

// expire records that nobody knows how requests went whose leases have run out.
// It does so before anything is decided by what was sent.
func (b *batch) expire(ctx context.Context, claims []outbox.Claim) error {
	var unknown []*webhook.Attempt
	for i := range claims {
		stream := &claims[i].Stream
		if stream.AttemptID == nil {
			continue
		}
		if head := claims[i].Head; head != nil {
			why := cutOff
			a := &webhook.Attempt{
				ID: *stream.AttemptID, DeliveryID: head.Delivery.ID, Number: stream.Tries, Outcome: webhook.AttemptUnknown,
				URL: *b.route.Platform.WebhookURL, Error: &why, RequestHeaders: []byte("{}"), StartedAt: b.now,
			}
			if stream.StartedAt != nil {
				a.StartedAt = *stream.StartedAt
			}
			unknown = append(unknown, a)
			b.expired = append(b.expired, &job{subject: stream.Subject, sequence: head.Sequence, queued: head, attempt: a})
		}
		stream.Release(b.now)
	}
	return outbox.InsertAttempts(ctx, b.tx, unknown)
}

// claimOne decides what is sent next in a stream, if anything is, as the row-th in
// a row. The stream is added to those to save.
func (b *batch) claimOne(ctx context.Context, stream *webhook.Stream, head *outbox.Queued, save *[]*webhook.Stream, row int) error {
	*save = append(*save, stream)
	if head == nil {
		// Nothing should be missing; if it is, the stream must not stand still.
		found, err := outbox.QueuedAt(ctx, b.tx.Queries, stream, stream.Head())
		if err != nil {
			return err
		}
		if head = found; head == nil {
			stream.Pass(stream.LastPosition, b.now)
			return nil
		}
		stream.Pass(head.Delivery.Position-1, b.now)
	}
	head, err := b.giveWay(ctx, stream, head)
	if err != nil || head == nil {
		return err
	}
	if stream.GoesBack(head.Sequence) && !head.Delivery.Forced {
		return b.tooLate(ctx, stream, head)
	}
	if err := b.settleBody(ctx, stream, &head.Delivery); err != nil {
		return err
	}
	stream.Tries++
	b.starting = append(b.starting, &job{
		subject: stream.Subject, sequence: head.Sequence, queued: head, stream: stream, route: b.route, probe: b.probe, row: row,
		forced: stream.GoesBack(head.Sequence),
		attempt: &webhook.Attempt{
			ID: b.ids.take(), DeliveryID: head.Delivery.ID, Number: stream.Tries, Outcome: webhook.AttemptStarted,
			URL: *b.route.Platform.WebhookURL, RequestHeaders: []byte("{}"), StartedAt: b.now,
		},
	})
	return nil
}

// giveWay supersedes what waits before a newer event that goes in its place,
// and returns what is at the head then; nil if there is more to supersede.
func (b *batch) giveWay(ctx context.Context, stream *webhook.Stream, head *outbox.Queued) (*outbox.Queued, error) {
	position, gives := stream.GivesWay(b.route.Workflow.Order, b.now)
	if before := b.route.Endpoint.LatestBefore; !gives && stream.Waiting() > 1 && head.Delivery.CreatedAt.Before(before) {
		last, err := outbox.LastQueuedBefore(ctx, b.tx.Queries, stream, before)
		if err != nil {
			return nil, err
		}
		position, gives = last, last > head.Delivery.Position
	}
	if !gives {
		return head, nil
	}
	newest, err := outbox.QueuedAt(ctx, b.tx.Queries, stream, position)
	if err != nil || newest == nil {
		return head, err
	}
	end := min(position, stream.Head()+supersedeAtOnce)
	n, err := outbox.Supersede(ctx, b.tx, stream.ID, stream.Head(), end, newest.Delivery.EventID)
	if err != nil {
		return nil, err
	}
	b.superseded += n
	stream.Pass(end-1, b.now)
	if end < position {
		return nil, nil
	}
	return newest, nil
}

// tooLate ends a resend that would take the tenant back in time: something
// newer was delivered since it was asked for.
func (b *batch) tooLate(ctx context.Context, stream *webhook.Stream, head *outbox.Queued) error {
	newer, err := outbox.EventsOfTenant(ctx, b.tx.Queries, stream.Subject.Tenant(), stream.HighestSequence-1, 1)
	if err != nil {
		return err
	}
	end := outbox.DeliveryEnd{ID: head.Delivery.ID, State: webhook.DeliverySuperseded}
	if len(newer) > 0 {
		end.SupersededBy = &newer[0].ID
	}
	b.superseded++
	stream.Pass(head.Delivery.Position, b.now)
	return outbox.EndDeliveries(ctx, b.tx, []outbox.DeliveryEnd{end})
}

// settleBody decides, before the first request of a delivery, whether a payload
// program makes what is sent: then the body is there, but empty, until it has.
// So it is known of every request that was cut off what it may have told, and
// all requests for an event tell the same.
func (b *batch) settleBody(ctx context.Context, stream *webhook.Stream, d *webhook.Delivery) error {
	program, settled := b.route.Workflow.PayloadProgram != nil, d.Body != nil
	switch {
	case settled && *d.Body != "", d.Cause == webhook.CauseChange && settled == program:
		return nil
	case d.Cause == webhook.CauseChange && stream.Tries == 0 && program:
		d.Body = new(string)
		return outbox.SetDeliveryBody(ctx, b.tx, d.ID, d.Body)
	}
	made, err := outbox.MadeBody(ctx, b.tx.Queries, d.EventID) // for another delivery
	if err != nil {
		return err
	}
	if made == nil && program {
		sent, err := outbox.WasSent(ctx, b.tx.Queries, d.EventID)
		if err != nil {
			return err
		}
		if !sent { // otherwise it stays as it was before there was a program
			made = new(string)
		}
	}
	if made == nil && !settled {
		return nil
	}
	d.Body = made
	return outbox.SetDeliveryBody(ctx, b.tx, d.ID, made)
}

// begin leases the streams to the requests that are about to be made.
func (b *batch) begin() {
	if len(b.starting) == 0 {
		return
	}
	until := leaseEnd(b.now, b.route.Workflow.Timeout(), b.worker.engine.Slack)
	for _, j := range b.starting {
		j.leaseEnd = until
		j.stream.Begin(j.attempt.ID, b.now, until.Add(b.worker.engine.leapOf(b.holder)))
		j.stream.Holder, j.generation = b.holder, b.generation
	}
	if b.probe {
		b.route.Endpoint.Probe(until)
	}
}

// leapOf is how much longer a lease lasts for others than for its holder, which
// begins no request under the rest of it: the clock may be set by that much. If
// nobody could tell that the holder is dead, it would only keep them waiting.
func (e *Engine) leapOf(holder int64) time.Duration {
	if holder == 0 && !e.Store.Alone() {
		return 0
	}
	return e.Leap
}

// leaseEnd is when a lease ends that is taken now: a little later than its
// request can take. It is rounded up, so that a stream that goes on has the same
// for a while and no index changes.
func leaseEnd(now time.Time, timeout, slack time.Duration) time.Time {
	step := max(slack/4, time.Millisecond).Milliseconds()
	end := now.Add(timeout + slack).UnixMilli()
	return time.UnixMilli((end + step - 1) / step * step).UTC()
}
