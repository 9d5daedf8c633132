package invoicing_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestRefunds gives money back, of what waits only, and once.
func TestRefunds(t *testing.T) {
	eachOffice(t, func(o *office) {
		moved := o.collects()
		sub, i := o.overdue("acme")
		o.method(sub.AccountID, "ok")
		_, err := o.Invoicing.InvoiceCollect(o.Ctx, i.ID)
		o.OK(err)
		o.run()
		const paid billing.PaymentID = 1
		refund := func(amount string, note *billing.CreditNoteID) (*collect.Refund, error) {
			return o.Invoicing.PaymentRefund(o.Ctx, paid, amount, note)
		}
		state := func() string {
			return o.QueryText(`SELECT COALESCE(string_agg(state || ' ' || amount, ', ' ORDER BY id), '') FROM payment_refund`)
		}
		o.Refused("before there is credit", servicetest.ErrorOf(refund("", nil)), "NOT_ALLOWED id")
		made := servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.InvoiceCredit(o.Ctx, i.ID, nil, "Sorry"))
		note := made.CreditNotes[0]
		o.Refused("more than waits", servicetest.ErrorOf(refund("119.01", &note)), "INVALID amount")
		o.Refused("nothing", servicetest.ErrorOf(refund("0", &note)), "INVALID amount")
		o.Refused("no amount", servicetest.ErrorOf(refund("many", &note)), "INVALID amount")
		servicetest.Must[*collect.Refund](o.World)(refund("19.00", &note))
		o.run()
		o.Equal("refunds", state(), "SUCCEEDED 1900")
		o.Equal("waiting credit", o.QueryText(`SELECT amount - amount_applied FROM credit_note`), "10000")
		servicetest.Must[*collect.Refund](o.World)(refund("", &note))
		o.run()
		o.Equal("refunds", state(), "SUCCEEDED 1900, SUCCEEDED 10000")
		o.Refused("what was given back", servicetest.ErrorOf(refund("", &note)), "NOT_ALLOWED id")
		o.Equal("audit entries", o.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'paymentRefund'`), "2")
		o.Equal("balance", o.QueryText(`SELECT SUM(amount) FROM account_entry`), "0")
		var sum money.Amount
		for _, m := range moved.Moved() {
			sum += m.Amount
		}
		o.Equal("money that is left", sum, money.Amount(0))
	})
}

// TestRefundsThatFail has a provider that answers not at all, and then refuses: the
// credit waits again.
func TestRefundsThatFail(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		sub, i := o.overdue("acme")
		o.method(sub.AccountID, "ok")
		_, err := o.Invoicing.InvoiceCollect(o.Ctx, i.ID)
		o.OK(err)
		o.pays(i, "119.00")
		o.run() // nothing was charged: it was paid before
		p := &stubborn{charge: func(c payment.Charge) (payment.Outcome, error) {
			return payment.Outcome{State: payment.Succeeded, Reference: "pi_1", Amount: c.Amount, Currency: c.Currency}, nil
		}}
		o.Invoicing.Payments.Providers[collect.Test] = p
		_, j := o.overdue("beta")
		o.method(j.AccountID, "ok")
		_, err = o.Invoicing.InvoiceCollect(o.Ctx, j.ID)
		o.OK(err)
		o.run()
		const paid billing.PaymentID = 2
		_, err = o.Invoicing.PaymentUnapplyFromInvoices(o.Ctx, paid, []billing.InvoiceID{j.ID})
		o.OK(err)
		left := func() string {
			return o.QueryText(`SELECT amount - amount_applied - amount_returned FROM payment WHERE id = 2`)
		}
		keys := map[string]int{}
		p.refund = func(r payment.Refund) (payment.Outcome, error) {
			keys[r.Key]++
			return payment.Outcome{State: payment.Unknown}, nil
		}
		servicetest.Must[*collect.Refund](o.World)(o.Invoicing.PaymentRefund(o.Ctx, paid, "100.00", nil))
		o.run()
		o.Equal("what is on its way waits no more", left(), "1900")
		o.Refused("what is on its way", servicetest.ErrorOf(o.Invoicing.PaymentRefund(o.Ctx, paid, "20.00", nil)), "INVALID amount")
		o.Clock.Advance(time.Minute)
		o.run()
		p.refund = func(r payment.Refund) (payment.Outcome, error) {
			keys[r.Key]++
			return payment.Outcome{State: payment.Failed, Code: "expired", Message: "The card has expired."}, nil
		}
		o.Clock.Advance(time.Hour)
		o.run()
		o.Equal("keys", len(keys), 1)
		o.Equal("the credit waits again", left(), "11900")
		o.balanced(j.AccountID)

		servicetest.Must[*collect.Refund](o.World)(o.Invoicing.PaymentRefund(o.Ctx, paid, "", nil))
		o.Clock.Advance(48 * time.Hour) // the server was down
		sent := len(keys)
		o.run()
		o.Equal("nothing is sent that the provider may have forgotten", len(keys), sent)
		p.notices = []payment.Notice{{ID: "evt_1", Subject: payment.RefundNotice, ChargeReference: "pi_1", Outcome: payment.Outcome{
			State: payment.Succeeded, Reference: "re_1", Amount: 500, Currency: money.Currency{Code: "EUR", Digits: 2},
		}}}
		o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
		p.notices[0].ID = "evt_2"
		o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
		o.Equal("refunds", o.QueryText(`SELECT count(*) FROM payment_refund`), "3")
		o.balanced(j.AccountID)
	})
}
