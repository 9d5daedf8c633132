package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
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
func measurePreviews(ctx context.Context, b *bench, e *engine) ([]result, error) {
	database, err := e.create(ctx, "previews")
	if err != nil {
		return nil, err
	}
	child, err := startChild(ctx, b, "--db", database)
	if err != nil {
		return nil, err
	}
	defer child.stop()
	p := &previews{ctx: ctx, address: child.address, arrived: make(chan struct{}, 100)}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		p.arrived <- struct{}{}
	}))
	defer receiver.Close()
	if p.token, err = fetchTokenFor(ctx, child.address, billing.StandardRead+" "+billing.StandardWrite+" "+billing.PlatformWrite); err != nil {
		return nil, err
	}
	if err := p.open(receiver.URL); err != nil {
		return nil, err
	}
	if _, err := p.latency(); err != nil { // to warm up
		return nil, err
	}
	before, err := p.latency()
	if err != nil {
		return nil, err
	}
	crowded, err := p.crowded()
	if err != nil {
		return nil, err
	}
	after, err := p.latency()
	if err != nil {
		return nil, err
	}
	idle := max((before+after)/2, previewFloor) // what others do on the machine meets both
	return []result{newResult("webhook among previews", e.name, "ms", crowded, idle).atMost(previewFactor)}, nil
}

// previews is a server with a tenant that is told, and previews that wait.
type previews struct {
	ctx            context.Context
	address, token string
	conn           *conn
	arrived        chan struct{}
	changes        int
}

func (p *previews) open(url string) (err error) {
	if p.conn, err = dial(p.ctx, p.address); err != nil {
		return err
	}
	for _, document := range previewShop {
		if _, err := p.conn.do(graphQL(p.token, document, map[string]any{"url": url}), `{"data":{"`); err != nil {
			return err
		}
	}
	return p.await()
}

// await waits for a webhook.
func (p *previews) await() error {
	timer := time.NewTimer(time.Minute)
	defer timer.Stop()
	select {
	case <-p.arrived:
		return nil
	case <-timer.C:
		return errors.New("a webhook did not arrive in a minute")
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// latency is how many milliseconds it takes from a change until its webhook is
// there, the median of several.
func (p *previews) latency() (float64, error) {
	var took []time.Duration
	for range previewChanges {
		p.changes++
		began := now()
		const rename = `mutation ($name: String) { tenantUpdate(id: 1, attributes: {name: $name}) { tenant { id } } }`
		if _, err := p.conn.do(graphQL(p.token, rename, map[string]any{"name": fmt.Sprint("Acme ", p.changes)}), `{"data":{"tenantUpdate":{"tenant":{"id":`); err != nil {
			return 0, err
		}
		if err := p.await(); err != nil {
			return 0, err
		}
		took = append(took, now().Sub(began))
	}
	slices.Sort(took)
	return milliseconds(took[len(took)/2]), nil
}

// crowded is latency while previews wait.
func (p *previews) crowded() (float64, error) {
	var document strings.Builder
	for n := range previewsEach {
		fmt.Fprintf(&document, " a%d: workflowPreview(workflowId: 1, payloadProgram: %q)", n, expensive)
	}
	request := graphQL(p.token, "{"+document.String()+" }", nil)
	var over atomic.Bool
	var wait sync.WaitGroup
	var asking sync.WaitGroup
	asking.Add(previewCallers)
	var conns []*conn
	for range previewCallers {
		c, err := dial(p.ctx, p.address)
		if err != nil {
			return 0, err
		}
		conns = append(conns, c)
		wait.Go(func() {
			asking.Done()
			for !over.Load() {
				if _, err := c.try(request); err != nil {
					return // the measurement is over
				}
			}
		})
	}
	asking.Wait()
	crowded, err := p.latency()
	over.Store(true)
	for _, c := range conns {
		c.close()
	}
	wait.Wait()
	return crowded, err
}
