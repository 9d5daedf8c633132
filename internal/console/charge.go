package console

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var chargePages *resource[catalog.Charge, billing.ChargeID]

// Set here, because pages refer to each other.
func init() {
	chargePages = &resource[catalog.Charge, billing.ChargeID]{
		path: "charges", one: "charge", many: "Charges", Resource: catalogs.Charges,
		name:    func(c *catalog.Charge) string { return c.Name },
		about:   "A charge is a line of a price list: what is billed, how often, and for which feature.",
		hint:    "seats, priceList:pro-monthly, chargeType:one_time",
		columns: []string{"Name", "Code", "Price list and product", "Type", "Price", "Feature"},
		cells:   chargeCells,
		fields:  catalog.ChargeFields, ownFacts: true, parent: "priceListId",
		show:   showCharge,
		inputs: chargeInputs,
		begin: func(c *call) (catalog.Charge, error) {
			return catalog.Charge{
				PriceListID: queryID[billing.PriceListID](c, "priceListId"), ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, PricingModel: catalog.Flat,
				TaxCode: billing.StandardTaxCode,
			}, nil
		},
		create: func(c *call, ctx context.Context, edit func(*catalog.Charge) error) (*catalog.Charge, error) {
			return c.service.Catalog.ChargeCreate(ctx, queryID[billing.PriceListID](c, "priceListId"), catalog.ChargeEdit{Edit: edit})
		},
		update: func(c *call, ctx context.Context, id billing.ChargeID, edit func(*catalog.Charge) error) (*catalog.Charge, error) {
			return c.service.Catalog.ChargeUpdate(ctx, id, catalog.ChargeEdit{Edit: edit})
		},
		reaches: func(c *call) (bool, error) {
			planned, err := store.SubscriptionsPlannedFor(c.ctx(), c.q(), queryID[billing.PriceListID](c, "priceListId"), 1)
			return len(planned) > 0, err
		},
		saved: func(before, after *catalog.Charge) string {
			was, is := rate.Of(before, false), rate.Of(after, false)
			if was.Equal(&is) {
				return ""
			}
			return agreedPrice
		},
		losses: func(*call, *catalog.Charge) (string, error) {
			return "Subscriptions keep the lines they have.", nil
		},
	}
}

// agreedPrice says whom a new price is for. Lines of subscriptions keep their rates.
const agreedPrice = "Subscriptions that have the charge keep the price they agreed, also when they renew or change quantities. " +
	"A new price is for new subscriptions, for those that change to this price list, and for those that add the charge."

func chargeCells(c *call, rows []catalog.Charge) ([][]ui.Cell, error) {
	found, err := store.PriceLists.ByIDs(c.ctx(), c.q(), ids(rows, func(c *catalog.Charge) billing.PriceListID { return c.PriceListID }))
	if err != nil {
		return nil, err
	}
	sold, err := soldByOf(c, found)
	if err != nil {
		return nil, err
	}
	lists := map[billing.PriceListID]*catalog.PriceList{}
	for i := range found {
		lists[found[i].ID] = &found[i]
	}
	features, err := byID(c, store.Features, featurePages.id, ids(rows, func(c *catalog.Charge) billing.FeatureID {
		if c.FeatureID == nil {
			return 0
		}
		return *c.FeatureID
	}))
	if err != nil {
		return nil, err
	}
	return ui.RowsOf(rows, func(row *catalog.Charge) []ui.Cell {
		list, currency, feature := ui.Muted("price list "+ui.IDText(row.PriceListID)), "", ui.Muted("—")
		if l := lists[row.PriceListID]; l != nil {
			list, currency = sold.list(l), l.CurrencyID
		}
		if row.FeatureID != nil && features[*row.FeatureID] != nil {
			feature = ui.Linked(features[*row.FeatureID].Name, featurePages.href(*row.FeatureID))
		}
		return []ui.Cell{ui.Linked(row.Name, chargePages.href(row.ID)), ui.Code(row.Code), list, ui.Plain(ui.EnumText(row.ChargeType)).WithSub(ui.EnumText(row.BillingPeriod)), priceOf(row, currency), feature}
	}), nil
}

