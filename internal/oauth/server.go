package oauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// Server issues and checks access tokens. It is safe for concurrent use.
type Server struct {
	store *store.Store
	now   func() time.Time
	log   *slog.Logger
	url   string // base URL, without a slash at its end

	clients    *directory
	keys       *keyring
	signer     *signer
	verifier   *verifier
	wrong      *admission.Attempts[uint64]
	used       usage
	metrics    *metrics
	background background
}

// Options are what a Server works with. All are required.
type Options struct {
	Store *store.Store
	Box   *secret.Box // seals the signing keys
	Now   func() time.Time
	// Elapsed measures ages. Unlike the differences of Now it stays right when a
	// clock is set.
	Elapsed func() time.Duration
	// BaseURL is the address under which callers reach the service; tokens
	// are issued by it and for it.
	BaseURL string
	Log     *slog.Logger
}

// New returns a server that knows the API clients and has a key to sign with;
// the first one on a database makes it. It fails if the keys in the database
// were sealed with another secret key.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{
		store: o.Store, now: o.Now, log: o.Log, url: strings.TrimRight(o.BaseURL, "/"),
		clients: newDirectory(o.Store, o.Elapsed, o.Log),
		keys:    newKeyring(o.Store, o.Box, o.Now, o.Elapsed, o.Log),
		wrong:   admission.NewAttempts[uint64](o.Elapsed, maxWrong),
		metrics: newMetrics(),
	}
	s.signer = newSigner(s.url, s.keys)
	s.verifier = newVerifier(s.url, s.now, s.keys)
	s.background.init(o.Elapsed)
	if err := s.clients.refresh(ctx); err != nil {
		return nil, fmt.Errorf("cannot read the API clients: %w", err)
	}
	if err := s.keys.prepare(ctx); err != nil {
		return nil, fmt.Errorf("cannot prepare the signing keys: %w", err)
	}
	return s, nil
}

// ClientsChanged makes this process act at once on a change of API clients
// that it has just committed.
func (s *Server) ClientsChanged(ctx context.Context) {
	if err := s.clients.refresh(ctx); err != nil {
		s.clients.distrust()
	}
}

// RotateKey publishes a new signing key now. It signs from an hour later on,
// when everybody who keeps a copy of the public keys has seen it.
func (s *Server) RotateKey(ctx context.Context) error { return s.keys.rotate(ctx, true) }

// IssueToken returns a token like those of the token endpoint, for scopes that
// are assigned to the client, living from a second to 30 days.
func (s *Server) IssueToken(clientID string, scopes []string, lifetime time.Duration) (string, error) {
	seconds := int64(lifetime / time.Second)
	if seconds < 1 || seconds > billing.MaxTokenSeconds {
		return "", fmt.Errorf("a token lives 1 to %d seconds, not %v", billing.MaxTokenSeconds, lifetime)
	}
	if len(scopes) == 0 {
		return "", errors.New("a token needs at least one scope")
	}
	if err := s.clients.refresh(context.Background()); err != nil {
		return "", err
	}
	c := s.clients.find(clientID)
	if c == nil {
		return "", fmt.Errorf("there is no API client %q", clientID)
	}
	for _, scope := range scopes {
		if !slices.Contains(c.Scopes, scope) {
			return "", fmt.Errorf("the API client %q does not have the scope %q", clientID, scope)
		}
	}
	return s.signer.sign(c, strings.Join(scopes, " "), s.now(), seconds)
}
