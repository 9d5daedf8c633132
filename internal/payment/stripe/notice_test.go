package stripe

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"
	"github.com/tenantry/tenantry/internal/payment"
)

// signature is the header of a webhook that is signed with each of the secrets.
func signature(body string, at time.Time, secrets ...string) string {
	header := fmt.Sprintf("t=%d", at.Unix())
	for _, secret := range secrets {
		header += ",v1=" + hex.EncodeToString(webhook.ComputeSignature(at, []byte(body), secret))
	}
	return header
}

func request(body, signature string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	if signature != "" {
		r.Header.Set("Stripe-Signature", signature)
	}
	return r
}

const anEvent = `{"id":"evt_1","object":"event","created":1772366400,"type":"payment_intent.processing",
	"data":{"object":{"id":"pi_1","status":"processing","metadata":{"tenantry_key":"u1-1"}}}}`

func TestSignatures(t *testing.T) {
	t.Parallel()
	withSecrets := func(secrets ...string) *Provider {
		return New(Config{WebhookSecrets: secrets, Now: func() time.Time { return noon }})
	}
	for _, c := range []struct {
		name         string
		provider     *Provider
		body, header string
		want         error
	}{
		{"valid", withSecrets("a"), anEvent, signature(anEvent, noon, "a"), nil},
		{"rotated here first", withSecrets("b", "a"), anEvent, signature(anEvent, noon, "a"), nil},
		{"rotated at Stripe first", withSecrets("a"), anEvent, signature(anEvent, noon, "b", "a"), nil},
		{"old, within the tolerance", withSecrets("a"), anEvent, signature(anEvent, noon.Add(-5*time.Minute), "a"), nil},
		{"replayed", withSecrets("a"), anEvent, signature(anEvent, noon.Add(-5*time.Minute-time.Second), "a"), payment.ErrForged},
		{"from the future", withSecrets("a"), anEvent, signature(anEvent, noon.Add(6*time.Minute), "a"), payment.ErrForged},
		{"another secret", withSecrets("a"), anEvent, signature(anEvent, noon, "b"), payment.ErrForged},
		{"changed", withSecrets("a"), strings.Replace(anEvent, "pi_1", "pi_2", 1), signature(anEvent, noon, "a"), payment.ErrForged},
		{"another time", withSecrets("a"), anEvent, strings.Replace(signature(anEvent, noon.Add(-time.Hour), "a"), fmt.Sprint(noon.Add(-time.Hour).Unix()), fmt.Sprint(noon.Unix()), 1), payment.ErrForged},
		{"not signed", withSecrets("a"), anEvent, "", payment.ErrForged},
		{"only a time", withSecrets("a"), anEvent, fmt.Sprintf("t=%d", noon.Unix()), payment.ErrForged},
		{"no time", withSecrets("a"), anEvent, "v1=00", payment.ErrForged},
		{"nonsense", withSecrets("a"), anEvent, "t=x,,=", payment.ErrForged},
		{"two times", withSecrets("a"), anEvent, fmt.Sprintf("t=%d,", noon.Unix()) + signature(anEvent, noon.Add(-time.Hour), "a"), payment.ErrForged},
		{"no secret", withSecrets(), anEvent, signature(anEvent, noon, ""), payment.ErrForged},
		{"an empty secret", withSecrets(""), anEvent, signature(anEvent, noon, ""), payment.ErrForged},
		{"no JSON", withSecrets("a"), "{", signature("{", noon, "a"), payment.ErrMalformed},
		{"no event", withSecrets("a"), "{}", signature("{}", noon, "a"), payment.ErrMalformed},
		{"too large", withSecrets("a"), strings.Repeat(" ", maxNotice+1), signature("", noon, "a"), payment.ErrMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.provider.Notices(request(c.body, c.header))
			if !errors.Is(err, c.want) || (err == nil) != (len(got) == 1) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestEventsAsNotices(t *testing.T) {
	t.Parallel()
	ours := `"metadata":{"tenantry_key":"u1-1"}`
	for _, c := range []struct {
		kind, object string
		want         []payment.Notice
	}{
		{"payment_intent.succeeded", `{"id":"pi_1","status":"succeeded","amount_received":4900,"currency":"eur",` + ours + `}`,
			[]payment.Notice{{Subject: payment.ChargeNotice, Key: "u1-1", Outcome: payment.Outcome{State: payment.Succeeded, Reference: "pi_1", Amount: 4900, Currency: eur}}}},
		{"payment_intent.payment_failed", `{"id":"pi_1","status":"requires_payment_method","last_payment_error":{"code":"debit_not_authorized","message":"No."},` + ours + `}`,
			[]payment.Notice{{Subject: payment.ChargeNotice, Key: "u1-1", Outcome: payment.Outcome{State: payment.Declined, Code: "debit_not_authorized", Message: "No.", Hard: true, Reference: "pi_1"}}}},
		{"payment_intent.canceled", `{"id":"pi_1","status":"canceled",` + ours + `}`,
			[]payment.Notice{{Subject: payment.ChargeNotice, Key: "u1-1", Outcome: payment.Outcome{State: payment.Failed, Code: "canceled", Message: "The payment was canceled at Stripe.", Reference: "pi_1"}}}},
		{"payment_intent.succeeded", `{"id":"pi_9","status":"succeeded","amount_received":1,"currency":"eur"}`, nil},
		{"charge.dispute.funds_withdrawn", `{"id":"dp_1","payment_intent":"pi_1","amount":4900,"currency":"eur","reason":"fraudulent"}`,
			[]payment.Notice{{Subject: payment.ChargeNotice, Outcome: payment.Outcome{State: payment.Reversed, Code: "fraudulent", Message: "The customer disputed the charge.", Hard: true, Reference: "pi_1", Amount: 4900, Currency: eur}}}},
		{"charge.dispute.funds_reinstated", `{"id":"dp_1","payment_intent":"pi_1","amount":4900,"currency":"eur","reason":"fraudulent"}`,
			[]payment.Notice{{Subject: payment.ChargeNotice, Outcome: payment.Outcome{State: payment.Succeeded, Code: "dispute_won", Message: "The dispute was won: the money is back.", Reference: "pi_1", Amount: 4900, Currency: eur}}}},
		{"charge.dispute.funds_withdrawn", `{"id":"dp_1","amount":4900,"currency":"eur"}`, nil},
		{"refund.updated", `{"id":"re_1","status":"succeeded","payment_intent":"pi_1","amount":100,"currency":"eur","metadata":{"tenantry_key":"r1"}}`,
			[]payment.Notice{{Subject: payment.RefundNotice, Key: "r1", ChargeReference: "pi_1", Outcome: payment.Outcome{State: payment.Succeeded, Reference: "re_1", Amount: 100, Currency: eur}}}},
		{"refund.created", `{"id":"re_2","status":"pending","payment_intent":"pi_1","amount":100,"currency":"eur"}`,
			[]payment.Notice{{Subject: payment.RefundNotice, ChargeReference: "pi_1", Outcome: payment.Outcome{State: payment.Pending, Reference: "re_2", Amount: 100, Currency: eur}}}},
		{"refund.created", `{"id":"re_2","status":"pending","amount":100,"currency":"eur"}`, nil},
		{"setup_intent.succeeded", `{"id":"seti_1","customer":"cus_1","payment_method":"pm_1","mandate":"mandate_1","metadata":{"tenantry_key":"s1"}}`,
			[]payment.Notice{{Subject: payment.MethodSaved, Key: "s1", Token: "cus_1/pm_1", Mandate: "mandate_1"}}},
		{"setup_intent.succeeded", `{"id":"seti_1","customer":"cus_1","payment_method":"pm_1"}`, nil},
		{"payment_method.automatically_updated", `{"id":"pm_1","customer":"cus_1"}`, []payment.Notice{{Subject: payment.MethodChanged, Token: "cus_1/pm_1"}}},
		{"payment_method.detached", `{"id":"pm_1","customer":null}`, []payment.Notice{{Subject: payment.MethodRemoved, Token: "cus_7/pm_1"}}},
		{"customer.created", `{"id":"cus_1"}`, nil},
	} {
		body := `{"id":"evt_1","object":"event","created":1772366400,"type":"` + c.kind + `","data":{"object":` + c.object + `,"previous_attributes":{"customer":"cus_7"}}}`
		for i := range c.want {
			c.want[i].ID, c.want[i].At = "evt_1", noon
		}
		p := New(Config{WebhookSecrets: []string{"a"}, Now: func() time.Time { return noon }})
		if got, err := p.Notices(request(body, signature(body, noon, "a"))); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %+v, %v\nwant %+v", c.kind, c.object, got, err, c.want)
		}
	}
}

func TestNoticesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := New(Config{WebhookSecrets: []string{"a"}, Now: func() time.Time { return noon }})
	for _, event := range []string{
		`"type":"payment_intent.succeeded","data":{"object":7}`, `"type":"payment_intent.succeeded"`,
		`"type":"charge.dispute.funds_withdrawn","data":{"object":{"payment_intent":"pi_1","currency":"xyz"}}`,
		`"type":"refund.updated","data":{"object":{"amount":"x"}}`,
	} {
		body := `{"id":"evt_1",` + event + `}`
		if got, err := p.Notices(request(body, signature(body, noon, "a"))); !errors.Is(err, payment.ErrMalformed) {
			t.Errorf("%s: %+v, %v", event, got, err)
		}
	}
}

// FuzzNotices: whatever is signed is read, or refused with a reason.
func FuzzNotices(f *testing.F) {
	f.Add(anEvent)
	for _, kind := range []string{"charge.dispute.funds_withdrawn", "refund.updated", "setup_intent.succeeded", "payment_method.detached"} {
		f.Add(`{"id":"evt_1","type":"` + kind + `","data":{"object":{"id":"x_1","customer":"cus_1","payment_method":"pm_1","payment_intent":"pi_1","currency":"eur","amount":1}}}`)
	}
	f.Add(`{"id":"evt_1","type":"refund.updated","data":{"object":null}}`)
	p := New(Config{WebhookSecrets: []string{"a"}, Now: func() time.Time { return noon }})
	f.Fuzz(func(t *testing.T, body string) {
		notices, err := p.Notices(request(body, signature(body, noon, "a")))
		if err != nil && !errors.Is(err, payment.ErrMalformed) {
			t.Errorf("%v", err)
		}
		for _, n := range notices {
			if n.ID == "" || n.Key == "" && n.Token == "" && n.Outcome.Reference == "" && n.ChargeReference == "" {
				t.Errorf("a notice about nothing: %+v", n)
			}
		}
	})
}
