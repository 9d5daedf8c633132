package invoicing_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestPartialChargeback takes back a part of what was paid of an invoice that stays unpaid:
// the subscription stays suspended, because nothing begins again.
func TestPartialChargeback(t *testing.T) {
	eur := money.Currency{Code: "EUR", Digits: 2}
	eachOffice(t, func(o *office) {
		o.collects()
		o.dunned(o.policy("strict", "5 SUSPEND"))
		sub, i := o.overdue("acme")
		o.method(sub.AccountID, "ok")
		p := &stubborn{charge: func(payment.Charge) (payment.Outcome, error) {
			return payment.Outcome{State: payment.Succeeded, Reference: "one", Amount: 10000, Currency: eur}, nil
		}}
		o.Invoicing.Payments.Providers[collect.Test] = p
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, i.ID)))
		o.run()
		o.days(i.DueAt.AddDays(6).String())
		o.Equal("19.00 are due", []any{o.invoiceState(i), o.Now(sub).Standing}, []any{"OPEN 10000", billing.Suspended})
		p.notices = []payment.Notice{{ID: "evt_1", Subject: payment.ChargeNotice, Outcome: payment.Outcome{State: payment.Reversed, Reference: "one", Amount: 2000, Currency: eur}}}
		o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Test, nil))
		o.run()
		o.Equal("39.00 are due", []any{o.invoiceState(i), o.Now(sub).Standing}, []any{"OPEN 8000", billing.Suspended})
		o.judgeAnew()
	})
}

// TestAnAnswerThatCannotBeRecorded keeps the other answers of the same account.
func TestAnAnswerThatCannotBeRecorded(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		sub, first := o.overdue("acme")
		o.Subscribe("fee", "acme")
		o.run()
		second := o.lastInvoice()
		o.method(sub.AccountID, "ok")
		o.Invoicing.Payments.Providers[collect.Test] = &stubborn{charge: func(c payment.Charge) (payment.Outcome, error) {
			return payment.Outcome{State: payment.Succeeded, Reference: "for " + strings.Split(c.Key, "-")[0], Amount: c.Amount, Currency: c.Currency}, nil
		}}
		begun := servicetest.Must[*collect.Collection](o.World)(o.Invoicing.InvoiceCollect(o.Ctx, first.ID))
		o.OK(servicetest.ErrorOf(o.Invoicing.InvoiceCollect(o.Ctx, second.ID)))
		refused := fmt.Sprintf("NEW.line_text = '%s'", begun.LineText)
		if o.DB.Engine == "postgres" {
			o.statement(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'check_violation'; END $$`)
			o.statement(`CREATE TRIGGER refuse BEFORE UPDATE ON payment_collection FOR EACH ROW WHEN (NEW.state = 'SUCCEEDED' AND ` + refused + `) EXECUTE FUNCTION refuse()`)
		} else {
			o.statement(`CREATE TRIGGER refuse BEFORE UPDATE ON payment_collection WHEN NEW.state = 'SUCCEEDED' AND ` + refused + ` BEGIN SELECT RAISE(ABORT, 'refused'); END`)
		}
		if err := o.Invoicing.ClaimAskAndLearn(o.Ctx); err == nil || !strings.Contains(err.Error(), "refused") {
			o.T.Errorf("an answer was refused, and the error is %v", err)
		}
		o.Equal("the first", o.invoiceState(first), "OPEN 0")
		o.Equal("the second", o.invoiceState(second), "PAID 11900")
	})
}

// renewing is a provider whose card is renewed when it expires.
type renewing struct {
	stubborn
	year, month int
}

func (p *renewing) Save(context.Context, payment.Setup) (string, error) { return "", nil }

func (p *renewing) Method(context.Context, string) (payment.Method, error) {
	return payment.Method{Kind: payment.Card, Brand: "visa", Last4: "4242", ExpiresYear: p.year, ExpiresMonth: p.month}, nil
}

// TestRenewedCardExpiresAgain tells of a card that expires again after it was renewed.
func TestRenewedCardExpiresAgain(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		o.collects()
		p := &renewing{year: 2026, month: 3}
		o.Invoicing.Payments.Providers[collect.Stripe] = p
		a := o.customer("acme", invoiced)
		o.OK(servicetest.ErrorOf(o.Invoicing.PaymentMethodCreate(o.Ctx, a.ID, collect.Stripe, "cus_1/pm_1")))
		told := func() int {
			o.OK(o.sendAll())
			return len(post.taken)
		}
		o.days("2026-03-31")
		o.Equal("30 and 7 days before", told(), 2)
		p.notices = []payment.Notice{{ID: "evt_1", Subject: payment.MethodChanged, Token: "cus_1/pm_1"}}
		o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Stripe, nil))
		p.month, p.notices[0].ID = 6, "evt_2"
		o.OK(o.Invoicing.TakeNotices(o.Ctx, collect.Stripe, nil))
		o.Clock.Advance(time.Hour)
		o.Equal("renewed", told(), 2)
		o.days("2026-06-30")
		o.Equal("30 and 7 days before it expires again", told(), 4)
	})
}
