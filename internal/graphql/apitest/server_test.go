package apitest

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/app/apptest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The credentials of the first API client of every server.
const (
	firstID     = "apitest"
	firstSecret = "apitest-secret-0123456789-abcdefghij"
)

// server is a running Tenantry on a database of its own.
type server struct {
	url   string
	db    *storetest.Database
	clock *storetest.Clock
	http  *http.Client
	log   *apptest.Log

	mu     sync.Mutex
	tokens map[grant]string
}

// each runs test on every engine, in parallel, each with a server of its own.
func each(t *testing.T, test func(t *testing.T, s *server)) {
	t.Helper()
	t.Parallel()
	for _, engine := range storetest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, start(t, engine))
		})
	}
}

// start runs a server until t ends. Its log must hold no failure then.
func start(t testing.TB, engine string) *server {
	t.Helper()
	return startWith(t, engine, func(*app.Process) {})
}

// startWith is start for a process that is another one than usual.
func startWith(t testing.TB, engine string, edit func(*app.Process)) *server {
	t.Helper()
	db := storetest.New(t, engine)
	addFirstUser(t, db)
	s := &server{
		db: db, clock: db.Clock, tokens: map[grant]string{},
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}},
	}
	t.Cleanup(func() { // when it has ended
		for _, line := range failures(s.log) {
			t.Errorf("the server logged: %s", line)
		}
	})
	p := app.Process{Args: []string{"serve", "--listen", "127.0.0.1:0", "--db", db.URL, "--test-payments"}, Env: environment, Now: db.Clock.Now}
	edit(&p)
	s.url, s.log = apptest.Start(t, p)
	t.Cleanup(s.http.CloseIdleConnections)
	return s
}

func environment(name string) (string, bool) {
	value, set := map[string]string{
		"TENANTRY_CLIENT_ID": firstID, "TENANTRY_CLIENT_SECRET": firstSecret,
		"TENANTRY_SECRET_KEY": "a key for tests that nobody else uses, 0123456789",
	}[name]
	return value, set
}

// failures are the lines that a server in order never writes.
func failures(log *apptest.Log) []string {
	var found []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "panic") || strings.Contains(line, `"level":"ERROR"`) {
			found = append(found, line)
		}
	}
	return found
}
