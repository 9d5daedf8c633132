package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const allScopes = "standard:read standard:write billing:read billing:write platform:write admin:read admin:write"

// grant is who asks for a token, and for what.
type grant struct{ id, secret, scopes string }

var first = grant{firstID, firstSecret, allScopes}

// token returns an access token, the same one until the clock is moved.
func (s *server) token(g grant) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token, have := s.tokens[g]; have {
		return token, nil
	}
	response, err := s.http.PostForm(s.url+"/oauth/token", url.Values{
		"grant_type": {"client_credentials"}, "scope": {g.scopes}, "client_id": {g.id}, "client_secret": {g.secret},
	})
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var body struct {
		Token string `json:"access_token"`
		Error string `json:"error"`
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return "", err
	}
	if body.Token == "" {
		return "", errors.New(body.Error)
	}
	s.tokens[g] = body.Token
	return body.Token, nil
}

// advance moves the clock. Tokens that were good before may not be any more.
func (s *server) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock.Advance(d)
	clear(s.tokens)
}

// request is one call of /graphql. What is empty gets the usual value.
type request struct {
	method string
	query  string // of the address
	body   string
	header map[string]string // an empty value leaves the header out
	grant  grant
}

// post makes a request of a document and its variables, which are JSON or
// empty.
func post(document, variables string) request {
	if variables == "" {
		variables = "null"
	}
	return request{body: `{"query":` + string(asJSON(document)) + `,"variables":` + variables + `}`}
}

func (r request) with(name, value string) request {
	header := map[string]string{name: value}
	for other, value := range r.header {
		if other != name {
			header[other] = value
		}
	}
	r.header = header
	return r
}

func (r request) as(g grant) request { r.grant = g; return r }

func (s *server) newRequest(t testing.TB, r request) *http.Request {
	t.Helper()
	if r.method == "" {
		r.method = http.MethodPost
	}
	if r.grant == (grant{}) {
		r.grant = first
	}
	address := s.url + "/graphql"
	if r.query != "" {
		address += "?" + r.query
	}
	made, err := http.NewRequest(r.method, address, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.token(r.grant)
	if err != nil {
		t.Fatalf("no token for %s with %s: %v", r.grant.id, r.grant.scopes, err)
	}
	made.Header.Set("Authorization", "Bearer "+token)
	made.Header.Set("Content-Type", "application/json")
	for name, value := range r.header {
		if made.Header.Del(name); value != "" {
			made.Header.Set(name, value)
		}
	}
	return made
}

// send sends a request and checks what holds for every answer.
func (s *server) send(t testing.TB, r request) answer {
	t.Helper()
	response, err := s.http.Do(s.newRequest(t, r))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{response.StatusCode, response.Header, body}
	if problem := a.problem(); problem != "" {
		t.Errorf("%s\nrequest: %.500s\nanswer %d: %.2000s", problem, r.body, a.status, a.body)
	}
	return a
}

// do sends a document that must succeed, also for its mutations, and returns
// its data. Variables are pairs of a name and a value.
func (s *server) do(t testing.TB, document string, variables ...any) data {
	t.Helper()
	return s.done(t, s.send(t, post(document, pairs(variables))))
}

// done returns the data of an answer that must be a success.
func (s *server) done(t testing.TB, a answer) data {
	t.Helper()
	var body struct {
		Data   map[string]any
		Errors []any
	}
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil || body.Errors != nil || a.status != http.StatusOK {
		t.Fatalf("answer %d: %s", a.status, a.body)
	}
	for _, field := range body.Data {
		payload, _ := field.(map[string]any)
		if refused, _ := payload["userErrors"].([]any); len(refused) > 0 || payload["errors"] != nil {
			t.Fatalf("refused: %s", a.body)
		}
	}
	return data{body.Data}
}
