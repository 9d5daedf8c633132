package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Apply makes a tenant equal to what a change tells. If it fails, the webhook
// is answered with 500 and sent again later.
type Apply func(ctx context.Context, change Change) error

// Handler receives webhooks; it is an http.Handler.
type Handler struct {
	verifier *Verifier
	store    Store
	apply    Apply
	test     Apply
	maxBody  int64
	log      *slog.Logger
}

// DefaultMaxBody is how many bytes a webhook may have.
const DefaultMaxBody = 4 << 20

// Option changes how a Handler works.
type Option func(*Handler)

// WithTolerance sets how old a request may be, instead of DefaultTolerance.
func WithTolerance(d time.Duration) Option { return func(h *Handler) { h.verifier.tolerance = d } }

// WithMaxBody sets how many bytes a webhook may have, instead of DefaultMaxBody.
func WithMaxBody(n int64) Option { return func(h *Handler) { h.maxBody = n } }

// WithTests calls a function for test events (platformWebhookTest), which tell
// of a tenant that does not exist. By default they are only verified and
// answered.
func WithTests(test Apply) Option { return func(h *Handler) { h.test = test } }

// WithLog sets where failures are told, instead of slog.Default.
func WithLog(log *slog.Logger) Option { return func(h *Handler) { h.log = log } }

// WithClock sets the clock that timestamps are compared with.
func WithClock(now func() time.Time) Option { return func(h *Handler) { h.verifier.now = now } }

// NewHandler makes a handler for webhooks that are signed with any of the
// secrets. apply is called for one change of a tenant at a time, in the order of
// their numbers.
func NewHandler(secrets []string, store Store, apply Apply, options ...Option) (*Handler, error) {
	if store == nil || apply == nil {
		return nil, errors.New("webhook: a store and a function to call are needed")
	}
	verifier, err := NewVerifier(secrets...)
	if err != nil {
		return nil, err
	}
	h := &Handler{verifier: verifier, store: store, apply: apply, maxBody: DefaultMaxBody, log: slog.Default()}
	for _, option := range options {
		option(h)
	}
	return h, nil
}

// Later makes an error of an Apply that asks Tenantry to wait at least so long
// before it sends the webhook again, up to an hour.
func Later(wait time.Duration, err error) error { return &later{wait, err} }

type later struct {
	wait time.Duration
	err  error
}

func (l *later) Error() string { return l.err.Error() }
func (l *later) Unwrap() error { return l.err }

// ServeHTTP answers
//
//   - 204 when the change was applied, or need not be,
//   - 400 when headers are missing or the timestamp is too old or too new, 401 when no signature fits, 405
//     for anything but POST, 413 when the body is too large, 422 when it is not what Tenantry sends,
//   - 500 when the function or the store failed, 503 with Retry-After when it failed with Later.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "send webhooks with POST", http.StatusMethodNotAllowed)
		return
	}
	change, no := h.read(w, r)
	if no != nil {
		h.log.WarnContext(r.Context(), "a webhook was refused", "status", no.status, "reason", no.reason)
		http.Error(w, no.reason, no.status)
		return
	}
	if change == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err := h.take(r.Context(), *change); err != nil {
		h.fail(w, r, change, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// refusal is an answer to a request that is not one of Tenantry's.
type refusal struct {
	status int
	reason string
}

// read verifies a request and reads its change; nil for an event of a type that
// is not known here.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (*Change, *refusal) {
	body, delivery, no := h.verified(w, r)
	if no != nil {
		return nil, no
	}
	change, err := parse(body)
	if errors.Is(err, errOtherType) {
		return nil, nil
	}
	if err != nil {
		return nil, &refusal{http.StatusUnprocessableEntity, err.Error()}
	}
	change.Delivery = delivery
	if err := change.Delivery.number(r.Header); err != nil {
		return nil, &refusal{http.StatusBadRequest, err.Error()}
	}
	// The tenant of a test has no id, so no real one is ever taken for it.
	change.Delivery.Test = change.Tenant.ID == 0 && change.Tenant.Code == TestTenantCode
	return &change, nil
}

// verified reads the body of a request, and who sent it.
func (h *Handler) verified(w http.ResponseWriter, r *http.Request) (body []byte, delivery Delivery, no *refusal) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, delivery, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the webhook is larger than %d bytes", h.maxBody)}
		}
		return nil, delivery, &refusal{http.StatusBadRequest, "the body ended before it was complete"}
	}
	if delivery.ID, delivery.Timestamp, err = h.verifier.Verify(r.Header, body); err != nil {
		status := http.StatusBadRequest
		if errors.Is(err, ErrSignature) {
			status = http.StatusUnauthorized
		}
		return nil, delivery, &refusal{status, err.Error()}
	}
	return body, delivery, nil
}

func (d *Delivery) number(header http.Header) error {
	sequence, err := strconv.ParseUint(header.Get("Webhook-Sequence"), 10, 63)
	if err != nil {
		return errors.New("webhook-sequence is missing or not a number")
	}
	d.Sequence, d.Forced = int64(sequence), header.Get("Webhook-Forced") == "true"
	d.Attempt, _ = strconv.Atoi(header.Get("Webhook-Attempt")) // only told on
	return nil
}

// take applies a change, unless a newer one of the tenant was applied already.
// An equal one is applied again: it is the same state, and who sends it again
// may want that.
func (h *Handler) take(ctx context.Context, change Change) error {
	if change.Delivery.Test {
		if h.test == nil {
			return nil
		}
		return h.test(ctx, change)
	}
	return h.store.Update(ctx, change.Tenant.ID, func(ctx context.Context, last int64) (int64, error) {
		if change.Delivery.Sequence < last && !change.Delivery.Forced {
			return last, nil
		}
		if err := h.apply(ctx, change); err != nil {
			return 0, err
		}
		return max(last, change.Delivery.Sequence), nil
	})
}

func (h *Handler) fail(w http.ResponseWriter, r *http.Request, change *Change, err error) {
	h.log.ErrorContext(r.Context(), "a webhook was not applied", "tenant", change.Tenant.Code,
		"id", change.Delivery.ID, "sequence", change.Delivery.Sequence, "error", err)
	failed(w, err)
}

// failed answers that a webhook is to be sent again.
func failed(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var wait *later
	if errors.As(err, &wait) {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.wait.Seconds()))))
	}
	http.Error(w, "the change was not applied; send it again", status) // what failed is nobody else's business
}
