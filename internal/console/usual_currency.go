package console

import (
	"cmp"

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

// owedWords is what an account owes its seller in its usual currency, as an amount to type;
// empty if that is nothing.
func owedWords(c *call, a *billing.Account) (string, error) {
	usual, err := usualCurrency(c, a.ID)
	if err != nil || usual == "" {
		return "", err
	}
	seller, err := sellerOf(c, a)
	if err != nil || seller == nil {
		return "", err
	}
	today, err := c.today(a.TestClockID)
	if err != nil {
		return "", err
	}
	balances, err := store.Balances(c.ctx(), c.q(), []billing.AccountID{a.ID}, today)
	for _, b := range balances {
		if b.EntityID == seller.ID && b.Currency.Code == usual && b.Balance > 0 {
			return b.Currency.Format(b.Balance), err
		}
	}
	return "", err
}

// accountPayInputs ask for a payment of an account, and offer what it owes.
func accountPayInputs(c *call, a *billing.Account) ([]ui.Section[billingOrder], error) {
	sections, err := payInputs(c, a)
	if err != nil {
		return nil, err
	}
	owed, err := owedWords(c, a)
	if err != nil {
		return nil, err
	}
	open, err := openInvoiceWords(c, a)
	if err != nil {
		return nil, err
	}
	for n := range sections[0].Inputs {
		switch in := &sections[0].Inputs[n]; in.Name {
		case "currencyId":
			*in, err = accountCurrencyInput(c, a.ID)
		case "amount":
			*in = in.Help(open)
			in.Get = func(o *billingOrder) string { return cmp.Or(o.Amount, owed) }
		}
	}
	return sections, err
}
