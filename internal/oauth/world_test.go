package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const baseURL = "https://billing.example.com"

// clock is moved by hand.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	passed time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.passed = c.now.Add(d), c.passed+d
}

// set moves what the clock shows, though no time passes.
func (c *clock) set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

func (c *clock) elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.passed
}

// world is a database, a clock and a log that replicas share.
type world struct {
	t     testing.TB
	url   string
	clock *clock
	// now and elapsed are the clock's, but for benchmarks.
	now     func() time.Time
	elapsed func() time.Duration
	box     *secret.Box
	log     lockedBuffer
}

// replica is one server process.
type replica struct {
	*Server
	world   *world
	service *service.Service
}

func newWorld(t testing.TB, url string) *world {
	box, err := secret.NewBox("a secret key that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	// Half a second past the full second: tokens know full seconds only.
	c := &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 500e6, time.UTC)}
	return &world{t: t, url: url, box: box, clock: c, now: c.Now, elapsed: c.elapsed}
}

func sqliteWorld(t testing.TB) *world {
	return newWorld(t, "sqlite:"+filepath.Join(t.TempDir(), "t.db"))
}

// onBoth runs a test on both engines.
func onBoth(t *testing.T, test func(*testing.T, *world)) {
	t.Run("sqlite", func(t *testing.T) { test(t, sqliteWorld(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, newWorld(t, storetest.Postgres(t))) })
}

func (w *world) open() *store.Store {
	w.t.Helper()
	st, err := store.Open(context.Background(), store.Options{URL: w.url, Now: w.now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { st.Close() })
	return st
}

func (w *world) options(st *store.Store) Options {
	return Options{Store: st, Box: w.box, Now: w.now, Elapsed: w.elapsed, BaseURL: baseURL, Log: slog.New(slog.NewTextHandler(&w.log, nil))}
}

func (w *world) replica() *replica {
	w.t.Helper()
	st := w.open()
	s, err := New(context.Background(), w.options(st))
	if err != nil {
		w.t.Fatal(err)
	}
	return &replica{Server: s, world: w, service: service.New(st, w.box, s.ClientsChanged)}
}

// app is an API client with its secret.
type app struct {
	*billing.Client
	secret string
}

func (r *replica) createClient(scopes ...string) app {
	r.world.t.Helper()
	if len(scopes) == 0 {
		scopes = []string{billing.StandardRead, billing.StandardWrite}
	}
	return r.createClientAs(access.Credentials{ID: secret.RandomText(16), Secret: secret.Random()}, scopes...)
}

func (r *replica) createClientAs(given access.Credentials, scopes ...string) app {
	r.world.t.Helper()
	c, secret, err := r.service.Access.ClientCreate(context.Background(), func(c *billing.Client) error {
		c.Name, c.Scopes = "Test", scopes
		return nil
	}, &given)
	if err != nil {
		r.world.t.Fatal(err)
	}
	return app{c, secret}
}

func (r *replica) deleteClient(a app) {
	r.world.t.Helper()
	if _, err := r.service.Access.ClientDelete(context.Background(), a.ID); err != nil {
		r.world.t.Fatal(err)
	}
}

func (r *replica) renewSecret(a app, overlapHours int, revoke bool) app {
	r.world.t.Helper()
	c, secret, err := r.service.Access.ClientSecretRenew(context.Background(), a.ID, overlapHours, revoke)
	if err != nil {
		r.world.t.Fatal(err)
	}
	return app{c, secret}
}

func (a app) form() url.Values {
	return url.Values{
		"grant_type": {"client_credentials"}, "scope": {"standard:read"},
		"client_id": {a.ClientID}, "client_secret": {a.secret},
	}
}

func tokenRequest(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/oauth/token", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func (r *replica) do(req *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.Token().ServeHTTP(w, req)
	return w
}

// ask asks for a token with the app's credentials.
func (r *replica) ask(a app) *httptest.ResponseRecorder { return r.do(tokenRequest(a.form().Encode())) }

// token gets a token for the app, which must work.
func (r *replica) token(a app) string {
	r.world.t.Helper()
	w := r.ask(a)
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		r.world.t.Fatalf("no token: %d %s", w.Code, w.Body)
	}
	return answer.Token
}

// issue signs a token for the app with those scopes, good for so many seconds.
func (r *replica) issue(a app, scope string, seconds int64) string {
	r.world.t.Helper()
	token, err := r.signer.sign(r.clients.find(a.ClientID), scope, r.now(), seconds)
	if err != nil {
		r.world.t.Fatal(err)
	}
	return token
}

// present shows a token to the bearer check.
func (r *replica) present(token string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	req.Header.Set("Authorization", "Bearer "+token)
	return r.through(req)
}

// through sends a request through the bearer check. What is behind answers
// with the client id.
func (r *replica) through(req *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.RequireToken(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		p, _ := PrincipalOf(req.Context())
		_, _ = w.Write([]byte(p.ClientID))
	})).ServeHTTP(w, req)
	return w
}

// wantFailure checks an error answer of the token endpoint.
func wantFailure(t testing.TB, w *httptest.ResponseRecorder, status int, code string) (description string) {
	t.Helper()
	var answer map[string]string
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("not JSON: %v: %s", err, w.Body)
	}
	description = answer["error_description"]
	if w.Code != status || answer["error"] != code || description == "" || len(answer) != 2 {
		t.Errorf("got %d %s, want %d %s", w.Code, w.Body, status, code)
	}
	wantTokenHeaders(t, w)
	if strings.ContainsFunc(description, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		t.Errorf("the description has characters it must not have: %s", description)
	}
	challenge := w.Header().Get("WWW-Authenticate")
	if want := `Basic realm="tenantry"`; status == http.StatusUnauthorized && challenge != want || status != http.StatusUnauthorized && challenge != "" {
		t.Errorf("WWW-Authenticate %q with status %d", challenge, status)
	}
	return description
}

func wantTokenHeaders(t testing.TB, w *httptest.ResponseRecorder) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", "Pragma": "no-cache",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// wantRefused checks a 401 of the bearer check, byte for byte.
func wantRefused(t testing.TB, w *httptest.ResponseRecorder, text string) {
	t.Helper()
	if body := `[{"description":["` + text + `"]}]`; w.Code != http.StatusUnauthorized || w.Body.String() != body {
		t.Errorf("got %d %s, want 401 %s", w.Code, w.Body, body)
	}
	challenge := `Bearer realm="tenantry"`
	if text != "The access token is missing" {
		challenge += `, error="invalid_token", error_description="` + text + `"`
	}
	if got := w.Header().Get("WWW-Authenticate"); got != challenge {
		t.Errorf("WWW-Authenticate is %s, want %s", got, challenge)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("Content-Type is %q", got)
	}
}

func wantPassed(t testing.TB, w *httptest.ResponseRecorder, a app) {
	t.Helper()
	if w.Code != http.StatusOK || w.Body.String() != a.ClientID {
		t.Errorf("got %d %s, want 200 %s", w.Code, w.Body, a.ClientID)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
