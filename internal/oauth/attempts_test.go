package oauth

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
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

func TestAttemptsAreBounded(t *testing.T) {
	now := time.Duration(0)
	a := newAttempts(func() time.Duration { return now })
	a.max = 100
	guess := func(id string) time.Duration { return a.wrong(id, "192.0.2.1:1") }
	for range 1000 {
		guess("guessed a lot")
	}
	for i := range 10_000 {
		guess(fmt.Sprint(i) + strings.Repeat("x", 60_000))
	}
	if n := len(a.whole); n > 100 {
		t.Errorf("%d pairs are remembered", n)
	}
	if guess("guessed a lot") == 0 {
		t.Error("the one that was guessed a lot is forgotten first")
	}
	now = time.Second
	a.sweep()
	if len(a.whole) != 1 {
		t.Errorf("%d pairs after the others have their burst again", len(a.whole))
	}
	now = 2000 * time.Second
	a.sweep()
	if len(a.whole) != 0 {
		t.Errorf("%d pairs after all have their burst again", len(a.whole))
	}
}

func TestPace(t *testing.T) {
	b := bucket{pace: pace{interval: time.Second, burst: 2}}
	for i, step := range []struct{ now, wait time.Duration }{
		{0, 0}, {0, 0}, {0, time.Second}, {400 * time.Millisecond, 600 * time.Millisecond},
		{time.Second, 0}, {time.Second, time.Second},
		{time.Hour, 0}, {time.Hour, 0}, {time.Hour, time.Second}, // no more than the burst is saved up
	} {
		if wait := b.take(step.now); wait != step.wait {
			t.Errorf("step %d at %v: wait %v, want %v", i, step.now, wait, step.wait)
		}
	}
}
