package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

const stripeSecret = "whsec_of_the_test"

// stripeBank is a Stripe that charges a customer once for each idempotency key. It
// never answers the requests of customers whose names begin with cus_lost, and debits
// bank accounts (pm_sepa) later.
type stripeBank struct {
	mu      sync.Mutex
	intents map[string]map[string]any // by idempotency key
}

func (s *stripeBank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/v1/payment_methods/") {
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "pm_1", "object": "payment_method", "type": "card", "card": map[string]any{"brand": "visa", "last4": "4242", "exp_month": 12, "exp_year": 2039}})
		return
	}
	if r.Method == http.MethodGet { // nothing is found yet, so that only webhooks can tell
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": []any{}})
		return
	}
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	key := r.Header.Get("Idempotency-Key")
	if s.intents[key] == nil {
		status := "succeeded"
		if strings.HasPrefix(form.Get("payment_method"), "pm_sepa") {
			status = "processing"
		}
		s.intents[key] = map[string]any{
			"id": fmt.Sprintf("pi_%d", len(s.intents)+1), "object": "payment_intent", "status": status, "customer": form.Get("customer"), "currency": form.Get("currency"),
			"amount": json.Number(form.Get("amount")), "amount_received": json.Number(form.Get("amount")), "metadata": map[string]string{"tenantry_key": form.Get("metadata[tenantry_key]")},
		}
	}
	if strings.HasPrefix(form.Get("customer"), "cus_lost") {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = conn.Close()
		}
		return
	}
	_ = json.NewEncoder(w).Encode(s.intents[key])
}

// charge is what is known of the charge of a customer, nil if there is none.
func (s *stripeBank) charge(customer string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, intent := range s.intents {
		if intent["customer"] == customer {
			return intent
		}
	}
	return nil
}

// told is the webhook that says what has become of a charge, signed with a secret.
func told(t *testing.T, s *server, id, kind string, intent map[string]any, secret string) int {
	t.Helper()
	at := time.Now()
	body, err := json.Marshal(map[string]any{"id": id, "object": "event", "type": kind, "created": at.Unix(), "data": map[string]any{"object": intent}})
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	r, err := http.NewRequest(http.MethodPost, s.url+"/payments/stripe/webhooks", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Stripe-Signature", fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil))))
	a, err := send(r)
	if err != nil {
		t.Fatal(err)
	}
	return a.status
}

// TestStripe collects invoices of customers at Stripe through a running server: one whose
// charge is answered, one whose answer is lost, and one whose bank takes its time. What
// Stripe tells by webhooks counts once, and nothing that it did not sign.
func TestStripe(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e env) {
		bank := &stripeBank{intents: map[string]map[string]any{}}
		api := httptest.NewServer(bank)
		t.Cleanup(api.Close)
		s := inside(t, known.with(e).with(env{"TENANTRY_STRIPE_KEY": "sk_test_1", "TENANTRY_STRIPE_URL": api.URL, "TENANTRY_STRIPE_WEBHOOK_SECRETS": stripeSecret}))
		token := s.firstToken(t)
		ask(t, s.url, token, `mutation { entityCreate(attributes: {code: "main", name: "Seller GmbH", country: "DE"}) { entity { id } } }`, nil).text(t, "data", "entityCreate", "entity", "id")
		collect := func(name, method string) (invoice string) {
			account := ask(t, s.url, token, `mutation ($n: String!) { accountCreate(attributes: {name: $n, billingCountry: "DE"}) { account { id } } }`, map[string]any{"n": name}).text(t, "data", "accountCreate", "account", "id")
			ask(t, s.url, token, `mutation ($a: ID!, $t: String!) { paymentMethodCreate(accountId: $a, provider: STRIPE, token: $t) { paymentMethod { last4 } } }`,
				map[string]any{"a": account, "t": method}).text(t, "data", "paymentMethodCreate", "paymentMethod", "last4")
			invoice = ask(t, s.url, token, `mutation ($a: ID!) { invoiceCreate(accountId: $a, attributes: {currencyId: "EUR", items: [{lineText: "Setup", amount: "100.00"}]}) { invoice { id } } }`,
				map[string]any{"a": account}).text(t, "data", "invoiceCreate", "invoice", "id")
			ask(t, s.url, token, `mutation ($i: ID!) { invoiceCollect(id: $i) { collection { id } } }`, map[string]any{"i": invoice}).text(t, "data", "invoiceCollect", "collection", "id")
			return invoice
		}
		state := func(invoice string) string {
			a := ask(t, s.url, token, `query ($i: ID!) { invoice(id: $i) { state amountPaid collections { state attempts { outcome } } } }`, map[string]any{"i": invoice})
			return fmt.Sprint(a.value(t, "data", "invoice"))
		}
		becomes := func(invoice, want string) {
			t.Helper()
			last := ""
			defer func() {
				if last != want {
					t.Errorf("invoice %s is %s", invoice, last)
				}
			}()
			eventually(t, patience, want, func() bool { last = state(invoice); return last == want })
		}
		const (
			paid    = "map[amountPaid:119.00 collections:[map[attempts:[map[outcome:SUCCEEDED]] state:SUCCEEDED]] state:PAID]"
			pending = "map[amountPaid:0.00 collections:[map[attempts:[map[outcome:PENDING]] state:PENDING]] state:NOT_DUE]"
			unknown = "map[amountPaid:0.00 collections:[map[attempts:[map[outcome:UNKNOWN]] state:PENDING]] state:NOT_DUE]"
		)
		card := collect("Card", "cus_card/pm_1")
		becomes(card, paid)

		lost := collect("Lost", "cus_lost/pm_1")
		becomes(lost, unknown)
		charge := bank.charge("cus_lost")
		if status := told(t, s, "evt_forged", "payment_intent.succeeded", charge, "whsec_of_somebody_else"); status != http.StatusBadRequest {
			t.Errorf("a forged webhook is answered with %d", status)
		}
		if got := state(lost); got != unknown {
			t.Errorf("after a forged webhook: %s", got)
		}
		for range 2 { // it is sent again
			if status := told(t, s, "evt_1", "payment_intent.succeeded", charge, stripeSecret); status != http.StatusNoContent {
				t.Errorf("a webhook is answered with %d", status)
			}
		}
		becomes(lost, paid)

		bankDebit := collect("Bank", "cus_bank/pm_sepa")
		becomes(bankDebit, pending)
		debit := bank.charge("cus_bank")
		debit["status"] = "succeeded"
		if status := told(t, s, "evt_2", "payment_intent.succeeded", debit, stripeSecret); status != http.StatusNoContent {
			t.Errorf("a webhook is answered with %d", status)
		}
		becomes(bankDebit, paid)
		other := map[string]any{"id": "pi_other", "object": "payment_intent", "status": "succeeded", "currency": "eur", "amount": 5, "metadata": map[string]string{"tenantry_key": "of another installation-1"}}
		if status := told(t, s, "evt_3", "payment_intent.succeeded", other, stripeSecret); status != http.StatusNoContent {
			t.Errorf("a webhook of another installation is answered with %d", status)
		}
		payments := fmt.Sprint(ask(t, s.url, token, `{ payments { amount } }`, nil).value(t, "data", "payments"))
		if want := "[map[amount:119.00] map[amount:119.00] map[amount:119.00]]"; payments != want {
			t.Errorf("the payments are %s, want %s", payments, want)
		}
	})
}
