package invoicing_test

import (
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestApplyAtOnce lets four people apply a payment each to the same invoice at the same
// time, again and again: what is applied is what is owed, and the rest waits as credit.
func TestApplyAtOnce(t *testing.T) {
	eachOffice(t, func(o *office) {
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt, a.AutoApplyCredits = true, false })
		const rounds, people = 10, 4
		for range rounds {
			var payments [people]billing.PaymentID
			for n := range payments {
				paid, err := o.Invoicing.PaymentCreate(o.Ctx, invoicing.PaymentAttributes{AccountID: a.ID, Amount: "40.00", CurrencyID: "EUR"})
				o.OK(err)
				payments[n] = paid.PaymentID
			}
			made, err := o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Work", Amount: "100.00"}}})
			o.OK(err)
			var apply sync.WaitGroup
			start := make(chan bool)
			for _, id := range payments {
				apply.Go(func() {
					<-start
					if err := servicetest.ErrorOf(o.Invoicing.PaymentApplyToInvoices(o.Ctx, id, made.Invoices)); err != nil && !isProblem(err) {
						t.Errorf("payment %d: %v", id, err) // that nothing is owed any more is fine
					}
				})
			}
			close(start)
			apply.Wait()
		}
		o.Equal("of each invoice", o.QueryText(`SELECT count(*) || ' times ' || min(amount) || ' to ' || max(amount) FROM (SELECT sum(amount) AS amount FROM application GROUP BY invoice_id) AS paid`), "10 times 10000 to 10000")
		o.Equal("what is left of payments", o.QueryText(`SELECT sum(amount - amount_applied) || ' of ' || sum(amount) FROM payment`), "60000 of 160000")
		o.Equal("payments that say something else", o.QueryText(`SELECT count(*) FROM payment WHERE amount_applied <> (SELECT COALESCE(sum(amount), 0) FROM application WHERE payment_id = payment.id)`), "0")
		o.verifyBalance(a)
	})
}

func isProblem(err error) bool {
	_, is := billing.AsProblems(err)
	return is
}
