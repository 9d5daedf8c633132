package subscription

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// SetAutoRenew says whether the term is followed by another one.
func (s Subscription) SetAutoRenew(evergreen bool) (Subscription, Change, error) {
	if err := s.mayBe("set to renew or not"); err != nil {
		return s, Change{}, err
	}
	if s.Evergreen == evergreen {
		return s, Change{}, nil
	}
	next := s.clone()
	next.Evergreen = evergreen
	if e := next.checkGoesOn("evergreen"); e != nil {
		return s, Change{}, e
	}
	return next, Change{Kind: KindAutoRenewChanged, From: s.State, To: s.State, Detail: map[string]any{"evergreen": evergreen}}, nil
}

// MoveTo lets the subscription carry another tenant.
func (s Subscription) MoveTo(tenant billing.TenantID) (Subscription, Change, error) {
	if err := s.mayBe("moved to another tenant"); err != nil {
		return s, Change{}, err
	}
	if s.TenantID != nil && *s.TenantID == tenant {
		return s, Change{}, nil
	}
	next := s.clone()
	next.TenantID = &tenant
	detail := map[string]any{"fromTenantId": nil, "toTenantId": tenant}
	if s.TenantID != nil {
		detail["fromTenantId"] = *s.TenantID
	}
	return next, Change{Kind: KindTenantChanged, From: s.State, To: s.State, Detail: detail}, nil
}

// Update is a change of a subscription's own settings; nil leaves
// one as it is.
type Update struct {
	Evergreen             *bool
	RenewalTermMonths     *int
	StartDate             *billing.Date
	EndDate               *billing.Date
	TrialExpirationAction *catalog.TrialExpirationAction
	SeparateInvoice       *bool
	PONumber              *string // "" for none
}

// Update changes settings of a subscription that is not over.
func (s Subscription) Update(u Update, offers Offers, today billing.Date) (Subscription, Change, error) {
	if err := s.mayBe("changed"); err != nil {
		return s, Change{}, err
	}
	next, changed := s.clone(), map[string]any{}
	var problems billing.Problems
	if u.Evergreen != nil && *u.Evergreen != s.Evergreen {
		next.Evergreen, changed["evergreen"] = *u.Evergreen, *u.Evergreen
	}
	if a := u.TrialExpirationAction; a != nil && (s.TrialExpirationAction == nil || *a != *s.TrialExpirationAction) {
		problems.Add(next.setTrialAction(*a))
		changed["trialExpirationAction"] = *a
	}
	if n := u.RenewalTermMonths; n != nil && *n != s.RenewalTermMonths {
		problems.Add(next.setTermMonths(*n))
		changed["renewalTermMonths"] = *n
	}
	problems.Add(next.moveTerm(u, s.now(today), changed)...)
	moved := len(changed)
	problems.Add(next.setInvoicing(u, changed))
	if len(problems) > 0 {
		return s, Change{}, problems
	}
	if len(changed) == 0 {
		return s, Change{}, nil
	}
	next.AsOf = s.now(today)
	if err := next.followAll(&s, "endDate", offers); err != nil {
		return s, Change{}, err
	}
	if e := next.checkGoesOn("evergreen"); e != nil {
		return s, Change{}, e
	}
	change := Change{Kind: KindUpdated, From: s.State, To: s.State, Detail: changed}
	switch _, renew := changed["evergreen"]; {
	case moved == 0:
		change.Kind = KindInvoicingChanged
	case renew && len(changed) == 1:
		change.Kind = KindAutoRenewChanged
	}
	return next, change, nil
}

// setInvoicing changes how the subscription appears on invoices, and adds what
// changed.
func (s *Subscription) setInvoicing(u Update, changed map[string]any) *billing.Error {
	if u.SeparateInvoice != nil && *u.SeparateInvoice != s.SeparateInvoice {
		s.SeparateInvoice, changed["separateInvoice"] = *u.SeparateInvoice, *u.SeparateInvoice
	}
	if number := billing.EmptyToNil(u.PONumber); u.PONumber != nil && (number == nil) != (s.PONumber == nil) || number != nil && *number != *s.PONumber {
		s.PONumber, changed["poNumber"] = number, number
	}
	return checkPONumber(s.PONumber)
}

func checkPONumber(number *string) *billing.Error {
	if number == nil {
		return nil
	}
	return billing.ShortText("poNumber", *number)
}

