package oauth

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const grantType = "client_credentials"

// Token answers /oauth/token: an access token for the right credentials, by
// the client credentials grant.
func (s *Server) Token() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t, fail := s.issue(w, r)
		if fail != nil {
			s.metrics.tokens.WithLabelValues(fail.code).Inc()
			refuse(w, fail)
			return
		}
		s.metrics.issued.Inc()
		t.write(w)
	})
}

// issued is a token and when it was made.
type issued struct {
	token     string
	seconds   int64
	createdAt time.Time
}

func (t issued) write(w http.ResponseWriter) {
	neverKeep(w.Header())
	b := make([]byte, 0, 128+len(t.token))
	b = append(b, `{"access_token":"`...)
	b = append(b, t.token...)
	b = append(b, `","token_type":"Bearer","expires_in":`...)
	b = strconv.AppendInt(b, t.seconds, 10)
	b = append(b, `,"created_at":`...)
	b = strconv.AppendInt(b, t.createdAt.Unix(), 10)
	_, _ = w.Write(append(b, '}')) // the caller is gone
}

// issue checks a request in the order in which failures are to be answered:
// method, form, repeated parameters, grant type, client, scope.
func (s *Server) issue(w http.ResponseWriter, r *http.Request) (issued, *failure) {
	f, fail := readForm(w, r)
	switch {
	case fail == notPost:
		w.Header().Set("Allow", http.MethodPost)
		return issued{}, fail
	case fail != nil:
		return issued{}, fail
	case f.grantType == "":
		return issued{}, noGrantType
	case f.grantType != grantType:
		return issued{}, badGrantType
	}
	given, fail := credentialsOf(r.Header, f)
	if fail != nil {
		return issued{}, fail
	}
	c, scope, fail := s.decide(r.Context(), given, f.scope)
	if fail == wrongCredentials {
		if wait := s.countWrong(given[0].id, r.RemoteAddr); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
			fail = tooManyAttempts
		}
	}
	if fail != nil {
		return issued{}, fail
	}
	return s.grant(c, scope)
}

func (s *Server) grant(c *client, scope string) (issued, *failure) {
	t := issued{seconds: int64(c.AccessTokenExpiresIn), createdAt: s.now()}
	var err error
	if t.token, err = s.signer.sign(c, scope, t.createdAt, t.seconds); err != nil {
		s.log.Error("cannot sign an access token", "error", err)
		return issued{}, serverError
	}
	s.used.mark(c.ID, t.createdAt)
	return t, nil
}

// decide returns the client and the scope it gets. Nobody is refused for what
// another replica may have changed meanwhile without a second look.
func (s *Server) decide(ctx context.Context, given []credentials, scope string) (*client, string, *failure) {
	if err := s.clients.fresh(ctx, clientsAge); err != nil {
		return nil, "", unavailable
	}
	c, granted, fail, final := s.look(given, scope)
	if final {
		return c, granted, fail
	}
	looked, err := s.clients.secondLook(ctx)
	if err != nil {
		return nil, "", unavailable
	}
	if looked {
		c, granted, fail, _ = s.look(given, scope)
	}
	return c, granted, fail
}

// look decides on what is known of the clients. final says that knowing more
// would change nothing.
func (s *Server) look(given []credentials, scope string) (c *client, granted string, fail *failure, final bool) {
	if c = s.authenticate(given); c == nil {
		return nil, "", wrongCredentials, false
	}
	scopes, fail := readScope(scope)
	if fail != nil {
		return nil, "", fail, true
	}
	if fail = unassignedScope(c, scopes); fail != nil {
		return nil, "", fail, false
	}
	return c, strings.Join(scopes, " "), nil, true
}

// authenticate returns the client whose credentials one of the readings is.
func (s *Server) authenticate(given []credentials) *client {
	now := s.now()
	for _, reading := range given {
		c := s.clients.find(reading.id)
		if c == nil {
			unknown.accepts(reading.secret, now)
		} else if c.accepts(reading.secret, now) {
			return c
		}
	}
	return nil
}
