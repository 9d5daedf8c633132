package subscription

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

// termEnd is the last day of a term that starts on that day.
func termEnd(start billing.Date, months, anchor int) billing.Date {
	return start.AddMonthsAnchored(months, anchor).AddDays(-1)
}

// checkLastDay refuses an end after which no day can be written as YYYY-MM-DD.
func checkLastDay(field string, end billing.Date) *billing.Error {
	if end.Year < billing.MaxYear {
		return nil
	}
	return billing.Invalidf(field, "The term would end on %s; terms end before the year %d.", end, billing.MaxYear)
}

func checkTermMonths(n int) *billing.Error {
	if n < 1 || n > 120 {
		return billing.Invalidf("renewalTermMonths", "A term has 1 to 120 months, not %d.", n)
	}
	return nil
}

// startTerm makes the first paid term: from StartDate for its length, or to the
// end that somebody chose.
func (s *Subscription) startTerm(end *billing.Date) {
	s.TermStartDate, s.AnchorDay = s.StartDate, s.StartDate.Day
	s.EndDate = termEnd(s.StartDate, s.RenewalTermMonths, s.AnchorDay)
	if end != nil {
		s.endTermOn(*end)
	}
	s.setFirstEpoch()
}

// setFirstEpoch lets the epochs be those of a first term that has not begun.
func (s *Subscription) setFirstEpoch() {
	s.Epochs = ledger.FirstEpoch(s.StartDate, s.EndDate, s.AnchorDay, s.RenewalTermMonths)
}

// endTermOn sets the end of the term, and the anchor to the day after it. An
// anchor that fits stays, so that a term up to February 27 that goes on from
// the 28th still returns to the 31st.
func (s *Subscription) endTermOn(end billing.Date) {
	following := end.AddDays(1)
	for _, day := range []int{following.Day, s.StartDate.Day, s.AnchorDay} {
		if billing.BillingDate(following.Year, following.Month, day) == following {
			s.AnchorDay = day
		}
	}
	s.EndDate = end
}

// alignTerm lets the first paid term end the day before a billing day of the
// account, and all others begin on one.
func (s *Subscription) alignTerm(d Draft) *billing.Error {
	if d.EndDate != nil {
		return billing.Invalidf("alignTo", "Give endDate or alignTo: BILLING_DAY, not both: the end that was chosen is %s.", *d.EndDate)
	}
	end, aligns := ledger.AlignedEnd(s.StartDate, d.BillingDay)
	if !aligns {
		end = termEnd(s.StartDate, s.RenewalTermMonths, d.BillingDay)
	}
	s.EndDate, s.AnchorDay = end, d.BillingDay
	s.setFirstEpoch()
	return nil
}

// hasOwnEnd reports whether somebody chose the end of the first term.
func (s *Subscription) hasOwnEnd() bool {
	return s.EndDate != termEnd(s.StartDate, s.RenewalTermMonths, s.StartDate.Day)
}

// restartTerm lets the first paid term begin on another day. An end that
// somebody chose stays; if that is before the new beginning, restartTerm
// reports false.
func (s *Subscription) restartTerm(start billing.Date) bool {
	own := s.hasOwnEnd()
	s.StartDate, s.TermStartDate = start, start
	if own {
		s.setFirstEpoch()
		return !s.EndDate.Before(start)
	}
	s.endTermByLength()
	return true
}

// endTermByLength lets the first paid term end when its length says.
func (s *Subscription) endTermByLength() {
	old := s.EndDate
	s.startTerm(nil)
	s.stretchLines(old)
}

// followTerm brings what is scheduled along when terms have moved from where
// they were: what was to happen at the end of the term still does. A
// cancellation on another day stays there, but does not come later than the day
// after the paid term.
func (s *Subscription) followTerm(was *Subscription) {
	last := s.EndDate.AddDays(1)
	switch c := s.CancellationDate; {
	case c == nil:
	case *c == was.TermEnd():
		s.CancellationDate = at(s.TermEnd())
	case c.After(last):
		s.CancellationDate = &last
	}
	if s.NextPriceList != nil {
		s.NextPriceList = s.NextPriceList.movedTo(s.TermEnd())
	}
}

// followAll is followTerm for an action that somebody takes: it is refused if
// what is scheduled would not be what was meant.
func (s *Subscription) followAll(was *Subscription, field string, offers Offers) error {
	if e := was.checkTermEndStays(s, field); e != nil {
		return e
	}
	s.followTerm(was)
	return s.checkPlanned(was, offers)
}

// movedTo is the same change on another day.
func (n NextPriceList) movedTo(day billing.Date) *NextPriceList {
	n.On = day
	return &n
}

// renew moves the subscription into its next term.
func (s *Subscription) renew() *billing.Error {
	old := s.EndDate
	s.TermStartDate = old.AddDays(1)
	s.EndDate = termEnd(s.TermStartDate, s.RenewalTermMonths, s.AnchorDay)
	s.Epochs = s.Epochs.Renewed(s.TermStartDate, s.AnchorDay, s.RenewalTermMonths)
	s.stretchLines(old)
	return checkLastDay("", s.EndDate)
}

// end lets the subscription be over from that day on. Days that were kept before
// are not owed any more either, unless it is canceled and unused days are kept.
func (s *Subscription) end(state State, on billing.Date) {
	s.State, s.NextPriceList = state, nil
	if state != StateCanceled {
		s.CancellationDate, s.Unused = nil, nil
	}
	s.closeLines(on.AddDays(-1))
	if s.Unused == nil {
		s.endKept(on)
		return
	}
	for _, line := range s.linesOfPlan() {
		s.keepBefore(line.ChargeID, on, *s.Unused)
	}
	s.settleKept(on)
}

// LikelyEpochs are those of a subscription of which only the present term is
// known: its terms follow each other from the first day on, or if they do not
// fit, the first had an end of its own.
func (s *Subscription) LikelyEpochs() ledger.Epochs {
	epochs := ledger.FirstEpoch(s.StartDate, termEnd(s.StartDate, s.RenewalTermMonths, s.StartDate.Day), s.AnchorDay, s.RenewalTermMonths)
	if following := s.EndDate.AddDays(1); epochs[0].Period(following, s.RenewalTermMonths).From != following {
		epochs = ledger.FirstEpoch(s.StartDate, s.EndDate, s.AnchorDay, s.RenewalTermMonths)
	}
	return epochs
}
