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

// Check returns what is wrong with the price list, nil if nothing is.
func (l *PriceList) Check() Problems {
	var p Problems
	p.add(requireText("name", l.Name, MaxName), checkCode("code", l.Code))
	if l.CurrencyID == "" {
		p.add(required("currencyId", "A price list needs a currency: an ISO 4217 code such as EUR."))
	} else {
		p.add(checkCurrency("currencyId", l.CurrencyID))
	}
	if l.RenewalTermMonths < 1 || l.RenewalTermMonths > 120 {
		p.add(invalid("renewalTermMonths", "A term has 1 to 120 months, not %d.", l.RenewalTermMonths))
	}
	if d := l.TrialLengthDays; d != nil && (*d < 1 || *d > 3650) {
		p.add(invalid("trialLengthDays", "A trial has 1 to 3650 days, not %d.", *d))
	}
	if l.TrialAllowed && l.TrialLengthDays == nil {
		p.add(required("trialLengthDays", "A price list that allows trials needs their length in days."))
	}
	if a := l.TrialExpirationAction; a != nil && *a != TrialActivate && *a != TrialCancel {
		p.add(invalid("trialExpirationAction", "A trial ends with ACTIVATE or CANCEL, not %q.", *a))
	}
	return p
}
