package invoicing_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/payment"
	provider "github.com/tenantry/tenantry/internal/payment/test"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// collects sets up the provider for tests on real time, and returns what it moved.
func (o *office) collects() *provider.Memory {
	moved := &provider.Memory{}
	o.Invoicing.Payments = invoicing.Payments{AllowTest: true, Providers: map[collect.Provider]payment.Provider{collect.Test: &provider.Provider{
		Now: o.Clock.Now, Wait: func(context.Context, time.Duration) error { return nil }, Ledger: moved,
	}}}
	return moved
}

func (o *office) method(account billing.AccountID, token string) *collect.Method {
	o.T.Helper()
	return servicetest.Must[*collect.Method](o.World)(o.Invoicing.PaymentMethodCreate(o.Ctx, account, collect.Test, token))
}

// collections shows the collections of an invoice with their attempts.
func (o *office) collections(i *document.Invoice) string {
	o.T.Helper()
	rows, _, err := store.CollectionsOfInvoices(o.Ctx, o.Read(), []billing.InvoiceID{i.ID})
	o.OK(err)
	var lines []string
	for n := range rows {
		attempts, err := store.AttemptsOf(o.Ctx, o.Read(), []billing.PaymentCollectionID{rows[n].ID})
		o.OK(err)
		line := string(rows[n].State) + " " + rows[n].Currency.Format(rows[n].Amount) + ":"
		for _, a := range attempts {
			line += " " + strings.TrimSpace(string(a.Outcome)+" "+a.Code)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func (o *office) invoiceState(i *document.Invoice) string {
	o.T.Helper()
	return o.QueryText(fmt.Sprintf(`SELECT stage || ' ' || amount_paid FROM invoice WHERE id = %d`, i.ID))
}

// TestCollecting takes an invoice through the outcomes that a charge can have.
func TestCollecting(t *testing.T) {
	type at struct {
		day         string
		collections string
		standing    billing.Standing
	}
	for _, c := range []struct {
		token  string
		days   []at
		charge int // how many times money was moved
	}{
		{"ok", []at{{"2026-01-28", "", billing.Good}, {"2026-01-29", "SUCCEEDED 119.00: SUCCEEDED", billing.Good}}, 1},
		{"declined", []at{
			{"2026-01-29", "FAILED 119.00: DECLINED insufficient_funds", billing.Good},
			{"2026-01-30", "FAILED 119.00: DECLINED insufficient_funds DECLINED insufficient_funds", billing.PastDue},
			{"2026-02-03", "FAILED 119.00:" + strings.Repeat(" DECLINED insufficient_funds", 4), billing.Suspended},
		}, 0},
		{"stolen", []at{{"2026-01-29", "FAILED 119.00: DECLINED stolen_card", billing.Good}, {"2026-02-03", "FAILED 119.00: DECLINED stolen_card", billing.Suspended}}, 0},
		{"pending:3d:ok", []at{
			{"2026-01-29", "PENDING 119.00: PENDING", billing.Good}, {"2026-01-31", "PENDING 119.00: PENDING", billing.PastDue}, {"2026-02-01", "SUCCEEDED 119.00: SUCCEEDED", billing.Good},
		}, 1},
		{"pending:5d:returned", []at{
			{"2026-01-29", "PENDING 119.00: PENDING", billing.Good}, {"2026-02-02", "PENDING 119.00: PENDING", billing.PastDue},
			{"2026-02-03", "PENDING 119.00: DECLINED returned PENDING", billing.PastDue}, {"2026-02-08", "FAILED 119.00: DECLINED returned DECLINED returned", billing.Suspended},
		}, 0},
		{"unknown:ok", []at{{"2026-01-29", "PENDING 119.00: UNKNOWN timeout", billing.Good}, {"2026-01-30", "SUCCEEDED 119.00: SUCCEEDED", billing.Good}}, 1},
		{"unknown:lost", []at{
			{"2026-01-29", "PENDING 119.00: UNKNOWN timeout", billing.Good}, {"2026-01-30", "PENDING 119.00: FAILED lost UNKNOWN timeout", billing.PastDue},
		}, 0},
		{"chargeback:10d", []at{
			{"2026-01-29", "SUCCEEDED 119.00: SUCCEEDED", billing.Good}, {"2026-02-07", "SUCCEEDED 119.00: SUCCEEDED", billing.Good},
			{"2026-02-08", "REVERSED 119.00: REVERSED chargeback", billing.Good}, {"2026-02-12", "REVERSED 119.00: REVERSED chargeback", billing.PastDue},
			{"2026-02-13", "REVERSED 119.00: REVERSED chargeback", billing.Suspended},
		}, 1},
	} {
		t.Run(c.token, func(t *testing.T) {
			eachOffice(t, func(o *office) {
				moved := o.collects()
				o.dunned(o.policy("strict", "0 COLLECT", "1 COLLECT", "3 COLLECT", "5 COLLECT", "5 SUSPEND"))
				sub, i := o.overdue("acme")
				o.method(sub.AccountID, c.token)
				for _, at := range c.days {
					o.days(at.day)
					o.Equal(at.day+": collections", o.collections(i), at.collections)
					o.Equal(at.day+": standing", o.Now(sub).Standing, at.standing)
					o.InSync(*sub.TenantID)
				}
				o.Equal("charges", len(moved.Moved()), c.charge)
				o.balanced(sub.AccountID)
			})
		})
	}
}

// balanced compares the balance of an account with its documents.
func (o *office) balanced(account billing.AccountID) {
	o.T.Helper()
	sums := o.QueryText(fmt.Sprintf(`SELECT (SELECT COALESCE(SUM(amount), 0) FROM account_entry WHERE account_id = %[1]d) -
		((SELECT COALESCE(SUM(amount), 0) FROM invoice WHERE account_id = %[1]d AND number <> '') - (SELECT COALESCE(SUM(amount), 0) FROM credit_note WHERE account_id = %[1]d)
		- (SELECT COALESCE(SUM(amount - amount_returned), 0) FROM payment WHERE account_id = %[1]d))`, account))
	o.Equal("balance without documents", sums, "0")
	o.Equal("payments used beyond their amount", o.QueryText(`SELECT count(*) FROM payment WHERE amount_applied + amount_returned > amount`), "0")
	o.Equal("open collections beyond one of an invoice", o.QueryText(`SELECT count(*) FROM (SELECT invoice_id FROM payment_collection_invoice WHERE is_open = 1 GROUP BY invoice_id HAVING count(*) > 1) twice`), "0")
}

// TestNewMethodCollectsAtOnce suspends a customer whose card was stolen. A new one gives
// everything back within the same moment.
func TestNewMethodCollectsAtOnce(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		o.dunned(o.policy("strict", "0 COLLECT", "3 COLLECT", "5 SUSPEND"))
		o.endpoint(webhook.PaymentFailed)
		sub, i := o.overdue("acme")
		stolen := o.method(sub.AccountID, "stolen")
		o.days("2026-02-03")
		o.stands("suspended", sub, i, billing.Suspended, "none", "2026-01-29 0 COLLECT, 2026-02-03 5 SUSPEND")
		_, bodies := o.business()
		if len(bodies) != 1 || !strings.Contains(bodies[0], `"code":"stolen_card"`) || !strings.Contains(bodies[0], `"final":true`) || !strings.Contains(bodies[0], i.Number) {
			t.Errorf("told of failures: %v", bodies)
		}
		o.Clock.Set(servicetest.Moment("2026-02-04 03:00")) // long before the time of day of steps
		o.method(sub.AccountID, "ok")
		o.run()
		o.stands("paid with the new card", sub, i, billing.Good, "all", "2026-01-29 0 COLLECT, 2026-02-03 5 SUSPEND, 2026-02-04 3 COLLECT")
		o.Equal("collections", o.collections(i), "FAILED 119.00: DECLINED stolen_card; SUCCEEDED 119.00: SUCCEEDED")
		_, err := o.Invoicing.PaymentMethodMakeDefault(o.Ctx, stolen.ID)
		o.OK(err)
		_, err = o.Invoicing.PaymentMethodDelete(o.Ctx, stolen.ID)
		o.OK(err)
		o.Equal("no method is left", o.QueryText(`SELECT count(*) FROM account WHERE payment_method_id IS NOT NULL`), "0")
		o.Refused("one that was removed", servicetest.ErrorOf(o.Invoicing.PaymentMethodMakeDefault(o.Ctx, stolen.ID)), "NOT_ALLOWED id")
		o.Refused("no such token", servicetest.ErrorOf(o.Invoicing.PaymentMethodCreate(o.Ctx, sub.AccountID, collect.Test, "gold")), "INVALID token")
		o.Refused("no token", servicetest.ErrorOf(o.Invoicing.PaymentMethodCreate(o.Ctx, sub.AccountID, collect.Test, " ")), "REQUIRED token")
		o.Refused("no such provider", servicetest.ErrorOf(o.Invoicing.PaymentMethodCreate(o.Ctx, sub.AccountID, "CASH", "x")), "INVALID provider")
		o.Refused("not set up", servicetest.ErrorOf(o.Invoicing.PaymentMethodCreate(o.Ctx, sub.AccountID, collect.Stripe, "cus_1/pm_1")), "NOT_ALLOWED provider")
		o.Invoicing.Payments.AllowTest = false
		o.Refused("tests on real time", servicetest.ErrorOf(o.Invoicing.PaymentMethodCreate(o.Ctx, sub.AccountID, collect.Test, "ok")), "NOT_ALLOWED provider")
	})
}

// TestCollectByHand collects an invoice before any policy says so, and only once.
func TestCollectByHand(t *testing.T) {
	eachOffice(t, func(o *office) {
		moved := o.collects()
		sub, i := o.overdue("acme")
		by := func() error { return servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, i.ID)) }
		o.Refused("without a method", by(), "NOT_ALLOWED id")
		o.method(sub.AccountID, "pending:1d:ok")
		var group sync.WaitGroup
		errs := make([]error, 4)
		for n := range errs {
			group.Go(func() { errs[n] = by() })
		}
		group.Wait()
		done := 0
		for _, err := range errs {
			if err == nil {
				done++
			} else {
				o.Refused("a second time", err, "NOT_ALLOWED id")
			}
		}
		o.Equal("collections begun by four people", done, 1)
		o.run()
		o.Refused("while it is pending", by(), "NOT_ALLOWED id")
		o.Equal("collections", o.collections(i), "PENDING 119.00: PENDING")
		o.pays(i, "119.00")
		o.days("2026-01-17")
		o.Equal("collections", o.collections(i), "SUCCEEDED 119.00: SUCCEEDED")
		o.Equal("what came twice waits", o.QueryText(`SELECT amount - amount_applied FROM payment WHERE amount_applied < amount`), "11900")
		o.Equal("charges", len(moved.Moved()), 1)
		o.Refused("once it is paid", by(), "NOT_ALLOWED id")
		o.balanced(sub.AccountID)
	})
}

