package invoicing_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestCollectingTogether collects the invoices of a customer with one payment: a
// subscription of 119.00 and work of 1.19, both due on 29 January.
func TestCollectingTogether(t *testing.T) {
	eachOffice(t, func(o *office) {
		moved := o.collects()
		o.dunned(o.policy("strict", "0 COLLECT", "1 COLLECT", "3 COLLECT", "60 SUSPEND"))
		sub, fee := o.overdue("acme")
		apart, other := o.overdue("apart")
		together := func(yes bool) {
			_, err := o.Customers.AccountUpdate(o.Ctx, sub.AccountID, func(a *billing.Account) error { a.CollectTogether = yes; return nil }, nil)
			o.OK(err)
		}
		together(true)
		o.oneOff(sub.AccountID, 1)
		work := o.lastInvoice()
		o.oneOff(apart.AccountID, 1)
		o.method(sub.AccountID, "declined")
		o.method(apart.AccountID, "ok")
		o.days("2026-01-29")
		o.Equal("both", o.collections(fee), "FAILED 120.19: DECLINED insufficient_funds")
		o.Equal("the other one", o.collections(work), "FAILED 120.19: DECLINED insufficient_funds")
		o.Equal("by default one by one", o.collections(other), "SUCCEEDED 119.00: SUCCEEDED")
		o.days("2026-01-30")
		o.Equal("another attempt", o.collections(fee), "FAILED 120.19: DECLINED insufficient_funds DECLINED insufficient_funds")
		o.pays(work, "1.19")
		o.days("2026-02-01")
		o.Equal("what is left", o.collections(fee), "FAILED 120.19: DECLINED insufficient_funds DECLINED insufficient_funds; FAILED 119.00: DECLINED insufficient_funds")
		charges := len(moved.Moved())

		// The next invoice is due on 1 March, and its step takes the first along.
		o.days("2026-02-28")
		id, err := strconv.Atoi(o.QueryText(fmt.Sprintf(`SELECT MAX(id) FROM invoice WHERE account_id = %d`, sub.AccountID)))
		o.OK(err)
		next := &document.Invoice{ID: billing.InvoiceID(id)}
		_, err = o.Invoicing.InvoiceDunningHold(o.Ctx, fee.ID, servicetest.On("2026-03-02"), "A question is open")
		o.OK(err)
		o.days("2026-03-01")
		o.Equal("without one that waits", o.collections(next), "FAILED 119.00: DECLINED insufficient_funds")
		o.days("2026-03-02")
		o.Equal("with it", o.collections(next), "FAILED 119.00: DECLINED insufficient_funds; FAILED 238.00: DECLINED insufficient_funds")
		o.method(sub.AccountID, "chargeback:3d")
		o.run()
		o.Equal("paid", o.invoiceState(fee)+", "+o.invoiceState(next), "PAID 11900, PAID 11900")
		o.Equal("charged once", len(moved.Moved())-charges, 2) // and the other customer's second month
		o.days("2026-03-05")
		o.Equal("taken back", o.invoiceState(fee)+", "+o.invoiceState(next), "OPEN 0, OPEN 0")
		o.balanced(sub.AccountID)
		o.judgeAnew()
		o.verify()
	})
}

// TestPaidBeforeItIsCollectedTogether pays one of two invoices after the attempt was made
// and before it was sent: nothing is charged for it.
func TestPaidBeforeItIsCollectedTogether(t *testing.T) {
	eachOffice(t, func(o *office) {
		moved := o.collects()
		o.dunned(o.policy("strict", "0 COLLECT", "1 REMIND", "3 COLLECT"))
		sub, fee := o.overdue("acme")
		_, err := o.Customers.AccountUpdate(o.Ctx, sub.AccountID, func(a *billing.Account) error { a.CollectTogether = true; return nil }, nil)
		o.OK(err)
		o.oneOff(sub.AccountID, 1)
		work := o.lastInvoice()
		o.method(sub.AccountID, "ok")
		o.at("2026-01-29")
		_, _, err = o.Invoicing.RunDue(o.Ctx, o.Clock.Now())
		o.OK(err)
		o.pays(work, "1.19")
		o.run()
		o.Equal("not sent", o.collections(fee), "FAILED 120.19: FAILED not_due")
		o.Equal("nothing was charged", len(moved.Moved()), 0)
		o.days("2026-01-30")
		o.stands("steps go on", sub, fee, billing.PastDue, "all", "2026-01-29 0 COLLECT, 2026-01-30 1 REMIND")
		o.days("2026-02-01")
		o.Equal("at the next step", o.collections(fee), "FAILED 120.19: FAILED not_due; SUCCEEDED 119.00: SUCCEEDED")
		o.balanced(sub.AccountID)
	})
}

// TestRefusedForGoodIsNotCollectedAlong has a card that was stolen: a new invoice takes
// nothing along that may not be charged again.
func TestRefusedForGoodIsNotCollectedAlong(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		o.dunned(o.policy("strict", "0 COLLECT", "1 COLLECT"))
		sub, fee := o.overdue("acme")
		_, err := o.Customers.AccountUpdate(o.Ctx, sub.AccountID, func(a *billing.Account) error { a.CollectTogether = true; return nil }, nil)
		o.OK(err)
		o.method(sub.AccountID, "stolen")
		o.days("2026-01-29")
		o.Equal("refused for good", o.collections(fee), "FAILED 119.00: DECLINED stolen_card")
		o.days("2026-03-02") // the next invoice is due on 1 March
		o.Equal("not again", o.collections(fee), "FAILED 119.00: DECLINED stolen_card")
	})
}

// TestCollectedAloneInBetween collects one of two invoices by itself after both were
// declined together: the next attempt is for both anew, and none is open beside it.
func TestCollectedAloneInBetween(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.collects()
		o.dunned(o.policy("strict", "0 COLLECT", "1 COLLECT", "4 COLLECT"))
		sub, fee := o.overdue("acme")
		_, err := o.Customers.AccountUpdate(o.Ctx, sub.AccountID, func(a *billing.Account) error { a.CollectTogether = true; return nil }, nil)
		o.OK(err)
		o.oneOff(sub.AccountID, 1)
		work := o.lastInvoice()
		o.method(sub.AccountID, "declined")
		o.days("2026-01-29")
		_, err = o.Invoicing.InvoiceCollect(o.Ctx, work.ID)
		o.OK(err)
		o.run()
		const no = " DECLINED insufficient_funds"
		o.Equal("alone", o.collections(work), "FAILED 120.19:"+no+"; FAILED 1.19:"+no)
		o.days("2026-01-30")
		o.Equal("both", o.collections(fee), "FAILED 120.19:"+no+"; FAILED 120.19:"+no)
		o.days("2026-02-02")
		o.Equal("both again", o.collections(work), "FAILED 120.19:"+no+"; FAILED 1.19:"+no+"; FAILED 120.19:"+no+no)
		o.balanced(sub.AccountID)
	})
}
