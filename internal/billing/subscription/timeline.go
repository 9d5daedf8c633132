package subscription

import (
	"github.com/tenantry/tenantry/internal/billing"
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
	then, err := s.BroughtTo(through.AddMonths(longestPeriod), offers)
	if err != nil {
		return ledger.Timeline{}, err
	}
	return then.laidOut(billingStartsOn), nil
}

// laidOut is the subscription as it is owed for by the day that it has been
// brought to.
func (s *Subscription) laidOut(billingStartsOn billing.Date) ledger.Timeline {
	t := ledger.Timeline{StartDate: s.StartDate, BillingStartsOn: billingStartsOn, Epochs: s.Epochs, Lines: make([]ledger.Line, 0, len(s.Charges))}
	if ended, over := s.EndedOn(); over {
		t.End = ended
	}
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.Off || !line.counted() {
			continue
		}
		agreed := line.Rate
		currency, err := money.CurrencyOf(line.CurrencyID)
		if err != nil { // the price list was deleted before rates were kept
			agreed = nil
		}
		quantity := 1
		if line.Quantity != nil {
			quantity = *line.Quantity
		}
		owed := ledger.Line{Charge: line.ChargeID, Rate: agreed, Currency: currency, Quantity: quantity, From: line.StartDate, To: line.EndDate}
		if line.KeptTo != nil {
			owed.KeptTo = *line.KeptTo
		}
		t.Lines = append(t.Lines, owed)
	}
	return t
}
