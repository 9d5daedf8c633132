package subscription

import (
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

// Record is a subscription in the middle of its life, as a file has
// it. What is nil follows from the rest.
type Record struct {
	State                 *State
	Evergreen             *bool
	RenewalTermMonths     *int
	StartDate             *billing.Date
	EndDate               *billing.Date
	TermStartDate         *billing.Date
	AnchorDay             *int
	Epochs                ledger.Epochs
	Pauses                ledger.Pauses
	TrialStartDate        *billing.Date
	TrialEndDate          *billing.Date
	TrialExpirationAction *catalog.TrialExpirationAction
	CancellationDate      *billing.Date
	Unused                *UnusedDays
	NextPriceList         *NextPriceList
	PONumber              *string
	SeparateInvoice       *bool
	BilledThrough         *billing.Date
	// AsOf is the day on which all of this was true. What is due since then is
	// not done here. Without it, the record is brought to today.
	AsOf       *billing.Date
	Quantities []QuantityOrder
	// Lines are used instead of quantities if they are not nil. Without dates, a
	// line lasts from the first day to the end of the term.
	Lines []Line
}

// Restore decides what a subscription that has lived elsewhere is
// here. Its state follows from its dates: if the record has a state too, that
// must be the same, so that nobody gets or loses something by a slip.
func Restore(r Record, o *Offer, offers Offers, today billing.Date) (Subscription, error) {
	s := Subscription{
		Standing:  billing.Good,
		ProductID: o.ProductID, PriceListID: o.PriceList.ID, State: StatePending, Evergreen: r.Evergreen == nil || *r.Evergreen,
		RenewalTermMonths: o.PriceList.RenewalTermMonths, CancellationDate: r.CancellationDate, NextPriceList: r.NextPriceList,
		Pauses: r.Pauses.Ended(today), // the standing, which would end it, is not in the record
	}
	problems := s.restoreDates(r)
	problems.Add(s.restoreInvoicing(r)...)
	problems.Add(s.restoreLines(r, o)...)
	if len(problems) > 0 {
		return Subscription{}, problems
	}
	if r.AsOf != nil {
		return s.asOf(r, today)
	}
	s, err := s.derived(r, today)
	if err != nil {
		return s, err
	}
	return s, s.checkFresh(o, offers)
}

// checkFresh refuses what the API would not have made: a number that is missing
// or that the charge does not sell, and a change of plan that cannot happen. A
// subscription that was exported lived by these rules, but bounds may have
// changed since.
func (s *Subscription) checkFresh(o *Offer, offers Offers) error {
	if s.State.Ended() {
		return nil
	}
	var problems billing.Problems
	for i := range o.Charges {
		if c := &o.Charges[i]; o.sellsNumber(c) && c.ChargeType == catalog.Recurring {
			problems.Add(s.checkNumber(o, c))
		}
	}
	if s.NextPriceList != nil {
		problems.Add(s.checkFollowed("nextPriceList"))
	}
	if len(problems) > 0 {
		return problems
	}
	return s.checkPlanned(nil, offers)
}

// checkNumber refuses lines of a charge of which none counts now, or that have
// numbers that it does not sell.
func (s *Subscription) checkNumber(o *Offer, c *catalog.Charge) *billing.Error {
	now, counts := maxDate(s.AsOf, s.FirstDay()), o.includes(c)
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.ChargeID != c.ID || line.EndDate.Before(now) && !s.counts(line, now) {
			continue
		}
		switch {
		case line.Off && !o.includes(c):
			return billing.Invalidf("lines", "The charge %q cannot be off: the plan includes no number of its feature.", c.Code)
		case line.Quantity != nil && !c.Sells(*line.Quantity):
			return billing.Invalidf("lines", "The charge %q is sold in quantities of %s, not %d.", c.Code, c.Bounds(), *line.Quantity)
		}
		counts = counts || s.counts(line, now)
	}
	if !counts {
		return billing.Invalidf("lines", "The charge %q is sold by the number, and no line of it counts on %s.", c.Code, now)
	}
	return nil
}

