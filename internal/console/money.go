package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// priceOf is what a charge costs, in short.
func priceOf(c *catalog.Charge, currency string) ui.Cell {
	if c.Price != nil {
		return ui.Money(*c.Price, currency)
	}
	if len(c.Tiers) == 0 {
		return ui.Muted("—")
	}
	first := ui.Money(c.Tiers[0].Price, currency)
	first.Text = "from " + first.Text
	return first.WithSub(ui.EnumText(c.PricingModel) + ", " + ui.Plural(len(c.Tiers), "tier", "tiers"))
}

// lineMoney is the price of a subscription's line, which keeps the price list it
// came from.
func lineMoney(line *subscription.Line, lists map[billing.PriceListID]*catalog.PriceList) ui.Cell {
	if line.Price == nil {
		return ui.Cell{Text: "by tiers", Kind: ui.CellMoney}
	}
	currency := ""
	if l := lists[line.PriceListID]; l != nil {
		currency = l.CurrencyID
	}
	return ui.Money(*line.Price, currency)
}

// chargeSentence says what a charge costs.
func chargeSentence(c *call, charge *catalog.Charge, currency string) (string, error) {
	features, err := store.Features.ByIDs(c.ctx(), c.q(), ids([]catalog.Charge{*charge}, func(c *catalog.Charge) billing.FeatureID { return ui.Deref(c.FeatureID) }))
	return charge.Sentence(currency, features), err
}

// priceSentences say what price lists cost.
func priceSentences(c *call, lists []catalog.PriceList) (map[billing.PriceListID]string, error) {
	charges, err := store.ChargesOf(c.ctx(), c.q(), ids(lists, priceListPages.id))
	if err != nil {
		return nil, err
	}
	features, err := store.Features.ByIDs(c.ctx(), c.q(), ids(charges, func(c *catalog.Charge) billing.FeatureID { return ui.Deref(c.FeatureID) }))
	if err != nil {
		return nil, err
	}
	of := map[billing.PriceListID][]catalog.Charge{}
	for _, charge := range charges {
		of[charge.PriceListID] = append(of[charge.PriceListID], charge)
	}
	sentences := map[billing.PriceListID]string{}
	for _, l := range lists {
		sentences[l.ID] = catalog.PriceSentence(l.CurrencyID, of[l.ID], features)
		if l.PricesIncludeTax && len(of[l.ID]) > 0 {
			sentences[l.ID] += ", tax included"
		}
	}
	return sentences, nil
}
