package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

const (
	// previewCallers ask for so many previews each, in one request after another.
	previewCallers, previewsEach = 50, 20
	// previewChanges are made and told while they do.
	previewChanges = 15
	// What a webhook may take then, in times of what it takes on an idle server,
	// and what is no delay for anybody.
	previewFactor = 10
	previewFloor  = 10 // ms
	// expensive takes all the time that a program gets.
	expensive = `[limit(1e9; repeat(1))] | length`
)

// previewShop is what it takes for a webhook whose body a program makes.
var previewShop = []string{
	`mutation ($url: String) { platformCreate(attributes: {code: "app", name: "App", provisioningEnabled: true, webhookUrl: $url}) { platform { id } } }`,
	`mutation { workflowUpdate(id: "1", attributes: {recipe: {payloadProgram: ".tenant"}}) { workflow { id } } }`,
	`mutation { productCreate(attributes: {code: "crm", name: "CRM", platformCode: "app"}) { product { id } } }`,
	`mutation { planCreate(attributes: {productId: 1, code: "pro", name: "Pro"}) { plan { id } } }`,
	`mutation { priceListCreate(attributes: {planId: 1, code: "pro", name: "Pro", currencyId: "EUR", renewalTermMonths: 1}) { priceList { id } } }`,
	`mutation { accountCreate(attributes: {code: "acme", name: "Acme"}) { account { id } } }`,
	`mutation { subscriptionCreate(attributes: {accountCode: "acme", priceListCode: "pro", tenantCode: "acme"}) { subscription { id } } }`,
}

// measurePreviews has a thousand previews of an expensive program wait, and
// compares how long a webhook takes meanwhile with what it takes on an idle
// server.
func measurePreviews(r *run) []result {
	child := r.startChild("--db", r.create("previews"))
	p := &previews{
		run: r, address: child.address, conn: r.dial(child.address), arrived: make(chan struct{}, 100),
		token: r.fetchToken(child.address, billing.StandardRead+" "+billing.StandardWrite+" "+billing.PlatformWrite),
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		p.arrived <- struct{}{}
	}))
	defer receiver.Close()
	for _, document := range previewShop {
		must(p.conn.do(graphQL(p.token, document, map[string]any{"url": receiver.URL}), `{"data":{"`))
	}
	p.await()
	p.latency() // to warm up
	before, crowded, after := p.latency(), p.crowded(), p.latency()
	idle := max((before+after)/2, previewFloor) // what others do on the machine meets both
	return []result{r.result("webhook among previews", "ms", crowded, idle).atMost(previewFactor)}
}

// previews is a server with a tenant that is told, and previews that wait.
type previews struct {
	*run
	address, token string
	conn           *conn
	arrived        chan struct{}
	changes        int
}

// await waits for a webhook.
func (p *previews) await() {
	ctx, cancel := context.WithTimeoutCause(p.Context(), time.Minute, errors.New("a webhook did not arrive in a minute"))
	defer cancel()
	select {
	case <-p.arrived:
	case <-ctx.Done():
		check(context.Cause(ctx))
	}
}

// latency is how many milliseconds it takes from a change until its webhook is
// there, the median of several.
func (p *previews) latency() float64 {
	var took []time.Duration
	for range previewChanges {
		p.changes++
		began := now()
		const rename = `mutation ($name: String) { tenantUpdate(id: 1, attributes: {name: $name}) { tenant { id } } }`
		must(p.conn.do(graphQL(p.token, rename, map[string]any{"name": fmt.Sprint("Acme ", p.changes)}), `{"data":{"tenantUpdate":{"tenant":{"id":`))
		p.await()
		took = append(took, now().Sub(began))
	}
	return milliseconds(median(took))
}

// crowded is latency while previews wait.
func (p *previews) crowded() float64 {
	var document strings.Builder
	for n := range previewsEach {
		fmt.Fprintf(&document, " a%d: workflowPreview(workflowId: 1, payloadProgram: %q)", n, expensive)
	}
	request := graphQL(p.token, "{"+document.String()+" }", nil)
	var over atomic.Bool
	var asking sync.WaitGroup
	asking.Add(previewCallers)
	for range previewCallers {
		c := must(dial(p.Context(), p.address))
		defer c.close()
		go func() {
			asking.Done()
			for !over.Load() {
				if _, err := c.try(request); err != nil {
					return // the measurement is over
				}
			}
		}()
	}
	asking.Wait()
	defer over.Store(true)
	return p.latency()
}
