package stripe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/payment"
	"pgregory.net/rapid"
)

// invoice is what somebody who collects keeps of an invoice: the attempts at it, of
// which at most one has no final outcome.
type invoice struct {
	name, method string
	attempts     []attempt
	paid         int
}

type attempt struct {
	charge  payment.Charge
	outcome payment.Outcome
}

func (i *invoice) last() *attempt { return &i.attempts[len(i.attempts)-1] }

// collector collects invoices by the rules that payment.Provider states.
type collector struct {
	t        *rapid.T
	provider *Provider
	fake     *fake
	clock    *clock
	invoices []*invoice
	seen     map[string]bool
}

// collect begins an attempt if none is under way.
func (c *collector) collect(i *invoice) {
	if i.paid > 0 || len(i.attempts) > 0 && !i.last().outcome.State.Final() {
		return
	}
	key := fmt.Sprintf("%s-%d", i.name, len(i.attempts)+1)
	c.fake.plan("charge/"+key, rapid.SliceOfN(rapid.SampledFrom([]fault{none, none, lostRequest, lostAnswer, late, broken, busy}), 0, 3).Draw(c.t, "faults of "+key))
	charge := payment.Charge{Key: key, Amount: 4900, Currency: eur, Token: "cus_" + i.name + "/" + i.method, Text: i.name, At: c.clock.now()}
	i.attempts = append(i.attempts, attempt{charge, payment.Outcome{State: payment.Unknown}})
	outcome, err := c.provider.Charge(c.t.Context(), charge)
	for err != nil { // nothing was charged: the same again
		outcome, err = c.provider.Charge(c.t.Context(), charge)
	}
	c.record(i, len(i.attempts)-1, outcome)
}

// record takes an outcome in, unless something final is known.
func (c *collector) record(i *invoice, n int, outcome payment.Outcome) {
	a := &i.attempts[n]
	late := a.outcome.State == payment.Failed && a.outcome.Code == payment.CodeLost
	switch {
	case outcome.State == payment.Unknown, outcome.State == payment.Pending && a.outcome.State != payment.Unknown:
		return
	case a.outcome.State.Final() && !late:
		return
	}
	a.outcome = outcome
	if outcome.State == payment.Succeeded {
		if err := outcome.Matches(4900, eur); err != nil {
			c.t.Fatal(err)
		}
		i.paid++
	}
}

// lookUp asks about everything that is not final.
func (c *collector) lookUp() {
	for _, i := range c.invoices {
		if len(i.attempts) == 0 || i.last().outcome.State.Final() {
			continue
		}
		outcome, err := c.provider.Lookup(c.t.Context(), i.last().charge)
		if err != nil {
			c.t.Fatal(err)
		}
		c.record(i, len(i.attempts)-1, outcome)
	}
}

// deliver brings one of the events, in any order, perhaps again.
func (c *collector) deliver() {
	events := c.fake.allEvents()
	if len(events) == 0 {
		return
	}
	body := rapid.SampledFrom(events).Draw(c.t, "event")
	notices, err := c.provider.Notices(request(body, signature(body, c.clock.now(), "whsec")))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, n := range notices {
		if c.seen[n.ID] {
			continue
		}
		c.seen[n.ID] = true
		for _, i := range c.invoices {
			for k := range i.attempts {
				if i.attempts[k].charge.Key == n.Key {
					c.record(i, k, n.Outcome)
				}
			}
		}
	}
}

