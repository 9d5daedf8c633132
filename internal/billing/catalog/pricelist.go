package catalog

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// TrialExpirationAction says what happens when a trial ends.
type TrialExpirationAction string

// A trial ends in a paid term, or ends.
const (
	TrialActivate TrialExpirationAction = "ACTIVATE"
	TrialCancel   TrialExpirationAction = "CANCEL"
)

// PriceList prices a plan in one currency for terms of one length.
type PriceList struct {
	ID         billing.PriceListID `json:"id"`
	PlanID     billing.PlanID      `json:"planId"`
	Code       string              `json:"code"`
	Name       string              `json:"name"`
	CurrencyID string              `json:"currencyId"`
	// PricesIncludeTax says that the tax is part of the prices.
	PricesIncludeTax      bool                   `json:"pricesIncludeTax"`
	RenewalTermMonths     int                    `json:"renewalTermMonths"`
	TrialAllowed          bool                   `json:"trialAllowed"`
	TrialLengthDays       *int                   `json:"trialLengthDays"`
	TrialExpirationAction *TrialExpirationAction `json:"trialExpirationAction"`
	IsVisible             bool                   `json:"isVisible"`
	CreatedAt             time.Time              `json:"createdAt"`
	UpdatedAt             time.Time              `json:"updatedAt"`
}

// PriceListFields describes the fields of a price list.
var PriceListFields = billing.Fields[PriceList]{
	{Fields: []billing.Field[PriceList]{
		billing.Reference("planId", func(l *PriceList) *billing.PlanID { return &l.PlanID }),
		billing.Describe("name", "Name", func(l *PriceList) *string { return &l.Name }, billing.NameText).AsRequired(),
		billing.Describe("code", "Code", func(l *PriceList) *string { return &l.Code }, billing.CheckCode).AsRequired().WithHelp("Unique. Orders name the price list by it."),
		billing.Describe("currencyId", "Currency", func(l *PriceList) *string { return &l.CurrencyID }, requireCurrency).AsRequired().WithHelp("ISO 4217, such as EUR."),
		billing.Describe("renewalTermMonths", "Term in months", func(l *PriceList) *int { return &l.RenewalTermMonths },
			billing.Between(1, 120, "A term has %d to %d months, not %d.")).AsRequired(),
		billing.Describe("pricesIncludeTax", "Prices include tax", func(l *PriceList) *bool { return &l.PricesIncludeTax }),
		billing.Describe("isVisible", "Visible to customers", func(l *PriceList) *bool { return &l.IsVisible }),
	}},
	{Title: "Trial", Fields: []billing.Field[PriceList]{
		billing.Describe("trialAllowed", "Trials are allowed", func(l *PriceList) *bool { return &l.TrialAllowed }),
		billing.Optional("trialLengthDays", "Length in days", func(l *PriceList) **int { return &l.TrialLengthDays },
			billing.Between(1, 3650, "A trial has %d to %d days, not %d.")),
		billing.Optional("trialExpirationAction", "", func(l *PriceList) **TrialExpirationAction { return &l.TrialExpirationAction },
			billing.OneOf("A trial ends with ACTIVATE or CANCEL, not %q.", TrialActivate, TrialCancel)),
	}},
}

func requireCurrency(field, value string) *billing.Error {
	if value == "" {
		return billing.Requiredf(field, "A price list needs a currency: an ISO 4217 code such as EUR.")
	}
	return billing.CheckCurrency(field, value)
}

// Check returns what is wrong with the price list, nil if nothing is.
func (l *PriceList) Check() billing.Problems {
	p := PriceListFields.Check(l)
	if l.TrialAllowed && l.TrialLengthDays == nil {
		p.Add(billing.Requiredf("trialLengthDays", "A price list that allows trials needs their length in days."))
	}
	return p
}