// TestPaidBeforeTheRequest charges nothing if the money has come meanwhile.
func TestPaidBeforeTheRequest(t *testing.T) {
	eachOffice(t, func(o *office) {
		moved := o.collects()
		sub, i := o.overdue("acme")
		o.method(sub.AccountID, "ok")
		_, err := o.Invoicing.InvoiceCollect(o.Ctx, i.ID)
		o.OK(err)
		o.pays(i, "119.00")
		o.run()
		o.Equal("collections", o.collections(i), "FAILED 119.00: FAILED not_due")
		o.Equal("charges", len(moved.Moved()), 0)
		o.balanced(sub.AccountID)
	})
}

// TestCrashAfterTheRequest asks what has become of a request whose sender is gone, and
// does not send it again.
func TestCrashAfterTheRequest(t *testing.T) {
	eachOffice(t, func(o *office) {
		moved := o.collects()
		sub, i := o.overdue("acme")
		o.method(sub.AccountID, "ok")
		_, err := o.Invoicing.InvoiceCollect(o.Ctx, i.ID)
		o.OK(err)
		o.OK(o.Invoicing.ClaimAndAsk(o.Ctx)) // the answer is lost with the process
		o.Equal("charges", len(moved.Moved()), 1)
		o.run()
		o.Equal("meanwhile", o.collections(i), "PENDING 119.00: WAITING")
		o.Clock.Advance(time.Minute)
		o.run()
		o.Equal("looked up", o.collections(i), "SUCCEEDED 119.00: SUCCEEDED")
		for key := range moved.Moved() {
			o.Equal("requests", moved.Requests(key), 1)
		}
		o.balanced(sub.AccountID)
	})
}

