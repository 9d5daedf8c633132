package app_test

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// holding is an application that keeps its answer to webhooks until it is told
// what it is.
type holding struct {
	*httptest.Server
	answers chan int

	mu   sync.Mutex
	came []string
}

func newHolding(t *testing.T) *holding {
	h := &holding{answers: make(chan int)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then it hears that the other side is gone
		h.mu.Lock()
		h.came = append(h.came, r.Header.Get("Webhook-Id")+" "+r.Header.Get("Webhook-Sequence")+" attempt "+r.Header.Get("Webhook-Attempt"))
		h.mu.Unlock()
		select {
		case status := <-h.answers:
			w.WriteHeader(status)
		case <-r.Context().Done():
		case <-t.Context().Done():
		}
	}))
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return h
}

func (h *holding) got() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.came)
}

// refusing is an application that refuses webhooks until it is told to take
// them.
type refusing struct {
	*httptest.Server

	mu    sync.Mutex
	takes bool
	came  []string
}

func newRefusing(t *testing.T) *refusing {
	a := &refusing{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.came = append(a.came, r.Header.Get("Webhook-Sequence"))
		if !a.takes {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *refusing) take(takes bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.takes = takes
}

func (a *refusing) got() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.came, " ")
}

// subscribeWith makes all that it takes for a webhook to go to an address.
func subscribeWith(t *testing.T, s *server, address string) {
	t.Helper()
	token := s.firstToken(t)
	do := func(document string, variables map[string]any, path ...string) string {
		t.Helper()
		return ask(t, s.url, token, document, variables).text(t, append([]string{"data"}, path...)...)
	}
	do(`mutation ($url: String) { platformCreate(attributes: {code: "app", name: "App", provisioningEnabled: true, webhookUrl: $url}) { platform { id } } }`,
		map[string]any{"url": address}, "platformCreate", "platform", "id")
	// So that its own end does not come before the server's.
	do(`mutation { workflowUpdate(id: "1", attributes: {recipe: {timeoutSeconds: 60}}) { workflow { id } } }`, nil, "workflowUpdate", "workflow", "id")
	product := do(`mutation { productCreate(attributes: {code: "crm", name: "CRM", platformCode: "app"}) { product { id } } }`, nil, "productCreate", "product", "id")
	plan := do(`mutation ($p: ID!) { planCreate(attributes: {productId: $p, code: "pro", name: "Pro"}) { plan { id } } }`, map[string]any{"p": product}, "planCreate", "plan", "id")
	do(`mutation ($p: ID!) { priceListCreate(attributes: {planId: $p, code: "pro", name: "Pro", currencyId: "EUR", renewalTermMonths: 1}) { priceList { id } } }`,
		map[string]any{"p": plan}, "priceListCreate", "priceList", "id")
	mustCreateAccount(t, s.url, token, "acme")
	do(`mutation { subscriptionCreate(attributes: {accountCode: "acme", priceListCode: "pro", tenantCode: "acme"}) { subscription { id } } }`,
		nil, "subscriptionCreate", "subscription", "id")
}

// outcomesIn are how all requests for webhooks went, in order.
func outcomesIn(t *testing.T, db *sql.DB) string {
	t.Helper()
	rows, err := db.Query("SELECT outcome FROM webhook_attempt ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var outcome string
		if err := rows.Scan(&outcome); err != nil {
			t.Fatal(err)
		}
		all = append(all, outcome)
	}
	return strings.Join(all, " ")
}

