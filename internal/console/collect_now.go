package console

import (
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
)

// collectWords say what collecting an invoice now charges, or what is missing for that.
func collectWords(c *call, i *document.Invoice, _ *billingOrder) ([]string, error) {
	a, err := store.Accounts.Get(c.ctx(), c.q(), i.AccountID)
	if err != nil || a == nil {
		return nil, err
	}
	if a.PaymentMethodID == nil {
		return []string{a.Name + " has no payment method, so nothing can be charged. Add one on the billing page of the account, or record the payment when it arrives."}, nil
	}
	m, err := store.PaymentMethods.Get(c.ctx(), c.q(), *a.PaymentMethodID)
	if err != nil || m == nil {
		return nil, err
	}
	says := []string{amountText(i.AmountDue(), i.Currency) + " are charged to the payment method of the account: " + m.Words() + "."}
	if m.RefusedAt != nil {
		says = append(says, "It was declined for good, so nothing is charged with it automatically. This tries it once more.")
	}
	return says, nil
}
