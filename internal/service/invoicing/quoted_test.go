package invoicing_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestTransferQuotesAnInvoice records transfers: what quotes the number of an invoice pays
// that one first, and then those that are due first.
func TestTransferQuotesAnInvoice(t *testing.T) {
	eachOffice(t, func(o *office) {
		a := o.customer("acme")
		var invoices []*document.Invoice
		for range 3 {
			made := servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{
				CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Setup", Amount: "100.00"}},
			}))
			invoices = append(invoices, o.read(made.Invoices[0]))
		}
		pay := func(amount, reference string, named ...billing.InvoiceID) {
			o.T.Helper()
			servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.PaymentCreate(o.Ctx, invoicing.PaymentAttributes{
				AccountID: a.ID, Amount: amount, CurrencyID: "EUR", Reference: reference, InvoiceIDs: named,
			}))
		}
		due := func(what string, want ...string) {
			o.T.Helper()
			for n, i := range invoices {
				now := o.read(i.ID)
				o.Equal(what+": due of "+i.Number, now.Currency.Format(now.AmountDue()), want[n])
			}
		}
		pay("119.00", "Invoice "+invoices[2].Number+", thank you")
		due("quoted", "119.00", "119.00", "0.00")
		pay("20.00", invoices[2].Number)
		due("paid already", "99.00", "119.00", "0.00")
		pay("120.00", invoices[1].Number)
		due("more than it asks for", "98.00", "0.00", "0.00")
		pay("8.00", invoices[1].Number+"7", invoices[0].ID)
		due("named", "90.00", "0.00", "0.00")
	})
}

// TestTransferAfterAMove records transfers of a customer that another entity invoices now: they
// pay what it has invoiced, and then an invoice of the entity before.
func TestTransferAfterAMove(t *testing.T) {
	eachOffice(t, func(o *office) {
		sub, i := o.overdue("acme")
		branch := o.branch()
		_, err := o.Customers.AccountUpdate(o.Ctx, sub.AccountID, func(a *billing.Account) error { a.EntityID = &branch; return nil }, nil)
		o.OK(err)
		pay := func() {
			servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.PaymentCreate(o.Ctx, invoicing.PaymentAttributes{AccountID: sub.AccountID, Amount: "119.00", CurrencyID: "EUR"}))
		}
		o.oneOff(sub.AccountID, 100)
		next := o.lastInvoice()
		pay()
		o.Equal("invoice of the entity now", o.invoiceState(next)+", "+o.invoiceState(i), "PAID 119, OPEN 0")
		pay()
		o.Equal("invoice of the entity before", o.invoiceState(i), "PAID 11900")
		pay()
		o.Equal("entities of the payments", o.QueryText(`SELECT string_agg(CAST(entity_id AS TEXT), ', ' ORDER BY id) FROM payment`), fmt.Sprintf("%d, %d, %d", branch, o.entity.ID, branch))
		o.balanced(sub.AccountID)
	})
}

// read returns an invoice as it is now.
func (o *office) read(id billing.InvoiceID) *document.Invoice {
	o.T.Helper()
	return servicetest.Must[*document.Invoice](o.World)(store.Invoices.Get(o.Ctx, o.Read(), id))
}