// checkGoesOn refuses to let a subscription end before something that is
// scheduled for a later term.
func (s *Subscription) checkGoesOn(field string) *billing.Error {
	if s.Evergreen && !(s.hasTrialAhead() && *s.TrialExpirationAction == catalog.TrialCancel) {
		return nil
	}
	if n := s.NextPriceList; n != nil && s.checkFollowed(field) != nil {
		return billing.Fail(billing.NotAllowed, field, "Subscription %d is %s, and a change of plan is scheduled for %s, for which it must go on. Take that back first.", s.ID, s.inWords(), n.On)
	}
	for i := range s.Charges {
		if line := &s.Charges[i]; s.isScheduled(line) && line.StartDate.After(s.lastQuantityDay()) {
			return billing.Fail(billing.NotAllowed, field, "Subscription %d is %s. %s is scheduled, for which it must go on. Take that back first.", s.ID, s.inWords(), line.scheduled())
		}
	}
	return nil
}

// setTrialAction says what the trial ends with.
func (s *Subscription) setTrialAction(action catalog.TrialExpirationAction) *billing.Error {
	if !s.hasTrialAhead() {
		return s.refusedFor("trialExpirationAction", "changed in what its trial ends with: it has none to come")
	}
	s.TrialExpirationAction = &action
	return nil
}

// setTermMonths says how long terms are that have not begun. A present one ends
// on its day, and so does a first one whose end somebody chose.
func (s *Subscription) setTermMonths(n int) *billing.Error {
	if e := checkTermMonths(n); e != nil {
		return e
	}
	own := s.hasOwnEnd()
	if s.RenewalTermMonths = n; s.State == StateActive {
		return nil
	}
	if own {
		s.setFirstEpoch()
		return nil
	}
	s.endTermByLength()
	return checkLastDay("renewalTermMonths", s.EndDate)
}

// moveTerm moves the beginning and the end of the term, and adds what changed.
func (s *Subscription) moveTerm(u Update, now billing.Date, changed map[string]any) []*billing.Error {
	var problems billing.Problems
	if u.StartDate != nil && *u.StartDate != s.StartDate {
		problems.Add(s.moveStart(*u.StartDate, u.EndDate, now))
		changed["startDate"] = u.StartDate.String()
	}
	if u.EndDate != nil && *u.EndDate != s.EndDate && len(problems) == 0 {
		problems.Add(s.moveEnd(*u.EndDate, now))
		changed["endDate"] = u.EndDate.String()
	}
	return problems
}

// moveStart lets the paid term of a subscription that has not begun begin on
// another day, and its trial, if there is one, end the day before.
func (s *Subscription) moveStart(start billing.Date, end *billing.Date, now billing.Date) *billing.Error {
	if s.State != StatePending {
		return s.refusedFor("startDate", "started on another day")
	}
	if end != nil { // it replaces one that was chosen before
		s.endTermByLength()
	}
	if s.TrialStartDate != nil {
		if !start.After(*s.TrialStartDate) {
			return billing.Invalidf("startDate", "The paid term starts after the trial, which begins on %s; %s is too early.", *s.TrialStartDate, start)
		}
		return s.endTrialOn("startDate", start.AddDays(-1))
	}
	if start.Before(now) {
		return billing.Invalidf("startDate", "The start can be moved to today (%s) or later, not to %s.", now, start)
	}
	for i := range s.Charges {
		if line := &s.Charges[i]; s.isScheduled(line) && !line.StartDate.After(start) {
			return billing.Fail(billing.NotAllowed, "startDate", "%s is scheduled, which would be on the first day or before it. Take it back first.", line.scheduled())
		}
	}
	old := s.StartDate
	if !s.restartTerm(start) {
		return billing.Invalidf("startDate", "The start (%s) is after the end (%s).", start, s.EndDate)
	}
	s.beginLines(old, start)
	return checkLastDay("startDate", s.EndDate)
}

// moveEnd lets the current term end on another day.
func (s *Subscription) moveEnd(end, now billing.Date) *billing.Error {
	if earliest := maxDate(s.StartDate, now); end.Before(earliest) {
		return billing.Invalidf("endDate", "The term must end on %s or later, not on %s.", earliest, end)
	}
	old := s.EndDate
	if s.endTermOn(end); s.State != StateActive {
		s.setFirstEpoch()
	}
	s.stretchLines(old)
	return checkLastDay("endDate", end)
}
