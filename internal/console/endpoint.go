package console

import (
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/ui"
)

// endpointState shows whether webhooks can go out.
func endpointState(s webhook.EndpointState) ui.Cell {
	switch s {
	case webhook.EndpointReady:
		return ui.Badge("ready", "good")
	case webhook.EndpointNoURL:
		return ui.Badge("no URL yet", "warn")
	case webhook.EndpointPaused:
		return ui.Badge("paused", "bad")
	case webhook.EndpointBreakerOpen:
		return ui.Badge("not answering", "bad")
	case webhook.EndpointSecretsNeeded:
		return ui.Badge("secrets needed", "bad")
	}
	return ui.Badge("workflow off", "warn")
}

// endpointWhy says why webhooks do not go out and what to do, nothing if they
// do.
func endpointWhy(r *outbox.Route) string {
	switch r.State() {
	case webhook.EndpointNoURL:
		return "the platform has no webhook URL yet. Set it, and waiting webhooks are sent."
	case webhook.EndpointWorkflowDisabled:
		return "the platform's workflow is switched off. Switch it on, and waiting webhooks are sent."
	case webhook.EndpointSecretsNeeded:
		return webhook.GiveAgain(&r.Platform, r.NeededSecrets()) + " Then waiting webhooks are sent, in order."
	case webhook.EndpointPaused:
		return "the endpoint is paused. " + ui.Deref(r.Endpoint.PauseReason) + " Resume it once that is fixed."
	case webhook.EndpointBreakerOpen:
		text := "the last " + ui.Plural(r.Endpoint.Failures, "request", "requests") + " failed, so only one request at a time is sent until the endpoint answers again"
		if r.Endpoint.OpenUntil != nil {
			text += ", next at " + ui.MomentText(*r.Endpoint.OpenUntil)
		}
		return text + "."
	}
	return ""
}
