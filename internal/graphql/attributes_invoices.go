package graphql

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// credits reads which items are credited, and how much of each.
func (p *patch) credits(in []*gen.CreditItemAttributes) []invoicing.CreditPart {
	var parts []invoicing.CreditPart
	for n, item := range in {
		field := fmt.Sprintf("items.%d", n)
		if item.InvoiceItemID.Value() == nil {
			p.fail(billing.Required, field+".invoiceItemId", "Say which item is credited: give invoiceItemId.")
		}
		if item.Amount.Value() == nil {
			p.fail(billing.Required, field+".amount", "Say how much of the item is credited: give amount.")
		}
		parts = append(parts, invoicing.CreditPart{InvoiceItemID: billing.InvoiceItemID(valueOf(item.InvoiceItemID.Value())), Amount: valueOf(item.Amount.Value())})
	}
	if in != nil && len(in) == 0 {
		p.fail(billing.Required, "items", "Name the items to credit, or leave items out to credit all that is left.")
	}
	return parts
}

// currency refuses amounts without a currency.
func (p *patch) currency(code *string) {
	if code == nil {
		p.fail(billing.Required, "currencyId", "Say in which currency the amounts are: give currencyId.")
	}
}

// editPending reads the attributes of an item that waits. Its price and its amount
// replace each other.
func editPending(in gen.InvoiceItemAttributes, creating bool) func(*invoicing.PendingAttributes) error {
	return edit(setPending, in, creating)
}

func setPending(p *patch, in gen.InvoiceItemAttributes, to *invoicing.PendingAttributes) {
	need(p, "lineText", in.LineText, &to.LineText)
	need(p, "quantity", in.Quantity, &to.Quantity)
	need(p, "currencyId", in.CurrencyID, &to.CurrencyID)
	need(p, "taxCode", in.TaxCode, &to.TaxCode)
	mayID(in.SubscriptionID, &to.SubscriptionID)
	if on := p.date("on", in.On.Value()); on != nil {
		to.On = *on
	}
	price, amount := in.Price.Value(), in.Amount.Value()
	if price != nil || amount != nil {
		to.Price, to.Amount = valueOf(price), valueOf(amount)
	}
}
