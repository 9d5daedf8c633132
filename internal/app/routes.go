package app

import (
	"encoding/json"
	"net/http"

	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/documents"
	"github.com/tenantry/tenantry/internal/graphql/graphiql"
	"github.com/tenantry/tenantry/internal/manual"
)

// routes is every address the server answers at.
func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/oauth/token", s.authority.Token())
	mux.Handle("/oauth/jwks", s.authority.Keys())
	mux.Handle("/.well-known/oauth-authorization-server", s.authority.Metadata())
	mux.Handle("/graphql", s.authority.RequireToken(s.api))
	mux.Handle("/tenants/state", s.authority.RequireToken(s.api.TenantState()))
	mux.Handle("/documents/", onlyGet(documents.Handler(s.service.Invoicing, s.authority.RequireToken, s.now, s.log)))
	mux.Handle("/payments/stripe/webhooks", s.notices(collect.Stripe))
	mux.Handle("/graphiql", graphiql.Handler())
	mux.Handle("/graphiql/", graphiql.Handler())
	pages := manual.Handler()
	mux.Handle("/docs", pages)
	mux.Handle("/docs/", pages)
	mux.Handle("/healthz", onlyGet(http.HandlerFunc(health)))
	mux.Handle("/readyz", onlyGet(http.HandlerFunc(s.ready)))
	mux.Handle("/", s.console)
	if s.config.metricsListen == "" {
		mux.Handle("/metrics", onlyGet(s.metrics.handler()))
	}
	return observe(mux, s.log, s.metrics, s.store.Clock().Elapsed, s.config.proxies)
}

// metricsRoutes is every address that --metrics-listen answers at.
func (s *server) metricsRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.handler())
	return mux
}

// onlyGet refuses what the console would otherwise take for an address of its
// own.
func onlyGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// health says that the process runs; it asks nothing else.
func health(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]string{"status": "ok", "version": version})
}

// ready says whether requests can be answered: whether the database is there.
func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.database.ask(r.Context()); err != nil {
		s.log.WarnContext(r.Context(), "the database does not answer", "error", err)
		answer(w, http.StatusServiceUnavailable, map[string]string{"status": "the database does not answer"})
		return
	}
	body := map[string]string{"status": "ready"}
	if hold := s.service.Subscriptions.Hold(); hold != nil {
		// Requests are answered: to take every replica away would help nobody.
		body["lifecycle"], body["reason"], body["remedy"] = "held", hold.Reason, hold.Remedy
	}
	answer(w, http.StatusOK, body)
}

func answer(w http.ResponseWriter, status int, body map[string]string) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // texts are always JSON
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
