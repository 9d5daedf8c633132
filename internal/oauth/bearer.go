package oauth

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// maxToken is longer than any token of ours; what is longer is not looked at.
const maxToken = 8 << 10

// refusal is why a request is not let through.
type refusal struct{ outcome, text string }

var (
	tokenMissing     = &refusal{"missing", "The access token is missing"}
	tokenInvalid     = &refusal{"invalid", "The access token is invalid"}
	tokenExpired     = &refusal{"expired", "The access token expired"}
	tokenRevoked     = &refusal{"revoked", "The access token was revoked"}
	tokenUnavailable = &refusal{"unavailable", "The access token cannot be checked at the moment. Try again."}
)

// RequireToken lets requests through that carry a good access token in their
// Authorization header, with their Principal in the context. Others it answers
// itself, with 401, or with 503 when it cannot tell.
func (s *Server) RequireToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, no := s.check(r)
		if no != nil {
			s.metrics.verifications.WithLabelValues(no.outcome).Inc()
			no.write(w)
			return
		}
		next.ServeHTTP(w, r.WithContext(WithPrincipal(r.Context(), p)))
	})
}

func (s *Server) check(r *http.Request) (Principal, *refusal) {
	token, no := bearerToken(r.Header)
	if no != nil {
		return Principal{}, no
	}
	g, known, no := s.verifier.verify(r.Context(), token)
	if no != nil {
		return Principal{}, no
	}
	p, no := s.holderOf(r.Context(), g)
	if no != nil {
		return Principal{}, no
	}
	if known {
		s.metrics.cached.Inc()
	} else {
		s.metrics.confirmed.Inc()
	}
	return p, nil
}

// holderOf returns who a token belongs to: an API client or a user.
func (s *Server) holderOf(ctx context.Context, g *grant) (Principal, *refusal) {
	if strings.HasPrefix(g.clientID, userPrefix) {
		return s.userOf(ctx, g)
	}
	c, no := s.holder(ctx, g)
	if no != nil {
		return Principal{}, no
	}
	return Principal{ClientID: c.ClientID, Name: c.Name, Scopes: still(g.scopes, c.Scopes), Client: &c.Client}, nil
}

// still returns those of a token's scopes that its holder has now: what was
// taken from the holder is taken from tokens issued before.
func still(granted, now []string) []string {
	lost := func(scope string) bool { return !slices.Contains(now, scope) }
	if !slices.ContainsFunc(granted, lost) {
		return granted
	}
	return slices.DeleteFunc(slices.Clone(granted), lost)
}

// bearerToken returns the token of a request. Header fields are the only place
// for it: addresses end up in logs.
func bearerToken(h http.Header) (string, *refusal) {
	fields := h["Authorization"]
	if len(fields) == 0 {
		return "", tokenMissing
	}
	if len(fields) > 1 {
		return "", tokenInvalid
	}
	scheme, token, _ := strings.Cut(fields[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", tokenMissing
	}
	if len(token) > maxToken {
		return "", tokenInvalid
	}
	return token, nil
}

// holder returns the client a token belongs to, if it still may use it.
func (s *Server) holder(ctx context.Context, g *grant) (*client, *refusal) {
	if err := s.clients.fresh(ctx, clientsAge); err != nil {
		return nil, tokenUnavailable
	}
	c := s.clients.find(g.clientID)
	if c == nil {
		// The token is one of ours: perhaps another replica made the client
		// and the token a moment ago.
		if _, err := s.clients.secondLook(ctx); err != nil {
			return nil, tokenUnavailable
		}
		c = s.clients.find(g.clientID)
	}
	if c == nil || g.generation < c.Generation {
		return nil, tokenRevoked
	}
	return c, nil
}

// write answers a request that is not let through.
func (no *refusal) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Cache-Control", "no-store")
	if no == tokenUnavailable {
		h.Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"errors":[{"message":"` + no.text + `","extensions":{"code":"UNAVAILABLE"}}]}`))
		return
	}
	challenge := `Bearer realm="tenantry"`
	if no != tokenMissing {
		challenge += `, error="invalid_token", error_description="` + no.text + `"`
	}
	h.Set("WWW-Authenticate", challenge)
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(`[{"description":["` + no.text + `"]}]`))
}
