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

// AddressChanged brings the endpoint in line with a platform whose settings
// were changed in this transaction: a new address starts afresh, and from none
// to one only the latest of each tenant goes out.
func AddressChanged(ctx context.Context, tx *store.Tx, before, after *webhook.Platform) error {
	outbox.Requeue(tx, after.ID)
	if after.WebhookURL == nil || before.WebhookURL != nil && *before.WebhookURL == *after.WebhookURL {
		return nil
	}
	return changeEndpoint(ctx, tx, after.ID, func(_ *outbox.Route, e *webhook.Endpoint) error {
		e.Resume()
		if before.WebhookURL == nil {
			e.Release(webhook.ReleaseLatest, tx.Now)
		}
		return nil
	})
}

// changeEndpoint changes what the sender knows about an endpoint. Those who
// hold the platform's or the workflow's row took it before.
func changeEndpoint(ctx context.Context, tx *store.Tx, id billing.PlatformID, change func(*outbox.Route, *webhook.Endpoint) error) error {
	route, err := outbox.LockRoute(ctx, tx, id)
	if err != nil {
		return err
	}
	if route == nil {
		return billing.Missing("id", Platforms.Words, id)
	}
	if err := change(route, &route.Endpoint); err != nil {
		return err
	}
	outbox.Requeue(tx, id)
	return outbox.SaveEndpoint(ctx, tx, &route.Endpoint)
}

// PlatformEndpointResume lets webhooks go out again to an endpoint that was
// paused, or whose breaker is open.
func (s *Service) PlatformEndpointResume(ctx context.Context, id billing.PlatformID, release webhook.Release) (*webhook.Platform, error) {
	return Platforms.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*webhook.Platform, error) {
		p, err := Platforms.Lock(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		var before, after webhook.EndpointState
		err = changeEndpoint(ctx, tx, id, func(r *outbox.Route, e *webhook.Endpoint) error {
			before = r.State()
			if e.PausedAt == nil && e.OpenUntil == nil {
				return nothingToResume(before)
			}
			e.Resume()
			e.Release(release, tx.Now)
			after = r.State()
			return nil
		})
		if err != nil {
			return nil, err
		}
		return p, operation.Audit(ctx, tx, "platformEndpointResume", Platforms.Name, int64(id), map[string]billing.Change{
			"endpointState": {From: operation.MustJSON(before), To: operation.MustJSON(after)},
			"release":       {From: operation.MustJSON(nil), To: operation.MustJSON(release)},
		})
	})
}

func nothingToResume(state webhook.EndpointState) *billing.Error {
	why := "The endpoint is not paused: there is nothing to resume."
	switch state {
	case webhook.EndpointNoURL:
		why = "The platform has no webhook URL yet: set webhookUrl, and what waits goes out."
	case webhook.EndpointWorkflowDisabled:
		why = "The endpoint is not paused, but the platform's workflow is switched off: enable it with workflowUpdate."
	case webhook.EndpointSecretsNeeded:
		why = "The endpoint is not paused, but secrets have to be set again for its address: see secretsNeeded of the platform."
	}
	return billing.Fail(billing.NotAllowed, "id", "%s", why)
}

// PlatformSigningSecretRotate gives a platform a new secret for signing its
// webhooks. For so many hours the old one signs too.
func (s *Service) PlatformSigningSecretRotate(ctx context.Context, id billing.PlatformID, overlapHours int) (*webhook.Platform, error) {
	rotated := Platforms
	rotated.Action = "platformSigningSecretRotate"
	return rotated.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*webhook.Platform, error) {
		edit := func(p *webhook.Platform) error {
			if err := checkOverlap(overlapHours); err != nil {
				return err
			}
			p.PreviousSecretSealed, p.PreviousSecretUntil = nil, nil
			if overlapHours > 0 {
				old, until := p.SigningSecretSealed, tx.Now.Add(time.Duration(overlapHours)*time.Hour)
				p.PreviousSecretSealed, p.PreviousSecretUntil = &old, &until
			}
			p.SigningSecretSealed = s.NewSigningSecret()
			return nil
		}
		return rotated.UpdateIn(ctx, tx, id, edit, func(_ context.Context, tx *store.Tx, p *webhook.Platform) error {
			outbox.Requeue(tx, p.ID)
			return nil
		})
	})
}

