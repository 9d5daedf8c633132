package invoicing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// together are two invoices that one payment is collected for.
func (o *office) together() (fee, work *document.Invoice, p *stubborn, account billing.AccountID) {
	o.collects()
	o.dunned(o.policy("strict", "0 COLLECT", "60 SUSPEND"))
	sub, fee := o.overdue("acme")
	_, err := o.Customers.AccountUpdate(o.Ctx, sub.AccountID, func(a *billing.Account) error { a.CollectTogether = true; return nil }, nil)
	o.OK(err)
	o.oneOff(sub.AccountID, 1)
	work = o.lastInvoice()
	o.method(sub.AccountID, "ok")
	p = &stubborn{charge: func(c payment.Charge) (payment.Outcome, error) {
		return payment.Outcome{State: payment.Succeeded, Reference: "pi_1", Amount: c.Amount, Currency: c.Currency}, nil
	}}
	o.Invoicing.Payments.Providers[collect.Test] = p
	return fee, work, p, sub.AccountID
}

// charges succeed, with more than what was asked for.
func charges(more money.Amount) func(payment.Charge) (payment.Outcome, error) {
	return func(c payment.Charge) (payment.Outcome, error) {
		return payment.Outcome{State: payment.Succeeded, Reference: "pi_1", Amount: c.Amount + more, Currency: c.Currency}, nil
	}
}

// refunds succeed.
func refunds(r payment.Refund) (payment.Outcome, error) {
	return payment.Outcome{State: payment.Succeeded, Reference: "re_1", Amount: r.Amount, Currency: r.Currency}, nil
}

// collected is an invoice that a provider was asked for.
func (o *office) collected(p *stubborn) (*subscription.Subscription, *document.Invoice) {
	o.collects()
	sub, i := o.overdue("acme")
	o.method(sub.AccountID, "ok")
	o.Invoicing.Payments.Providers[collect.Test] = p
	_, err := o.Invoicing.InvoiceCollect(o.Ctx, i.ID)
	o.OK(err)
	o.run()
	return sub, i
}

// refundsElsewhere is somebody who gives money back at the provider.
func (o *office) refundsElsewhere(p *stubborn, id string, amount money.Amount) {
	p.notices = []payment.Notice{{ID: id, Subject: payment.RefundNotice, ChargeReference: "pi_1", Outcome: payment.Outcome{
		State: payment.Succeeded, Reference: "re_" + id, Amount: amount, Currency: money.Currency{Code: "EUR", Digits: 2},
	}}}
	o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
	o.run()
}

// TestPartOfAPaymentForSeveralInvoices gives part of a payment back: the invoice that stays
// paid is neither reopened nor paid once more.
func TestPartOfAPaymentForSeveralInvoices(t *testing.T) {
	eachOffice(t, func(o *office) {
		fee, work, p, account := o.together()
		o.endpoint(webhook.BusinessTypes()...)
		o.days("2026-01-29")
		o.Equal("paid", o.invoiceState(fee)+", "+o.invoiceState(work), "PAID 11900, PAID 119")
		before, _ := o.business()
		feed := o.QueryText(fmt.Sprintf(`SELECT MAX(id) FROM billing_event WHERE account_id = %d`, account))
		o.refundsElsewhere(p, "evt_1", 100)
		after, _ := o.business()
		o.Equal("endpoints are told nothing: no invoice was paid", strings.Join(after[len(before):], "; "), "")
		o.Equal("feed", o.QueryText(`SELECT string_agg(kind || ' ' || document_id, ', ' ORDER BY id) FROM billing_event WHERE id > `+feed), "InvoiceReopened 2, PaymentRefunded 1")
	})
}

// TestWrittenOffStaysSo gives back part of a payment for two invoices, one of which was
// written off since: that is not undone.
func TestWrittenOffStaysSo(t *testing.T) {
	eachOffice(t, func(o *office) {
		fee, work, p, _ := o.together()
		bounces := o.pays(fee, "19.00")
		o.days("2026-01-29")
		o.Equal("paid", o.invoiceState(fee)+", "+o.invoiceState(work), "PAID 11900, PAID 119")
		_, err := o.Invoicing.PaymentUnapplyFromInvoices(o.Ctx, bounces.PaymentID, []billing.InvoiceID{fee.ID})
		o.OK(err)
		o.writeOff(fee.ID, false)
		o.Equal("written off", o.invoiceState(fee)+", "+o.invoiceState(work), "UNPAID 10000, PAID 119")
		o.refundsElsewhere(p, "evt_1", 100)
		o.Equal("1.00 is taken from the other one", o.invoiceState(fee)+", "+o.invoiceState(work), "UNPAID 10000, OPEN 19")
	})
}

