package subscription

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// Draft is what a caller asks for in a new subscription. StartDate
// is the first paid day; with a trial and no TrialStartDate it is the first day
// of the trial.
type Draft struct {
	Trial                 bool
	Evergreen             bool
	StartDate             *billing.Date
	EndDate               *billing.Date
	AlignTo               Alignment
	BillingDay            int // of the account, to align to
	TrialStartDate        *billing.Date
	RenewalTermMonths     *int
	TrialExpirationAction *catalog.TrialExpirationAction
	Quantities            []QuantityOrder
	PONumber              *string
	SeparateInvoice       bool
}

// Alignment says where the first term of a subscription ends. The zero value is
// AlignToStart.
type Alignment string

// The first term has its length; or it ends the day before the account's next
// billing day, so that all terms begin on billing days.
const (
	AlignToStart      Alignment = "START"
	AlignToBillingDay Alignment = "BILLING_DAY"
)

// New decides what a new subscription on an offer is today. One
// that starts in the past is brought to today's term at once, or to its end if
// it is over.
func New(d Draft, o *Offer, today billing.Date) (Subscription, Change, error) {
	s := Subscription{
		Standing:  billing.Good,
		ProductID: o.ProductID, PriceListID: o.PriceList.ID, State: StatePending,
		Evergreen: d.Evergreen, RenewalTermMonths: o.PriceList.RenewalTermMonths, PONumber: billing.EmptyToNil(d.PONumber), SeparateInvoice: d.SeparateInvoice,
	}
	problems := s.setDates(d, o, today)
	problems.Add(checkPONumber(d.PONumber))
	orders, wrong := o.resolve(d.Quantities)
	if problems.Add(wrong...); len(problems) > 0 {
		return Subscription{}, Change{}, problems
	}
	s.Charges = o.lines(orders, s.FirstDay(), s.EndDate)
	s, err := s.BroughtTo(today, nil)
	if err != nil {
		return Subscription{}, Change{}, err
	}
	return s, Change{Kind: KindCreated, To: s.State}, nil
}

// setDates sets the trial and the first term.
func (s *Subscription) setDates(d Draft, o *Offer, today billing.Date) billing.Problems {
	var problems billing.Problems
	if d.RenewalTermMonths != nil {
		if e := checkTermMonths(*d.RenewalTermMonths); e != nil {
			problems.Add(e)
		} else {
			s.RenewalTermMonths = *d.RenewalTermMonths
		}
	}
	s.StartDate = today
	if d.StartDate != nil {
		s.StartDate = *d.StartDate
	}
	problems.Add(s.setTrial(d, o, today))
	if d.EndDate != nil && d.EndDate.Before(s.StartDate) {
		problems.Add(billing.Invalidf("endDate", "The end (%s) is before the start (%s).", *d.EndDate, s.StartDate))
		return problems
	}
	s.startTerm(d.EndDate)
	if d.AlignTo == AlignToBillingDay {
		problems.Add(s.alignTerm(d))
	}
	field := "startDate"
	switch {
	case d.EndDate != nil:
		field = "endDate"
	case d.TrialStartDate != nil:
		field = "trialStartDate"
	}
	problems.Add(checkLastDay(field, s.EndDate))
	return problems
}
