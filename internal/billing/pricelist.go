package billing

import "time"

// TrialExpirationAction says what happens when a trial ends.
type TrialExpirationAction string

// A trial ends in a paid term, or ends.
const (
	TrialActivate TrialExpirationAction = "ACTIVATE"
	TrialCancel   TrialExpirationAction = "CANCEL"
)

// PriceList prices a plan in one currency for terms of one length.
type PriceList struct {
	ID                    PriceListID            `json:"id"`
	PlanID                PlanID                 `json:"planId"`
	Code                  string                 `json:"code"`
	Name                  string                 `json:"name"`
	CurrencyID            string                 `json:"currencyId"`
	RenewalTermMonths     int                    `json:"renewalTermMonths"`
	TrialAllowed          bool                   `json:"trialAllowed"`
	TrialLengthDays       *int                   `json:"trialLengthDays"`
	TrialExpirationAction *TrialExpirationAction `json:"trialExpirationAction"`
	IsVisible             bool                   `json:"isVisible"`
	CreatedAt             time.Time              `json:"createdAt"`
	UpdatedAt             time.Time              `json:"updatedAt"`
}

// PriceListFields describes the fields of a price list.
var PriceListFields = Fields[PriceList]{
	{Fields: []Field[PriceList]{
		Reference("planId", func(l *PriceList) *PlanID { return &l.PlanID }),
		Describe("name", "Name", func(l *PriceList) *string { return &l.Name }, NameText).AsRequired(),
		Describe("code", "Code", func(l *PriceList) *string { return &l.Code }, CheckCode).AsRequired().WithHelp("Unique. Orders name the price list by it."),
		Describe("currencyId", "Currency", func(l *PriceList) *string { return &l.CurrencyID }, requireCurrency).AsRequired().WithHelp("ISO 4217, such as EUR."),
		Describe("renewalTermMonths", "Term in months", func(l *PriceList) *int { return &l.RenewalTermMonths },
			Between(1, 120, "A term has %d to %d months, not %d.")).AsRequired(),
		Describe("isVisible", "Visible to customers", func(l *PriceList) *bool { return &l.IsVisible }),
	}},
	{Title: "Trial", Fields: []Field[PriceList]{
		Describe("trialAllowed", "Trials are allowed", func(l *PriceList) *bool { return &l.TrialAllowed }),
		Optional("trialLengthDays", "Length in days", func(l *PriceList) **int { return &l.TrialLengthDays },
			Between(1, 3650, "A trial has %d to %d days, not %d.")),
		Optional("trialExpirationAction", "", func(l *PriceList) **TrialExpirationAction { return &l.TrialExpirationAction },
			OneOf("A trial ends with ACTIVATE or CANCEL, not %q.", TrialActivate, TrialCancel)),
	}},
}

func requireCurrency(field, value string) *Error {
	if value == "" {
		return Requiredf(field, "A price list needs a currency: an ISO 4217 code such as EUR.")
	}
	return CheckCurrency(field, value)
}

// Check returns what is wrong with the price list, nil if nothing is.
func (l *PriceList) Check() Problems {
	p := PriceListFields.Check(l)
	if l.TrialAllowed && l.TrialLengthDays == nil {
		p.Add(Requiredf("trialLengthDays", "A price list that allows trials needs their length in days."))
	}
	return p
}
