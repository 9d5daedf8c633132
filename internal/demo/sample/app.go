package sample

import (
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"net"
	"net/http"
	"sync"
	"time"
)

//go:embed assets
var assets embed.FS

// Options are what the application is configured with.
type Options struct {
	// Secrets are what the webhooks of each platform are signed with, by the
	// platform's code.
	Secrets map[string]string
	// BooksSecret signs business events; empty if none come.
	BooksSecret string
	Now         func() time.Time
	// Console is where people change subscriptions; the page links to it.
	Console string
	// Reports say how the application reports what it has; nil if it does not.
	Reports *Reports
}

// App is the application, with all that it knows.
type App struct {
	Options
	receivers map[string]http.Handler // by the platform's code
	books     http.Handler            // nil if no business events come

	mu sync.Mutex
	// version counts all that happens; changed is closed and made anew each
	// time.
	version int
	changed chan struct{}
	// stopped says that webhooks are refused for now.
	stopped bool
	// owed says that something was refused and nothing came since: the next
	// attempt is still to come.
	owed    bool
	tenants map[key]*tenant
	log     []entry
	counts  counts
	facts   []fact
}

// key tells tenants apart.
type key struct{ platform, code string }

// counts are how many webhooks came to what.
type counts struct {
	Applied int `json:"applied"`
	Late    int `json:"late"`
	Refused int `json:"refused"`
	Turned  int `json:"turnedAway"`
}

// New makes an application without tenants.
func New(o Options) (a *App, err error) {
	a = &App{Options: o, tenants: map[key]*tenant{}, changed: make(chan struct{})}
	if a.receivers, err = a.newReceivers(); err != nil || o.BooksSecret == "" {
		return a, err
	}
	a.books, err = a.newBooks()
	return a, err
}

// touch notes that something happened. The caller holds mu.
func (a *App) touch() int {
	a.version++
	close(a.changed)
	a.changed = make(chan struct{})
	return a.version
}

// Handler is every address that the application answers at. Other web sites
// cannot press its buttons.
func (a *App) Handler() http.Handler {
	mux := http.NewServeMux()
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // it was there when this was compiled
	}
	mux.Handle("GET /", guarded(http.FileServerFS(files)))
	mux.HandleFunc("POST /webhooks/{platform}", a.receive)
	mux.HandleFunc("GET /tenants", a.list)
	mux.HandleFunc("GET /tenants/{platform}/{code}", a.show)
	mux.HandleFunc("POST /tenants/{platform}/{code}/use/{feature}", a.use)
	if a.Reports != nil {
		mux.HandleFunc("POST /tenants/{platform}/{code}/break", a.breakIt)
	}
	if a.books != nil {
		mux.Handle("POST /webhooks/books", a.books)
		mux.HandleFunc("GET /books", a.listBooks)
	}
	mux.HandleFunc("POST /stop", a.stop)
	mux.HandleFunc("POST /start", a.start)
	mux.HandleFunc("GET /stream", a.stream)
	return http.NewCrossOriginProtection().Handler(mux)
}

func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}

// stopTime is how long requests under way may take when the application ends.
const stopTime = 2 * time.Second

// Serve answers requests until ctx ends.
func (a *App) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: a.Handler(), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }, // pages that listen are let go
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if server.Shutdown(grace) != nil {
		return server.Close()
	}
	return nil
}

// stop makes the application refuse webhooks, as if it were down.
func (a *App) stop(w http.ResponseWriter, _ *http.Request) { a.turn(w, true) }

// start makes it take webhooks again.
func (a *App) start(w http.ResponseWriter, _ *http.Request) { a.turn(w, false) }

func (a *App) turn(w http.ResponseWriter, stopped bool) {
	a.mu.Lock()
	if a.stopped != stopped {
		a.stopped = stopped
		a.touch()
	}
	owed := a.owed
	a.mu.Unlock()
	text := "The sample takes webhooks again."
	switch {
	case owed && !stopped:
		text += " What it refused comes with Tenantry's next attempt: within seconds, or half a minute if it was refused often."
	case stopped:
		text = "The sample answers every webhook with 503 until it is started again."
	}
	answer(w, http.StatusOK, map[string]any{"stopped": stopped, "message": text})
}

func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // what is answered here is always JSON
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}
