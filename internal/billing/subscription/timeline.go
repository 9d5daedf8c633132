package subscription

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// longestPeriod is how many months the longest billing period has.
const longestPeriod = 12

// Timeline is the subscription as it is owed for in all periods that begin by a
// day. Past days are as they were; days to come are as they will be if nobody
// acts, so a scheduled change counts, a subscription that renews goes on, and
// one that does not ends with its term. billingStartsOn is the first day that is
// billed.
func (s Subscription) Timeline(through, billingStartsOn billing.Date, offers Offers) (ledger.Timeline, error) {
	past, present := s.pastLines()
	s.Charges = present
	then, err := s.BroughtTo(through.AddMonths(longestPeriod), offers)
	if err != nil {
		return ledger.Timeline{}, err
	}
	t := then.laidOut(billingStartsOn)
	t.Lines = append(past, t.Lines...)
	t.Pause(s.Pauses, through)
	return t, nil
}

// pastLines divides the lines into those that time does nothing to any more, as they
// are owed for, and the others. If a subscription was changed often, the past is by
// far the most.
func (s *Subscription) pastLines() (past []ledger.Line, present []Line) {
	last := s.TermStartDate.AddDays(-2)
	past, present = make([]ledger.Line, 0, len(s.Charges)+2), make([]Line, 0, 4)
	for i := range s.Charges {
		line := &s.Charges[i]
		switch {
		case line.Type != catalog.Recurring || line.KeptTo != nil || line.EndDate.After(last):
			present = append(present, *line)
		case line.owed():
			past = append(past, line.laidOut())
		}
	}
	return past, present
}

// laidOut is the subscription as it is owed for by the day that it has been
// brought to.
func (s *Subscription) laidOut(billingStartsOn billing.Date) ledger.Timeline {
	t := ledger.Timeline{StartDate: s.StartDate, BillingStartsOn: billingStartsOn, Epochs: s.Epochs, Lines: make([]ledger.Line, 0, len(s.Charges))}
	if ended, over := s.EndedOn(); over {
		t.End = ended
	}
	t.Pause(s.Pauses, s.AsOf)
	for i := range s.Charges {
		if line := &s.Charges[i]; line.owed() {
			t.Lines = append(t.Lines, line.laidOut())
		}
	}
	return t
}

// owed reports whether anything is owed for the line.
func (c *Line) owed() bool { return !c.Off && c.counted() }

// laidOut is the line as it is owed for.
func (c *Line) laidOut() ledger.Line {
	agreed := c.Rate
	currency, err := money.CurrencyOf(c.CurrencyID)
	if err != nil { // the price list was deleted before rates were kept
		agreed = nil
	}
	quantity := 1
	if c.Quantity != nil {
		quantity = *c.Quantity
	}
	owed := ledger.Line{Charge: c.ChargeID, Rate: agreed, Currency: currency, Quantity: quantity, From: c.StartDate, To: c.EndDate}
	if c.KeptTo != nil {
		owed.KeptTo = *c.KeptTo
	}
	return owed
}
