package main

import (
	"bytes"
	"context"
	"encoding/json"
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
}

// startServer starts the real server on a database and gets a token from it.
func (r *run) startServer(database string) *server {
	running, cancel := context.WithCancel(r.Context())
	stderr := &addressWatcher{found: make(chan string, 1)}
	ended := make(chan int, 1)
	go tagged(running, "server", func(ctx context.Context) {
		ended <- app.Run(ctx, app.Process{
			Args:   []string{"serve", "--listen", "127.0.0.1:0", "--db", database},
			Env:    func(name string) (string, bool) { value, set := environment[name]; return value, set },
			Stdout: io.Discard, Stderr: stderr, Now: now,
		})
	})
	r.closing(func() error {
		cancel()
		if code := <-ended; code != 0 {
			return fmt.Errorf("the server ended with %d: %s", code, stderr.text())
		}
		return nil
	})
	address := stderr.address(ended)
	return &server{address, r.fetchToken(address, usualScope)}
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

// address waits until the server listens, or ends with a status.
func (w *addressWatcher) address(ended chan int) string {
	select {
	case address := <-w.found:
		return address
	case code := <-ended:
		ended <- code
		check(fmt.Errorf("the server did not start: %s", w.text()))
		return ""
	}
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

func (r *run) fetchToken(address, scope string) string {
	c := must(dial(r.Context(), address))
	defer c.close()
	var answer struct {
		Token string `json:"access_token"`
	}
	check(json.Unmarshal(must(c.do(tokenRequest(scope), tokenAnswer)), &answer))
	return answer.Token
}

// graphQL builds the bytes of a request to the API.
func graphQL(token, query string, variables any) []byte {
	body := must(json.Marshal(map[string]any{"query": query, "variables": variables}))
	return post("/graphql", "application/json", token, string(body))
}
