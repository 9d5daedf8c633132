package dunning

import (
	"math/big"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Action is what a step does.
type Action string

// The actions, from the mildest to the hardest.
const (
	Remind   Action = "REMIND"    // sends an e-mail
	Collect  Action = "COLLECT"   // charges the payment method
	Restrict Action = "RESTRICT"  // takes some features away
	Suspend  Action = "SUSPEND"   // takes all features away
	Cancel   Action = "CANCEL"    // cancels the subscriptions of the invoice
	WriteOff Action = "WRITE_OFF" // gives up what is due
)

// Step is an action on a day. Days count from the due day, which is 0.
type Step struct {
	Day    int    `json:"day"`
	Action Action `json:"action"`
	// Template names the e-mail of the step. A REMIND needs one.
	Template string `json:"template"`
}

// Policy says what happens on which day while an invoice is unpaid. An account
// without dunning has none: functions take nil for it.
type Policy struct {
	ID   billing.DunningPolicyID `json:"id"`
	Code string                  `json:"code"`
	Name string                  `json:"name"`
	// Steps are in order of their days. Those of a day happen in the order given.
	Steps []Step `json:"steps"`
	// Tolerance is an amount that is too small to ask for, in units of whatever
	// currency an invoice has.
	Tolerance billing.Price `json:"tolerance"`
	// BillWhileSuspended says whether days on which a subscription is suspended are
	// billed. It counts for suspensions that begin.
	BillWhileSuspended bool      `json:"billWhileSuspended"`
	CreatedAt          time.Time `json:"createdAt"`
	UpdatedAt          time.Time `json:"updatedAt"`
}

// The templates of the default policy.
const (
	TemplateDueSoon      = "due-soon"
	TemplateReminder     = "reminder"
	TemplateLastReminder = "last-reminder" // announces the suspension
)

// NewPolicy is the policy that an operator begins with.
func NewPolicy() Policy {
	return Policy{
		Code: "default", Name: "Default", Tolerance: "0", BillWhileSuspended: true,
		Steps: []Step{
			{Day: -3, Action: Remind, Template: TemplateDueSoon},
			{Day: 0, Action: Collect},
			{Day: 1, Action: Collect},
			{Day: 3, Action: Collect}, {Day: 3, Action: Remind, Template: TemplateReminder},
			{Day: 7, Action: Collect}, {Day: 7, Action: Remind, Template: TemplateReminder},
			{Day: 14, Action: Collect}, {Day: 14, Action: Remind, Template: TemplateLastReminder},
			{Day: 21, Action: Suspend},
			{Day: 45, Action: Cancel}, {Day: 45, Action: WriteOff},
		},
	}
}

// threeDigitTolerance is the least tolerance where a currency has three digits:
// payment providers round such amounts to two.
const threeDigitTolerance money.Amount = 5

// ToleranceIn is the tolerance in minor units of a currency, rounded down.
func (p *Policy) ToleranceIn(currency money.Currency) money.Amount {
	var least money.Amount
	if currency.Digits == 3 {
		least = threeDigitTolerance
	}
	if p.Tolerance == "0" { // the usual one, and every invoice asks
		return least
	}
	units, ok := new(big.Rat).SetString(string(p.Tolerance))
	if !ok {
		return least
	}
	minor := currency.Minor(units)
	whole := new(big.Int).Quo(minor.Num(), minor.Denom())
	if !whole.IsInt64() {
		return money.MaxDocument
	}
	return max(least, money.Amount(whole.Int64()))
}