// stubborn is a provider whose answers a test writes.
type stubborn struct {
	charge, lookup func(payment.Charge) (payment.Outcome, error)
	refund         func(payment.Refund) (payment.Outcome, error)
	notices        []payment.Notice
}

func (p *stubborn) Charge(_ context.Context, c payment.Charge) (payment.Outcome, error) {
	return p.charge(c)
}
func (p *stubborn) Lookup(_ context.Context, c payment.Charge) (payment.Outcome, error) {
	return p.lookup(c)
}
func (p *stubborn) Refund(_ context.Context, r payment.Refund) (payment.Outcome, error) {
	return p.refund(r)
}
func (p *stubborn) Notices(*http.Request) ([]payment.Notice, error) { return p.notices, nil }

// TestProvidersThatErr has a provider answer with another amount, another currency, too
// late, twice, and only after the attempt was given up.
func TestProvidersThatErr(t *testing.T) {
	eur, usd := money.Currency{Code: "EUR", Digits: 2}, money.Currency{Code: "USD", Digits: 2}
	eachOffice(t, func(o *office) {
		o.collects()
		sub, i := o.overdue("acme")
		o.method(sub.AccountID, "ok")
		p := &stubborn{}
		o.Invoicing.Payments.Providers[collect.Test] = p
		var key string
		p.charge = func(c payment.Charge) (payment.Outcome, error) {
			key = c.Key
			return payment.Outcome{State: payment.Unknown}, nil
		}
		p.lookup = func(payment.Charge) (payment.Outcome, error) {
			return payment.Outcome{State: payment.Failed, Code: payment.CodeLost}, nil
		}
		notice := func(id string, outcome payment.Outcome) {
			o.T.Helper()
			p.notices = []payment.Notice{{ID: id, Subject: payment.ChargeNotice, Key: key, Outcome: outcome}}
			o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
			o.run()
		}
		collectNow := func() {
			o.T.Helper()
			_, err := o.Invoicing.InvoiceCollect(o.Ctx, i.ID)
			o.OK(err)
			o.run()
		}
		collectNow()
		first := key
		o.Clock.Advance(time.Minute)
		o.run()
		o.Equal("given up", o.collections(i), "FAILED 119.00: FAILED lost")
		p.charge = func(c payment.Charge) (payment.Outcome, error) {
			key = c.Key
			return payment.Outcome{State: payment.Pending, Reference: "two"}, nil
		}
		collectNow()
		second := key
		o.Equal("keys", strings.TrimSuffix(first, "-1"), strings.TrimSuffix(second, "-2"))
		key = first
		notice("evt_1", payment.Outcome{State: payment.Succeeded, Reference: "one", Amount: 11900, Currency: eur})
		o.Equal("what seemed lost has arrived", o.collections(i), "SUCCEEDED 119.00: SUCCEEDED PENDING")
		o.Equal("invoice", o.invoiceState(i), "PAID 11900")
		o.Equal("the other is still asked about", o.QueryText(`SELECT count(*) FROM payment_collection WHERE next_at IS NOT NULL`), "1")
		notice("evt_1", payment.Outcome{State: payment.Reversed, Reference: "one"})
		o.Equal("a notice that was seen", o.invoiceState(i), "PAID 11900")
		key = second
		notice("evt_2", payment.Outcome{State: payment.Succeeded, Reference: "two", Amount: 11900, Currency: eur})
		o.Equal("both have arrived", o.collections(i), "SUCCEEDED 119.00: SUCCEEDED SUCCEEDED")
		o.Equal("payments", o.QueryText(`SELECT count(*) FROM payment`), "2")
		notice("evt_3", payment.Outcome{State: payment.Declined, Reference: "two"})
		notice("evt_4", payment.Outcome{State: payment.Succeeded, Reference: "two", Amount: 11900, Currency: eur})
		o.Equal("once each", o.QueryText(`SELECT count(*) FROM payment`), "2")
		key = ""
		notice("evt_5", payment.Outcome{State: payment.Reversed, Reference: "one", Amount: 11900, Currency: eur})
		o.Equal("one was taken back", o.invoiceState(i), "OPEN 0")
		notice("evt_6", payment.Outcome{State: payment.Reversed, Reference: "nobody's", Amount: 11900, Currency: eur})
		key = "another-installation-7"
		notice("evt_7", payment.Outcome{State: payment.Succeeded, Reference: "x", Amount: 11900, Currency: eur})
		o.balanced(sub.AccountID)

		other, j := o.overdue("other")
		o.method(other.AccountID, "ok")
		i = j
		p.charge = func(payment.Charge) (payment.Outcome, error) {
			return payment.Outcome{State: payment.Succeeded, Reference: "three", Amount: 10000, Currency: eur}, nil
		}
		collectNow()
		o.Equal("less than was asked for", o.collections(j), "SUCCEEDED 119.00: SUCCEEDED other_amount")
		o.Equal("invoice", o.invoiceState(j), "OPEN 10000")
		p.charge = func(payment.Charge) (payment.Outcome, error) {
			return payment.Outcome{State: payment.Succeeded, Reference: "four", Amount: 1900, Currency: usd}, nil
		}
		collectNow()
		o.Equal("invoice", o.invoiceState(j), "OPEN 10000")
		o.Equal("what came in another currency waits", o.QueryText(`SELECT amount FROM payment WHERE currency_id = 'USD' AND amount_applied = 0`), "1900")
		p.charge = func(payment.Charge) (payment.Outcome, error) {
			return payment.Outcome{}, fmt.Errorf("nothing was sent")
		}
		collectNow()
		p.charge = func(payment.Charge) (payment.Outcome, error) {
			return payment.Outcome{State: payment.Succeeded, Reference: "five", Amount: 1900, Currency: eur}, nil
		}
		o.Clock.Advance(time.Minute)
		o.run()
		o.Equal("sent again, as the same attempt", o.collections(j), "SUCCEEDED 119.00: SUCCEEDED other_amount; SUCCEEDED 19.00: SUCCEEDED other_amount; SUCCEEDED 19.00: SUCCEEDED")
		o.Equal("invoice", o.invoiceState(j), "PAID 11900")
	})
}

