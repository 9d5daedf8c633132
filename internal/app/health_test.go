package app_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestHealthTellsTheVersion(t *testing.T) {
	t.Parallel()
	s := child(t, known, "--data-dir", t.TempDir())
	health := get(t, s.url+"/healthz")
	if health.status != 200 || health.text(t, "version") != testVersion || health.text(t, "status") != "ok" {
		t.Errorf("/healthz answers %d %s", health.status, health.body)
	}
	if got := health.header.Get("Server"); got != "Tenantry/"+testVersion {
		t.Errorf("the Server header is %q", got)
	}
	if ready := get(t, s.url+"/readyz"); ready.status != 200 || ready.text(t, "status") != "ready" {
		t.Errorf("/readyz answers %d %s", ready.status, ready.body)
	}
	if console := get(t, s.url+"/sign-in"); console.status != 200 || !strings.Contains(console.body, "Sign in to Tenantry") {
		t.Errorf("/sign-in answers %d %s", console.status, console.body)
	}
}

func TestEveryAnswerHasTheHeadersOfTheHouse(t *testing.T) {
	t.Parallel()
	s := inside(t, known, "--data-dir", t.TempDir())
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/", 303, ""},
		{"GET", "/healthz", 200, ""},
		{"HEAD", "/healthz", 200, ""},
		{"GET", "/readyz", 200, ""},
		{"GET", "/metrics", 200, ""},
		{"GET", "/graphiql", 200, ""},
		{"GET", "/oauth/jwks", 200, ""},
		{"GET", "/.well-known/oauth-authorization-server", 200, ""},
		{"GET", "/graphql", 401, ""},
		{"GET", "/nowhere", 404, ""},
		{"GET", "/graphql/", 404, ""},
		{"POST", "/healthz", 405, "GET, HEAD"},
		{"DELETE", "/readyz", 405, "GET, HEAD"},
		{"PUT", "/metrics", 405, "GET, HEAD"},
		{"POST", "/", 405, "GET, HEAD"},
		{"GET", "/oauth/token", 405, "POST"},
	} {
		a := mustSend(t, c.method, s.url+c.path, nil, nil)
		if a.status != c.status || a.header.Get("Allow") != c.allow {
			t.Errorf("%s %s answers %d, Allow %q; want %d, %q", c.method, c.path, a.status, a.header.Get("Allow"), c.status, c.allow)
		}
		for name, want := range map[string]string{"Server": "Tenantry/dev", "X-Content-Type-Options": "nosniff"} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q", c.method, c.path, name, got)
			}
		}
		if a.header.Get("X-Request-Id") == "" {
			t.Errorf("%s %s has no X-Request-Id", c.method, c.path)
		}
	}
	if a := mustSend(t, http.MethodOptions, s.url+"/graphql", nil, nil); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("other origins are let in")
	}
}
