package invoicing_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/payment/stripe/stripetest"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// faulty is an invoice whose collection something goes wrong with, in a way of its own.
type faulty struct {
	method string
	// charge is what goes wrong with the request of an attempt, the first or the second one.
	charge  stripetest.Fault
	attempt int
	// lookup is what goes wrong with the first question about what has become of it.
	lookup stripetest.Fault
	// told says that all notices come, twice and the last first.
	told bool

	invoice billing.InvoiceID
	account *billing.Account
}

// faults are all that can go wrong with a collection, each at each point.
func faults() (all []*faulty) {
	for _, method := range []string{"pm_ok", "pm_no", "pm_sepa", "pm_sepa_no"} {
		for _, charge := range append([]stripetest.Fault{stripetest.None}, stripetest.Faults...) {
			all = append(all, &faulty{method: method, charge: charge, attempt: 1}, &faulty{method: method, charge: charge, attempt: 1, told: true})
			if charge == stripetest.Late || charge == stripetest.LostAnswer {
				for _, lookup := range []stripetest.Fault{stripetest.LostAnswer, stripetest.Broken, stripetest.Busy} {
					all = append(all, &faulty{method: method, charge: charge, attempt: 1, lookup: lookup})
				}
			}
			if method == "pm_no" || method == "pm_sepa_no" {
				all = append(all, &faulty{method: method, charge: charge, attempt: 2})
			}
		}
	}
	return all
}

// TestEachFaultOfStripe lets everything go wrong once, one after another: no fault is left
// to chance. However it ends, every invoice is charged exactly once.
func TestEachFaultOfStripe(t *testing.T) {
	eachOffice(t, func(o *office) {
		u := o.unreliable(1)
		u.stripe.Fault = nil
		o.dunned(o.policy("once", "30 COLLECT"))
		all := faults()
		for n, f := range all {
			f.account = o.customer(fmt.Sprint("firm-", n))
			u.card(f.account, f.method)
			made := servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.InvoiceCreate(o.Ctx, f.account.ID, invoicing.InvoiceAttributes{
				CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Setup", Amount: "10.00"}},
			}))
			f.invoice = made.Invoices[0]
		}
		o.run()
		for attempt := 1; attempt <= 2; attempt++ {
			for _, f := range all {
				u.goWrong(f, attempt)
			}
			u.settle()
			o.Equal("collections without an outcome", o.QueryText(`SELECT count(*) FROM payment_collection_invoice WHERE is_open = 1`), "0")
		}
		for _, f := range all {
			u.card(f.account, "pm_ok_new")
			_, _ = o.Invoicing.InvoiceCollect(o.Ctx, f.invoice) // unless it is paid
		}
		u.settle()
		o.Equal("invoices that are not paid exactly once", o.QueryText(`SELECT count(*) FROM invoice WHERE amount_paid <> amount`), "0")
		u.check(len(all))
		for _, f := range all {
			o.balanced(f.account.ID)
		}
	})
}

// goWrong collects an invoice, alone, with its fault if it is that of this attempt. Whatever
// has happened, nothing else is charged before the outcome is known.
func (u *unreliable) goWrong(f *faulty, attempt int) {
	u.T.Helper()
	if _, err := u.Invoicing.InvoiceCollect(u.Ctx, f.invoice); err != nil {
		return // it is paid
	}
	u.stripe.Fault = func(string) stripetest.Fault {
		if f.attempt == attempt {
			return f.charge
		}
		return stripetest.None
	}
	before := len(u.stripe.Events())
	u.run()
	u.stripe.Fault = nil
	open := u.QueryText(fmt.Sprintf(`SELECT count(*) FROM payment_collection_invoice WHERE is_open = 1 AND invoice_id = %d`, f.invoice))
	if _, err := u.Invoicing.InvoiceCollect(u.Ctx, f.invoice); err == nil && open == "1" {
		u.T.Errorf("%+v is collected again before the outcome is known", *f)
	}
	u.run()
	u.stripe.LookupFault = func() (fault stripetest.Fault) {
		fault, f.lookup = f.lookup, stripetest.None
		return fault
	}
	u.pass(11 * time.Second)
	u.stripe.LookupFault = nil
	if !f.told {
		return
	}
	events := slices.Clone(u.stripe.Events()[before:])
	slices.Reverse(events)
	for _, event := range append(events, events...) {
		u.tell(event)
	}
}

// settle lets everything that is under way come to its end, without further faults.
func (u *unreliable) settle() {
	u.T.Helper()
	for range 30 {
		u.stripe.Settle()
		u.pass(time.Hour)
	}
}
