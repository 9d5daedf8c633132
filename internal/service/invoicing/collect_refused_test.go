package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestStolenCardIsChargedForNothingElse declines a card for good. No other invoice is
// collected with it until it is renewed, which collects all of them at once.
func TestStolenCardIsChargedForNothingElse(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		outcome := payment.Outcome{State: payment.Declined, Code: "stolen_card", Hard: true}
		p := &renewing{year: 2027, month: 3}
		p.charge = func(c payment.Charge) (payment.Outcome, error) { return outcome, nil }
		o.Invoicing.Payments.Providers[collect.Stripe] = p
		o.dunned(o.policy("patient", "0 COLLECT", "3 COLLECT", "60 SUSPEND"))
		sub, first := o.overdue("acme")
		add := func() {
			o.T.Helper()
			o.OK(servicetest.ErrorOf(o.Invoicing.PaymentMethodCreate(o.Ctx, sub.AccountID, collect.Stripe, "cus_1/pm_1")))
			o.run()
		}
		add()
		o.days(first.DueAt.String())
		o.Equal("the first invoice", o.collections(first), "FAILED 119.00: DECLINED stolen_card")
		o.days(first.DueAt.AddDays(20).String())
		second := o.lastInvoice()
		o.days(second.DueAt.AddDays(4).String())
		o.Equal("the second invoice", o.collections(second), "")
		add()
		notice := func(id string) {
			o.T.Helper()
			p.notices = []payment.Notice{{ID: id, Subject: payment.MethodChanged, Token: "cus_1/pm_1"}}
			o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Stripe, nil))
			o.run()
		}
		notice("evt_1")
		o.Equal("the same card, told again", o.collections(first)+o.collections(second), "FAILED 119.00: DECLINED stolen_card")

		// A person may try. It says nothing new, and policies still charge nothing.
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, second.ID)))
		o.days(second.DueAt.AddDays(5).String())
		o.Equal("by hand", o.collections(second), "FAILED 119.00: DECLINED stolen_card")

		outcome = payment.Outcome{State: payment.Succeeded}
		p.year = 2030
		notice("evt_2")
		o.Equal("the first invoice, with the renewed card", o.collections(first), "SUCCEEDED 119.00: DECLINED stolen_card SUCCEEDED")
		o.Equal("the second invoice, with the renewed card", o.collections(second), "SUCCEEDED 119.00: DECLINED stolen_card SUCCEEDED")
		o.balanced(sub.AccountID)
	})
}

// TestChargeByHandLiftsARefusal tries a card by hand that was declined for good. When that
// works, policies charge it again.
func TestChargeByHandLiftsARefusal(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		outcome := payment.Outcome{State: payment.Declined, Code: "stolen_card", Hard: true}
		o.Invoicing.Payments.Providers[collect.Test] = &stubborn{charge: func(payment.Charge) (payment.Outcome, error) { return outcome, nil }}
		o.dunned(o.policy("patient", "0 COLLECT", "3 COLLECT", "60 SUSPEND"))
		sub, first := o.overdue("acme")
		o.Subscribe("fee", "acme")
		o.run()
		second := o.lastInvoice()
		o.method(sub.AccountID, "ok")
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, first.ID)))
		o.run()
		o.days(second.DueAt.String())
		o.Equal("by the policy", o.collections(second), "")
		outcome = payment.Outcome{State: payment.Succeeded}
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, first.ID)))
		o.run()
		o.Equal("by hand", o.invoiceState(first), "PAID 11900")
		o.days(second.DueAt.AddDays(3).String())
		o.Equal("by the policy again", o.invoiceState(second), "PAID 11900")
		o.balanced(sub.AccountID)
	})
}
