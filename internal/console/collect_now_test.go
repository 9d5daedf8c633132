package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestCollectNowSaysWhatIsCharged names the payment method before anything is charged, or
// says that there is none, and offers what is owed as the amount of a payment.
func TestCollectNowSaysWhatIsCharged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		s.bill()
		v := s.as(billing.Editor)
		account := s.accounts[1].ID
		pay := fmt.Sprintf("/accounts/%d/pay", account)
		invoice := must[*invoicing.Outcome](s)(s.service.Invoicing.InvoiceCreate(s.ctx, account, invoicing.InvoiceAttributes{
			CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Visit", Amount: "100.00"}},
		})).Invoices[0]
		page := fmt.Sprintf("/invoices/%d/collect", invoice)
		if shown := v.wants(v.get(page), 200, "has no payment method, so nothing can be charged", "record the payment when it arrives"); strings.Contains(shown.body, "are charged") {
			t.Error("it says that something is charged")
		}
		owed := must[[]store.Balance](s)(store.Balances(s.ctx, s.service.Read(), []billing.AccountID{account}, billing.Date{Year: 2026, Month: 1, Day: 1}))
		if len(owed) != 1 || owed[0].Balance < 11900 {
			t.Fatalf("owed: %+v", owed)
		}
		v.wants(v.get(pay), 200, `value="`+owed[0].Currency.Format(owed[0].Balance)+`"`)

		s.service.Invoicing.Payments.AllowTest = true
		m := must[*collect.Method](s)(s.service.Invoicing.PaymentMethodCreate(s.ctx, account, collect.Test, "stolen"))
		if shown := v.wants(v.get(page), 200, "EUR 119.00 are charged to the payment method of the account: Test method stolen."); strings.Contains(shown.body, "declined for good") {
			t.Error("it was not declined yet")
		}
		must[*collect.Collection](s)(s.service.Invoicing.InvoiceCollect(s.ctx, invoice))
		eventually(s.t, "nothing was declined", func() bool {
			return must[*collect.Method](s)(store.PaymentMethods.Get(s.ctx, s.service.Read(), m.ID)).RefusedAt != nil
		})
		v.wants(v.get(page), 200, "It was declined for good", "This tries it once more.")
	})
}
