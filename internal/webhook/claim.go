package webhook

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// supersedeAtOnce bounds how many deliveries of a lane a turn supersedes.
const supersedeAtOnce = 1000

// claim takes lanes in which something is due. due says that this is so for one
// of those just finished.
func (t *turn) claim(ctx context.Context, due bool) error {
	room := t.room()
	if room.Limit == 0 {
		return nil
	}
	if free := t.capacity() - t.have(); !t.probe && free < t.capacity()/4 {
		t.full = true // there is enough to do; later it is more at once
		return nil
	}
	if due || t.overdue {
		if err := t.saveLanes(ctx); err != nil {
			return err
		}
	}
	room.Most += len(t.lanes) // those are free, though not in the database yet
	room.Mine += len(t.lanes) + len(t.goingOn)
	claims, full, err := store.DueLanes(ctx, t.tx, t.worker.platform, t.now, room)
	if err != nil {
		return err
	}
	t.full = full && !t.probe
	t.crowded = len(claims) == 0 && room.Mine >= room.Most // so nobody knows whether something is due
	if err := t.expire(ctx, claims); err != nil {
		return err
	}
	for i := range claims {
		if err := t.claimOne(ctx, &claims[i].Lane, claims[i].Head, &t.lanes, 1); err != nil {
			return err
		}
	}
	return nil
}

// have is how many requests this process has taken.
func (t *turn) have() int {
	return t.others + len(t.jobs) - len(t.recorded) + len(t.starting)
}

// capacity is how many it may take at most.
func (t *turn) capacity() int {
	most := t.route.Workflow.MaxConcurrency
	return most + t.ahead.lanes(most)
}

// room returns how many lanes may be taken now. While the breaker is open that
// is one, when its time has come.
func (t *turn) room() store.Room {
	most := t.route.Workflow.MaxConcurrency
	mine := t.others + len(t.jobs) - len(t.recorded)
	switch t.route.State() {
	case billing.EndpointReady:
		room := store.Room{Limit: min(claimAtOnce, t.ids.left()), Most: most - t.direct.kept(), Ahead: t.ahead.lanes(most), Mine: mine}
		if held := t.route.Endpoint.HeldByOthers(t.worker.engine.name, t.now); held > 0 {
			room.Most, room.Ahead = room.Most-held, 0
		}
		return room
	case billing.EndpointBreakerOpen:
		if !t.now.Before(*t.route.Endpoint.OpenUntil) {
			t.probe = true
			return store.Room{Limit: 1, Most: most + mine}
		}
	}
	return store.Room{}
}

// expire records that nobody knows how requests went whose leases have run out.
// It does so before anything is decided by what was sent.
func (t *turn) expire(ctx context.Context, claims []store.Claim) error {
	var unknown []*billing.Attempt
	for i := range claims {
		lane := &claims[i].Lane
		if lane.AttemptID == nil {
			continue
		}
		if head := claims[i].Head; head != nil {
			why := cutOff
			a := &billing.Attempt{
				ID: *lane.AttemptID, DeliveryID: head.Delivery.ID, Number: lane.Tries, Outcome: billing.AttemptUnknown,
				URL: *t.route.Platform.WebhookURL, Error: &why, RequestHeaders: []byte("{}"), StartedAt: t.now,
			}
			if lane.StartedAt != nil {
				a.StartedAt = *lane.StartedAt
			}
			unknown = append(unknown, a)
			t.expired = append(t.expired, &job{tenant: lane.TenantID, sequence: head.Sequence, queued: head, attempt: a})
		}
		lane.Release(t.now)
	}
	return store.InsertAttempts(ctx, t.tx, unknown)
}

// claimOne decides what is sent next in a lane, if anything is, as the row-th in
// a row. The lane is added to those to save.
func (t *turn) claimOne(ctx context.Context, lane *billing.Lane, head *store.Queued, save *[]*billing.Lane, row int) error {
	*save = append(*save, lane)
	if head == nil {
		// Nothing should be missing; if it is, the lane must not stand still.
		found, err := store.QueuedAt(ctx, t.tx.Queries, lane.TenantID, lane.DonePosition+1)
		if err != nil {
			return err
		}
		if head = found; head == nil {
			lane.Pass(lane.LastPosition, t.now)
			return nil
		}
		lane.Pass(head.Delivery.Position-1, t.now)
	}
	head, err := t.giveWay(ctx, lane, head)
	if err != nil || head == nil {
		return err
	}
	if head.Sequence < lane.HighestSequence && !head.Delivery.Forced {
		return t.tooLate(ctx, lane, head)
	}
	if err := t.settleBody(ctx, lane, &head.Delivery); err != nil {
		return err
	}
	lane.Tries++
	t.starting = append(t.starting, &job{
		tenant: lane.TenantID, sequence: head.Sequence, queued: head, lane: lane, route: t.route, probe: t.probe, row: row,
		forced: head.Sequence < lane.HighestSequence,
		attempt: &billing.Attempt{
			ID: t.ids.take(), DeliveryID: head.Delivery.ID, Number: lane.Tries, Outcome: billing.AttemptStarted,
			URL: *t.route.Platform.WebhookURL, RequestHeaders: []byte("{}"), StartedAt: t.now,
		},
	})
	return nil
}

