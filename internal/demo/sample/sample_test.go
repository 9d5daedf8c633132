package sample

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/client/webhook"
	"github.com/tenantry/tenantry/internal/delivery/sign"
)

// site is a running application and the key of its platform.
type site struct {
	*httptest.Server
	t   *testing.T
	key []byte
}

func open(t *testing.T) *site {
	t.Helper()
	secret := sign.New()
	key, err := sign.Parse(secret)
	if err != nil {
		t.Fatal(err)
	}
	app, err := New(Options{Secrets: map[string]string{"harbour": secret}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(app.Handler())
	t.Cleanup(server.Close)
	return &site{server, t, key}
}

// body is a webhook about a tenant with so many users, and with SSO or not.
func body(code string, users int, sso bool) string {
	features := fmt.Sprintf(`{"code":"users","name":"Users","value":"","quantity":%d}`, users)
	if sso {
		features += `,{"code":"sso","name":"Single sign-on","value":"","quantity":null}`
	}
	return `{"type":"TenantProvisioningChange","payload":{"tenant":{"id":` + strconv.Itoa(len(code)) + `,"code":"` + code + `","name":"Acme","platform":{"code":"harbour"}},"change":{"features":[` +
		features + `],"subscriptions":[{"state":"active","start_date":"2026-01-01","end_date":"2026-12-31","trial_start_date":null,"trial_end_date":null,"plan":{"name":"Team"},"product":{"name":"CRM"}}]}}}`
}

// send sends a webhook as Tenantry does, and returns the answer's status.
func (s *site) send(sequence int, body string, change ...func(http.Header)) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.URL+"/webhooks/harbour", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	now := time.Now()
	request.Header.Set("webhook-id", "1")
	request.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	request.Header.Set("webhook-sequence", strconv.Itoa(sequence))
	request.Header.Set("webhook-signature", sign.Header("1", now, []byte(body), s.key))
	for _, c := range change {
		c(request.Header)
	}
	return s.do(request)
}

func (s *site) do(request *http.Request) int {
	s.t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

func (s *site) post(path string, headers ...string) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return s.do(request)
}

func (s *site) shown() (now shown) {
	s.t.Helper()
	response, err := http.Get(s.URL + "/tenants")
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&now); err != nil {
		s.t.Fatal(err)
	}
	return now
}

// users is the limit of the only tenant.
func (s *site) users() int64 {
	s.t.Helper()
	now := s.shown()
	if len(now.Tenants) != 1 {
		s.t.Fatalf("there are %d tenants", len(now.Tenants))
	}
	return *now.Tenants[0].Features[0].Limit
}

func TestWhatIsLateIsDropped(t *testing.T) {
	s := open(t)
	for i, c := range []struct {
		sequence, users int
		want            int64
		forced          bool
	}{
		{5, 10, 10, false}, {6, 20, 20, false}, {5, 10, 20, false}, {6, 21, 21, false}, {4, 7, 7, true}, {5, 8, 7, false}, {7, 9, 9, false},
	} {
		status := s.send(c.sequence, body("acme", c.users, true), func(h http.Header) {
			if c.forced {
				h.Set("webhook-forced", "true")
			}
		})
		if got := s.users(); status != http.StatusNoContent || got != c.want {
			t.Errorf("%d: number %d answers %d and leaves %d users, want %d", i, c.sequence, status, got, c.want)
		}
	}
}

