package node

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
)

// WebhookEvent is something an application is told, in the API. What is not in
// the log's list is loaded when it is asked for.
type WebhookEvent struct {
	*log.LoggedEvent
	group *group[log.LoggedEvent]
}

// WebhookEvents makes nodes of events that were loaded together.
func (r *Reader) WebhookEvents(rows []log.LoggedEvent) []*WebhookEvent {
	return wrap(r, rows, func(e *log.LoggedEvent, g *group[log.LoggedEvent]) WebhookEvent { return WebhookEvent{e, g} })
}

func eventID(e *log.LoggedEvent) billing.EventID { return e.ID }

func ofTenant(e *log.LoggedEvent) (billing.TenantID, bool) {
	return e.Subject.Tenant(), e.Subject.Tenant() != 0
}

func inStream(e *log.LoggedEvent) (billing.StreamID, bool) {
	return e.Delivery.StreamID, e.Delivery.StreamID != 0
}

// Tenant is the one it is about; a test has none.
func (e *WebhookEvent) Tenant(ctx context.Context) (*Tenant, error) {
	byID, err := together(e.group, "tenant", func(rows []log.LoggedEvent) (map[billing.TenantID]*Tenant, error) {
		return e.group.reader.tenantsByID(ctx, keys(rows, ofTenant))
	})
	return byID[e.Subject.Tenant()], err
}

// UpdatedAt is when the delivery last made progress.
func (e *WebhookEvent) UpdatedAt(ctx context.Context) (time.Time, error) {
	at := e.Delivery.UpdatedAt
	last, err := e.lastAttempt(ctx)
	if err != nil || last == nil {
		return at, err
	}
	for _, moment := range []*time.Time{&last.StartedAt, last.FinishedAt} {
		if moment != nil && moment.After(at) {
			at = *moment
		}
	}
	return at, nil
}

// deliveryState is what the states of events are derived from.
type deliveryState struct {
	streams   map[billing.StreamID]*webhook.Stream
	endpoints map[billing.PlatformID]webhook.EndpointState
}

func (e *WebhookEvent) deliveryState(ctx context.Context) (deliveryState, error) {
	return together(e.group, "deliveryState", func(rows []log.LoggedEvent) (s deliveryState, err error) {
		q := e.group.reader.q()
		if s.streams, err = outbox.Streams(ctx, q, keys(rows, inStream)); err != nil {
			return s, err
		}
		routes, err := outbox.RoutesOf(ctx, q, keys(rows, always(func(e *log.LoggedEvent) billing.PlatformID { return e.PlatformID })))
		s.endpoints = make(map[billing.PlatformID]webhook.EndpointState, len(routes))
		for i := range routes {
			s.endpoints[routes[i].Platform.ID] = routes[i].State()
		}
		return s, err
	})
}

// State is where the latest delivery stands.
func (e *WebhookEvent) State(ctx context.Context) (webhook.DeliveryState, error) {
	s, err := e.deliveryState(ctx)
	return e.Delivery.Stage(s.streams[e.Delivery.StreamID], s.endpoints[e.PlatformID]), err
}

// NextAttemptAt is when the next attempt is due, if one is.
func (e *WebhookEvent) NextAttemptAt(ctx context.Context) (*time.Time, error) {
	s, err := e.deliveryState(ctx)
	stream := s.streams[e.Delivery.StreamID]
	if err != nil || stream == nil {
		return nil, err
	}
	return stream.NextAttempt(&e.Delivery, e.Delivery.Stage(stream, s.endpoints[e.PlatformID])), nil
}

// Attempts are the requests made so far, over all deliveries.
func (e *WebhookEvent) Attempts(ctx context.Context) ([]*WebhookAttempt, error) {
	of, err := together(e.group, "attempts", func(rows []log.LoggedEvent) (map[billing.EventID][]*WebhookAttempt, error) {
		q := e.group.reader.q()
		deliveries, err := outbox.DeliveriesOf(ctx, q, keys(rows, always(eventID)))
		if err != nil {
			return nil, err
		}
		events := make(map[billing.DeliveryID]billing.EventID, len(deliveries))
		for _, d := range deliveries {
			events[d.ID] = d.EventID
		}
		attempts, err := outbox.AttemptsOf(ctx, q, keys(deliveries, always(func(d *webhook.Delivery) billing.DeliveryID { return d.ID })))
		of := map[billing.EventID][]*WebhookAttempt{}
		for i := range attempts {
			id := events[attempts[i].DeliveryID]
			of[id] = append(of[id], &WebhookAttempt{&attempts[i]})
		}
		return of, err
	})
	return of[e.ID], err
}

