package worker

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/secret"
)

// Try makes one request with the body of an event that was not queued, as it
// is, and tells how it went. It is made whatever the state of the endpoint is.
// waits is called before it waits for the receiver, and what it returns when that
// is over.
func (e *Engine) Try(ctx context.Context, r *outbox.Route, event *webhook.Event, waits func(context.Context) (over func())) *webhook.Attempt {
	j := &job{
		subject: event.Subject, sequence: event.Sequence, route: r,
		attempt: &webhook.Attempt{Number: 1, URL: *r.Platform.WebhookURL, RequestHeaders: []byte("{}"), StartedAt: e.Now()},
	}
	route, err := e.prepare(r)
	if err != nil {
		j.fail("The secrets of the platform cannot be read: "+err.Error(), true)
		return j.attempt
	}
	body := []byte(event.Body)
	header := route.headers("test_"+secret.RandomText(16), event.Sequence, 1, false, body, e.Now())
	over := waits(ctx)
	result := e.Sender.Do(ctx, &send.Request{URL: route.url, Body: body, Header: header, Timeout: e.real(r.Workflow.Timeout())})
	over()
	j.note(route, header, &result)
	return j.attempt
}
