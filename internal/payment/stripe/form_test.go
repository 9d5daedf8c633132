package stripe

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/payment"
)

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	eur  = money.Currency{Code: "EUR", Digits: 2}
)

// startMock builds and starts stripe-mock, which checks requests against Stripe's
// own description of its API, and returns its address.
func startMock(t *testing.T) *url.URL {
	t.Helper()
	program := filepath.Join(t.TempDir(), "stripe-mock")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if output, err := exec.Command("go", "build", "-o", program, "github.com/stripe/stripe-mock").CombinedOutput(); err != nil {
		t.Fatalf("build stripe-mock: %v\n%s", err, output)
	}
	cmd := exec.CommandContext(t.Context(), program, "-http-addr", "127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "Listening for HTTP at address: "); ok {
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return &url.URL{Scheme: "http", Host: strings.TrimSpace(address)}
		}
	}
	t.Fatal("stripe-mock ended without an address")
	return nil
}

// sent is a request as Stripe received it, and what stripe-mock said to it.
type sent struct {
	line, key, form string
	status          int
}

// recorder passes requests on and remembers them.
type recorder struct {
	mu   sync.Mutex
	sent []sent
}

func (r *recorder) handler(to *url.URL) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(response *http.Response) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sent[len(r.sent)-1].status = response.StatusCode
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		request.Body = io.NopCloser(strings.NewReader(string(body)))
		form, _ := url.ParseQuery(string(body) + request.URL.RawQuery)
		r.mu.Lock()
		r.sent = append(r.sent, sent{line: request.Method + " " + request.URL.Path, key: request.Header.Get("Idempotency-Key"), form: readable(form)})
		r.mu.Unlock()
		proxy.ServeHTTP(w, request)
	})
}

// readable writes a form as lines in order.
func readable(form url.Values) string {
	text, _ := url.QueryUnescape(strings.ReplaceAll(form.Encode(), "&", "\n"))
	return text
}

func (r *recorder) take() []sent {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.sent
	r.sent = nil
	return all
}

// TestFormsOfRequests sends every request to stripe-mock, which refuses unknown
// parameters, missing ones, and those of a wrong type.
func TestFormsOfRequests(t *testing.T) {
	t.Parallel()
	records := &recorder{}
	mock := startMock(t)
	checkMockRefuses(t, mock)
	server := httptest.NewServer(records.handler(mock))
	t.Cleanup(server.Close)
	p := New(Config{APIKey: "sk_test_123", URL: server.URL, HTTP: server.Client(), Now: func() time.Time { return noon }})
	charge := payment.Charge{Key: "u1-1", Amount: 4900, Currency: eur, Token: "cus_1/pm_1", Text: "INV-2026-000017", At: noon}
	setup := payment.Setup{
		Key: "s1", Name: "Acme", Email: "pay@acme.example", Kinds: []payment.Kind{payment.Card, payment.SEPADebit},
		SuccessURL: "https://app.example/ok", CancelURL: "https://app.example/no",
	}
	again := setup
	again.Token = "cus_1/pm_1"
	session := func(customer string) sent {
		return sent{"POST /v1/checkout/sessions", "session/s1", `cancel_url=https://app.example/no
client_reference_id=s1
customer=` + customer + `
metadata[tenantry_key]=s1
mode=setup
payment_method_types[0]=card
payment_method_types[1]=sepa_debit
setup_intent_data[metadata][tenantry_key]=s1
success_url=https://app.example/ok`, http.StatusOK}
	}
	for _, c := range []struct {
		name string
		call func() error
		want []sent
	}{
		{"charge", func() error { _, err := p.Charge(t.Context(), charge); return err }, []sent{{"POST /v1/payment_intents", "charge/u1-1", `amount=4900
automatic_payment_methods[allow_redirects]=never
automatic_payment_methods[enabled]=true
confirm=true
currency=eur
customer=cus_1
description=INV-2026-000017
expand[0]=latest_charge.balance_transaction
metadata[tenantry_key]=u1-1
off_session=true
payment_method=pm_1`, http.StatusOK}}},
		{"lookup", func() error { _, err := p.Lookup(t.Context(), charge); return err }, []sent{{"GET /v1/payment_intents", "", `created[gte]=1772366100
customer=cus_1
expand[0]=data.latest_charge.balance_transaction
limit=100`, http.StatusOK}}},
		{"refund", func() error {
			_, err := p.Refund(t.Context(), payment.Refund{Key: "r1", Reference: "pi_1", Amount: 100, Currency: eur, At: noon})
			return err
		}, []sent{{"POST /v1/refunds", "refund/r1", `amount=100
metadata[tenantry_key]=r1
payment_intent=pi_1`, http.StatusOK}}},
		{"save the first method", func() error { _, err := p.Save(t.Context(), setup); return err }, []sent{{"POST /v1/customers", "customer/s1", `email=pay@acme.example
metadata[tenantry_key]=s1
name=Acme`, http.StatusOK}, session("cus_")}},
		{"save another method", func() error { _, err := p.Save(t.Context(), again); return err }, []sent{session("cus_1")}},
		{"method", func() error { _, err := p.Method(t.Context(), "cus_1/pm_1"); return err }, []sent{{"GET /v1/payment_methods/pm_1", "", "", http.StatusOK}}},
	} {
		err := c.call()
		got := records.take()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: sent %+v", c.name, got)
			continue
		}
		for i, want := range c.want {
			if want.form = strings.ReplaceAll(want.form, "customer=cus_\n", "customer="+customerIn(got[i].form)+"\n"); got[i] != want {
				t.Errorf("%s: sent %+v\nwant %+v", c.name, got[i], want)
			}
		}
	}
}

// checkMockRefuses makes sure that a wrong form would be noticed.
func checkMockRefuses(t *testing.T, mock *url.URL) {
	t.Helper()
	for _, form := range []string{"amount=1", "amount=x&currency=eur", "amount=1&currency=eur&amnt=1"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, mock.String()+"/v1/payment_intents", strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer sk_test_123")
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("stripe-mock answers %d to %s", response.StatusCode, form)
		}
	}
}

// customerIn is the customer that stripe-mock made up.
func customerIn(form string) string {
	_, rest, _ := strings.Cut(form, "customer=")
	id, _, _ := strings.Cut(rest, "\n")
	return id
}
