package delivery

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// eventRef is what is kept of an operation on an event.
type eventRef struct {
	ID billing.EventID `json:"id"`
}

// WebhookEventResend sends an event again, with the same id and body: it is
// queued behind all that waits for its tenant or account. What would take a tenant
// back in time is refused unless it is forced.
func (s *Service) WebhookEventResend(ctx context.Context, id billing.EventID, force bool) (*log.LoggedEvent, error) {
	ref, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*eventRef, error) {
		event, err := s.logged(ctx, tx.Queries, id)
		if err != nil {
			return nil, err
		}
		if event.Delivery.StreamID == 0 {
			return nil, billing.Fail(billing.NotAllowed, "id", "Event %d was a test with made-up data; make another with platformWebhookTest or eventEndpointTest.", id)
		}
		queue, err := lockQueues(ctx, tx, []log.LoggedEvent{*event})
		if err != nil {
			return nil, err
		}
		if err := queue.resend(ctx, tx, id, force); err != nil {
			return nil, err
		}
		if p := operation.PreviewIn(ctx); p != nil {
			p.Resends++
		}
		return &eventRef{id}, operation.Audit(ctx, tx, "webhookEventResend", "webhookEvent", int64(id), map[string]billing.Change{
			"force": {From: operation.MustJSON(nil), To: operation.MustJSON(force)},
		})
	})
	if err != nil {
		return nil, err
	}
	return s.logged(ctx, s.Read(), ref.ID)
}

// logged returns an event of the log, or a problem with the id.
func (s *Service) logged(ctx context.Context, q store.Queries, id billing.EventID) (*log.LoggedEvent, error) {
	events, err := log.LoggedEvents(ctx, q, []billing.EventID{id})
	if err == nil && len(events) == 0 {
		err = billing.Missing("id", "webhook event", id)
	}
	if err != nil {
		return nil, err
	}
	return &events[0], nil
}

// queues is what is known of the streams of events that are to be queued again.
// Nobody else queues, sends or finishes anything of theirs.
type queues struct {
	events  map[billing.EventID]log.LoggedEvent
	streams map[billing.StreamID]*webhook.Stream
	resent  map[billing.TenantID]int
}

// lockQueues locks the streams, and then the events.
func lockQueues(ctx context.Context, tx *store.Tx, events []log.LoggedEvent) (*queues, error) {
	var streams []billing.StreamID
	var tenants []billing.TenantID
	var ids []billing.EventID
	for _, e := range events {
		streams, ids = append(streams, e.Delivery.StreamID), append(ids, e.ID)
		if tenant := e.Subject.Tenant(); tenant != 0 {
			tenants = append(tenants, tenant)
		}
	}
	q := &queues{events: map[billing.EventID]log.LoggedEvent{}}
	var err error
	if q.streams, err = outbox.HoldStreams(ctx, tx, operation.Unique(streams)); err != nil {
		return nil, err
	}
	locked, err := log.LockEvents(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	for _, e := range locked {
		q.events[e.ID] = e
	}
	q.resent, err = outbox.WaitingResends(ctx, tx.Queries, operation.Unique(tenants))
	return q, err
}

// resend queues an event again, or says why it does not.
func (q *queues) resend(ctx context.Context, tx *store.Tx, id billing.EventID, force bool) error {
	event, there := q.events[id]
	stream := q.streams[event.Delivery.StreamID]
	switch {
	case !there || stream == nil: // removed meanwhile
		return billing.Missing("id", "webhook event", id)
	case event.Delivery.State == webhook.DeliveryWaiting:
		return billing.Fail(billing.NotAllowed, "id", "Event %d waits to be sent or is being sent just now.", id)
	}
	if !event.Subject.ToldStates() {
		_, err := outbox.AppendDelivery(ctx, tx, &event.Event, false)
		return err
	}
	tenant := event.Subject.Tenant()
	reached := stream.Reached(q.resent[tenant])
	if event.Sequence < reached && !force {
		return billing.Fail(billing.NotAllowed, "id", "Event %d has the number %d, and number %d of the same tenant was delivered or waits: "+
			"sending it again would take the tenant back in time. Send the current state with tenantSync instead, or give force.", id, event.Sequence, reached)
	}
	if _, err := outbox.AppendDelivery(ctx, tx, &event.Event, event.Sequence < reached); err != nil {
		return err
	}
	q.resent[tenant] = max(q.resent[tenant], event.Sequence)
	return nil
}
