package dunning

import (
	"maps"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// PendingDays is how long steps wait for a pending payment at most.
const PendingDays = 10

// Invoice is what dunning knows of an invoice that was issued. Days are those of
// the operator's time zone; the zero date is none.
type Invoice struct {
	Number      string
	Issued, Due billing.Date
	Currency    money.Currency
	AmountDue   money.Amount
	// Forfeited says that it was written off without restoring the standing: what was
	// taken away is not given back. Something is due of it only if a payment was taken
	// back since, and that is claimed again.
	Forfeited bool
	// OneOff says that it has no items of a subscription, so that there is nothing
	// to take away.
	OneOff bool
	// Restarted is the day on which the steps began again, after a chargeback.
	Restarted billing.Date
	// HoldUntil is the first day on which steps are carried out again.
	HoldUntil billing.Date
	// Attempt is the state of a charge without a final outcome, which was made on
	// the day AttemptOn.
	Attempt   Attempt
	AttemptOn billing.Date
	// HasMethod says that there is a payment method to charge.
	HasMethod bool
	// HardDecline says that charging this method again is useless.
	HardDecline bool
	// NewMethod says that the payment method changed since the last COLLECT.
	NewMethod bool
	// Done has the last day of each action that was carried out.
	Done Progress
}

// Progress has the day of the last step carried out, for each action. Later steps
// of the same action are still to come, and earlier ones will not happen.
type Progress map[Action]int

// Attempt says whether a charge of an invoice has no final outcome yet.
type Attempt int

// The attempts without a final outcome.
const (
	NoAttempt  Attempt = iota
	Unanswered         // in progress, or the outcome is unknown
	Pending            // accepted, such as a bank debit, and not decided
)

// start is day 0.
func (i *Invoice) start() billing.Date {
	if i.Restarted.After(i.Due) {
		return i.Restarted
	}
	return i.Due
}

// DaysOverdue counts the days since the due day, whatever was restarted.
func (i *Invoice) DaysOverdue(today billing.Date) int { return i.Due.DaysUntil(today) }

// Open reports whether the policy asks for the invoice to be paid.
func (p *Policy) Open(i *Invoice) bool {
	return p != nil && i.AmountDue > p.ToleranceIn(i.Currency)
}

// After returns the invoice with a step carried out.
func (i Invoice) After(step Step) Invoice {
	i.Done = maps.Clone(i.Done)
	if i.Done == nil {
		i.Done = Progress{}
	}
	i.Done[step.Action] = step.Day
	if step.Action == Collect {
		i.NewMethod = false
	}
	return i
}

// Reversed returns the invoice with a payment taken back, by a chargeback or a
// returned debit. If the payment had settled it, its steps begin again: today is
// day 0, so that nobody is suspended without a warning. If it was open anyway,
// they go on, so that a chargeback does not give access back; nor does it where the
// rest was written off.
func (p *Policy) Reversed(i Invoice, amount money.Amount, today billing.Date) Invoice {
	wasOpen := p.Open(&i)
	i.AmountDue += amount
	if !wasOpen {
		i.Restarted, i.Done = today, i.keptAway()
	}
	return i
}

// keptAway are the steps whose effect stays when the others begin again: of an invoice
// that is forfeited, those that took something away.
func (i *Invoice) keptAway() Progress {
	kept := Progress{}
	for _, action := range []Action{Restrict, Suspend} {
		if day, done := i.Done[action]; done && i.Forfeited {
			kept[action] = day
		}
	}
	return kept
}
