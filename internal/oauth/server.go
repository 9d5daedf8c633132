package oauth

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
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
