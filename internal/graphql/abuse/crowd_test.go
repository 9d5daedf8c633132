package abuse

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// What a delivery may take while a thousand previews wait, in times of what it
// takes on an idle server, and what is no delay for anybody.
const (
	crowdFactor = 10
	noDelay     = 100 * time.Millisecond
)

// expensive takes all the time that a program gets.
const expensive = `[limit(1e9; repeat(1))] | length`

// shop is a server with a tenant whose webhooks are made by a payload program and
// arrive here.
type shop struct {
	*server
	tenant  string
	arrived chan struct{}
}

func newShop(t *testing.T) *shop {
	s := &shop{server: start(t), arrived: make(chan struct{}, 1000)}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.arrived <- struct{}{}
	}))
	t.Cleanup(receiver.Close)
	s.do(t, `mutation ($url: String) { platformCreate(attributes: {code: "app", name: "App", provisioningEnabled: true, webhookUrl: $url}) { platform { id } } }`,
		map[string]any{"url": receiver.URL})
	s.do(t, `mutation { workflowUpdate(id: "1", attributes: {recipe: {payloadProgram: ".tenant"}}) { workflow { id } } }`, nil)
	s.do(t, `mutation { productCreate(attributes: {code: "crm", name: "CRM", platformCode: "app"}) { product { id } } }`, nil)
	s.do(t, `mutation { planCreate(attributes: {productId: 1, code: "pro", name: "Pro"}) { plan { id } } }`, nil)
	s.do(t, `mutation { priceListCreate(attributes: {planId: 1, code: "pro", name: "Pro", currencyId: "EUR", renewalTermMonths: 1}) { priceList { id } } }`, nil)
	s.do(t, `mutation { accountCreate(attributes: {code: "acme", name: "Acme"}) { account { id } } }`, nil)
	s.do(t, `mutation { subscriptionCreate(attributes: {accountCode: "acme", priceListCode: "pro", tenantCode: "acme"}) { subscription { id } } }`, nil)
	<-s.arrived
	var found struct {
		Data struct{ Tenants []struct{ ID string } }
	}
	if a := s.ask(t, "{ tenants { id } }", nil); json.Unmarshal(a.body, &found) != nil || len(found.Data.Tenants) != 1 {
		t.Fatalf("%s", a.body)
	}
	s.tenant = found.Data.Tenants[0].ID
	return s
}

// do runs a mutation that must succeed.
func (s *shop) do(t *testing.T, document string, variables map[string]any) {
	t.Helper()
	if a := s.ask(t, document, variables); a.status != http.StatusOK || strings.Contains(string(a.body), `"errors"`) || strings.Contains(string(a.body), ":null") {
		t.Fatalf("%d %s", a.status, a.body)
	}
}

// latency changes the tenant and returns how long it takes until its webhook is
// there, the median of several times and the worst.
func (s *shop) latency(t *testing.T) (median, worst time.Duration) {
	t.Helper()
	var all []time.Duration
	for n := range 15 {
		began := time.Now()
		s.do(t, `mutation ($id: ID!, $name: String) { tenantUpdate(id: $id, attributes: {name: $name}) { tenant { id } } }`,
			map[string]any{"id": s.tenant, "name": fmt.Sprint("Acme ", began.UnixNano(), n)})
		select {
		case <-s.arrived:
		case <-time.After(startTime):
			t.Fatal("the webhook did not arrive in a minute")
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)-1]
}

// TestPreviewsDoNotDelayWebhooks has a thousand previews of an expensive program
// wait while webhooks flow, whose bodies are made by a program too.
func TestPreviewsDoNotDelayWebhooks(t *testing.T) {
	s := newShop(t)
	s.latency(t) // once, to warm up
	idle, _ := s.latency(t)
	document := "{" + repeat(20, " a%d: workflowPreview(workflowId: 1, payloadProgram: "+fmt.Sprintf("%q", expensive)+")") + " }"
	if a := s.ask(t, "{ workflowPreview(workflowId: 1, payloadProgram: \".tenant\") }", nil); strings.Contains(string(a.body), `"errors"`) {
		t.Fatalf("%s", a.body)
	}
	var over atomic.Bool
	waiting := make(chan struct{}, 50)
	done := make(chan struct{}, 50)
	for range cap(done) {
		go func() {
			defer func() { done <- struct{}{} }()
			waiting <- struct{}{}
			for !over.Load() {
				body := fmt.Sprintf(`{"query":%q}`, document)
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/graphql", strings.NewReader(body))
				if err != nil {
					return
				}
				request.Header = http.Header{"Authorization": {"Bearer " + s.token}, "Content-Type": {"application/json"}}
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					return // the test is over
				}
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
		}()
	}
	for range cap(waiting) {
		<-waiting
	}
	crowded, worst := s.latency(t)
	over.Store(true)
	t.Logf("idle %v, crowded %v, %.1f times, at worst %v", idle, crowded, float64(crowded)/float64(idle), worst)
	if crowded > max(crowdFactor*idle, noDelay) {
		t.Errorf("a webhook takes %v, and %v on an idle server", crowded, idle)
	}
}
