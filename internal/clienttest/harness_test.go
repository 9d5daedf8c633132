package clienttest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/client"
	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/app/apptest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	firstID     = "library"
	firstSecret = "library-secret-0123456789-abcdefghij"
	patience    = time.Minute
)

// server is a running Tenantry.
type server struct {
	url   string
	clock *storetest.Clock
}

func start(t *testing.T, engine string) *server {
	t.Helper()
	db := storetest.New(t, engine)
	url, _ := apptest.Start(t, app.Process{Args: []string{"serve", "--listen", "127.0.0.1:0", "--db", db.URL}, Env: environment, Now: db.Clock.Now})
	return &server{url, db.Clock}
}

func environment(name string) (string, bool) {
	value, set := map[string]string{
		"TENANTRY_CLIENT_ID": firstID, "TENANTRY_CLIENT_SECRET": firstSecret,
		"TENANTRY_SECRET_KEY": "a key for tests that nobody else uses, 0123456789",
	}[name]
	return value, set
}

// fault is what the network does to one request instead of carrying it. carry
// does carry it and returns the server's answer.
type fault func(w http.ResponseWriter, r *http.Request, carry http.Handler)

// network is the way to a server, on which things go wrong as they are told to.
type network struct {
	*httptest.Server

	mu     sync.Mutex
	faults map[string][]fault // by path, for the requests to come
	seen   []*http.Request
}

func newNetwork(t *testing.T, s *server) *network {
	t.Helper()
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	carry := httputil.NewSingleHostReverseProxy(target)
	n := &network{faults: map[string][]fault{}}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // only then it hears that the other side is gone
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		n.mu.Lock()
		n.seen = append(n.seen, r)
		var next fault
		if waiting := n.faults[r.URL.Path]; len(waiting) > 0 {
			next, n.faults[r.URL.Path] = waiting[0], waiting[1:]
		}
		n.mu.Unlock()
		if next != nil {
			next(w, r, carry)
		} else {
			carry.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(n.Close)
	return n
}

func (n *network) breakNext(path string, faults ...fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults[path] = append(n.faults[path], faults...)
}

// requests are those that came for a path.
func (n *network) requests(path string) []*http.Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	var found []*http.Request
	for _, r := range n.seen {
		if r.URL.Path == path {
			found = append(found, r)
		}
	}
	return found
}

// answers is a fault that answers by itself.
func answers(status int, body string, header ...string) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// cut is a fault that closes the connection.
func cut(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// loseAnswer lets the server do its work and closes the connection then.
func loseAnswer(_ http.ResponseWriter, r *http.Request, carry http.Handler) {
	carry.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// pauses are those that a client made, all of them over at once.
type pauses struct {
	mu  sync.Mutex
	all []time.Duration
}

func (p *pauses) wait(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, d)
	return ctx.Err()
}

// dial makes a client that does not really wait. It keeps no connections: on
// one that was used before, net/http itself would try again without telling.
func dial(t *testing.T, base string, scopes ...string) (*client.Client, *pauses) {
	t.Helper()
	p := &pauses{}
	return dialWith(t, base, func(config *client.Config) { config.Scopes, config.Wait = scopes, p.wait }), p
}

func dialWith(t *testing.T, base string, change func(*client.Config)) *client.Client {
	t.Helper()
	config := client.Config{
		BaseURL: base, ClientID: firstID, ClientSecret: firstSecret,
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
	change(&config)
	return must[*client.Client](t)(client.NewWith(config))
}

var allScopes = []string{"standard:read", "standard:write", "billing:read", "billing:write", "platform:write", "admin:read", "admin:write"}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
