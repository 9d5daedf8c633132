package apitest

import (
	"net/http"
	"testing"
	"time"
)

// TestBearer: without a good token there is 401 and the list of descriptions.
func TestBearer(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		token, err := s.token(first)
		if err != nil {
			t.Fatal(err)
		}
		client := s.do(t, `mutation { apiClientCreate(attributes: {name: "R", scopes: ["standard:read"]}) { apiClient { id clientId clientSecret } } }`).at("apiClientCreate.apiClient")
		other, err := s.token(grant{client.at("clientId").text(), client.at("clientSecret").text(), "standard:read"})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(authorization string, status int, body string) {
			t.Helper()
			a := s.send(t, post(whoami, "").with("Authorization", authorization))
			if a.status != status || string(a.body) != body {
				t.Errorf("%.40q: got %d %s, want %d %s", authorization, a.status, a.body, status, body)
			}
			if challenge := a.header.Get("WWW-Authenticate"); status == http.StatusUnauthorized && (len(challenge) < 6 || challenge[:6] != "Bearer") {
				t.Errorf("%.40q: WWW-Authenticate is %q", authorization, challenge)
			}
		}
		for _, scheme := range []string{"Bearer", "bearer", "BEARER", "bEaReR"} {
			ask(scheme+" "+token, 200, itIsMe)
		}
		const (
			missing = `[{"description":["The access token is missing"]}]`
			wrong   = `[{"description":["The access token is invalid"]}]`
			expired = `[{"description":["The access token expired"]}]`
			revoked = `[{"description":["The access token was revoked"]}]`
		)
		ask("", 401, missing)
		ask("Basic dTpw", 401, missing)
		ask("Bearer", 401, missing)
		ask("Bearer x", 401, wrong)
		ask("Bearer "+token+"x", 401, wrong)
		ask("Bearer "+token[:len(token)-10], 401, wrong)

		s.do(t, `mutation ($id: ID!) { apiClientDelete(id: $id) { errors } }`, "id", client.at("id").text())
		ask("Bearer "+other, 401, revoked)
		s.clock.Advance(7200*time.Second - time.Second)
		ask("Bearer "+token, 200, itIsMe)
		s.clock.Advance(time.Second)
		ask("Bearer "+token, 401, expired)
	})
}
