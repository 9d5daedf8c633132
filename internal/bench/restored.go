package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

const (
	restoredCount    = 250
	paymentsPerSec   = 50
	restoredP99Limit = 50 // milliseconds
)

// measureRestored pays the invoices of suspended customers at a steady pace, and measures
// how long it takes from the call that records a payment to the receiver that gives the
// customer's tenant back what it had.
func measureRestored(r *run) []result {
	c := r.newUnpaid("restored", restoredCount, dunning.Step{Day: 1, Action: dunning.Suspend})
	c.clock.Store(new(crowdDue.AddDate(0, 0, 15)))
	receiver := &tenantWatch{active: map[string]time.Time{}, told: map[string]bool{}}
	server := httptest.NewServer(receiver)
	r.Cleanup(server.Close)
	must(c.Delivery.PlatformUpdate(asClient(r.Context()), 1, func(p *webhook.Platform) error {
		p.WebhookURL = &server.URL
		return nil
	}, delivery.PlatformSecrets{}))
	must(c.Delivery.PlatformSigningSecretRotate(asClient(r.Context()), 1, 0))
	for left := restoredCount; left > 0; {
		suspended, _, _ := c.billBatch(r.Context())
		left -= suspended
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the server does
	sender := worker.New(worker.Options{
		Store: c.store, Sender: send.New(target.New(true, nil), send.Options{Now: now}), Secrets: c.Delivery.RouteSecrets,
		Log: slog.New(slog.NewJSONHandler(io.Discard, nil)), Now: c.at, UserAgent: "Tenantry/bench",
	})
	sender.Start()
	defer sender.Stop(r.Context())
	r.await("every tenant is suspended", func() bool { return receiver.count() == restoredCount })
	paid := map[string]time.Time{}
	ticker := time.NewTicker(time.Second / paymentsPerSec)
	defer ticker.Stop()
	for n := range restoredCount {
		<-ticker.C
		paid[fmt.Sprintf("T-%d", n+1)] = now()
		must(c.Invoicing.PaymentCreate(asClient(r.Context()), invoicing.PaymentAttributes{AccountID: billing.AccountID(n + 1), Amount: "1000.00", CurrencyID: "EUR"}))
	}
	r.await("every tenant is active again", func() bool { return receiver.restored() == restoredCount })
	var took []time.Duration
	for code, at := range paid {
		took = append(took, max(0, receiver.active[code].Sub(at)))
	}
	slices.Sort(took)
	return []result{r.result("paid to webhook, p99", "ms", milliseconds(took[len(took)*99/100]), restoredP99Limit).atMost(1)}
}

// tenantWatch is a receiver that knows since when tenants are active.
type tenantWatch struct {
	mu     sync.Mutex
	told   map[string]bool
	active map[string]time.Time
}

func (w *tenantWatch) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	at := now()
	var body struct {
		Payload struct {
			Tenant struct{ Code string }
			Change struct{ Features []any }
		}
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return
	}
	code := body.Payload.Tenant.Code
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told[code] = true
	if len(body.Payload.Change.Features) > 0 {
		w.active[code] = at
	}
}

func (w *tenantWatch) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.told)
}

func (w *tenantWatch) restored() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.active)
}

// await waits until something is so.
func (r *run) await(what string, so func() bool) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for start := now(); !so(); <-ticker.C {
		check(r.Context().Err())
		if now().Sub(start) > time.Minute {
			r.Fatalf("in a minute it was not so that %s", what)
		}
	}
}
