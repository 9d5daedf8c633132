package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

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
func measureSubscriptions(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	served, accounts, err := newShopDatabase(ctx, e, "cycle_served", cycleAccounts)
	if err != nil {
		return nil, err
	}
	tested, err := startServer(ctx, served)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tested.stop()) }()
	through, err := newCycles(ctx, tested, accounts)
	if err != nil {
		return nil, err
	}
	defer through.close()

	direct, _, err := newShopDatabase(ctx, e, "cycle_direct", 0)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, store.Options{URL: direct, Now: now})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	rows, err := recordCycle(ctx, st, cycleAccounts)
	if err != nil {
		return nil, err
	}
	c, err := compare(ctx, b.duration(), through.run, rows.writing(st))
	if err != nil {
		return nil, err
	}
	r := rates("subscriptions", e.name, c)
	if e.name == "sqlite" {
		r = r.atLeast(0.25)
	}
	return []result{r}, nil
}

// newShopDatabase makes a database with a shop, if it is to have accounts.
func newShopDatabase(ctx context.Context, e *engine, name string, accounts int) (database string, s *shop, err error) {
	if database, err = e.create(ctx, name); err != nil || accounts == 0 {
		return database, nil, err
	}
	st, err := store.Open(ctx, store.Options{URL: database, Now: now})
	if err != nil {
		return "", nil, err
	}
	s, err = openShop(ctx, st, accounts)
	return database, s, errors.Join(err, st.Close())
}

// cycles are callers that each make a subscription, change its quantity, cancel
// it, and begin again.
type cycles struct {
	load  *load
	steps [clients]int
	ids   [clients]string
	shop  *shop
	n     atomic.Int64

	// requests of each caller, with the places of what changes in them
	requests [clients][3]request
}

// request is bytes in which numbers are written over others.
type request struct {
	bytes  []byte
	places []int
}

// numberWidth is room for any number; JSON does not mind the blanks behind it.
const numberWidth = 12

// newRequest finds the places of the marks "#0", "#1"… in a request.
func newRequest(text []byte, marks int) request {
	r := request{bytes: text}
	for i := range marks {
		r.places = append(r.places, strings.Index(string(text), mark(i)))
	}
	return r
}

// mark stands for a number in a request that is made.
func mark(i int) string { return strings.Repeat("9", numberWidth-1) + strconv.Itoa(i) }

// with writes texts over the marks.
func (r request) with(texts ...string) []byte {
	for i, text := range texts {
		copy(r.bytes[r.places[i]:r.places[i]+numberWidth], fmt.Sprintf("%-*s", numberWidth, text))
	}
	return r.bytes
}

func newCycles(ctx context.Context, s *server, shop *shop) (*cycles, error) {
	c := &cycles{shop: shop}
	number := func(i int) any {
		n, err := strconv.ParseInt(mark(i), 10, 64)
		if err != nil {
			panic(err) // twelve digits are a number
		}
		return n
	}
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
	var err error
	c.load, err = newLoad(ctx, s.address, "", nil)
	return c, err
}

func (c *cycles) close() { c.load.close() }

// run is a side: transactions per second.
func (c *cycles) run(ctx context.Context, d time.Duration) (rate float64, err error) {
	tagged(ctx, "load", func(ctx context.Context) { rate, err = crew(ctx, d, c.step) })
	return rate, err
}

// step sends the next request of a caller's cycle.
func (c *cycles) step(client int) error {
	step := c.steps[client]
	c.steps[client] = (step + 1) % 3
	r := c.requests[client][step]
	if step > 0 {
		_, err := c.load.conns[client].do(r.with(c.ids[client]), [...]string{"", quantityWant, cancelWant}[step])
		return err
	}
	n := c.n.Add(1)
	account := c.shop.accounts[int(n)%len(c.shop.accounts)]
	answer, err := c.load.conns[client].do(r.with(strconv.FormatInt(int64(account), 10), tenantCode(n)), subscribeWant)
	if err != nil {
		return err
	}
	c.ids[client], _, _ = strings.Cut(string(answer[len(subscribeWant):]), `"`)
	return nil
}

// tenantCode makes codes as wide as a mark.
func tenantCode(n int64) string { return fmt.Sprintf("T-%0*d", numberWidth-2, n) }