func TestWhatCannotBeTrustedIsRefused(t *testing.T) {
	s := open(t)
	for name, change := range map[string]func(http.Header){
		"without a signature": func(h http.Header) { h.Del("webhook-signature") },
		"another's signature": func(h http.Header) { h.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=") },
		"without headers":     func(h http.Header) { clear(h) },
		"of yesterday": func(h http.Header) {
			h.Set("webhook-timestamp", strconv.FormatInt(time.Now().Add(-24*time.Hour).Unix(), 10))
		},
	} {
		if status := s.send(1, body("acme", 1, true), change); status != http.StatusUnauthorized && status != http.StatusBadRequest {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status := s.send(1, `{"type":"TenantProvisioningChange"}`); status != http.StatusUnprocessableEntity {
		t.Errorf("another body: %d", status)
	}
	if now := s.shown(); len(now.Tenants) != 0 || now.Counts.Refused != 5 {
		t.Errorf("it knows of %v, and counts %+v", now.Tenants, now.Counts)
	}
}

func TestATestMakesNoTenant(t *testing.T) {
	s := open(t)
	if status := s.send(0, strings.Replace(body(webhook.TestTenantCode, 1, true), `"id":17`, `"id":0`, 1)); status != http.StatusNoContent {
		t.Errorf("it answers %d", status)
	}
	if now := s.shown(); len(now.Tenants) != 0 || len(now.Log) != 1 {
		t.Errorf("it has the tenants %v and the log %v", now.Tenants, now.Log)
	}
}

func TestUse(t *testing.T) {
	s := open(t)
	s.send(1, body("acme", 10, true))
	if s.post("/tenants/harbour/acme/use/sso") != http.StatusOK || s.post("/tenants/harbour/acme/use/audit") != http.StatusForbidden {
		t.Error("it allows what was not bought, or refuses what was")
	}
	for s.post("/tenants/harbour/acme/use/users") == http.StatusOK {
	}
	if f := s.shown().Tenants[0].Features[0]; *f.Used != 10 {
		t.Errorf("%d of 10 users were allowed", *f.Used)
	}
	s.send(2, body("acme", 11, false))
	if s.post("/tenants/harbour/acme/use/sso") != http.StatusForbidden || s.post("/tenants/harbour/acme/use/users") != http.StatusOK {
		t.Error("a webhook changes nothing")
	}
	s.send(3, body("acme", 4, false)) // less than are there
	if s.post("/tenants/harbour/acme/use/users") != http.StatusForbidden {
		t.Error("one more is allowed than was bought")
	}
}

func TestOtherSitesCannotPressItsButtons(t *testing.T) {
	s := open(t)
	if status := s.post("/stop", "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden || s.shown().Stopped {
		t.Errorf("another site can stop it: %d", status)
	}
	if status := s.post("/stop", "Sec-Fetch-Site", "same-origin"); status != http.StatusOK || !s.shown().Stopped {
		t.Errorf("its own page cannot stop it: %d", status)
	}
	if status := s.send(1, body("acme", 1, true)); status != http.StatusServiceUnavailable {
		t.Errorf("it is stopped and answers %d", status)
	}
}

// TestWhatIsOwedIsTold refuses a webhook: until the next attempt the page says
// that one is to come.
func TestWhatIsOwedIsTold(t *testing.T) {
	s := open(t)
	if s.shown().Owed {
		t.Error("something is owed before anything was refused")
	}
	s.post("/stop")
	s.send(1, body("acme", 1, true))
	s.post("/start")
	if now := s.shown(); !now.Owed || now.Stopped {
		t.Errorf("it shows %+v", now)
	}
	s.send(1, body("acme", 1, true))
	if s.shown().Owed {
		t.Error("what arrived is still owed")
	}
}

func TestAPageIsToldWhatChanges(t *testing.T) {
	s := open(t)
	s.send(1, body("acme", 10, true))
	response, err := http.Get(s.URL + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	next := func() (now shown) {
		t.Helper()
		for lines.Scan() {
			if text, is := strings.CutPrefix(lines.Text(), "data: "); is {
				if err := json.Unmarshal([]byte(text), &now); err != nil {
					t.Fatal(err)
				}
				return now
			}
		}
		t.Fatal("the stream ended")
		return now
	}
	if first := next(); len(first.Tenants) != 1 {
		t.Errorf("a new page is told of %d tenants", len(first.Tenants))
	}
	s.send(1, body("other", 3, false))
	if second := next(); len(second.Tenants) != 1 || second.Tenants[0].Code != "other" {
		t.Errorf("then it is told of %v", second.Tenants)
	}
	s.post("/stop")
	if third := next(); !third.Stopped || len(third.Tenants) != 0 {
		t.Errorf("then it is told %+v", third)
	}
}

func TestDifferences(t *testing.T) {
	s := open(t)
	s.send(1, body("acme", 10, false))
	s.send(2, body("acme", 12, true))
	if got := strings.Join(s.shown().Tenants[0].Changes, ", "); got != "Users 10 → 12, + Single sign-on" {
		t.Errorf("it tells %q", got)
	}
	s.send(3, body("acme", 12, false))
	if got := strings.Join(s.shown().Tenants[0].Changes, ", "); got != "− Single sign-on" {
		t.Errorf("it tells %q", got)
	}
}

func TestThePageIsThere(t *testing.T) {
	s := open(t)
	for path, kind := range map[string]string{"/": "text/html", "/page.js": "javascript", "/style.css": "text/css", "/icon.svg": "image/svg"} {
		response, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK || !strings.Contains(response.Header.Get("Content-Type"), kind) || response.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s answers %d, %v", path, response.StatusCode, response.Header)
		}
	}
}