// TestRefundedIsNotChargedAgain gives money back at the provider: the policy does not fetch
// it once more.
func TestRefundedIsNotChargedAgain(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		o.dunned(o.policy("strict", "0 COLLECT", "60 SUSPEND"))
		sub, i := o.overdue("acme")
		o.method(sub.AccountID, "ok")
		charges := 0
		p := &stubborn{charge: func(c payment.Charge) (payment.Outcome, error) {
			charges++
			return payment.Outcome{State: payment.Succeeded, Reference: fmt.Sprintf("pi_%d", charges), Amount: c.Amount, Currency: c.Currency}, nil
		}}
		o.Invoicing.Payments.Providers[collect.Test] = p
		o.days("2026-01-29")
		o.Equal("paid", o.invoiceState(i), "PAID 11900")
		o.days("2026-02-05")
		o.refundsElsewhere(p, "evt_1", 11900)
		o.days("2026-02-06")
		o.Equal("charges", charges, 1)
		o.Equal("the customer has the money back", o.invoiceState(i), "OPEN 0")
		o.Equal("collections", o.collections(i), "REVERSED 119.00: SUCCEEDED")
		p.notices[0].ID, p.notices[0].Outcome.State = "evt_2", payment.Failed
		o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
		o.Equal("the refund has failed", o.invoiceState(i), "PAID 11900")
		o.Equal("collections after that", o.collections(i), "SUCCEEDED 119.00: SUCCEEDED")
		o.balanced(sub.AccountID)
	})
}

// TestChargebackAfterARefund takes a payment back of which a part was given back for a
// credit note: no more goes back than was paid.
func TestChargebackAfterARefund(t *testing.T) {
	eachOffice(t, func(o *office) {
		p := &stubborn{charge: charges(0), refund: refunds}
		_, i := o.collected(p)
		made := servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.InvoiceCredit(o.Ctx, i.ID, nil, "Sorry"))
		servicetest.Must[*collect.Refund](o.World)(o.Invoicing.PaymentRefund(o.Ctx, 1, "50.00", &made.CreditNotes[0]))
		o.run()
		p.notices = []payment.Notice{{ID: "evt_1", Subject: payment.ChargeNotice, Outcome: payment.Outcome{State: payment.Reversed, Code: "fraudulent", Reference: "pi_1"}}}
		o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
		o.run()
		o.Equal("what went back", o.QueryText(`SELECT CAST(SUM(amount) AS BIGINT) FROM account_entry WHERE kind = 'REFUND'`), "11900")
		o.Equal("invoice", o.invoiceState(i), "OPEN 5000")
		o.Equal("balance", o.balance("acme"), int64(0))
		p.notices = []payment.Notice{{ID: "evt_2", Subject: payment.ChargeNotice, Outcome: payment.Outcome{State: payment.Succeeded, Code: "dispute_won", Reference: "pi_1"}}}
		o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
		o.run()
		o.Equal("what went back, after the dispute was won", o.QueryText(`SELECT CAST(SUM(amount) AS BIGINT) FROM account_entry WHERE kind = 'REFUND'`), "5000")
		o.Equal("balance, after the dispute was won", o.balance("acme"), int64(-6900))
	})
}

// TestDisputeWonAfterARefund has a dispute over the rest of a payment won, of which a part
// was given back before: that part does not come back.
func TestDisputeWonAfterARefund(t *testing.T) {
	eachOffice(t, func(o *office) {
		p := &stubborn{charge: charges(5000), refund: refunds}
		sub, i := o.collected(p)
		servicetest.Must[*collect.Refund](o.World)(o.Invoicing.PaymentRefund(o.Ctx, 1, "50.00", nil))
		o.run()
		for n, state := range []payment.State{payment.Reversed, payment.Succeeded} {
			p.notices = []payment.Notice{{ID: fmt.Sprint("evt_", n), Subject: payment.ChargeNotice, Outcome: payment.Outcome{State: state, Code: "dispute", Reference: "pi_1"}}}
			o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
			o.run()
		}
		o.Equal("what was returned", o.QueryText(`SELECT amount_returned FROM payment WHERE id = 1`), "5000")
		o.Equal("invoice", o.invoiceState(i), "PAID 11900")
		o.balanced(sub.AccountID)
	})
}

// TestRefundedTwice has a person refund a payment at the provider, of which a refund has no
// answer yet: nothing is left to be given back, and if the first has failed, all is right.
func TestRefundedTwice(t *testing.T) {
	eachOffice(t, func(o *office) {
		answer := payment.Outcome{State: payment.Unknown}
		p := &stubborn{charge: charges(0), refund: func(payment.Refund) (payment.Outcome, error) { return answer, nil }}
		sub, i := o.collected(p)
		made := servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.InvoiceCredit(o.Ctx, i.ID, nil, "Sorry"))
		servicetest.Must[*collect.Refund](o.World)(o.Invoicing.PaymentRefund(o.Ctx, 1, "50.00", &made.CreditNotes[0]))
		o.run()
		o.refundsElsewhere(p, "evt_1", 11900)
		o.Refused("nothing is left", servicetest.ErrorOf(o.Invoicing.PaymentRefund(o.Ctx, 1, "", &made.CreditNotes[0])), "INVALID amount")
		answer = payment.Outcome{State: payment.Failed, Code: "refunded", Message: "The charge was refunded already."}
		o.Clock.Advance(time.Minute)
		o.run()
		o.Equal("what went back", o.QueryText(`SELECT CAST(SUM(amount) AS BIGINT) FROM account_entry WHERE kind = 'REFUND'`), "11900")
		o.balanced(sub.AccountID)
	})
}
