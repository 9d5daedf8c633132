package app

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// observed is handlers behind observe, and the log.
func observed(t *testing.T, mux *http.ServeMux) (*httptest.Server, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	handler := observe(mux, newLogger(log, "json", slog.LevelInfo), newMetrics(&store.Store{}, service.New(&store.Store{}, nil, nil), nil), func() time.Duration { return 0 }, nil)
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.Start()
	t.Cleanup(s.Close)
	return s, log
}

func TestAPanicIsAnsweredAndTheServerGoesOn(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/panic", func(http.ResponseWriter, *http.Request) { panic("on purpose") })
	mux.HandleFunc("/late", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		panic("too late")
	})
	mux.HandleFunc("/abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/fine", func(http.ResponseWriter, *http.Request) {})
	s, log := observed(t, mux)
	for path, want := range map[string]int{"/panic": 500, "/late": 202, "/fine": 200} {
		response, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want || response.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s is answered %d, request id %q", path, response.StatusCode, response.Header.Get("X-Request-Id"))
		}
	}
	if response, err := http.Get(s.URL + "/abort"); err == nil {
		response.Body.Close()
		t.Errorf("an aborted request is answered %d", response.StatusCode)
	}
	s.Close()
	checkPanicLog(t, log)
}

// A program that waits for JSON gets JSON, also from a server that is at a
// loss.
func TestAPanicIsAnsweredInTheCallersLanguage(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1")
		panic("on purpose")
	})
	s, _ := observed(t, mux)
	for path, want := range map[string]struct{ kind, body string }{
		"/graphql":     {"application/json; charset=utf-8", `{"errors":[{"message":"internal error","extensions":{"code":"INTERNAL"}}]}`},
		"/oauth/token": {"application/json; charset=utf-8", `{"error":"server_error","error_description":"internal error"}`},
		"/graphiql":    {"text/plain; charset=utf-8", "internal error\n"},
	} {
		response, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != 500 || response.Header.Get("Content-Type") != want.kind || string(body) != want.body {
			t.Errorf("%s is answered %d, %s: %q (%v)", path, response.StatusCode, response.Header.Get("Content-Type"), body, err)
		}
	}
}

// checkPanicLog looks for two panics, each with a stack and a request id, and a
// line for every request that was answered.
func checkPanicLog(t *testing.T, log *bytes.Buffer) {
	t.Helper()
	panics, statuses := 0, map[string]any{}
	for text := range strings.Lines(log.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if id, _ := line["request_id"].(string); id == "" {
			t.Errorf("no request id in %v", line)
		}
		switch stack, _ := line["stack"].(string); line["msg"] {
		case "a request panicked":
			panics++
			if line["level"] != "ERROR" || !strings.Contains(stack, "middleware_test.go") {
				t.Errorf("logged as %v", line)
			}
		case "request":
			statuses[line["path"].(string)] = line["status"]
		}
	}
	if panics != 2 || len(statuses) != 3 || statuses["/panic"] != 500.0 || statuses["/late"] != 202.0 || statuses["/fine"] != 200.0 {
		t.Errorf("%d panics, requests %v", panics, statuses)
	}
}

// The values themselves are a choice; that there are any is not: without them
// a client that sends slowly holds a connection for ever.
func TestSlowClientsAreCutOff(t *testing.T) {
	t.Parallel()
	s := (&server{log: slog.New(slog.DiscardHandler)}).httpServer(http.NotFoundHandler())
	for name, limit := range map[string]struct{ has, most time.Duration }{
		"ReadHeaderTimeout": {s.ReadHeaderTimeout, 30 * time.Second},
		"ReadTimeout":       {s.ReadTimeout, 2 * time.Minute},
		"WriteTimeout":      {s.WriteTimeout, 3 * time.Minute},
		"IdleTimeout":       {s.IdleTimeout, 5 * time.Minute},
	} {
		if limit.has <= 0 || limit.has > limit.most {
			t.Errorf("%s is %v, want up to %v", name, limit.has, limit.most)
		}
	}
	if s.MaxHeaderBytes <= 0 || s.MaxHeaderBytes > 1<<20 {
		t.Errorf("headers may have %d bytes", s.MaxHeaderBytes)
	}
	if s.WriteTimeout <= s.ReadTimeout {
		t.Error("a request that was sent slowly could not be answered: writing must have more time than reading")
	}
}
