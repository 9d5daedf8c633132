package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// Types are those of the events that are sent.
func (e *EventEndpoint) Types() []string {
	types := make([]string, len(e.EventEndpoint.Types))
	for i, t := range e.EventEndpoint.Types {
		types[i] = string(t)
	}
	return types
}

// SigningSecret is the secret that events are signed with, nil if it is no longer
// known.
func (e *EventEndpoint) SigningSecret() (*string, error) {
	text, err := e.group.reader.Service.Delivery.EventSigningSecret(e.EventEndpoint)
	if text == "" {
		return nil, err
	}
	return &text, err
}

// EndpointState says whether events can be sent now.
func (e *EventEndpoint) EndpointState(ctx context.Context) (webhook.EndpointState, error) {
	of, err := together(e.group, "endpointState", func(rows []webhook.EventEndpoint) (map[billing.PlatformID]webhook.EndpointState, error) {
		ids := keys(rows, always(func(e *webhook.EventEndpoint) billing.PlatformID { return billing.PlatformID(e.ID) }))
		routes, err := outbox.RoutesOf(ctx, e.group.reader.q(), ids)
		of := make(map[billing.PlatformID]webhook.EndpointState, len(routes))
		for i := range routes {
			of[routes[i].Platform.ID] = routes[i].State()
		}
		return of, err
	})
	if state, known := of[billing.PlatformID(e.ID)]; known {
		return state, err
	}
	return webhook.EndpointReady, err // it is gone: this is what it was set to
}

// Account is the one that a business event is about.
func (e *WebhookEvent) Account(ctx context.Context) (*Account, error) {
	byID, err := together(e.group, "account", func(rows []log.LoggedEvent) (map[billing.AccountID]*Account, error) {
		return e.group.reader.accountsByID(ctx, keys(rows, func(e *log.LoggedEvent) (billing.AccountID, bool) {
			return e.Subject.Account(), e.Subject.Account() != 0
		}))
	})
	return byID[e.Subject.Account()], err
}

// EventEndpoint is where a business event goes.
func (e *WebhookEvent) EventEndpoint(ctx context.Context) (*EventEndpoint, error) {
	byID, err := together(e.group, "eventEndpoint", func(rows []log.LoggedEvent) (map[billing.EventEndpointID]*EventEndpoint, error) {
		return e.group.reader.eventEndpointsByID(ctx, keys(rows, always(func(e *log.LoggedEvent) billing.EventEndpointID { return billing.EventEndpointID(e.PlatformID) })))
	})
	return byID[billing.EventEndpointID(e.PlatformID)], err
}

// Platform is where the event goes: the application that is told, or an event endpoint
// seen as one.
func (e *WebhookEvent) Platform(ctx context.Context) (*Platform, error) {
	r := e.group.reader
	byID, err := together(e.group, "platform", func(rows []log.LoggedEvent) (map[billing.PlatformID]*Platform, error) {
		found, err := store.Recipients(ctx, r.q(), keys(rows, always(func(e *log.LoggedEvent) billing.PlatformID { return e.PlatformID })))
		return index(r.Platforms(found), func(p *Platform) billing.PlatformID { return p.ID }), err
	})
	return byID[e.PlatformID], err
}

// mayRead refuses what a business event tells to those who may not read invoices.
func (e *WebhookEvent) mayRead(ctx context.Context) error {
	if e.Type == webhook.EventType || e.group.reader.Has(ctx, billing.BillingRead) {
		return nil
	}
	return billing.Fail(billing.Forbidden, "", "The payload of the business event %d needs the scope %s, which the access token does not have.", e.ID, billing.BillingRead)
}
