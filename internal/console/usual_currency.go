package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

func currencyInput() ui.Input[billingOrder] {
	return ui.Text("currencyId", "Currency", func(o *billingOrder) *string { return &o.CurrencyID }).Required()
}

// accountCurrencyInput asks for a currency, and offers the one that the account is
// invoiced in.
func accountCurrencyInput(c *call, id billing.AccountID) (ui.Input[billingOrder], error) {
	in := currencyInput()
	usual, err := usualCurrency(c, id)
	in.Get = func(o *billingOrder) string {
		if o.CurrencyID == "" {
			return usual
		}
		return o.CurrencyID
	}
	return in, err
}

// usualCurrency is the currency of an account: its own, that of its newest invoice,
// or that of its newest subscription; empty if there is none.
func usualCurrency(c *call, id billing.AccountID) (string, error) {
	account, err := store.Accounts.Get(c.ctx(), c.q(), id)
	if err != nil || account == nil {
		return "", err
	}
	if account.CurrencyID != nil {
		return *account.CurrencyID, nil
	}
	invoices, _, err := few(c, store.Invoices, 1, term("account", id))
	if err != nil {
		return "", err
	}
	if len(invoices) > 0 {
		return invoices[0].Currency.Code, nil
	}
	subs, _, err := few(c, store.Subscriptions, 1, term("account", id))
	if err != nil || len(subs) == 0 {
		return "", err
	}
	list, err := store.PriceLists.Get(c.ctx(), c.q(), subs[0].PriceListID)
	if err != nil || list == nil {
		return "", err
	}
	return list.CurrencyID, nil
}

// accountPayInputs ask for a payment of an account.
func accountPayInputs(c *call, a *billing.Account) ([]ui.Section[billingOrder], error) {
	sections, err := payInputs(c, a)
	if err != nil {
		return nil, err
	}
	for n := range sections[0].Inputs {
		if sections[0].Inputs[n].Name == "currencyId" {
			sections[0].Inputs[n], err = accountCurrencyInput(c, a.ID)
		}
	}
	return sections, err
}