// restoreDates sets the trial and the term.
func (s *Subscription) restoreDates(r Record) billing.Problems {
	var problems billing.Problems
	if r.RenewalTermMonths != nil {
		problems.Add(checkTermMonths(*r.RenewalTermMonths))
		s.RenewalTermMonths = *r.RenewalTermMonths
	}
	problems.Add(s.restoreTrial(r))
	switch {
	case r.StartDate != nil:
		s.StartDate = *r.StartDate
	case s.TrialEndDate != nil:
		s.StartDate = s.TrialEndDate.AddDays(1)
	default:
		problems.Add(billing.Requiredf("startDate", "Give startDate, the first paid day."))
	}
	if len(problems) > 0 {
		return problems
	}
	if r.EndDate != nil && r.EndDate.Before(s.StartDate) {
		return billing.Problems{billing.Invalidf("endDate", "The end (%s) is before the start (%s).", *r.EndDate, s.StartDate)}
	}
	s.startTerm(nil)
	if r.AnchorDay != nil {
		s.AnchorDay = *r.AnchorDay
	}
	if r.EndDate != nil {
		s.endTermOn(*r.EndDate)
		if r.AnchorDay != nil {
			s.AnchorDay = *r.AnchorDay
		}
		s.TermStartDate = maxDate(s.StartDate, r.EndDate.AddDays(1).AddMonthsAnchored(-s.RenewalTermMonths, s.AnchorDay))
	}
	if r.TermStartDate != nil {
		s.TermStartDate = *r.TermStartDate
	}
	if s.Epochs = s.LikelyEpochs(); r.Epochs != nil {
		s.Epochs = r.Epochs
	}
	problems.Add(checkLastDay("endDate", s.EndDate))
	return problems
}

// restoreInvoicing sets what matters to invoices only.
func (s *Subscription) restoreInvoicing(r Record) (problems billing.Problems) {
	problems.Add(r.Pauses.Check())
	s.PONumber, s.SeparateInvoice, s.BilledThrough = billing.EmptyToNil(r.PONumber), r.SeparateInvoice != nil && *r.SeparateInvoice, r.BilledThrough
	problems.Add(checkPONumber(s.PONumber))
	if r.Unused == nil {
		return problems
	}
	switch {
	case *r.Unused != KeepUnused && *r.Unused != CreditUnused:
		problems.Add(billing.Invalidf("unused", "Unused days are CREDIT or KEEP, not %q.", billing.Excerpt(string(*r.Unused))))
	case r.CancellationDate == nil:
		problems.Add(billing.Invalidf("unused", "What becomes of unused days is for a subscription with cancellationDate."))
	}
	s.Unused = keptUnused(*r.Unused)
	return problems
}

// restoreTrial sets the trial, if there was or will be one.
func (s *Subscription) restoreTrial(r Record) *billing.Error {
	if r.TrialStartDate == nil {
		switch {
		case r.TrialEndDate != nil:
			return billing.Requiredf("trialStartDate", "A trial has a first day too: give trialStartDate.")
		case r.TrialExpirationAction != nil:
			return billing.Invalidf("trialExpirationAction", "What a trial ends with is for a subscription with trialStartDate.")
		}
		return nil
	}
	end := r.TrialEndDate
	if end == nil {
		if r.StartDate == nil {
			return billing.Requiredf("trialEndDate", "Give trialEndDate, the last day of the trial, or startDate, the first paid day after it.")
		}
		end = at(r.StartDate.AddDays(-1))
	}
	if end.Before(*r.TrialStartDate) {
		return billing.Invalidf("trialEndDate", "The trial ends (%s) before it begins (%s).", *end, *r.TrialStartDate)
	}
	action := catalog.TrialActivate
	if r.TrialExpirationAction != nil {
		action = *r.TrialExpirationAction
	}
	if action != catalog.TrialActivate && action != catalog.TrialCancel {
		return billing.Invalidf("trialExpirationAction", "A trial ends with ACTIVATE or CANCEL, not %q.", action)
	}
	s.TrialStartDate, s.TrialEndDate, s.TrialExpirationAction = r.TrialStartDate, end, &action
	return nil
}

