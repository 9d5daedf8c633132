package oauth

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
)

const jsonType = "application/json; charset=utf-8"

// Keys answers /oauth/jwks: the public keys that tokens are verified with
// (RFC 7517).
func (s *Server) Keys() http.Handler {
	return published(func() []byte { return s.keys.known.Load().public })
}

// Metadata answers /.well-known/oauth-authorization-server (RFC 8414).
func (s *Server) Metadata() http.Handler {
	body, _ := json.Marshal(struct { // strings always marshal
		Issuer    string   `json:"issuer"`
		Token     string   `json:"token_endpoint"`
		Keys      string   `json:"jwks_uri"`
		Scopes    []string `json:"scopes_supported"`
		Responses []string `json:"response_types_supported"`
		Grants    []string `json:"grant_types_supported"`
		Methods   []string `json:"token_endpoint_auth_methods_supported"`
	}{
		Issuer: s.url, Token: s.url + "/oauth/token", Keys: s.url + "/oauth/jwks",
		Scopes: billing.Scopes, Responses: []string{}, Grants: []string{grantType},
		Methods: []string{"client_secret_post", "client_secret_basic"},
	})
	return published(func() []byte { return body })
}

// published answers GET and HEAD with a body that everybody may keep a while.
func published(body func() []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, &failure{http.StatusMethodNotAllowed, "invalid_request", "Use GET here."})
			return
		}
		text := body()
		h := w.Header()
		h.Set("Content-Type", jsonType)
		h.Set("Content-Length", strconv.Itoa(len(text)))
		h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(keysMaxAge.Seconds())))
		if r.Method == http.MethodGet {
			_, _ = w.Write(text) // the caller is gone
		}
	})
}