// TestSettledByHand lets a person say what has become of a charge that nobody knows of.
func TestSettledByHand(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		sub, i := o.overdue("acme")
		o.method(sub.AccountID, "ok")
		o.Invoicing.Payments.Providers[collect.Test] = &stubborn{
			charge: func(payment.Charge) (payment.Outcome, error) { return payment.Outcome{State: payment.Unknown}, nil },
			lookup: func(payment.Charge) (payment.Outcome, error) { return payment.Outcome{}, fmt.Errorf("out of order") },
		}
		for n, succeeded := range []bool{false, true} {
			c := servicetest.Must[*collect.Collection](o.World)(o.Invoicing.InvoiceCollect(o.Ctx, i.ID))
			settle := func() error {
				return servicetest.ErrorOf(o.Invoicing.PaymentCollectionSettle(o.Ctx, c.ID, succeeded, "found"))
			}
			o.Refused("before it was sent", settle(), "NOT_ALLOWED id")
			for range 40 {
				o.run()
				o.Clock.Advance(time.Hour)
			}
			o.Equal("nobody is asked any more", o.QueryText(`SELECT count(*) FROM payment_collection WHERE next_at IS NOT NULL`), "0")
			o.Refused("nothing else is charged", servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, i.ID)), "NOT_ALLOWED id")
			o.OK(settle())
			o.Refused("twice", settle(), "NOT_ALLOWED id")
			o.Equal("invoice", o.invoiceState(i), []string{"OPEN 0", "PAID 11900"}[n])
		}
		o.Equal("audit entries", o.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'paymentCollectionSettle'`), "2")
		o.Equal("collections", o.collections(i), "SUCCEEDED 119.00: FAILED by_hand SUCCEEDED by_hand")
		o.balanced(sub.AccountID)
	})
}

// TestCollectingOnATestClock goes from a declined card over suspension to a new one and
// a chargeback, on a test clock.
func TestCollectingOnATestClock(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "0 COLLECT", "3 COLLECT", "5 SUSPEND"))
		o.list("fee", 12, flat("100", catalog.Annual))
		clock := o.NewClock("2026-01-15 00:00")
		country := "DE"
		account := servicetest.Must[*billing.Account](o.World)(o.Customers.AccountCreate(o.Ctx, func(a *billing.Account) error {
			a.Name, a.BillingCountry, a.BillingDay, a.TestClockID = "On a clock", &country, 1, &clock.ID
			return nil
		}, nil))
		code := "fee"
		n := subscriptions.NewSubscription{AccountID: &account.ID, PriceList: subscriptions.PriceListRef{Code: &code}, Tenant: &subscriptions.TenantRef{Code: "clocked"}}
		n.Draft.Evergreen = true
		sub := o.Sub(o.Subscriptions.SubscriptionCreate(o.Ctx, n))
		o.method(account.ID, "declined")
		advance := func(to string) {
			o.T.Helper()
			_, _, err := o.Subscriptions.TestClockAdvance(o.Ctx, clock.ID, servicetest.Moment(to))
			o.OK(err)
		}
		advance("2026-02-10 00:00")
		o.Equal("suspended", o.Now(sub).Standing, billing.Suspended)
		i := o.lastInvoice()
		o.Equal("collections", o.collections(i), "FAILED 119.00: DECLINED insufficient_funds DECLINED insufficient_funds")
		o.method(account.ID, "chargeback:10d")
		o.Equal("paid at once", o.Now(sub).Standing, billing.Good)
		advance("2026-02-19 23:00")
		o.Equal("still paid", o.invoiceState(i), "PAID 11900")
		advance("2026-02-20 12:00")
		o.Equal("taken back", o.invoiceState(i), "OPEN 0")
		o.Equal("begins again", o.Now(sub).Standing, billing.Good)
		advance("2026-02-26 00:00")
		o.Equal("suspended again", o.Now(sub).Standing, billing.Suspended)
		o.method(account.ID, "unknown:ok")
		advance("2026-02-26 00:01")
		o.Equal("paid when it was looked up", o.Now(sub).Standing, billing.Good)
		o.WasTold(*sub.TenantID, "subscription.created", "standing.suspended", "standing.restored", "standing.suspended", "standing.restored")
		o.balanced(account.ID)
		o.Refused("money on a test clock", servicetest.ErrorOf(o.Invoicing.PaymentMethodSetup(o.Ctx, account.ID, "https://a.example", "https://a.example")), "NOT_ALLOWED accountId")
	})
}
