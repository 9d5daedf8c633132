package delivery

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// EventEndpoints is what changing event endpoints has in common.
var EventEndpoints = operation.Resource[webhook.EventEndpoint, billing.EventEndpointID]{
	Name: "eventEndpoint", Words: "event endpoint", Table: store.EventEndpoints,
	New: func(*store.Tx) webhook.EventEndpoint { return webhook.EventEndpoint{Enabled: true} },
	Release: func(ctx context.Context, tx *store.Tx, e *webhook.EventEndpoint) error {
		return outbox.DeleteEventsTo(ctx, tx, e.ID)
	},
	Taken: func(e *webhook.EventEndpoint) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another event endpoint or platform has the code %q. Give this one another code.", e.Code)
	},
}

// EventEndpointCreate adds an event endpoint with a signing secret of its own. It is
// told of what happens from now on.
func (s *Service) EventEndpointCreate(ctx context.Context, edit func(*webhook.EventEndpoint) error) (*webhook.EventEndpoint, error) {
	address := s.judgeEventURL(ctx, edit)
	return EventEndpoints.Create(ctx, s.Runner, func(e *webhook.EventEndpoint) error {
		e.SigningSecretSealed = s.NewSigningSecret()
		return operation.And(edit(e), address.problem(nil)...)
	})
}

// EventEndpointUpdate changes an event endpoint. A new address starts afresh, with
// everything that waits.
func (s *Service) EventEndpointUpdate(ctx context.Context, id billing.EventEndpointID, edit func(*webhook.EventEndpoint) error) (*webhook.EventEndpoint, error) {
	address := s.judgeEventURL(ctx, edit)
	var before webhook.EventEndpoint
	return EventEndpoints.Update(ctx, s.Runner, id, func(e *webhook.EventEndpoint) error {
		before = *e
		return operation.And(edit(e), address.problem(&before.URL)...)
	}, func(ctx context.Context, tx *store.Tx, after *webhook.EventEndpoint) error {
		return EventAddressChanged(ctx, tx, &before, after)
	})
}

// EventAddressChanged brings what is known of an endpoint in line with its address.
func EventAddressChanged(ctx context.Context, tx *store.Tx, before, after *webhook.EventEndpoint) error {
	id := billing.PlatformID(after.ID)
	outbox.Requeue(tx, id)
	if before.URL == after.URL {
		return nil
	}
	return changeEndpoint(ctx, tx, id, func(_ *outbox.Route, e *webhook.Endpoint) error {
		e.Resume()
		return nil
	})
}

// EventEndpointDelete removes an event endpoint, with what waits for it and its log.
func (s *Service) EventEndpointDelete(ctx context.Context, id billing.EventEndpointID) (*webhook.EventEndpoint, error) {
	return EventEndpoints.Delete(ctx, s.Runner, id)
}

// EventEndpointResume lets events go out again to an endpoint that was paused, or
// whose breaker is open: all of them, in order.
func (s *Service) EventEndpointResume(ctx context.Context, id billing.EventEndpointID) (*webhook.EventEndpoint, error) {
	return EventEndpoints.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*webhook.EventEndpoint, error) {
		e, err := EventEndpoints.Lock(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		var before, after webhook.EndpointState
		err = changeEndpoint(ctx, tx, billing.PlatformID(id), func(r *outbox.Route, endpoint *webhook.Endpoint) error {
			before = r.State()
			if endpoint.PausedAt == nil && endpoint.OpenUntil == nil {
				return nothingToResume(before)
			}
			endpoint.Resume()
			after = r.State()
			return nil
		})
		if err != nil {
			return nil, err
		}
		return e, operation.Audit(ctx, tx, "eventEndpointResume", EventEndpoints.Name, int64(id), map[string]billing.Change{
			"endpointState": {From: operation.MustJSON(before), To: operation.MustJSON(after)},
		})
	})
}

// EventEndpointSigningSecretRotate gives an event endpoint a new secret for signing.
// For so many hours the old one signs too.
func (s *Service) EventEndpointSigningSecretRotate(ctx context.Context, id billing.EventEndpointID, overlapHours int) (*webhook.EventEndpoint, error) {
	rotated := EventEndpoints
	rotated.Action = "eventEndpointSigningSecretRotate"
	return rotated.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*webhook.EventEndpoint, error) {
		edit := func(e *webhook.EventEndpoint) error {
			if err := checkOverlap(overlapHours); err != nil {
				return err
			}
			e.PreviousSecretSealed, e.PreviousSecretUntil = nil, nil
			if overlapHours > 0 {
				old, until := e.SigningSecretSealed, tx.Now.Add(time.Duration(overlapHours)*time.Hour)
				e.PreviousSecretSealed, e.PreviousSecretUntil = &old, &until
			}
			e.SigningSecretSealed = s.NewSigningSecret()
			return nil
		}
		return rotated.UpdateIn(ctx, tx, id, edit, func(_ context.Context, tx *store.Tx, e *webhook.EventEndpoint) error {
			outbox.Requeue(tx, billing.PlatformID(e.ID))
			return nil
		})
	})
}

// EventSigningSecret returns the secret that events to an endpoint are signed with.
func (s *Service) EventSigningSecret(e *webhook.EventEndpoint) (string, error) {
	return s.SigningSecret(&webhook.Platform{SigningSecretSealed: e.SigningSecretSealed})
}

// EventEndpointTest sends one test event with made-up data to an event endpoint,
// whatever state that is in, and returns how it went.
func (s *Service) EventEndpointTest(ctx context.Context, id billing.EventEndpointID) (*WebhookTest, error) {
	return s.test(ctx, testOf{
		action: "eventEndpointTest", name: EventEndpoints.Name, words: EventEndpoints.Words, id: billing.PlatformID(id), forEvents: true,
		event: func(context.Context, *outbox.Route) (*webhook.Event, error) {
			e := webhook.TestBusinessEvent()
			head := webhook.BusinessHead{At: s.Store.Snapshot().Now, Type: e.Type, Account: webhook.TestAccount()}
			return &webhook.Event{Type: string(e.Type), Body: string(head.Body(e.Data()))}, nil
		},
	})
}

// judgeEventURL finds out which address an edit sets, and judges it.
func (s *Service) judgeEventURL(ctx context.Context, edit func(*webhook.EventEndpoint) error) verdict {
	var probe webhook.EventEndpoint
	_ = edit(&probe) // what is wrong with it is told when it counts
	if probe.URL == "" {
		return verdict{}
	}
	return s.judgeURL(ctx, "url", &probe.URL)
}