func checkOverlap(hours int) error {
	if hours < 0 || hours > webhook.MaxOverlapHours {
		return billing.Fail(billing.Invalid, "overlapHours", "The old secret can sign for 0 to %d hours (30 days) more, not %d.", webhook.MaxOverlapHours, hours)
	}
	return nil
}

// WebhookTest is a test of an endpoint and how it went.
type WebhookTest struct {
	Platform webhook.Platform
	EventID  billing.EventID
	Attempt  webhook.Attempt
}

const testReason = "webhook.test"

// PlatformWebhookTest sends one test event with made-up data to a platform's
// endpoint, whatever state that is in, and returns how it went.
func (s *Service) PlatformWebhookTest(ctx context.Context, id billing.PlatformID) (*WebhookTest, error) {
	return s.test(ctx, testOf{
		action: "platformWebhookTest", name: Platforms.Name, words: Platforms.Words, id: id,
		event: func(ctx context.Context, route *outbox.Route) (*webhook.Event, error) {
			body, err := s.runProgram(ctx, route.Workflow.PayloadProgram, webhook.TestState(route.Platform).Body(), "id")
			return &webhook.Event{Type: webhook.EventType, Body: string(body)}, err
		},
	})
}

// testOf is what is tested, a platform or an event endpoint, and what is sent there.
type testOf struct {
	action, name, words string
	id                  billing.PlatformID
	forEvents           bool
	event               func(context.Context, *outbox.Route) (*webhook.Event, error)
}

// test sends a test event and records how that went.
func (s *Service) test(ctx context.Context, of testOf) (*WebhookTest, error) {
	if before, found, err := operation.RecordedBefore[WebhookTest](ctx, s.Runner); err != nil || found {
		return before, err // it was sent already
	}
	if store.Rehearsing(ctx) {
		return nil, billing.Fail(billing.NotAllowed, "", "A test webhook cannot be previewed: only sending it shows what comes of it.")
	}
	test, err := s.sendTest(ctx, of)
	if err != nil {
		if operation.CallerOf(ctx).Once != nil {
			return nil, s.RecordRefusal(ctx, operation.CallerOf(ctx), err)
		}
		return nil, err
	}
	// Even if the caller is gone: what was sent is recorded.
	row, _, err := operation.Write(context.WithoutCancel(ctx), s.Runner, func(ctx context.Context, tx *store.Tx) (*WebhookTest, error) {
		e, a := *test.event, test.Attempt
		if err := outbox.InsertTest(ctx, tx, &e, &a); err != nil {
			return nil, err
		}
		err := operation.Audit(ctx, tx, of.action, of.name, int64(of.id), map[string]billing.Change{
			"webhookEvent": {From: operation.MustJSON(nil), To: operation.MustJSON(e.ID)}, "outcome": {From: operation.MustJSON(nil), To: operation.MustJSON(a.Outcome)},
		})
		return &WebhookTest{Platform: test.Platform, EventID: e.ID, Attempt: a}, err
	})
	return row, err
}

// sentTest is a test that is not recorded yet.
type sentTest struct {
	WebhookTest
	event *webhook.Event
}

func (s *Service) sendTest(ctx context.Context, of testOf) (*sentTest, error) {
	routes, err := outbox.RoutesOf(ctx, s.Read(), []billing.PlatformID{of.id})
	if err != nil {
		return nil, err
	}
	if len(routes) == 0 || routes[0].ForEvents != of.forEvents {
		return nil, billing.Missing("id", of.words, of.id)
	}
	route := &routes[0]
	if route.Platform.WebhookURL == nil {
		return nil, billing.Fail(billing.NotAllowed, "id", "The platform has no webhook URL yet: set one first.")
	}
	if needed := route.NeededSecrets(); len(needed) > 0 {
		return nil, billing.Fail(billing.NotAllowed, "id", "%s", sentence("nothing was sent: "+webhook.GiveAgain(&route.Platform, needed)))
	}
	if s.webhooks.Test == nil {
		return nil, billing.Fail(billing.NotAllowed, "", "This process does not send webhooks.")
	}
	event, err := of.event(ctx, route)
	if err != nil {
		return nil, err
	}
	event.PlatformID, event.Reason = of.id, testReason
	return &sentTest{WebhookTest{Platform: route.Platform, Attempt: *s.webhooks.Test(ctx, route, event)}, event}, nil
}
