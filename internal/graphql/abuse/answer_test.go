package abuse

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A tenant whose application is told much: the platform has no address, so all
// of it stays in the webhook log.
const sold = `mutation {
	platformCreate(attributes: {code: "cloud", name: "Cloud", provisioningEnabled: true}) { errors }
	productCreate(attributes: {code: "crm", name: "CRM", platformCode: "cloud"}) { errors }
	accountCreate(attributes: {name: "Acme", code: "acme"}) { errors }
	planCreate(attributes: {productId: 1, code: "pro", name: "Pro"}) { errors }
	priceListCreate(attributes: {planId: 1, code: "month", name: "Monthly", currencyId: "EUR", renewalTermMonths: 1}) { errors }
	subscriptionCreate(attributes: {accountCode: "acme", priceListCode: "month", tenantCode: "t"}) { errors }
}`

// events is how many the tenant has: the first and one for each new name.
const events = 101

// sell makes the tenant.
func (s *server) sell(t *testing.T) {
	t.Helper()
	for _, document := range []string{
		sold, "mutation {" + repeat(events-1, ` a%[1]d: tenantUpdate(id: 1, attributes: {name: "Tenant %[1]d"}) { errors }`) + " }",
	} {
		if a := s.ask(t, document, nil); len(a.codes(t)) > 0 || strings.Contains(string(a.body), `["`) {
			t.Fatalf("there is nothing to see: %s", a.start())
		}
	}
}

// TestAnswers: an answer that would be too large is not made up first, and is
// refused with little more work than one that is just small enough.
func TestAnswers(t *testing.T) {
	const most = 1 << 20
	s := start(t, "--max-response-bytes", fmt.Sprint(most))
	s.sell(t)
	payloads := func(aliases int) string {
		return "{ webhookEvents(limit: 101) {" + repeat(aliases, " b%d: payload") + " } }"
	}
	base := harmlessUsage(t, func() {
		if a := s.ask(t, payloads(12), nil); len(a.codes(t)) > 0 || len(a.body) < most/2 || len(a.body) > most {
			t.Fatalf("%d bytes, of which half were expected: %s", len(a.body), a.start())
		}
	})
	for name, document := range map[string]string{
		"bodies":  payloads(240),
		"changes": "{ webhookEvents(limit: 101) { tenant { latestProvisioningChange {" + repeat(60, " a%[1]d: change b%[1]d: features") + " } } } }",
		"names":   "{ webhookEvents(limit: 101) {" + repeat(200, " "+strings.Repeat("a", 120)+"%d: id") + " } }",
	} {
		t.Run(name, func(t *testing.T) {
			var a answer
			atMost(t, base, 15, 15, func() { a = s.ask(t, document, nil) })
			if codes := a.codes(t); a.status != http.StatusOK || !slices.Equal(codes, []string{"LIMIT_EXCEEDED"}) {
				t.Errorf("%d %v: %s", a.status, codes, a.start())
			}
			if !strings.Contains(string(a.body), fmt.Sprint(most)) || !strings.HasPrefix(string(a.body), `{"data":null,`) {
				t.Errorf("it does not say what is wrong: %s", a.start())
			}
		})
	}
	t.Run("in metrics", func(t *testing.T) {
		response, err := http.Get(s.url + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if text, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(text), `tenantry_graphql_limit_exceeded_total{of="answer"}`) {
			t.Errorf("nobody sees it: %v", err)
		}
	})
	t.Run("of a mutation", func(t *testing.T) {
		a := s.ask(t, `mutation { tenantUpdate(id: 1, attributes: {name: "Last"}) { tenant { latestProvisioningChange {`+repeat(4_000, " a%d: change")+` } } } }`, nil)
		if codes := a.codes(t); !slices.Equal(codes, []string{"LIMIT_EXCEEDED"}) || !strings.Contains(string(a.body), "is done") {
			t.Errorf("%v: %s", codes, a.start())
		}
		if a := s.ask(t, "{ tenant(id: 1) { name } }", nil); !strings.Contains(string(a.body), `"Last"`) {
			t.Errorf("it was not done: %s", a.start())
		}
	})
}

// TestErrors: an answer shows a bounded number of bounded errors.
func TestErrors(t *testing.T) {
	s := start(t)
	s.sell(t)
	base := harmlessUsage(t, func() { s.ask(t, harmless, nil) })
	secrets := "{ webhookEvents(limit: 50) { platform {" + repeat(4_000, " a%d: webhookSigningSecret") + " } } }"
	for name, c := range map[string]struct {
		document string
		errors   int
		says     string
	}{
		"of fields":    {secrets, 51, "199950 more errors"},
		"of conflicts": {hostile["conflicting fields"], 51, "first 50"},
		"of an id":     {`{ account(id: "` + strings.Repeat("a", 1_000_000) + `") { id } }`, 1, "…"},
	} {
		t.Run(name, func(t *testing.T) {
			var a answer
			atMost(t, base, 60, 60, func() { a = s.ask(t, c.document, nil) })
			if codes := a.codes(t); len(codes) != c.errors || !strings.Contains(string(a.body), c.says) {
				t.Errorf("%d errors, want %d and %q: %s", len(codes), c.errors, c.says, a.body[max(0, len(a.body)-500):])
			}
		})
	}
}
