package node

import (
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// WebhookAttempt is one request that tried to deliver an event, in the API.
type WebhookAttempt struct{ *webhook.Attempt }

// RequestHeaders are what was sent, without secrets.
func (a *WebhookAttempt) RequestHeaders() any {
	if a.Attempt.RequestHeaders == nil {
		return json.RawMessage("{}")
	}
	return a.Attempt.RequestHeaders
}

// ResponseHeaders are what was answered, if anything was.
func (a *WebhookAttempt) ResponseHeaders() any {
	if a.Attempt.ResponseHeaders == nil {
		return nil
	}
	return a.Attempt.ResponseHeaders
}

// DurationMs is how long the exchange took, if it finished.
func (a *WebhookAttempt) DurationMs() *int {
	if a.FinishedAt == nil {
		return nil
	}
	took := int(a.FinishedAt.Sub(a.StartedAt).Milliseconds())
	return &took
}