var (
	chargeTypes   = []ui.Option{{Value: string(catalog.Recurring), Text: "Recurring"}, {Value: string(catalog.OneTime), Text: "One time"}, {Value: string(catalog.Usage), Text: "Usage"}}
	billingPeriod = []ui.Option{
		{Value: string(catalog.Monthly), Text: "Every month"}, {Value: string(catalog.Quarterly), Text: "Every quarter"}, {Value: string(catalog.SemiAnnual), Text: "Every half year"},
		{Value: string(catalog.Annual), Text: "Every year"}, {Value: string(catalog.Once), Text: "Once"},
	}
	billingTimings = []ui.Option{{Value: string(catalog.InAdvance), Text: "In advance"}, {Value: string(catalog.InArrears), Text: "In arrears"}}
	pricingModels  = []ui.Option{
		{Value: string(catalog.Flat), Text: "Flat: each unit costs the same"}, {Value: string(catalog.Tiered), Text: "Tiered: each unit costs what its tier does"},
		{Value: string(catalog.Volume), Text: "Volume: all units cost what the last one does"}, {Value: string(catalog.Bands), Text: "Bands: one price for all units, by how many they are"},
	}
)

func chargeInputs(c *call, row *catalog.Charge, isNew bool) ([]ui.Section[catalog.Charge], error) {
	owner, list, err := priceListInput(c, row.PriceListID, isNew)
	if err != nil {
		return nil, err
	}
	var features []ui.Option
	currency := ""
	if list != nil {
		currency = list.CurrencyID
		plan, err := store.Plans.Get(c.ctx(), c.q(), list.PlanID)
		if err != nil {
			return nil, err
		}
		if plan != nil {
			if features, err = optionsOf(c, store.Features, term("product", plan.ProductID), func(f *catalog.Feature) (billing.FeatureID, string) { return f.ID, f.Name }); err != nil {
				return nil, err
			}
		}
	}
	sections := ui.Sections(catalog.ChargeFields, owner,
		ui.InputFor(catalog.ChargeFields, "code").Suggested(),
		ui.OptionalReference("featureId", "Feature", "None", func(c *catalog.Charge) **billing.FeatureID { return &c.FeatureID }, features).
			Help("The quantity bought becomes the tenant's limit for this feature.").Wide(),
		ui.Choice("chargeType", "Type", func(c *catalog.Charge) *catalog.ChargeType { return &c.ChargeType }, chargeTypes...),
		ui.Choice("billingPeriod", "Billed", func(c *catalog.Charge) *catalog.BillingPeriod { return &c.BillingPeriod }, billingPeriod...),
		ui.OptionalChoice("billingTiming", "When", "In advance, usage in arrears (default)", func(c *catalog.Charge) **catalog.BillingTiming { return &c.BillingTiming }, billingTimings...),
		ui.Choice("pricingModel", "Pricing model", func(c *catalog.Charge) *catalog.PricingModel { return &c.PricingModel }, pricingModels...),
		priceInput(currency))
	price, quantity := &sections[1], &sections[2]
	if !isNew {
		price.Help = agreedPrice
	}
	price.Inputs = append(price.Inputs, tiersInput(currency))
	quantity.Folded = row.QuantityMin == nil && row.QuantityMax == nil
	return sections, nil
}

func priceListInput(c *call, id billing.PriceListID, isNew bool) (ui.Input[catalog.Charge], *catalog.PriceList, error) {
	list, err := store.PriceLists.Get(c.ctx(), c.q(), id)
	if err != nil {
		return ui.Input[catalog.Charge]{}, nil, err
	}
	if list != nil && !isNew {
		return ui.Fixed[catalog.Charge]("priceListId", "Price list", list.Name).Wide(), list, nil
	}
	options, err := optionsOf(c, store.PriceLists, nil, func(l *catalog.PriceList) (billing.PriceListID, string) { return l.ID, l.Name + " (" + l.Code + ")" })
	in := ui.Reference("priceListId", "Price list", func(c *catalog.Charge) *billing.PriceListID { return &c.PriceListID }, options).Required().Wide()
	return in, list, err
}