// TestWebhooksUnderWayFinishBeforeTheServerStops: the answer that comes after
// SIGTERM is recorded, and the next server sends nothing again.
func TestWebhooksUnderWayFinishBeforeTheServerStops(t *testing.T) {
	t.Parallel()
	needSignals(t)
	onEachEngine(t, func(t *testing.T, e env) {
		application := newHolding(t)
		s := child(t, known.with(e))
		subscribeWith(t, s, application.URL)
		eventually(t, patience, "the webhook is there", func() bool { return len(application.got()) == 1 })
		s.signal(t, syscall.SIGTERM)
		eventually(t, patience, "it stops", func() bool { return s.stderr.has("stopping") })
		application.answers <- 200
		if code := s.await(t, stopsWithin); code != 0 {
			t.Errorf("exits with %d:\n%s", code, s.stderr)
		}
		if have := outcomesIn(t, openDB(t, e)); have != "delivered" {
			t.Errorf("the outcomes are %q", have)
		}
	})
}

// TestWebhooksCutOffAreSentAgain: what is not answered when the server has to
// stop is recorded as unknown; the next server sends it again, at once.
func TestWebhooksCutOffAreSentAgain(t *testing.T) {
	t.Parallel()
	needSignals(t)
	onEachEngine(t, func(t *testing.T, e env) {
		application := newHolding(t)
		s := child(t, known.with(e))
		subscribeWith(t, s, application.URL)
		eventually(t, patience, "the webhook is there", func() bool { return len(application.got()) == 1 })
		s.signal(t, syscall.SIGTERM)
		if code := s.await(t, stopsWithin); code != 0 {
			t.Errorf("exits with %d:\n%s", code, s.stderr)
		}
		if have := outcomesIn(t, openDB(t, e)); have != "unknown" {
			t.Errorf("the outcomes are %q", have)
		}
		child(t, known.with(e))
		application.answers <- 200
		db := openDB(t, e)
		eventually(t, patience, "it is recorded", func() bool { return outcomesIn(t, db) == "unknown delivered" })
		if got := application.got(); len(got) != 2 || got[0] != "1 1 attempt 1" || got[1] != "1 1 attempt 2" {
			t.Errorf("the application got %q", got)
		}
	})
}

var attemptLine = regexp.MustCompile(`"level":"INFO","msg":"webhook","platform":1,"tenant":1,"event":1,"sequence":1,"attempt":1,"outcome":"delivered","status":200,"ms":[0-9.]+}`)

// TestAWebhookIsSeen in the log and in the metrics of the server that sent it.
func TestAWebhookIsSeen(t *testing.T) {
	t.Parallel()
	application := newHolding(t)
	s := child(t, known, "--data-dir", t.TempDir(), "--log-format", "json")
	subscribeWith(t, s, application.URL)
	eventually(t, patience, "the webhook is there", func() bool { return len(application.got()) == 1 })
	application.answers <- 200
	eventually(t, patience, "the log says so", func() bool { return attemptLine.MatchString(s.stderr.String()) })
	metrics := get(t, s.url+"/metrics").body
	for _, want := range []string{"events_total 1", `attempts_total{outcome="delivered"} 1`, "latency_seconds_count 1", `breaker_open{platform="app"} 0`} {
		if !strings.Contains(metrics, "\ntenantry_webhook_"+want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
}

// TestWebhooksPutOffByAWrongClock: a clock that was years ahead has put a webhook
// off, and closed the endpoint. The next server sends it all the same.
func TestWebhooksPutOffByAWrongClock(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e env) {
		application := newRefusing(t)
		s := inside(t, known.with(e))
		subscribeWith(t, s, application.URL)
		db := openDB(t, e)
		eventually(t, patience, "it is refused", func() bool { return outcomesIn(t, db) == "failed" })
		s.stop(t)
		const years = 3 * 365 * 24 * 3600 * 1000
		for _, text := range []string{
			fmt.Sprintf("UPDATE webhook_stream SET due_at = due_at + %d", years),
			fmt.Sprintf("UPDATE webhook_endpoint SET open_until = %d, open_delay = 5000", time.Now().UnixMilli()+years),
		} {
			if _, err := db.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		application.take(true)
		s = inside(t, known.with(e))
		eventually(t, patience, "it is sent", func() bool { return outcomesIn(t, db) == "failed delivered" })
		if !s.stderr.has("only a wrong clock") {
			t.Error("nobody says so")
		}
	})
}
