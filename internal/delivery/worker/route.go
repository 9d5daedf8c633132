package worker

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/program"
	"github.com/tenantry/tenantry/internal/delivery/sign"
)

// preparedRoute is a route with its secrets opened and its program compiled.
type preparedRoute struct {
	url       string
	keys      [][]byte
	static    http.Header // what every request has
	secret    map[string]bool
	answers   *redactor
	plainName string
	plainKey  []byte
	plainHash string
	program   func(ctx context.Context, body []byte) ([]byte, error)
	// until is when the keys change, zero if they do not.
	until time.Time
}

// errNotForThisHost says that secrets of a route were set for another host than
// the one its webhooks go to. Nothing is taken to be sent then, so that this is
// met only by who took it before.
var errNotForThisHost = errors.New("secrets of the platform were set for another host")

// prepare opens the secrets of a route and compiles its program.
func (e *Engine) prepare(r *outbox.Route) (*preparedRoute, error) {
	if len(r.NeededSecrets()) > 0 {
		return nil, errNotForThisHost
	}
	secrets, err := e.Secrets(r, e.Now())
	if err != nil {
		return nil, err
	}
	p := &preparedRoute{url: *r.Platform.WebhookURL, secret: map[string]bool{"Authorization": true}}
	for _, text := range secrets.Signing {
		key, err := sign.Parse(text)
		if err != nil {
			return nil, err
		}
		p.keys = append(p.keys, key)
	}
	if len(p.keys) > 1 {
		p.until = *r.Platform.PreviousSecretUntil
	}
	hidden := append(slices.Clone(secrets.Signing), secrets.AuthToken, secrets.PlainKey)
	p.static = http.Header{"Content-Type": {"application/json"}, "User-Agent": {e.UserAgent}}
	for name, value := range secrets.Headers {
		name = http.CanonicalHeaderKey(name)
		p.static[name] = []string{value}
		if p.secret[name] = webhook.SecretHeader(name); p.secret[name] {
			hidden = append(hidden, value)
		}
	}
	p.answers = newRedactor(hidden)
	if secrets.AuthToken != "" {
		p.static["Authorization"] = []string{"Bearer " + secrets.AuthToken}
	}
	if name := r.Platform.PlainSignatureHeader; name != nil {
		p.plainName, p.plainKey, p.plainHash = http.CanonicalHeaderKey(*name), []byte(secrets.PlainKey), string(webhook.SHA256)
		if a := r.Platform.PlainSignatureAlgorithm; a != nil {
			p.plainHash = string(*a)
		}
	}
	if source := r.Workflow.PayloadProgram; source != nil {
		compiled, err := program.Compile(*source)
		if err == nil {
			p.program = compiled.Run
		} else { // said by every attempt, until it is mended
			p.program = func(context.Context, []byte) ([]byte, error) { return nil, err }
		}
	}
	return p, nil
}

// routeCache keeps the last route of a platform prepared.
type routeCache struct {
	mu       sync.Mutex
	route    *outbox.Route
	from     []byte
	prepared *preparedRoute
}

// get prepares a route, unless it is the same as the last one.
func (c *routeCache) get(e *Engine, r *outbox.Route) (*preparedRoute, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	current := c.prepared != nil && (c.prepared.until.IsZero() || e.Now().Before(c.prepared.until))
	if current && r == c.route { // of the same batch
		return c.prepared, nil
	}
	from := fingerprint(r)
	if current && bytes.Equal(from, c.from) {
		c.route = r
		return c.prepared, nil
	}
	p, err := e.prepare(r)
	if err == nil {
		c.route, c.from, c.prepared = r, from, p
	}
	return p, err
}

// fingerprint differs when anything differs that a prepared route is made of.
func fingerprint(r *outbox.Route) []byte {
	var b bytes.Buffer
	add := func(texts ...string) {
		for _, t := range texts {
			b.WriteString(t)
			b.WriteByte(0)
		}
	}
	optional := func(t *string) string {
		if t == nil {
			return "\x01"
		}
		return *t
	}
	p, w := &r.Platform, &r.Workflow
	add(optional(p.WebhookURL), p.SigningSecretSealed, optional(p.PreviousSecretSealed), p.AuthTokenSealed, p.AuthTokenFor,
		p.PlainSignatureKeySealed, p.PlainSignatureKeyFor, optional(p.PlainSignatureHeader), optional((*string)(p.PlainSignatureAlgorithm)),
		w.HeadersSealed, optional(w.HeadersFor), optional(w.PayloadProgram))
	return b.Bytes()
}
