package stripe

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/payment"
)

// answering returns a provider to which Stripe always answers the same.
func answering(t *testing.T, status int, body string) *Provider {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return New(Config{APIKey: "sk_test_123", URL: server.URL, HTTP: server.Client(), Now: func() time.Time { return noon }})
}

var aCharge = payment.Charge{Key: "u1-1", Amount: 4900, Currency: eur, Token: "cus_1/pm_1", At: noon}

func TestAnswersToACharge(t *testing.T) {
	t.Parallel()
	intent := func(status, more string) string {
		return `{"id":"pi_1","object":"payment_intent","status":"` + status + `","metadata":{"tenantry_key":"u1-1"},"currency":"eur","amount":4900` + more + `}`
	}
	refusal := func(kind, more string) string { return `{"error":{"type":"` + kind + `","message":"No."` + more + `}}` }
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   payment.Outcome
	}{
		{"succeeded", 200, intent("succeeded", `,"amount_received":4900,"latest_charge":{"id":"ch_1","balance_transaction":{"id":"txn_1","fee":172,"currency":"eur"}}`),
			payment.Outcome{State: payment.Succeeded, Reference: "pi_1", Amount: 4900, Currency: eur, Fee: 172}},
		{"the fee in another currency", 200, intent("succeeded", `,"amount_received":4900,"latest_charge":{"id":"ch_1","balance_transaction":{"id":"txn_1","fee":172,"currency":"usd"}}`),
			payment.Outcome{State: payment.Succeeded, Reference: "pi_1", Amount: 4900, Currency: eur}},
		{"another amount", 200, intent("succeeded", `,"amount_received":100,"latest_charge":"ch_1"`),
			payment.Outcome{State: payment.Succeeded, Reference: "pi_1", Amount: 100, Currency: eur}},
		{"processing", 200, intent("processing", ""), payment.Outcome{State: payment.Pending, Reference: "pi_1"}},
		{"declined before", 200, intent("requires_payment_method", `,"last_payment_error":{"type":"card_error","code":"card_declined","decline_code":"insufficient_funds","message":"No."}`),
			payment.Outcome{State: payment.Declined, Reference: "pi_1", Code: "insufficient_funds", Message: "No."}},
		{"wants the customer", 200, intent("requires_action", ""),
			payment.Outcome{State: payment.Declined, Reference: "pi_1", Code: "authentication_required", Message: "The bank wants the customer to confirm the payment.", Hard: true}},
		{"canceled", 200, intent("canceled", ""), payment.Outcome{State: payment.Failed, Reference: "pi_1", Code: "canceled", Message: "The payment was canceled at Stripe."}},
		{"a status that is new", 200, intent("pondering", ""),
			payment.Outcome{State: payment.Unknown, Reference: "pi_1", Code: "unexpected_status", Message: `Stripe says that the payment is "pondering".`}},
		{"about another charge", 200, strings.Replace(intent("succeeded", ""), "u1-1", "u2-1", 1), unknown("unexpected_answer", "Stripe answered about something else.")},
		{"nothing", 200, `{}`, unknown("unexpected_answer", "Stripe answered about something else.")},
		{"no JSON", 200, `<html>`, unknown("no_answer", "Stripe did not answer.")},
		{"cut off", 200, intent("succeeded", "")[:40], unknown("no_answer", "Stripe did not answer.")},

		{"declined", 402, refusal("card_error", `,"code":"card_declined","decline_code":"insufficient_funds","payment_intent":{"id":"pi_1"}`),
			payment.Outcome{State: payment.Declined, Reference: "pi_1", Code: "insufficient_funds", Message: "No."}},
		{"stolen", 402, refusal("card_error", `,"code":"card_declined","decline_code":"stolen_card"`),
			payment.Outcome{State: payment.Declined, Code: "stolen_card", Message: "No.", Hard: true}},
		{"account closed", 402, refusal("invalid_request_error", `,"code":"account_closed"`), payment.Outcome{State: payment.Declined, Code: "account_closed", Message: "No.", Hard: true}},
		{"no such method", 400, refusal("invalid_request_error", `,"code":"resource_missing","param":"payment_method"`),
			payment.Outcome{State: payment.Failed, Code: "resource_missing", Message: "No.", Hard: true}},
		{"too small", 400, refusal("invalid_request_error", `,"code":"amount_too_small"`), payment.Outcome{State: payment.Failed, Code: "amount_too_small", Message: "No."}},
		{"the key had another form", 400, refusal("idempotency_error", ""), payment.Outcome{State: payment.Unknown, Code: "idempotency_error", Message: "No."}},
		{"the key is in use", 409, refusal("invalid_request_error", `,"code":"idempotency_key_in_use"`), payment.Outcome{State: payment.Unknown, Code: "idempotency_key_in_use", Message: "No."}},
		{"broken", 500, refusal("api_error", ""), payment.Outcome{State: payment.Unknown, Code: "api_error", Message: "No."}},
		{"a proxy in between", 502, `<html>`, unknown("no_answer", "Stripe did not answer.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, err := answering(t, c.status, c.body).Charge(t.Context(), aCharge); err != nil || got != c.want {
				t.Errorf("%+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

// TestCertainlyNotCharged has the failures after which the same charge may be tried
// again, and which say what to do.
func TestCertainlyNotCharged(t *testing.T) {
	t.Parallel()
	for status, says := range map[int]string{401: "status 401", 403: "status 403", 429: "status 429, rate_limit: Slow down."} {
		p := answering(t, status, `{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Slow down."}}`)
		if got, err := p.Charge(t.Context(), aCharge); err == nil || !strings.Contains(err.Error(), says) || got != (payment.Outcome{}) {
			t.Errorf("%d: %+v, %v", status, got, err)
		}
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	p := New(Config{APIKey: "sk_test_123", URL: closed.URL, Now: func() time.Time { return noon }})
	if _, err := p.Charge(t.Context(), aCharge); err == nil || !strings.Contains(err.Error(), "no connection to Stripe") {
		t.Errorf("no connection: %v", err)
	}
	if _, err := p.Lookup(t.Context(), aCharge); err == nil {
		t.Error("a lookup without a connection learns something")
	}
}

func TestChargesThatAreNotSent(t *testing.T) {
	t.Parallel()
	p := New(Config{APIKey: "sk_test_123", URL: "http://192.0.2.1", Now: func() time.Time { return noon }})
	wrongToken, wrongCurrency := aCharge, aCharge
	wrongToken.Token = "pm_1"
	wrongCurrency.Currency.Code = "UGX"
	if got, err := p.Charge(t.Context(), wrongToken); err != nil || got.State != payment.Failed || !got.Hard {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := p.Lookup(t.Context(), wrongToken); err != nil || got.State != payment.Failed {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := p.Charge(t.Context(), wrongCurrency); err != nil || got.State != payment.Failed || got.Code != "unsupported_currency" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := p.Save(t.Context(), payment.Setup{Kinds: []payment.Kind{payment.Test}}); err == nil {
		t.Error("a transfer can be saved")
	}
}

// TestNoAnswerInTime: the request has arrived, and the caller does not wait any
// longer.
func TestNoAnswerInTime(t *testing.T) {
	t.Parallel()
	arrived, done := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-done
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	p := New(Config{APIKey: "sk_test_123", URL: server.URL, HTTP: server.Client(), Now: func() time.Time { return noon }})
	if got, err := p.Charge(ctx, aCharge); err != nil || got.State != payment.Unknown {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnswersToARefund(t *testing.T) {
	t.Parallel()
	refund := payment.Refund{Key: "r1", Reference: "pi_1", Amount: 100, Currency: eur, At: noon}
	for _, c := range []struct {
		status int
		body   string
		state  payment.State
		code   string
	}{
		{200, `{"id":"re_1","status":"succeeded","amount":100,"currency":"eur"}`, payment.Succeeded, ""},
		{200, `{"id":"re_1","status":"pending","amount":100,"currency":"eur"}`, payment.Pending, ""},
		{200, `{"id":"re_1","status":"failed","failure_reason":"expired_or_canceled_card","amount":100,"currency":"eur"}`, payment.Failed, "expired_or_canceled_card"},
		{200, `{"id":"re_1","status":"canceled","amount":100,"currency":"eur"}`, payment.Failed, "canceled"},
		{200, `{}`, payment.Unknown, "unexpected_status"},
		{400, `{"error":{"type":"invalid_request_error","code":"charge_already_refunded"}}`, payment.Failed, "charge_already_refunded"},
		{500, `{"error":{"type":"api_error"}}`, payment.Unknown, "api_error"},
	} {
		got, err := answering(t, c.status, c.body).Refund(t.Context(), refund)
		if err != nil || got.State != c.state || got.Code != c.code {
			t.Errorf("%d %s: %+v, %v", c.status, c.body, got, err)
		}
	}
}

func TestMethodsForPeople(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]payment.Method{
		`{"id":"pm_1","type":"card","card":{"brand":"visa","last4":"4242","exp_year":2030,"exp_month":8}}`: {Token: "cus_1/pm_1", Kind: payment.Card, Brand: "visa", Last4: "4242", ExpiresYear: 2030, ExpiresMonth: 8},
		`{"id":"pm_1","type":"sepa_debit","sepa_debit":{"last4":"3000"}}`:                                  {Token: "cus_1/pm_1", Kind: payment.SEPADebit, Last4: "3000"},
	} {
		if got, err := answering(t, 200, body).Method(t.Context(), "cus_1/pm_1"); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if _, err := answering(t, 200, `{"id":"pm_1","type":"giropay"}`).Method(t.Context(), "cus_1/pm_1"); err == nil {
		t.Error("a method of another kind is accepted")
	}
}
