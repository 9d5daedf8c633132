package oauth

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestWrongCredentialsAreLimited(t *testing.T) {
	r := sqliteWorld(t).replica()
	a, other := r.createClient(), r.createClient()
	wrong := func(a app, address string) *httptest.ResponseRecorder {
		req := tokenRequest(app{a.Client, "wrong"}.form().Encode())
		req.RemoteAddr = address
		return r.do(req)
	}
	for i := range 1000 { // from whatever port
		wantFailure(t, wrong(a, fmt.Sprintf("192.0.2.1:%d", 1024+i)), 401, "invalid_client")
	}
	w := wrong(a, "192.0.2.1:1")
	wantFailure(t, w, http.StatusTooManyRequests, "too_many_requests")
	if w.Header().Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
	}
	req := tokenRequest("grant_type=client_credentials&scope=standard:read")
	req.RemoteAddr = "192.0.2.1:1"
	req.Header.Set("Authorization", basic(a.ClientID+":wrong"))
	wantFailure(t, r.do(req), http.StatusTooManyRequests, "too_many_requests")

	right := tokenRequest(a.form().Encode())
	right.RemoteAddr = "192.0.2.1:1"
	tokenIn(t, r.do(right)) // never limited
	wantFailure(t, wrong(other, "192.0.2.1:1"), 401, "invalid_client")
	wantFailure(t, wrong(a, "192.0.2.2:1"), 401, "invalid_client")
	wantFailure(t, wrong(a, "[2001:db8::1]:1"), 401, "invalid_client")

	r.world.clock.pass(2 * time.Second)
	for range 2 {
		wantFailure(t, wrong(a, "192.0.2.1:1"), 401, "invalid_client")
	}
	wantFailure(t, wrong(a, "192.0.2.1:1"), http.StatusTooManyRequests, "too_many_requests")
}