func priceInput(currency string) ui.Input[catalog.Charge] {
	return ui.Input[catalog.Charge]{
		Field: ui.Field{Name: "price", Label: "Price", Kind: ui.FieldText, Help: strings.TrimSpace("Such as 9.90 "+currency) + ". For flat pricing only.", Placeholder: "0.00"},
		Get: func(c *catalog.Charge) string {
			if c.Price == nil {
				return ""
			}
			return c.Price.In(currency)
		},
		Set: func(c *catalog.Charge, typed string) *billing.Error {
			c.Price = nil
			if typed = strings.TrimSpace(typed); typed == "" {
				return nil
			}
			price, err := billing.ParsePrice(typed)
			if problems, known := billing.AsProblems(err); known {
				return problems[0]
			}
			c.Price = &price
			return nil
		},
	}
}

// tiersInput takes one tier on each line: where it starts, and its price.
func tiersInput(currency string) ui.Input[catalog.Charge] {
	const name = "priceListChargeTiers"
	return ui.Input[catalog.Charge]{
		Field: ui.Field{Name: name, Label: "Tiers", Kind: ui.FieldArea, Rows: 4, Wide: true, Placeholder: "1 10.00\n11 8.00",
			Help: "One per line: the first quantity, a space, and the price. The first tier starts at 1. Not used for flat pricing."},
		Get: func(c *catalog.Charge) string {
			lines := make([]string, len(c.Tiers))
			for i, tier := range c.Tiers {
				lines[i] = fmt.Sprintf("%d %s", tier.Starts, tier.Price.In(currency))
			}
			return strings.Join(lines, "\n")
		},
		Set: func(c *catalog.Charge, typed string) *billing.Error {
			c.Tiers = nil
			for i, line := range ui.Lines(typed) {
				words := strings.Fields(line)
				if len(words) == 0 {
					continue
				}
				var starts int
				var price billing.Price
				err := error(nil)
				if len(words) == 2 {
					if starts, err = strconv.Atoi(words[0]); err == nil {
						price, err = billing.ParsePrice(words[1])
					}
				}
				if len(words) != 2 || err != nil {
					return billing.Fail(billing.Invalid, name, "Line %d is not a tier. Write its first quantity and its price, such as: 11 8.00", i+1)
				}
				c.Tiers = append(c.Tiers, catalog.Tier{Starts: starts, Price: price})
			}
			return nil
		},
	}
}

func showCharge(c *call, row *catalog.Charge) (*ui.Details, error) {
	list, err := store.PriceLists.Get(c.ctx(), c.q(), row.PriceListID)
	if err != nil {
		return nil, err
	}
	data, currency := &ui.Details{}, ""
	if list != nil {
		currency = list.CurrencyID
	}
	data.Fact("Code", ui.Code(row.Code))
	data.Fact("Type", ui.Plain(ui.EnumText(row.ChargeType)))
	billed := ui.EnumText(row.BillingPeriod)
	if row.BillingTiming != nil {
		billed += ", " + strings.ToLower(ui.EnumText(*row.BillingTiming))
	}
	data.Fact("Billed", ui.Plain(billed))
	data.Fact("Pricing model", ui.Plain(ui.EnumText(row.PricingModel)))
	sentence, err := chargeSentence(c, row, currency)
	if err != nil {
		return nil, err
	}
	data.Facts = append([]ui.Fact{{Label: "Price", Value: ui.Sentence(sentence)}}, data.Facts...)
	data.Fact("Tax code", ui.Code(row.TaxCode))
	if row.QuantityMin != nil {
		data.Fact("At least", ui.Number(*row.QuantityMin))
	}
	if row.QuantityMax != nil {
		data.Fact("At most", ui.Number(*row.QuantityMax))
	}
	if len(row.Tiers) > 0 {
		b := ui.Block{Title: "Tiers", Table: ui.Table{Columns: []string{"From", "Price"}}}
		for _, tier := range row.Tiers {
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Number(tier.Starts), ui.Money(tier.Price, currency)})
		}
		data.Blocks = []ui.Block{b}
	}
	return data, nil
}