func (e *WebhookEvent) lastAttempt(ctx context.Context) (*webhook.Attempt, error) {
	of, err := together(e.group, "last", func(rows []log.LoggedEvent) (map[billing.EventID]*webhook.Attempt, error) {
		return outbox.LastAttempts(ctx, e.group.reader.q(), keys(rows, always(eventID)))
	})
	return of[e.ID], err
}

// URL is the address of the last attempt.
func (e *WebhookEvent) URL(ctx context.Context) (*string, error) {
	last, err := e.lastAttempt(ctx)
	if err != nil || last == nil {
		return nil, err
	}
	return &last.URL, nil
}

// ResponseCode is the status that answered the last attempt.
func (e *WebhookEvent) ResponseCode(ctx context.Context) (*int, error) {
	last, err := e.lastAttempt(ctx)
	if err != nil || last == nil {
		return nil, err
	}
	return last.Status, nil
}

// ResponseBody is what answered the last attempt.
func (e *WebhookEvent) ResponseBody(ctx context.Context) (*string, error) {
	last, err := e.lastAttempt(ctx)
	if err != nil || last == nil {
		return nil, err
	}
	return last.ResponseBody, nil
}

// SupersededBy is the newer event that went out in its place, if it is still
// known.
func (e *WebhookEvent) SupersededBy(ctx context.Context) (*WebhookEvent, error) {
	by := func(e *log.LoggedEvent) *billing.EventID { return e.Delivery.SupersededBy }
	if by(e.LoggedEvent) == nil {
		return nil, nil
	}
	r := e.group.reader
	byID, err := together(e.group, "superseded by", func(rows []log.LoggedEvent) (map[billing.EventID]*WebhookEvent, error) {
		found, err := log.LoggedEvents(ctx, r.q(), keys(rows, maybe(by)))
		return index(r.WebhookEvents(found), func(e *WebhookEvent) billing.EventID { return e.ID }), err
	})
	return byID[*by(e.LoggedEvent)], err
}

func (e *WebhookEvent) bodies(ctx context.Context) (log.EventBody, error) {
	of, err := together(e.group, "bodies", func(rows []log.LoggedEvent) (map[billing.EventID]log.EventBody, error) {
		return log.EventBodies(ctx, e.group.reader.q(), keys(rows, always(eventID)))
	})
	return of[e.ID], err
}

// Payload is the body as it is sent: what a payload program made, if one did.
func (e *WebhookEvent) Payload(ctx context.Context) (string, error) {
	if err := e.mayRead(ctx); err != nil {
		return "", err
	}
	if made := e.Delivery.Body; made != nil {
		return *made, nil
	}
	body, err := e.bodies(ctx)
	return body.Body, err
}

// Difference is what differs from the previous event of the tenant; what happened to
// an account before is nothing to compare with.
func (e *WebhookEvent) Difference(ctx context.Context) (any, error) {
	if !e.Subject.ToldStates() {
		return nil, nil
	}
	body, err := e.bodies(ctx)
	if err != nil || body.Previous == nil {
		return nil, err
	}
	return webhook.Differences([]byte(*body.Previous), []byte(body.Body))
}

// Provisioning says how far the application is up to date about the tenant.
func (t *Tenant) Provisioning(ctx context.Context) (*webhook.ProvisioningStatus, error) {
	of, err := together(t.group, "provisioning", func(rows []billing.Tenant) (map[billing.TenantID]webhook.ProvisioningStatus, error) {
		return t.group.reader.Service.Provisioning.Status(ctx, rows)
	})
	status := of[t.ID]
	return &status, err
}