// TestEachInvoiceIsChargedOnce collects invoices from a Stripe that loses requests
// and answers, delays them, and tells in any order.
func TestEachInvoiceIsChargedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &collector{t: t, clock: newClock(), seen: map[string]bool{}}
		c.fake = newFake(c.clock.now)
		server := httptest.NewServer(c.fake)
		defer server.Close()
		// A connection for each request, so that the transport itself repeats none.
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		c.provider = New(Config{APIKey: "sk_test_123", URL: server.URL, HTTP: client, WebhookSecrets: []string{"whsec"}, Now: c.clock.now})
		for n := range rapid.IntRange(1, 4).Draw(t, "invoices") {
			method := rapid.SampledFrom([]string{"pm_ok", "pm_no", "pm_sepa", "pm_sepa_no"}).Draw(t, "method")
			c.invoices = append(c.invoices, &invoice{name: fmt.Sprintf("i%d", n), method: method})
		}
		for range rapid.IntRange(1, 30).Draw(t, "moves") {
			switch rapid.SampledFrom([]string{"collect", "collect", "deliver", "deliver", "look up", "settle", "arrive"}).Draw(t, "move") {
			case "collect":
				c.collect(rapid.SampledFrom(c.invoices).Draw(t, "invoice"))
			case "deliver":
				c.deliver()
			case "look up":
				c.clock.advance(3 * time.Minute)
				c.fake.arrive(LostAfter - time.Minute)
				c.lookUp()
			case "settle":
				c.fake.settle()
			case "arrive":
				c.fake.arrive(0)
			}
		}
		c.finish()
		c.check()
	})
}

// finish lets everything come to its end: nothing is under way after ten minutes.
func (c *collector) finish() {
	c.fake.arrive(0)
	c.clock.advance(2 * LostAfter)
	c.fake.settle()
	c.lookUp()
	for _, i := range c.invoices {
		for tries := 0; i.paid == 0 && strings.HasSuffix(i.method, "ok") && tries < 10; tries++ {
			c.collect(i)
			c.fake.arrive(0)
			c.clock.advance(2 * LostAfter)
			c.lookUp()
		}
	}
}

func (c *collector) check() {
	charged := c.fake.charged()
	for _, i := range c.invoices {
		moved := 0
		for _, a := range i.attempts {
			moved += charged[a.charge.Key]
			if !a.outcome.State.Final() {
				c.t.Errorf("%s: attempt %s is %s in the end", i.name, a.charge.Key, a.outcome.State)
			}
			if succeeded := a.outcome.State == payment.Succeeded; succeeded != (charged[a.charge.Key] == 1) {
				c.t.Errorf("%s: attempt %s is %s, but %d charges were made", i.name, a.charge.Key, a.outcome.State, charged[a.charge.Key])
			}
		}
		if moved > 1 || moved != i.paid || i.method == "pm_ok" && moved != 1 {
			c.t.Errorf("%s with %s was charged %d times and counts as paid %d times", i.name, i.method, moved, i.paid)
		}
	}
}

// TestARefundThatIsRepeatedHappensOnce sends a refund until it has an answer.
func TestARefundThatIsRepeatedHappensOnce(t *testing.T) {
	t.Parallel()
	f := newFake(func() time.Time { return noon })
	f.faults["refund/r1"] = []fault{lostRequest, lostAnswer, late, broken}
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
	f.arrive(0)
	want := []payment.State{payment.Unknown, payment.Unknown, payment.Unknown, payment.Unknown, payment.Succeeded}
	if fmt.Sprint(states) != fmt.Sprint(want) || len(f.refunds) != 1 {
		t.Errorf("%v, %d refunds", states, len(f.refunds))
	}
	refund.Amount++
	if got, err := p.Refund(t.Context(), refund); err != nil || got.State != payment.Unknown || len(f.refunds) != 1 {
		t.Errorf("another amount: %+v, %v", got, err)
	}
}

// TestALookupReadsAllPages finds a charge that is not on the first page.
func TestALookupReadsAllPages(t *testing.T) {
	t.Parallel()
	clock := newClock()
	f := newFake(clock.now)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	p := New(Config{APIKey: "sk_test_123", URL: server.URL, HTTP: server.Client(), Now: clock.now})
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
	clock.advance(LostAfter)
	if got, err := p.Lookup(t.Context(), charge); err != nil || got.State != payment.Failed || got.Code != payment.CodeLost {
		t.Errorf("lost: %+v, %v", got, err)
	}
}