// restoreLines sets the lines, or makes them of quantities. Unless the record
// says of which day it is, every charge has a line, as in a new subscription.
func (s *Subscription) restoreLines(r Record, o *Offer) billing.Problems {
	if r.Lines == nil {
		orders, problems := o.resolve(r.Quantities)
		s.Charges = o.lines(orders, s.FirstDay(), s.EndDate)
		return problems
	}
	if len(r.Quantities) > 0 {
		return billing.Problems{billing.Invalidf("quantities", "Give quantities or lines, not both.")}
	}
	var problems billing.Problems
	s.Charges = make([]Line, 0, len(r.Lines))
	for i, line := range r.Lines {
		if line.StartDate == (billing.Date{}) {
			line.StartDate = s.FirstDay()
		}
		if line.EndDate == (billing.Date{}) {
			line.lastsTo(s.EndDate)
		}
		problems.Add(o.checkRestored(fmt.Sprintf("lines.%d", i), &line, s.FirstDay(), r.AsOf == nil)...)
		s.Charges = append(s.Charges, line)
	}
	for i := range o.Charges {
		c := &o.Charges[i]
		if r.AsOf != nil || slices.ContainsFunc(s.Charges, func(line Line) bool { return line.ChargeID == c.ID }) {
			continue
		}
		if quantity, sold := o.unquoted(c); sold {
			s.Charges = append(s.Charges, o.line(c, quantity, s.FirstDay(), s.EndDate))
		}
	}
	return problems
}

// checkRestored refuses a line whose number cannot be: a charge for a QUANTITY
// feature has one, unless it is off. fresh says that the record was not taken
// from a subscription that lived by these rules, so that its days are looked at
// too.
func (o *Offer) checkRestored(field string, line *Line, first billing.Date, fresh bool) []*billing.Error {
	var problems billing.Problems
	if line.Quantity != nil {
		problems.Add(catalog.CheckQuantity(field+".quantity", *line.Quantity))
	}
	sold := line.FeatureID != nil && line.Type != catalog.Usage && o.Features[*line.FeatureID].Kind == catalog.Quantity
	switch {
	case line.Off && line.Quantity != nil:
		problems.Add(billing.Invalidf(field+".off", "A line that is off has no quantity."))
	case sold && !line.Off && line.Quantity == nil:
		problems.Add(billing.Requiredf(field+".quantity", "The charge %q is sold by the number: give the quantity.", line.Code))
	}
	if fresh && line.StartDate.Before(first) {
		problems.Add(billing.Invalidf(field+".startDate", "The line begins (%s) before the subscription (%s).", line.StartDate, first))
	}
	return problems
}

// derived brings the record to today, and compares the state with what the
// record says.
func (s Subscription) derived(r Record, today billing.Date) (Subscription, error) {
	if n := s.NextPriceList; n != nil && !n.On.After(today) {
		return s, billing.Invalidf("nextPriceList", "The change of price list on %s is due already (today is %s): put the subscription on its new price list.", n.On, today)
	}
	if problems := s.unfit(); len(problems) > 0 {
		return s, problems
	}
	if c := s.CancellationDate; c != nil && c.Before(s.FirstDay()) {
		return s, billing.Invalidf("cancellationDate", "The cancellation (%s) is before the start (%s).", *c, s.FirstDay())
	}
	s, err := s.BroughtTo(today, nil)
	if err != nil {
		return s, err
	}
	if problems := s.lostSchedules(r); len(problems) > 0 {
		return s, problems
	}
	if r.State != nil && *r.State != s.State {
		return s, billing.Invalidf("state", "The state is %s, but by its dates the subscription is %s on %s%s.", *r.State, s.State, today, s.why(*r.State))
	}
	if problems := s.unfit(); len(problems) > 0 {
		return s, problems
	}
	return s, nil
}

