package apitest

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The credentials of the first API client of every server.
const (
	firstID     = "apitest"
	firstSecret = "apitest-secret-0123456789-abcdefghij"
)

const startTime = time.Minute

// server is a running Tenantry on a database of its own.
type server struct {
	url   string
	db    *storetest.Database
	clock *storetest.Clock
	http  *http.Client
	log   *logbook

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
	db := storetest.New(t, engine)
	s := &server{
		db: db, clock: db.Clock, log: newLogbook(), tokens: map[grant]string{},
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}},
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan int, 1)
	go func() {
		ended <- app.Run(ctx, app.Process{
			Args: []string{"serve", "--listen", "127.0.0.1:0", "--db", db.URL},
			Env:  environment, Stdout: s.log, Stderr: s.log, Now: db.Clock.Now,
		})
	}()
	t.Cleanup(func() {
		s.http.CloseIdleConnections()
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("the server ended with code %d:\n%s", code, s.log.text())
		}
		for _, line := range s.log.failures() {
			t.Errorf("the server logged: %s", line)
		}
	})
	select {
	case s.url = <-s.log.listening:
	case code := <-ended:
		ended <- code
		t.Fatalf("the server ended with code %d:\n%s", code, s.log.text())
	case <-time.After(startTime):
		t.Fatalf("the server did not start in %s:\n%s", startTime, s.log.text())
	}
	return s
}

func environment(name string) (string, bool) {
	value, set := map[string]string{
		"TENANTRY_CLIENT_ID": firstID, "TENANTRY_CLIENT_SECRET": firstSecret,
		"TENANTRY_SECRET_KEY": "a key for tests that nobody else uses, 0123456789",
	}[name]
	return value, set
}

// logbook keeps what a server writes and finds the address in it.
type logbook struct {
	listening chan string

	mu    sync.Mutex
	lines strings.Builder
	found bool
}

func newLogbook() *logbook { return &logbook{listening: make(chan string, 1)} }

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.Write(p)
	if !l.found {
		if _, rest, ok := strings.Cut(l.lines.String(), "listening on "); ok {
			if url, _, whole := strings.Cut(rest, "\n"); whole {
				l.found = true
				l.listening <- url
			}
		}
	}
	return len(p), nil
}

func (l *logbook) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

// failures are the lines that a server in order never writes.
func (l *logbook) failures() []string {
	var found []string
	for line := range strings.Lines(l.text()) {
		if strings.Contains(line, "panic") || strings.Contains(line, `"level":"ERROR"`) {
			found = append(found, line)
		}
	}
	return found
}