// giveWay supersedes what waits before a newer event that goes in its place,
// and returns what is at the head then; nil if there is more to supersede.
func (t *turn) giveWay(ctx context.Context, lane *billing.Lane, head *store.Queued) (*store.Queued, error) {
	position, gives := lane.GivesWay(t.route.Workflow.Order, t.now)
	if before := t.route.Endpoint.LatestBefore; !gives && lane.Waiting() > 1 && head.Delivery.CreatedAt.Before(before) {
		last, err := store.LastQueuedBefore(ctx, t.tx.Queries, lane.TenantID, before)
		if err != nil {
			return nil, err
		}
		position, gives = last, last > head.Delivery.Position
	}
	if !gives {
		return head, nil
	}
	newest, err := store.QueuedAt(ctx, t.tx.Queries, lane.TenantID, position)
	if err != nil || newest == nil {
		return head, err
	}
	end := min(position, lane.DonePosition+1+supersedeAtOnce)
	n, err := store.Supersede(ctx, t.tx, lane.TenantID, lane.DonePosition+1, end, newest.Delivery.EventID)
	if err != nil {
		return nil, err
	}
	t.superseded += n
	lane.Pass(end-1, t.now)
	if end < position {
		return nil, nil
	}
	return newest, nil
}

// tooLate ends a resend that would take the tenant back in time: something
// newer was delivered since it was asked for.
func (t *turn) tooLate(ctx context.Context, lane *billing.Lane, head *store.Queued) error {
	newer, err := store.EventsOfTenant(ctx, t.tx.Queries, lane.TenantID, lane.HighestSequence-1, 1)
	if err != nil {
		return err
	}
	end := store.DeliveryEnd{ID: head.Delivery.ID, State: billing.DeliverySuperseded}
	if len(newer) > 0 {
		end.SupersededBy = &newer[0].ID
	}
	t.superseded++
	lane.Pass(head.Delivery.Position, t.now)
	return store.EndDeliveries(ctx, t.tx, []store.DeliveryEnd{end})
}

// settleBody decides, before the first request of a delivery, whether a payload
// program makes what is sent: then the body is there, but empty, until it has.
// So it is known of every request that was cut off what it may have told, and
// all requests for an event tell the same.
func (t *turn) settleBody(ctx context.Context, lane *billing.Lane, d *billing.Delivery) error {
	program, settled := t.route.Workflow.PayloadProgram != nil, d.Body != nil
	switch {
	case settled && *d.Body != "", d.Cause == billing.CauseChange && settled == program:
		return nil
	case d.Cause == billing.CauseChange && lane.Tries == 0 && program:
		d.Body = new(string)
		return store.SetDeliveryBody(ctx, t.tx, d.ID, d.Body)
	}
	made, err := store.MadeBody(ctx, t.tx.Queries, d.EventID) // for another delivery
	if err != nil {
		return err
	}
	if made == nil && program {
		sent, err := store.WasSent(ctx, t.tx.Queries, d.EventID)
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
	return store.SetDeliveryBody(ctx, t.tx, d.ID, made)
}

// begin leases the lanes to the requests that are about to be made.
func (t *turn) begin() {
	if len(t.starting) == 0 {
		return
	}
	until := leaseEnd(t.now, t.route.Workflow.Timeout(), t.worker.engine.Slack)
	for _, j := range t.starting {
		j.leaseEnd = until
		j.lane.Begin(j.attempt.ID, t.now, until)
		j.lane.Holder, j.era = t.holder, t.era
	}
	if t.probe {
		t.route.Endpoint.Probe(until)
	}
}

// leaseEnd is when a lease ends that is taken now: a little later than its
// request can take. It is rounded up, so that a lane that goes on has the same
// for a while and no index changes.
func leaseEnd(now time.Time, timeout, slack time.Duration) time.Time {
	step := max(slack/4, time.Millisecond).Milliseconds()
	end := now.Add(timeout + slack).UnixMilli()
	return time.UnixMilli((end + step - 1) / step * step).UTC()
}