// lostSchedules refuses dates of a record that never come: the subscription is
// over before them.
func (s *Subscription) lostSchedules(r Record) (problems billing.Problems) {
	ended, over := s.EndedOn()
	if !over {
		return nil
	}
	if c := r.CancellationDate; c != nil && s.State != StateCanceled {
		problems.Add(billing.Invalidf("cancellationDate", "The subscription was over on %s, before its cancellation (%s).", ended, *c))
	}
	if n := r.NextPriceList; n != nil {
		problems.Add(billing.Invalidf("nextPriceList", "The subscription was over on %s, before its price list changes (%s).", ended, n.On))
	}
	return problems
}

// why helps somebody whose dates do not fit a state.
func (s *Subscription) why(wanted State) string {
	switch wanted {
	case StateCanceled:
		return ": give cancellationDate, the first day without it"
	case StateExpired:
		return ": one that has expired has an endDate in the past and evergreen false"
	case StateTrial, StateTrialExpired:
		return ": give trialStartDate and trialEndDate, and trialExpirationAction CANCEL if the trial ends in nothing"
	}
	return ""
}

// asOf takes the record as it was on a day.
func (s Subscription) asOf(r Record, today billing.Date) (Subscription, error) {
	switch {
	case r.State == nil:
		return s, billing.Requiredf("state", "A subscription with asOf needs the state it had on that day.")
	case r.AsOf.After(today):
		return s, billing.Invalidf("asOf", "The subscription is as of %s, which is after today (%s).", *r.AsOf, today)
	}
	s.State, s.AsOf = *r.State, *r.AsOf
	if e := s.checkState(); e != nil {
		return s, e
	}
	if problems := s.unfit(); len(problems) > 0 {
		return s, problems
	}
	return s, nil
}

// checkState refuses a state that the dates do not allow on the day that the
// subscription has been brought to. That day may be the eve of the last change:
// what else began with it was to be done next.
func (s *Subscription) checkState() *billing.Error {
	next := s.AsOf.AddDays(1)
	fits := false
	switch s.State {
	case StatePending:
		fits = s.AsOf.Before(s.FirstDay())
	case StateTrial:
		fits = s.TrialStartDate != nil && !s.TrialStartDate.After(next)
	case StateActive:
		fits = !s.TermStartDate.After(next)
	case StateCanceled:
		fits = s.CancellationDate != nil && !s.CancellationDate.After(next)
	case StateExpired:
		fits = !s.Evergreen && s.EndDate.Before(next)
	case StateTrialExpired:
		fits = s.TrialEndDate != nil && s.TrialEndDate.Before(next) && *s.TrialExpirationAction == catalog.TrialCancel
	default:
		return billing.Invalidf("state", "A subscription is PENDING, TRIAL, ACTIVE, CANCELED, EXPIRED or TRIAL_EXPIRED, not %q.", billing.Excerpt(string(s.State)))
	}
	if fits {
		return nil
	}
	return billing.Invalidf("state", "By its dates the subscription cannot have been %s on %s%s.", s.State, s.AsOf, s.why(s.State))
}

// unfit returns what about dates and lines cannot be.
func (s *Subscription) unfit() billing.Problems {
	var problems billing.Problems
	if err := s.sound(); err != nil {
		problems.Add(billing.Invalidf("", "%s", err.Error()))
		return problems
	}
	if t := s.TrialEndDate; t != nil {
		onFirstDay := *t == *s.TrialStartDate && s.StartDate == *s.TrialStartDate
		if !t.Before(s.StartDate) && !onFirstDay {
			problems.Add(billing.Invalidf("startDate", "The paid term starts after the trial, which ends on %s, not on %s.", *t, s.StartDate))
		}
		if s.hasTrialAhead() && s.StartDate != t.AddDays(1) {
			problems.Add(billing.Invalidf("startDate", "The paid term follows the trial: it starts on %s, not on %s.", t.AddDays(1), s.StartDate))
		}
	}
	if s.TermStartDate.Before(s.StartDate) || s.EndDate.Before(s.TermStartDate) {
		problems.Add(billing.Invalidf("termStartDate", "The term starts (%s) within the subscription, from %s to %s.", s.TermStartDate, s.StartDate, s.EndDate))
	}
	if following := s.EndDate.AddDays(1); billing.BillingDate(following.Year, following.Month, s.AnchorDay) != following {
		problems.Add(billing.Invalidf("anchorDay", "Terms start on day %d, so none follows one that ends on %s.", s.AnchorDay, s.EndDate))
	}
	problems.Add(s.Epochs.Check())
	problems.Add(s.unfitSchedules()...)
	problems.Add(s.unfitLines()...)
	return problems
}

