package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/billing"
)

// What the servers are started with. The secrets protect nothing.
const (
	clientID     = "bench"
	clientSecret = "bench-0123456789-0123456789-0123456789"
	secretKey    = "bench-key-0123456789-0123456789"
)

var environment = map[string]string{
	"TENANTRY_CLIENT_ID":     clientID,
	"TENANTRY_CLIENT_SECRET": clientSecret,
	"TENANTRY_SECRET_KEY":    secretKey,
	"TENANTRY_LOG_FORMAT":    "json",
	// One client makes all the load.
	"TENANTRY_CLIENT_MAX_REQUESTS":    "0",
	"TENANTRY_CLIENT_MAX_CPU_SECONDS": "0",
	"TENANTRY_CLIENT_MAX_MEGABYTES":   "0",
}

// server is a running Tenantry in this process.
type server struct {
	address string
	token   string
	cancel  context.CancelFunc
	done    chan struct{}
	code    int
}

// startServer starts the real server on a database and gets a token from it.
func startServer(ctx context.Context, database string) (*server, error) {
	running, cancel := context.WithCancel(ctx)
	s := &server{cancel: cancel, done: make(chan struct{})}
	stderr := &addressWatcher{found: make(chan string, 1)}
	go tagged(running, "server", func(ctx context.Context) {
		defer close(s.done)
		s.code = app.Run(ctx, app.Process{
			Args:   []string{"serve", "--listen", "127.0.0.1:0", "--db", database},
			Env:    func(name string) (string, bool) { value, set := environment[name]; return value, set },
			Stdout: io.Discard, Stderr: stderr, Now: now,
		})
	})
	select {
	case s.address = <-stderr.found:
	case <-s.done:
		cancel()
		return nil, fmt.Errorf("the server did not start: %s", stderr.text())
	}
	var err error
	if s.token, err = fetchToken(ctx, s.address); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *server) stop() error {
	s.cancel()
	<-s.done
	if s.code != 0 {
		return fmt.Errorf("the server ended with %d", s.code)
	}
	return nil
}

// addressWatcher takes what a server writes and finds the address it listens
// at. Afterwards it drops everything, quickly: every request writes a line.
type addressWatcher struct {
	found chan string
	over  atomic.Bool

	mu     sync.Mutex
	buffer bytes.Buffer
}

func (w *addressWatcher) Write(p []byte) (int, error) {
	if w.over.Load() {
		return len(p), nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buffer.Write(p)
	for line := range strings.Lines(w.buffer.String()) {
		if address, ok := strings.CutPrefix(line, "listening on http://"); ok && strings.HasSuffix(line, "\n") {
			if w.over.CompareAndSwap(false, true) {
				w.found <- strings.TrimSpace(address)
			}
		}
	}
	return len(p), nil
}

func (w *addressWatcher) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(w.buffer.String())
}

const tokenAnswer = `{"access_token":"`

// usualScope is enough for all but previews.
const usualScope = billing.StandardRead + " " + billing.StandardWrite

func tokenRequest(scope string) []byte {
	form := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {clientID}, "client_secret": {clientSecret},
		"scope": {scope},
	}
	return post("/oauth/token", "application/x-www-form-urlencoded", "", form.Encode())
}

func fetchToken(ctx context.Context, address string) (string, error) {
	return fetchTokenFor(ctx, address, usualScope)
}

func fetchTokenFor(ctx context.Context, address, scope string) (string, error) {
	c, err := dial(ctx, address)
	if err != nil {
		return "", err
	}
	defer c.close()
	body, err := c.do(tokenRequest(scope), tokenAnswer)
	if err != nil {
		return "", fmt.Errorf("no token: %w", err)
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	err = json.Unmarshal(body, &answer)
	return answer.Token, err
}

// graphQL builds the bytes of a request to the API.
func graphQL(token, query string, variables any) []byte {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		panic(err) // requests are made of texts
	}
	return post("/graphql", "application/json", token, string(body))
}
