package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tenantry/tenantry/internal/store"
)

// cycleAccounts are those that subscribe in turn, so that no two callers wait
// for the lock of one account.
const cycleAccounts = 1000

// The three requests of a cycle, and how their answers begin.
const (
	subscribeQuery = "mutation ($a: SubscriptionAttributes!) { subscriptionCreate(attributes: $a) { subscription { id } userErrors { message } } }"
	subscribeWant  = `{"data":{"subscriptionCreate":{"subscription":{"id":"`
	quantityQuery  = "mutation ($s: ID!, $q: [QuantityAttributes!]!) { subscriptionQuantityUpdate(subscriptionId: $s, quantities: $q) { subscription { id } userErrors { message } } }"
	quantityWant   = `{"data":{"subscriptionQuantityUpdate":{"subscription":{"id":"`
	cancelQuery    = "mutation ($s: ID!) { subscriptionCancel(ids: [$s]) { subscriptions { id state } userErrors { message } } }"
	cancelWant     = `{"data":{"subscriptionCancel":{"subscriptions":[{"id":"`
)

// measureSubscriptions compares subscriptions that are made, changed and
// canceled through the API with the same rows straight through the store, each
// on a database of its own.
func measureSubscriptions(r *run) []result {
	served := r.create("cycle_served")
	var accounts *shop
	r.with(served, func(st *store.Store) { accounts = openShop(r.Context(), st, cycleAccounts) })
	through := r.newCycles(r.startServer(served), accounts)
	direct := r.open(r.create("cycle_direct"))
	rows := recordCycle(r.Context(), direct, cycleAccounts)
	found := r.compare("subscriptions", crewSide("load", through.step), rows.writing(direct))
	if r.engine.name == "sqlite" {
		found = found.atLeast(0.25)
	}
	return []result{found}
}

// cycles are callers that each make a subscription, change its quantity, cancel
// it, and begin again.
type cycles struct {
	load  *load
	steps [clients]int
	ids   [clients]string
	shop  *shop
	n     atomic.Int64

	// requests of each caller, with the positions of what changes in them
	requests [clients][3]request
}

// request is bytes in which numbers are written over others.
type request struct {
	bytes     []byte
	positions []int
}

// numberWidth is room for any number; JSON does not mind the blanks behind it.
const numberWidth = 12

// newRequest finds the positions of the marks "#0", "#1"… in a request.
func newRequest(text []byte, marks int) request {
	r := request{bytes: text}
	for i := range marks {
		r.positions = append(r.positions, strings.Index(string(text), mark(i)))
	}
	return r
}

// mark stands for a number in a request that is made.
func mark(i int) string { return strings.Repeat("9", numberWidth-1) + strconv.Itoa(i) }

// with writes texts over the marks.
func (r request) with(texts ...string) []byte {
	for i, text := range texts {
		copy(r.bytes[r.positions[i]:r.positions[i]+numberWidth], fmt.Sprintf("%-*s", numberWidth, text))
	}
	return r.bytes
}

func (r *run) newCycles(s *server, shop *shop) *cycles {
	c := &cycles{shop: shop, load: r.newLoad(s.address)}
	number := func(i int) any { return must(strconv.ParseInt(mark(i), 10, 64)) }
	seats := func(n int) any { return []any{map[string]any{"code": seatsCode, "quantity": n}} }
	for client := range c.requests {
		c.requests[client] = [3]request{
			newRequest(graphQL(s.token, subscribeQuery, map[string]any{"a": map[string]any{
				"accountId": number(0), "tenantCode": mark(1), "priceListCode": priceListCode, "quantities": seats(3),
			}}), 2),
			newRequest(graphQL(s.token, quantityQuery, map[string]any{"s": number(0), "q": seats(7)}), 1),
			newRequest(graphQL(s.token, cancelQuery, map[string]any{"s": number(0)}), 1),
		}
	}
	return c
}

// step sends the next request of a caller's cycle.
func (c *cycles) step(_ context.Context, client int) error {
	step := c.steps[client]
	c.steps[client] = (step + 1) % 3
	r := c.requests[client][step]
	if step > 0 {
		_, err := c.load[client].do(r.with(c.ids[client]), [...]string{"", quantityWant, cancelWant}[step])
		return err
	}
	n := c.n.Add(1)
	account := c.shop.accounts[int(n)%len(c.shop.accounts)]
	answer, err := c.load[client].do(r.with(strconv.FormatInt(int64(account), 10), tenantCode(n)), subscribeWant)
	if err != nil {
		return err
	}
	c.ids[client], _, _ = strings.Cut(string(answer[len(subscribeWant):]), `"`)
	return nil
}

// tenantCode makes codes as wide as a mark.
func tenantCode(n int64) string { return fmt.Sprintf("T-%0*d", numberWidth-2, n) }
