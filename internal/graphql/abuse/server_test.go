package abuse

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/app/apptest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestMain has garbage collected as often as a server does: what that takes is
// part of the CPU time that is measured.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		if err := os.Setenv("GOGC", "100"); err != nil {
			panic(err)
		}
	}
	storetest.Main(m)
}

const (
	clientID     = "abuse"
	clientSecret = "abuse-secret-0123456789-abcdefghijkl"
	startTime    = time.Minute
)

// server is a running Tenantry on a SQLite database of its own, in the process
// of the test: what the process uses is what the server uses.
type server struct {
	url   string
	token string
	log   *apptest.Log
}

// start runs a server with those further arguments until t ends.
func start(t testing.TB, args ...string) *server {
	t.Helper()
	db := storetest.New(t, "sqlite")
	s := &server{}
	t.Cleanup(func() { // when it has ended
		if text := s.log.String(); strings.Contains(text, "panic") {
			t.Errorf("the server logged:\n%s", text)
		}
	})
	s.url, s.log = apptest.Start(t, app.Process{Args: append([]string{"serve", "--listen", "127.0.0.1:0", "--db", db.URL}, args...), Env: environment, Now: db.Clock.Now})
	s.token = s.newToken(t)
	return s
}

func environment(name string) (string, bool) {
	value, set := map[string]string{
		"TENANTRY_CLIENT_ID": clientID, "TENANTRY_CLIENT_SECRET": clientSecret,
		"TENANTRY_SECRET_KEY": "a key for tests that nobody else uses, 0123456789",
	}[name]
	return value, set
}

func (s *server) newToken(t testing.TB) string {
	t.Helper()
	return s.tokenOf(t, clientID, clientSecret, "standard:read standard:write platform:write")
}

func (s *server) tokenOf(t testing.TB, id, secret, scope string) string {
	t.Helper()
	response, err := http.PostForm(s.url+"/oauth/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}, "scope": {scope},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Token == "" {
		t.Fatalf("no token: %v", err)
	}
	return answer.Token
}

// answer is what came back for a document.
type answer struct {
	status int
	body   []byte
}

// codes are those of the answer's errors.
func (a answer) codes(t testing.TB) []string {
	t.Helper()
	var result struct {
		Errors []struct {
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(a.body, &result); err != nil {
		t.Fatalf("the answer is no JSON: %s", a.start())
	}
	var codes []string
	for _, e := range result.Errors {
		codes = append(codes, e.Extensions.Code)
	}
	return codes
}

// start is enough of an answer to recognise it.
func (a answer) start() []byte { return a.body[:min(len(a.body), 500)] }

// ask sends a document.
func (s *server) ask(t testing.TB, document string, variables map[string]any) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/graphql", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, text}
}
