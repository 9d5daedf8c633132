package delivery

import (
	"context"
	"encoding/json"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// Webhooks is what operations need of those who send webhooks. Whatever is nil
// is not there: then nothing is refused, and nothing can be tried out.
type Webhooks struct {
	// CheckURL refuses an address that webhooks may not go to.
	CheckURL func(ctx context.Context, url string) error
	// CheckProgram refuses a payload program that does not work.
	CheckProgram func(ctx context.Context, source string) error
	// CheckStateProgram refuses a state program that cannot be read.
	CheckStateProgram func(ctx context.Context, source string) error
	// RunProgram makes the body to send of the standard one, for a preview.
	RunProgram func(ctx context.Context, source string, body []byte) ([]byte, error)
	// Test makes one request with the body of an event that nobody queued, and
	// tells how it went.
	Test func(ctx context.Context, route *outbox.Route, event *webhook.Event) *webhook.Attempt
}

// UseWebhooks says who sends webhooks. It comes before all operations.
func (s *Service) UseWebhooks(w Webhooks) { s.webhooks = w }

// purposeHeaders is what the headers of a workflow are sealed for.
const purposeHeaders = "workflow headers"

// RouteSecrets are the secrets that go into the requests of a platform.
type RouteSecrets struct {
	// Signing sign every request: the current secret and, while receivers
	// change to it, the one before.
	Signing   []string
	AuthToken string
	PlainKey  string
	Headers   webhook.Headers
}

// RouteSecrets opens the secrets of a route. now decides whether the previous
// signing secret is still good.
func (s *Service) RouteSecrets(r *outbox.Route, now time.Time) (RouteSecrets, error) {
	var opened RouteSecrets
	open := func(purpose, sealed string) (string, error) {
		if sealed == "" {
			return "", nil
		}
		text, err := s.box.Open(purpose, sealed)
		return string(text), err
	}
	signing, err := open(purposeSigningSecret, r.Platform.SigningSecretSealed)
	if err != nil {
		return opened, err
	}
	opened.Signing = []string{signing}
	if p := &r.Platform; p.PreviousSecretSealed != nil && p.PreviousSecretUntil != nil && now.Before(*p.PreviousSecretUntil) {
		previous, err := open(purposeSigningSecret, *p.PreviousSecretSealed)
		if err != nil {
			return opened, err
		}
		opened.Signing = append(opened.Signing, previous)
	}
	if opened.AuthToken, err = open(purposeAuthToken, r.Platform.AuthTokenSealed); err != nil {
		return opened, err
	}
	if opened.PlainKey, err = open(purposePlainKey, r.Platform.PlainSignatureKeySealed); err != nil {
		return opened, err
	}
	opened.Headers, err = s.headersOf(&r.Workflow)
	return opened, err
}

// headersOf opens the headers of a workflow.
func (s *Service) headersOf(w *webhook.Workflow) (webhook.Headers, error) {
	headers := webhook.Headers{}
	if w.HeadersSealed == "" {
		return headers, nil
	}
	text, err := s.box.Open(purposeHeaders, w.HeadersSealed)
	if err != nil {
		return nil, err
	}
	return headers, json.Unmarshal(text, &headers)
}

// WorkflowHeaders are the headers of a workflow as people may see them.
func (s *Service) WorkflowHeaders(w *webhook.Workflow) (webhook.Headers, error) {
	headers, err := s.headersOf(w)
	return headers.Shown(), err
}

func (s *Service) sealHeaders(h webhook.Headers) string {
	if len(h) == 0 {
		return ""
	}
	return s.box.Seal(purposeHeaders, operation.MustJSON(h))
}
