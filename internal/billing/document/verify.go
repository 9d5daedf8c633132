package document

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Verify recomputes the invoice: its items from their explanations, and its
// totals from its items. It returns the first thing that is wrong.
func (i *Invoice) Verify() error { return i.VerifyAmong(nil) }

// VerifyAmong is Verify for one of many documents, of which some have the same
// explanations.
func (i *Invoice) VerifyAmong(known ledger.Recomputed) error {
	for n := range i.Items {
		item := &i.Items[n]
		if item.Kind == ManualItem {
			continue
		}
		if err := explains(known, i.Number, n, i.Currency.Format(item.Priced), item.Explanation); err != nil {
			return err
		}
	}
	again := *i
	again.Items = append([]Item(nil), i.Items...)
	if err := again.Total(); err != nil {
		return err
	}
	for n := range i.Items {
		if again.Items[n].Amount != i.Items[n].Amount {
			return broken(i.Number, "the net amount of item %d is %s, not %s", n+1, i.Currency.Format(again.Items[n].Amount), i.Currency.Format(i.Items[n].Amount))
		}
	}
	if again.Subtotal != i.Subtotal || again.TaxAmount != i.TaxAmount || again.Amount != i.Amount {
		return broken(i.Number, "its items add up to %s + %s, not to %s + %s", i.Currency.Format(again.Subtotal), i.Currency.Format(again.TaxAmount), i.Currency.Format(i.Subtotal), i.Currency.Format(i.TaxAmount))
	}
	return nil
}

// Verify recomputes the credit note: its items from their explanations, if the
// ledger made them, and its totals. The tax of each group depends on the invoices
// that it credits, and on the credits before.
func (c *CreditNote) Verify() error { return c.VerifyAmong(nil) }

// VerifyAmong is Verify for one of many documents, of which some have the same
// explanations.
func (c *CreditNote) VerifyAmong(known ledger.Recomputed) error {
	f := c.Currency.Format
	var items, net, taxes money.Amount
	for n := range c.Items {
		item := &c.Items[n]
		items += item.Amount
		if c.Kind != DifferenceCredit {
			continue
		}
		if err := explains(known, c.Number, n, f(item.Priced), item.Explanation); err != nil {
			return err
		}
	}
	for _, g := range c.Taxes {
		net, taxes = net+g.Net, taxes+g.Tax
	}
	switch {
	case items != c.Subtotal || net != c.Subtotal:
		return broken(c.Number, "its items add up to %s and its taxed amounts to %s, not to %s", f(items), f(net), f(c.Subtotal))
	case taxes != c.TaxAmount:
		return broken(c.Number, "its taxes add up to %s, not to %s", f(taxes), f(c.TaxAmount))
	case c.Subtotal+c.TaxAmount != c.Amount:
		return broken(c.Number, "%s + %s is not %s", f(c.Subtotal), f(c.TaxAmount), f(c.Amount))
	}
	return nil
}

// explains checks that the explanation of an item gives its amount.
func explains(known ledger.Recomputed, number string, n int, amount string, explanation []byte) error {
	switch got, err := known.Amount(explanation); {
	case err != nil:
		return err
	case got != amount:
		return broken(number, "item %d is %s, but its explanation gives %s", n+1, amount, got)
	}
	return nil
}

func broken(number, format string, args ...any) error {
	return billing.Fail(billing.Invalid, "", "Document "+number+" is wrong: "+format+".", args...)
}
