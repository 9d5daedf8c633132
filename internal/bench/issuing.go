package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// issuingCount is how many invoices are waited for, one after the other, and
	// issuingGoal how many milliseconds each may take.
	issuingCount, issuingGoal = 25, 2_000
	issuingQuery              = `query ($after: ID) { billingEvents(after: $after, limit: 1) { kind } }`
)

// measureIssuing takes the time from something being due to its invoice, on a server
// that has nothing else to do. The slowest counts.
func measureIssuing(r *run) []result {
	database := r.create("issuing")
	var accounts []billing.AccountID
	r.with(database, func(st *store.Store) {
		shop := openShop(r.Context(), st, r.repeats(issuingCount))
		shop.addSeller(r.Context(), st, now())
		accounts = shop.accounts
	})
	s := r.startServer(database)
	c, token := r.dial(s.address), r.fetchToken(s.address, usualScope+" "+billing.BillingRead)
	var took []time.Duration
	for n, id := range accounts {
		must(c.do(graphQL(token, subscribeQuery, map[string]any{"a": map[string]any{
			"accountId": id, "priceListCode": priceListCode, "quantities": []any{map[string]any{"code": seatsCode, "quantity": 3}},
		}}), subscribeWant))
		start := now()
		for ask := graphQL(token, issuingQuery, map[string]any{"after": fmt.Sprint(n)}); ; {
			if bytes.Contains(must(c.do(ask, `{"data":{"billingEvents":[`)), []byte("InvoiceIssued")) {
				break
			}
			if now().Sub(start) > time.Minute {
				check(errors.New("no invoice was issued in a minute"))
			}
		}
		took = append(took, now().Sub(start))
	}
	return []result{r.result("due to issued, slowest", "ms", milliseconds(slices.Max(took)), issuingGoal).atMost(1)}
}
