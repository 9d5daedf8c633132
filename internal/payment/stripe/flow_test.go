package stripe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/payment/stripe/stripetest"
)

// TestARefundThatIsRepeatedHappensOnce sends a refund until it has an answer.
func TestARefundThatIsRepeatedHappensOnce(t *testing.T) {
	t.Parallel()
	f := stripetest.New(func() time.Time { return noon })
	faults := []stripetest.Fault{stripetest.LostRequest, stripetest.LostAnswer, stripetest.Late, stripetest.Broken}
	f.Fault = func(string) (next stripetest.Fault) {
		if len(faults) > 0 {
			next, faults = faults[0], faults[1:]
		}
		return next
	}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	p := New(Config{APIKey: "sk_test_123", URL: server.URL, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, Now: func() time.Time { return noon }})
	refund := payment.Refund{Key: "r1", Reference: "pi_1", Amount: 100, Currency: eur, At: noon}
	var states []payment.State
	for range 5 {
		got, err := p.Refund(t.Context(), refund)
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, got.State)
	}
	f.Arrive(0)
	want := []payment.State{payment.Unknown, payment.Unknown, payment.Unknown, payment.Unknown, payment.Succeeded}
	if fmt.Sprint(states) != fmt.Sprint(want) || f.Refunds() != 1 {
		t.Errorf("%v, %d refunds", states, f.Refunds())
	}
	refund.Amount++
	if got, err := p.Refund(t.Context(), refund); err != nil || got.State != payment.Unknown || f.Refunds() != 1 {
		t.Errorf("another amount: %+v, %v", got, err)
	}
}

// TestALookupReadsAllPages finds a charge that is not on the first page.
func TestALookupReadsAllPages(t *testing.T) {
	t.Parallel()
	now := noon
	clock := func() time.Time { return now }
	f := stripetest.New(clock)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	p := New(Config{APIKey: "sk_test_123", URL: server.URL, HTTP: server.Client(), Now: clock})
	charge := payment.Charge{Amount: 4900, Currency: eur, Token: "cus_1/pm_ok", At: noon}
	for n := range 5 {
		charge.Key = fmt.Sprint("u", n)
		if got, err := p.Charge(t.Context(), charge); err != nil || got.State != payment.Succeeded {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	charge.Key = "u0"
	if got, err := p.Lookup(t.Context(), charge); err != nil || got.State != payment.Succeeded || got.Reference != "pi_1" {
		t.Errorf("%+v, %v", got, err)
	}
	charge.Key = "u9"
	if got, err := p.Lookup(t.Context(), charge); err != nil || got.State != payment.Unknown {
		t.Errorf("too early to be lost: %+v, %v", got, err)
	}
	now = now.Add(LostAfter)
	if got, err := p.Lookup(t.Context(), charge); err != nil || got.State != payment.Failed || got.Code != payment.CodeLost {
		t.Errorf("lost: %+v, %v", got, err)
	}
}
