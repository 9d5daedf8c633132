package invoicing_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestPartOfADisputeIsWon takes part of a charge back, and returns it: it is the same payment
// as before, which can be refunded where it came from, and its method is not refused.
func TestPartOfADisputeIsWon(t *testing.T) {
	eur := money.Currency{Code: "EUR", Digits: 2}
	eachOffice(t, func(o *office) {
		o.collects()
		sub, i := o.overdue("acme")
		m := o.method(sub.AccountID, "ok")
		refunds := 0
		p := &stubborn{
			charge: func(c payment.Charge) (payment.Outcome, error) {
				return payment.Outcome{State: payment.Succeeded, Reference: "pi_1", Amount: c.Amount, Currency: c.Currency}, nil
			},
			refund: func(r payment.Refund) (payment.Outcome, error) {
				refunds++
				return payment.Outcome{State: payment.Succeeded, Reference: "re_1", Amount: r.Amount, Currency: r.Currency}, nil
			},
		}
		o.Invoicing.Payments.Providers[collect.Test] = p
		_, err := o.Invoicing.InvoiceCollect(o.Ctx, i.ID)
		o.OK(err)
		o.run()
		notice := func(id string, state payment.State, code string) {
			p.notices = []payment.Notice{{ID: id, Subject: payment.ChargeNotice, Outcome: payment.Outcome{
				State: state, Code: code, Hard: state == payment.Reversed, Reference: "pi_1", Amount: 3000, Currency: eur,
			}}}
			o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
			o.run()
		}
		notice("evt_1", payment.Reversed, "fraudulent")
		o.Equal("disputed", o.invoiceState(i), "OPEN 8900")
		notice("evt_2", payment.Succeeded, "dispute_won")
		o.Equal("won", o.invoiceState(i), "PAID 11900")
		o.balanced(sub.AccountID)
		o.Equal("collections", o.collections(i), "SUCCEEDED 119.00: SUCCEEDED dispute_won")
		o.Equal("refused method", o.QueryText(fmt.Sprintf(`SELECT COUNT(*) FROM payment_method WHERE id = %d AND refused_at IS NOT NULL`, m.ID)), "0")
		made := servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.InvoiceCredit(o.Ctx, i.ID, nil, "Sorry"))
		r := servicetest.Must[*collect.Refund](o.World)(o.Invoicing.PaymentRefund(o.Ctx, 1, "89.00", &made.CreditNotes[0]))
		o.run()
		o.Equal("provider", string(r.Provider), "TEST")
		o.Equal("refunds at the provider", refunds, 1)
	})
}
