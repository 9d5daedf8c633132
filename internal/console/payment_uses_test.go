package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestAPaymentSaysWhatItPays foretells which invoices a payment of an account pays, and
// sees that it pays these.
func TestAPaymentSaysWhatItPays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		s.bill()
		account := s.accounts[2].ID
		paying := fmt.Sprintf("/accounts/%d/pay", account)
		v := s.as(billing.Editor)
		bill := func(amount string) billing.InvoiceID {
			return must[*invoicing.Outcome](s)(s.service.Invoicing.InvoiceCreate(s.ctx, account, invoicing.InvoiceAttributes{
				CurrencyID: "USD", Items: []invoicing.ItemAttributes{{LineText: "Visit", Amount: amount}},
			})).Invoices[0]
		}
		numbers := []string{}
		invoices := []billing.InvoiceID{bill("100.00"), bill("50.00"), bill("10.00")}
		for _, id := range invoices {
			numbers = append(numbers, must[*document.Invoice](s)(store.Invoices.Get(s.ctx, s.service.Read(), id)).Number)
		}
		form := v.wants(v.get(paying), 200, numbers[0]+" with USD 119.00", numbers[1]+" with USD 59.50", numbers[2]+" with USD 11.90")

		// The last is in the reference, the first is due before the second.
		first := v.wants(v.submit(form, "amount", "150.90", "currencyId", "USD", "reference", "thanks "+numbers[2]), 200, "USD 150.90 are recorded as received from",
			"USD 11.90 are applied to invoice "+numbers[2]+", which is paid then.", "USD 119.00 are applied to invoice "+numbers[0]+", which is paid then.",
			"USD 20.00 are applied to invoice "+numbers[1]+", of which USD 39.50 stay due.")
		if strings.Contains(first.text(), "credit") {
			t.Error("something is said to be left")
		}
		v.wants(v.submit(first), 200, "Recorded a payment", numbers[0], numbers[1], numbers[2], "USD 119.00", "USD 20.00", "USD 11.90")
		v.wants(v.get(invoicePage(invoices[1])), 200, "USD 39.50")

		second := v.wants(v.submit(v.get(paying), "amount", "50.00", "currencyId", "USD"), 200, "USD 39.50 are applied to invoice "+numbers[1]+", which is paid then.", "USD 10.50 are left and wait as credit.")
		v.wants(v.submit(second), 200, "Not applied USD 10.50")
		third := v.wants(v.submit(v.get(paying), "amount", "7.00", "currencyId", "USD"), 200, "USD 7.00 are left and wait as credit.")
		v.wants(v.submit(third), 200, "Not applied USD 7.00")
	})
}