func (s *Subscription) unfitSchedules() (problems billing.Problems) {
	switch {
	case s.State.Ended() && s.NextPriceList != nil:
		problems.Add(billing.Invalidf("nextPriceList", "The subscription is over: its price list does not change any more."))
	case s.State.Ended() && s.CancellationDate != nil && s.State != StateCanceled:
		problems.Add(billing.Invalidf("cancellationDate", "The subscription is %s and not canceled: leave cancellationDate out.", s.State))
	case s.State == StateCanceled && s.CancellationDate.After(s.EndDate.AddDays(1)):
		problems.Add(billing.Invalidf("cancellationDate", "The cancellation (%s) is after the term, which ends on %s: give the endDate that the term has.", *s.CancellationDate, s.EndDate))
	case s.State.Ended() || s.State == StatePending && s.AsOf == (billing.Date{}):
		// A record that is still to be brought to today is looked at then.
	case s.CancellationDate != nil && s.AsOf != (billing.Date{}) && !s.CancellationDate.After(s.AsOf):
		problems.Add(billing.Invalidf("cancellationDate", "The cancellation (%s) was due by %s, but the subscription is %s.", *s.CancellationDate, s.AsOf, s.State))
	case s.CancellationDate != nil && s.CancellationDate.After(s.EndDate.AddDays(1)):
		problems.Add(billing.Invalidf("cancellationDate", "The cancellation (%s) is after the term, which ends on %s: give the endDate that the term has.", *s.CancellationDate, s.EndDate))
	}
	n := s.NextPriceList
	if n == nil || s.State.Ended() || s.AsOf == (billing.Date{}) {
		return problems
	}
	if n.ID == s.PriceListID {
		problems.Add(billing.Invalidf("nextPriceList", "The next price list is the one that the subscription is on."))
	}
	if n.On != s.TermEnd() {
		problems.Add(billing.Invalidf("nextPriceList", "The price list changes at the end of the term, on %s, not on %s.", s.TermEnd(), n.On))
	}
	return problems
}

func (s *Subscription) unfitLines() (problems billing.Problems) {
	for i := range s.Charges {
		a := &s.Charges[i]
		field := fmt.Sprintf("lines.%d", i)
		if a.EndDate.AddDays(1).Before(a.StartDate) {
			problems.Add(billing.Invalidf(field+".endDate", "The line ends (%s) before it begins (%s).", a.EndDate, a.StartDate))
		}
		if k := a.KeptTo; k != nil && (k.Before(a.EndDate) || k.After(a.EndDate.AddMonths(longestPeriod))) {
			problems.Add(billing.Invalidf(field+".keptTo", "Days that are kept follow the line, which ends on %s, and are those of one billing period; %s is not.", a.EndDate, *k))
		}
		for j := range s.Charges[:i] {
			b := &s.Charges[j]
			if a.ChargeID == b.ChargeID && a.counted() && b.counted() && !a.StartDate.After(b.EndDate) && !b.StartDate.After(a.EndDate) {
				problems.Add(billing.Invalidf(field+".startDate", "Two lines of the charge %q count on the same day: %s to %s and %s to %s.",
					a.Code, b.StartDate, b.EndDate, a.StartDate, a.EndDate))
			}
		}
	}
	return problems
}
