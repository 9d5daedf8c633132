package app

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/forwarded"
	"github.com/tenantry/tenantry/internal/secret"
)

var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// observe surrounds every request: it gives it an id, logs and counts it, and
// keeps a panic from ending the server. Query strings are not logged; they can
// hold anything. Behind trusted proxies the request's RemoteAddr becomes the
// client's, for everybody who goes by it.
func observe(next http.Handler, log *slog.Logger, m *metrics, elapsed func() time.Duration, proxies forwarded.Trust) http.Handler {
	server := "Tenantry/" + version
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := elapsed()
		id := r.Header.Get("X-Request-Id")
		if !goodRequestID.MatchString(id) {
			id = secret.RandomText(12)
		}
		header := w.Header()
		header.Set("X-Request-Id", id)
		header.Set("Server", server)
		header.Set("X-Content-Type-Options", "nosniff")
		// A caller may close its side once it has asked, and still wants the
		// answer; package http takes that for a caller who is gone.
		ctx := context.WithValue(admission.Connected(context.WithoutCancel(r.Context()), r.Context()), requestIDKey{}, id)
		r = r.WithContext(ctx)
		r.RemoteAddr = proxies.Client(r.RemoteAddr, r.Header)
		watched := &watchedWriter{ResponseWriter: w}
		defer func() {
			if value := recover(); value != nil {
				watched.panicked(r, log, value)
			}
			took := elapsed() - start
			m.request(r.Pattern, watched.status, took)
			log.LogAttrs(ctx, slog.LevelInfo, "request",
				slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("client", r.RemoteAddr), slog.Int("status", watched.status),
				slog.Int64("bytes", watched.bytes), slog.Float64("ms", float64(took.Microseconds())/1000))
		}()
		next.ServeHTTP(watched, r)
		if watched.status == 0 {
			watched.status = http.StatusOK
		}
	})
}

// watchedWriter remembers what was answered.
type watchedWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *watchedWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watchedWriter) panicked(r *http.Request, log *slog.Logger, value any) {
	if value == http.ErrAbortHandler {
		panic(value)
	}
	log.ErrorContext(r.Context(), "a request panicked", slog.Any("panic", value), slog.String("stack", string(debug.Stack())))
	if w.status == 0 {
		w.internalError(r.URL.Path)
	}
}

// internalError answers in the language that the caller speaks at that address;
// the id in the header leads to the log.
func (w *watchedWriter) internalError(path string) {
	body := ""
	switch {
	case path == "/graphql":
		body = `{"errors":[{"message":"internal error","extensions":{"code":"INTERNAL"}}]}`
	case strings.HasPrefix(path, "/oauth/"):
		body = `{"error":"server_error","error_description":"internal error"}`
	default:
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Del("Content-Length")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = w.Write([]byte(body))
}
