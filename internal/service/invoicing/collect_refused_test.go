package invoicing_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
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

// TestNothingIsSentWithACardRefusedMeanwhile begins to collect two invoices together. The
// first is declined for good, so the second is not sent; a new card collects both.
func TestNothingIsSentWithACardRefusedMeanwhile(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		o.dunned(o.policy("patient", "0 COLLECT", "3 COLLECT", "60 SUSPEND"))
		o.endpoint(webhook.PaymentFailed)
		sub, first := o.overdue("acme")
		o.Subscribe("fee", "acme")
		o.run()
		second := o.lastInvoice()
		sent := 0
		o.Invoicing.Payments.Providers[collect.Test] = &stubborn{charge: func(payment.Charge) (payment.Outcome, error) {
			if sent++; sent == 1 { // the other one begins before the answer
				o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, second.ID)))
			}
			return payment.Outcome{State: payment.Declined, Code: "stolen_card", Hard: true}, nil
		}}
		o.method(sub.AccountID, "ok")
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, first.ID)))
		o.OK(o.Invoicing.ClaimAskAndLearn(o.Ctx))
		o.run()
		o.Equal("requests", sent, 1)
		o.Equal("the first invoice", o.collections(first), "FAILED 119.00: DECLINED stolen_card")
		o.Equal("the second invoice", o.collections(second), "FAILED 119.00: FAILED not_sent")
		_, bodies := o.business()
		o.Equal("failures told", len(bodies), 2)
		o.days(second.DueAt.AddDays(4).String())
		o.Equal("requests of the policy", sent, 1)
		o.collects()
		o.method(sub.AccountID, "unknown:ok")
		o.run()
		o.days(second.DueAt.AddDays(5).String())
		o.Equal("with a new card", o.invoiceState(first)+", "+o.invoiceState(second), "PAID 11900, PAID 11900")

		// Nor with one that was removed.
		o.Subscribe("fee", "acme")
		o.run()
		third := o.lastInvoice()
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, third.ID)))
		account := servicetest.Must[*billing.Account](o.World)(store.Accounts.Get(o.Ctx, o.Read(), sub.AccountID))
		o.OK(servicetest.ErrorOf(o.Invoicing.PaymentMethodDelete(o.Ctx, *account.PaymentMethodID)))
		o.run()
		o.Equal("with a card that was removed", o.collections(third), "FAILED "+third.Currency.Format(third.Amount)+": FAILED not_sent")
		o.balanced(sub.AccountID)
	})
}

// TestLateRefusalIsAboutTheOldCard declines a debit for good after the card was renewed:
// the renewed one is charged at once.
func TestLateRefusalIsAboutTheOldCard(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		outcome := payment.Outcome{State: payment.Pending, Reference: "pi_1"}
		p := &renewing{year: 2027, month: 3}
		p.charge = func(payment.Charge) (payment.Outcome, error) { return outcome, nil }
		p.lookup = func(payment.Charge) (payment.Outcome, error) { return outcome, nil }
		o.Invoicing.Payments.Providers[collect.Stripe] = p
		o.dunned(o.policy("patient", "0 COLLECT", "60 SUSPEND"))
		sub, i := o.overdue("acme")
		o.OK(servicetest.ErrorOf(o.Invoicing.PaymentMethodCreate(o.Ctx, sub.AccountID, collect.Stripe, "cus_1/pm_1")))
		o.days(i.DueAt.String())
		o.Equal("pending", o.collections(i), "PENDING 119.00: PENDING")
		notice := func(n payment.Notice) {
			o.T.Helper()
			p.notices = []payment.Notice{n}
			o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Stripe, nil))
		}
		p.year = 2030
		notice(payment.Notice{ID: "evt_1", Subject: payment.MethodChanged, Token: "cus_1/pm_1"})
		outcome = payment.Outcome{State: payment.Succeeded, Reference: "pi_2"}
		notice(payment.Notice{ID: "evt_2", Subject: payment.ChargeNotice, Outcome: payment.Outcome{State: payment.Declined, Code: "expired_card", Hard: true, Reference: "pi_1"}})
		o.run()
		o.Equal("payment methods refused", o.QueryText(`SELECT count(*) FROM payment_method WHERE refused_at IS NOT NULL`), "0")
		o.Equal("the renewed card", o.collections(i), "SUCCEEDED 119.00: DECLINED expired_card SUCCEEDED")
		o.balanced(sub.AccountID)
	})
}

// TestLateNewsAndARefusal has three debits under way with one payment method. The first is
// declined for good. The second is declined for the time being, which lifts nothing; then
// the third arrives: the method can be charged.
func TestLateNewsAndARefusal(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		sent := 0
		pending := func(payment.Charge) (payment.Outcome, error) {
			return payment.Outcome{State: payment.Pending, Reference: fmt.Sprintf("pi_%d", sent)}, nil
		}
		p := &renewing{year: 2027, month: 3}
		p.charge = func(c payment.Charge) (payment.Outcome, error) {
			sent++
			return pending(c)
		}
		p.lookup = pending
		o.Invoicing.Payments.Providers[collect.Stripe] = p
		sub, first := o.overdue("acme")
		o.Subscribe("fee", "acme")
		o.run()
		second := o.lastInvoice()
		o.Subscribe("fee", "acme")
		o.run()
		third := o.lastInvoice()
		o.OK(servicetest.ErrorOf(o.Invoicing.PaymentMethodCreate(o.Ctx, sub.AccountID, collect.Stripe, "cus_1/pm_1")))
		for _, i := range []*document.Invoice{first, second, third} {
			o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, i.ID)))
			o.OK(o.Invoicing.ClaimAskAndLearn(o.Ctx))
			o.Equal("under way", o.collections(i), "PENDING 119.00: PENDING")
		}
		learn := func(id string, outcome payment.Outcome, refused string) {
			o.T.Helper()
			p.notices = []payment.Notice{{ID: id, Subject: payment.ChargeNotice, Outcome: outcome}}
			o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Stripe, nil))
			o.Equal("payment methods refused", o.QueryText(`SELECT count(*) FROM payment_method WHERE refused_at IS NOT NULL`), refused)
		}
		learn("evt_1", payment.Outcome{State: payment.Declined, Code: "stolen_card", Hard: true, Reference: "pi_1"}, "1")
		learn("evt_2", payment.Outcome{State: payment.Declined, Code: "insufficient_funds", Reference: "pi_2"}, "1")
		learn("evt_3", payment.Outcome{State: payment.Succeeded, Reference: "pi_3"}, "0")
		o.Equal("the third invoice", o.invoiceState(third), "PAID 11900")
		o.balanced(sub.AccountID)
	})
}
