package console_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/console"
)

// narrowed is a console on the same database with little room.
func (s *site) narrowed(gate *admission.Gate) *site {
	s.t.Helper()
	still := func() time.Duration { return 0 }
	c, err := console.New(console.Options{
		Service: s.service, BaseURL: s.url, Now: s.clock.Now, Elapsed: still, Log: slog.New(slog.DiscardHandler),
		Gate: gate, Budgets: admission.NewBudgets(admission.Limits{Bytes: 1 << 20}, still),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	server := httptest.NewServer(c)
	s.t.Cleanup(server.Close)
	return &site{t: s.t, url: server.URL}
}

// TestBusyPages: when the console is full, or a user took too much, a page says so
// and when to come back.
func TestBusyPages(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Admin)
	gate := admission.NewGate(1, 0, time.Second)
	v.site = s.narrowed(gate)
	leave, err := gate.Enter(t.Context(), "somebody")
	if err != nil {
		t.Fatal(err)
	}
	full := v.get("/accounts")
	v.wants(full, http.StatusServiceUnavailable, "Too many people ask at once", "Nothing was done.")
	if full.header.Get("Retry-After") != "1" {
		t.Errorf("%v", full.header)
	}
	leave()
	v.wants(v.get("/accounts"), http.StatusOK, "Accounts")

	tooMuch := func() {
		t.Helper()
		a := v.get("/accounts")
		v.wants(a, http.StatusTooManyRequests, "Too much at once", "Your user has sent and got 1 MiB in the last minute", "Nothing was done.")
		if after, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || after < 1 || after > 60 {
			t.Errorf("%v", a.header)
		}
	}
	unannounced := struct{ io.Reader }{strings.NewReader("pad=" + strings.Repeat("x", 1<<20))}
	a, err := v.client.Post(v.url+"/sign-in", "application/x-www-form-urlencoded", unannounced)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	tooMuch()
	v.site = s.narrowed(gate)
	for range 18 {
		v.get("/accounts?pad=" + strings.Repeat("x", 60<<10))
	}
	tooMuch()
}
