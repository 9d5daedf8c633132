package invoicing_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/payment/stripe"
	"github.com/tenantry/tenantry/internal/payment/stripe/stripetest"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

const stripeSecret = "whsec_test"

// unreliable is an office that collects with a Stripe that loses, delays, repeats and
// reorders what it answers and tells.
type unreliable struct {
	*office
	stripe *stripetest.Fake
	mu     sync.Mutex // requests are made at once
	random *rand.Rand
}

func (o *office) unreliable(seed uint64) *unreliable {
	o.T.Helper()
	u := &unreliable{office: o, stripe: stripetest.New(o.Clock.Now), random: rand.New(rand.NewPCG(seed, 0))}
	u.stripe.Fault = func(string) stripetest.Fault {
		if u.pick(2) == 0 {
			return stripetest.None
		}
		return stripetest.Faults[u.pick(len(stripetest.Faults))]
	}
	u.stripe.Tell = u.tell
	server := httptest.NewServer(u.stripe)
	o.T.Cleanup(server.Close)
	o.Invoicing.Payments.Providers = map[collect.Provider]payment.Provider{collect.Stripe: stripe.New(stripe.Config{
		APIKey: "sk_test_123", URL: server.URL, WebhookSecrets: []string{stripeSecret}, Now: o.Clock.Now,
		// A connection for each request, so that the transport itself repeats none.
		HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	})}
	return u
}

func (u *unreliable) pick(n int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.random.IntN(n)
}

// tell brings an event, as Stripe would.
func (u *unreliable) tell(event string) {
	if err := u.Invoicing.TakeNotices(u.Ctx, collect.Stripe, u.stripe.Request(u.Ctx, event, stripeSecret)); err != nil {
		u.T.Errorf("a notice is not taken: %v", err)
	}
}

// tellSome brings some of all events so far, in any order, perhaps again.
func (u *unreliable) tellSome(n int) {
	events := u.stripe.Events()
	for range min(n, len(events)) {
		u.tell(events[u.pick(len(events))])
	}
}

// pass lets time pass, and what is due happen. A request that is under way arrives after
// nine minutes, whatever counts as lost by then.
func (u *unreliable) pass(d time.Duration) {
	u.T.Helper()
	u.Clock.Advance(d)
	u.stripe.Arrive(9 * time.Minute)
	u.run()
}

// TestStripeChargesEachInvoiceOnce collects by a policy, with the real requests and
// notices of Stripe and every fault, while people collect too. In the end every invoice
// is paid, and was charged exactly once.
func TestStripeChargesEachInvoiceOnce(t *testing.T) {
	eachOffice(t, func(o *office) {
		seed := rand.Uint64()
		o.T.Logf("seed %d", seed)
		u := o.unreliable(seed)
		o.dunned(o.policy("daily", "0 COLLECT", "1 COLLECT", "2 COLLECT", "3 COLLECT", "4 COLLECT", "5 COLLECT", "6 COLLECT", "7 COLLECT", "8 COLLECT", "9 COLLECT"))
		var invoices []billing.InvoiceID
		var accounts []*billing.Account
		for n, method := range []string{"pm_ok", "pm_no", "pm_sepa", "pm_sepa_no"} {
			a := o.customer(fmt.Sprint("firm-", n), func(a *billing.Account) { a.CollectTogether = n == 2 })
			accounts = append(accounts, a)
			u.card(a, method)
			for range 4 {
				made := servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{
					CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Setup", Amount: "10.00"}},
				}))
				invoices = append(invoices, made.Invoices...)
			}
		}
		u.pass(14 * 24 * time.Hour)
		for range 60 {
			for range u.pick(8) {
				// It is refused while another collection has no outcome, or nothing is due.
				_, _ = o.Invoicing.InvoiceCollect(o.Ctx, invoices[u.pick(len(invoices))])
			}
			if u.pick(4) == 0 {
				u.stripe.Settle()
			}
			u.tellSome(u.pick(4))
			u.pass([]time.Duration{time.Second, 20 * time.Second, time.Minute, 10 * time.Minute, 6 * time.Hour}[u.pick(5)])
		}
		u.finish(accounts)
		o.Equal("invoices that are not paid exactly once", o.QueryText(`SELECT count(*) FROM invoice WHERE amount_paid <> amount`), "0")
		u.check(len(invoices))
		for _, a := range accounts {
			o.balanced(a.ID)
		}
	})
}

// card adds a card of Stripe to an account.
func (u *unreliable) card(a *billing.Account, method string) {
	u.T.Helper()
	u.OK(servicetest.ErrorOf(u.Invoicing.PaymentMethodCreate(u.Ctx, a.ID, collect.Stripe, fmt.Sprintf("cus_%d/%s", a.ID, method))))
}

// finish gives everybody a card that is accepted, and lets everything come to its end.
func (u *unreliable) finish(accounts []*billing.Account) {
	u.T.Helper()
	for range 100 {
		u.stripe.Settle()
		u.tellSome(10)
		u.pass(time.Hour)
		if u.QueryText(`SELECT count(*) FROM payment_collection_invoice WHERE is_open = 1`) == "0" {
			break
		}
	}
	for _, a := range accounts {
		u.card(a, "pm_ok_new")
	}
	for range 100 {
		u.pass(time.Hour)
		if u.QueryText(`SELECT count(*) FROM invoice WHERE amount_due > 0`) == "0" {
			return
		}
		due := u.QueryText(`SELECT MIN(id) FROM invoice WHERE amount_due > 0`)
		var id billing.InvoiceID
		_, _ = fmt.Sscan(due, &id)
		_, _ = u.Invoicing.InvoiceCollect(u.Ctx, id) // its steps may be over
	}
}

// check compares the charges that Stripe has made with the payments.
func (u *unreliable) check(invoices int) {
	u.T.Helper()
	parts := 0
	for key, times := range u.stripe.Charged() {
		if times != 1 {
			u.T.Errorf("%s was charged %d times", key, times)
		}
		uuid := key[:strings.LastIndexByte(key, '-')]
		var n int
		_, _ = fmt.Sscan(u.QueryText(`SELECT count(*) FROM payment_collection_invoice p JOIN payment_collection c ON c.id = p.payment_collection_id WHERE c.uuid = '`+uuid+`'`), &n)
		parts += n
	}
	u.Equal("invoices charged", parts, invoices)
	u.Equal("attempts whose key has changed", u.stripe.Rekeyed(), 0)
	u.Equal("payments", u.QueryText(`SELECT count(*) FROM payment`), fmt.Sprint(len(u.stripe.Charged())))
}
