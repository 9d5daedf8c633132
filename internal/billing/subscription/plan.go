package subscription

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// Scheduled says what becomes of changes that are scheduled for later when
// another one is ordered. The zero value refuses the order if there are any.
type Scheduled string

// Later changes stay, and what is ordered counts until then; or they go.
const (
	KeepScheduled    Scheduled = "KEEP"
	ReplaceScheduled Scheduled = "REPLACE"
)

// TermChange says what becomes of the current term when the plan changes at
// once. The zero value restarts it if the new price list has terms of another
// length, and keeps it otherwise.
type TermChange string

// The term keeps its end, and the new length is that of the next one; or it
// starts again with the new length.
const (
	KeepTerm    TermChange = "KEEP"
	RestartTerm TermChange = "RESTART"
)

// PlanUpdate says how a plan is to change.
type PlanUpdate struct {
	// Quantities are for charges of the new price list. What is not given is
	// carried over.
	Quantities []QuantityOrder
	// AtTermEnd waits for the end of the term.
	AtTermEnd bool
	Term      TermChange
	Scheduled Scheduled
}

// ChangePlan puts the subscription on another offer of the same product, now or
// when the term ends. The offer that the subscription is on takes a scheduled
// change back. Nothing that was agreed is lost or made to fit without a word: a
// number that the new charges do not sell, and a scheduled change that would
// not happen any more, refuse the call.
func (s Subscription) ChangePlan(o *Offer, u PlanUpdate, offers Offers, today billing.Date) (Subscription, Change, error) {
	if err := s.mayBe("moved to another plan"); err != nil {
		return s, Change{}, err
	}
	if o.ProductID != s.ProductID {
		return s, Change{}, billing.Invalidf("priceListCode", "The price list %q belongs to another product; make a new subscription for that.", o.PriceList.Code)
	}
	if u.AtTermEnd && u.Term != "" {
		return s, Change{}, billing.Invalidf("term", "A change at the end of the term starts a new term anyway; leave term out.")
	}
	if o.PriceList.ID == s.PriceListID {
		return s.stayOnPlan(o, u, today)
	}
	given, problems := o.PlannedQuantities(u.Quantities)
	if len(problems) > 0 {
		return s, Change{}, problems
	}
	if u.AtTermEnd {
		return s.schedulePlan(o, given, u, today)
	}
	return s.changePlanNow(o, given, u, offers, today)
}

// PlannedQuantities checks quantities for a change to this offer, and returns
// them in the order of its charges.
func (o *Offer) PlannedQuantities(orders []QuantityOrder) ([]PlannedQuantity, billing.Problems) {
	resolved, problems := o.resolve(orders)
	var given []PlannedQuantity
	for _, order := range resolved {
		if order.charge.ChargeType == catalog.OneTime {
			problems.Add(billing.Invalidf(order.field+".code", "The charge %q is due once; a change of plan does not order it.", order.charge.Code))
		}
		given = append(given, PlannedQuantity{order.charge.ID, order.charge.Code, order.quantity})
	}
	slices.SortFunc(given, func(a, b PlannedQuantity) int { return cmp.Compare(a.ChargeID, b.ChargeID) })
	return given, problems
}

// stayOnPlan takes a scheduled change back.
func (s Subscription) stayOnPlan(o *Offer, u PlanUpdate, today billing.Date) (Subscription, Change, error) {
	if len(u.Quantities) > 0 {
		return s, Change{}, billing.Invalidf("quantities", "The subscription is on the price list %q already; change its quantities instead.", o.PriceList.Code)
	}
	if u.Term != "" {
		return s, Change{}, billing.Invalidf("term", "The subscription is on the price list %q already; its term stays as it is.", o.PriceList.Code)
	}
	if s.NextPriceList == nil {
		return s, Change{}, nil
	}
	next := s.clone()
	next.AsOf, next.NextPriceList = s.now(today), nil
	return next, Change{Kind: KindPlanUnscheduled, From: s.State, To: s.State, Detail: s.NextPriceList.detail()}, nil
}

func (n *NextPriceList) detail() map[string]any {
	return map[string]any{"priceListId": n.ID, "on": n.On.String()}
}

// schedulePlan changes the plan when the term ends.
func (s Subscription) schedulePlan(o *Offer, given []PlannedQuantity, u PlanUpdate, today billing.Date) (Subscription, Change, error) {
	planned := NextPriceList{o.PriceList.ID, s.TermEnd(), given}
	again := s.NextPriceList != nil && reflect.DeepEqual(*s.NextPriceList, planned)
	if again && u.Scheduled != ReplaceScheduled {
		return s, Change{}, nil
	}
	if e := s.checkFollowed("atTermEnd"); e != nil {
		return s, Change{}, e
	}
	if s.NextPriceList != nil && u.Scheduled != ReplaceScheduled {
		return s, Change{}, s.planConflict("; give scheduled: REPLACE for this one instead, or take it back first")
	}
	if s.CancellationDate != nil {
		return s, Change{}, billing.Fail(billing.NotAllowed, "atTermEnd", "The subscription is to end on %s, after the plan would change. Take the cancellation back first.", *s.CancellationDate)
	}
	next := s.clone()
	next.AsOf = s.now(today)
	if u.Scheduled == ReplaceScheduled {
		next.dropScheduled(planned.On)
	}
	if again && len(next.Charges) == len(s.Charges) { // nothing else was scheduled that it could replace
		return s, Change{}, nil
	}
	next.NextPriceList = &planned
	if problems := next.unfitPlan(o, u.Scheduled != ""); len(problems) > 0 {
		return s, Change{}, problems
	}
	detail := planDetail(&s, o)
	detail["on"] = planned.On.String()
	if len(given) > 0 {
		detail["quantities"] = plannedDetail(given)
	}
	return next, Change{Kind: KindPlanScheduled, From: s.State, To: s.State, Detail: detail}, nil
}

// changePlanNow changes the plan today, or on the first day of a subscription
// that has not begun.
func (s Subscription) changePlanNow(o *Offer, given []PlannedQuantity, u PlanUpdate, offers Offers, today billing.Date) (Subscription, Change, error) {
	if s.NextPriceList != nil && u.Scheduled == "" {
		return s, Change{}, s.planConflict("; give scheduled: KEEP to be on this one until then, or scheduled: REPLACE to drop that change")
	}
	next := s.clone()
	next.AsOf = s.now(today)
	on := maxDate(next.AsOf, s.FirstDay())
	if u.Scheduled == ReplaceScheduled {
		next.NextPriceList = nil
		next.dropScheduled(on.AddDays(1))
	}
	later := next.NextPriceList
	m := move{to: o, given: given, on: on, keep: u.Scheduled != "", anew: s.State == StatePending}
	if problems := m.problems(next.linesOfPlan(), on); len(problems) > 0 {
		return s, Change{}, problems
	}
	next.switchTo(m, u.Term == RestartTerm || u.Term == "" && o.PriceList.RenewalTermMonths != s.RenewalTermMonths)
	if e := checkLastDay("priceListCode", next.EndDate); e != nil {
		return s, Change{}, e
	}
	if e := s.checkSchedulesStay(&next, later); e != nil {
		return s, Change{}, e
	}
	if err := next.checkPlanned(&s, offers); err != nil {
		return s, Change{}, err
	}
	detail := planDetail(&s, o)
	if len(given) > 0 {
		detail["quantities"] = plannedDetail(given)
	}
	if next.EndDate != s.EndDate {
		detail["endDate"] = next.EndDate.String()
	}
	return next, Change{Kind: KindPlanChanged, From: s.State, To: s.State, Detail: detail}, nil
}

// checkSchedulesStay refuses a change that would move what is scheduled to
// another day, and brings a scheduled change of plan along otherwise.
func (s *Subscription) checkSchedulesStay(next *Subscription, later *NextPriceList) *billing.Error {
	c := s.CancellationDate
	if c != nil && *c != s.movedWith(next) {
		return billing.Fail(billing.NotAllowed, "term", "The subscription is to end on %s, and a term that restarts would end on %s. Take the cancellation back first, or give term: KEEP.", *c, next.EndDate)
	}
	if e := s.checkTermEndStays(next, "scheduled"); e != nil {
		return e
	}
	if later == nil {
		return nil
	}
	if later.ID == next.PriceListID {
		return billing.Fail(billing.NotAllowed, "scheduled", "A change to this price list is scheduled for %s: give scheduled: REPLACE to make it now.", later.On)
	}
	if later.On != next.TermEnd() {
		return billing.Fail(billing.NotAllowed, "scheduled", "A change of plan is scheduled for %s, when the term ends, and a term that restarts would end on %s. Take it back first, give scheduled: REPLACE, or give term: KEEP.", later.On, next.EndDate)
	}
	next.NextPriceList = later
	return nil
}

// checkTermEndStays refuses to move the end of a term for which quantities are
// scheduled: they were meant for the next one.
func (s *Subscription) checkTermEndStays(next *Subscription, field string) *billing.Error {
	end := s.TermEnd()
	if next.TermEnd() == end {
		return nil
	}
	for i := range s.Charges {
		if line := &s.Charges[i]; s.isScheduled(line) && line.StartDate == end {
			return billing.Fail(billing.NotAllowed, field, "Subscription %d is %s. %s is scheduled, when the term ends, and the term would end on %s. Take it back first.", s.ID, s.inWords(), line.scheduled(), next.LastTermDay())
		}
	}
	return nil
}

// movedWith is the day of the scheduled cancellation if it followed the term to
// where it is in next.
func (s *Subscription) movedWith(next *Subscription) billing.Date {
	moved := *next
	moved.CancellationDate = s.CancellationDate
	moved.followTerm(s)
	return *moved.CancellationDate
}

// planConflict names the change of plan that is scheduled already.
func (s *Subscription) planConflict(wayOut string) *billing.Error {
	return billing.Fail(billing.NotAllowed, "scheduled", "Another change of plan is scheduled for %s already%s.", s.NextPriceList.On, wayOut)
}

// checkFollowed refuses to schedule something for the end of a term that
// nothing follows.
func (s *Subscription) checkFollowed(field string) *billing.Error {
	end := s.TermEnd()
	switch {
	case s.CancellationDate != nil && !s.CancellationDate.After(end):
		return billing.Fail(billing.NotAllowed, field, "Subscription %d is %s and ends on %s: no term follows. Take the cancellation back first.", s.ID, s.inWords(), *s.CancellationDate)
	case s.hasTrialAhead() && *s.TrialExpirationAction == catalog.TrialCancel:
		return billing.Fail(billing.NotAllowed, field, "Subscription %d is %s and ends with its trial on %s: no term follows.", s.ID, s.inWords(), *s.TrialEndDate)
	case !s.hasTrialAhead() && !s.Evergreen:
		return billing.Fail(billing.NotAllowed, field, "Subscription %d is %s and does not renew: no term follows the one that ends on %s. Let it renew first.", s.ID, s.inWords(), s.EndDate)
	}
	return nil
}

// planDetail says from which price list to which one a plan changes.
func planDetail(s *Subscription, o *Offer) map[string]any {
	return map[string]any{"fromPriceListId": s.PriceListID, "toPriceListId": o.PriceList.ID}
}

func plannedDetail(given []PlannedQuantity) map[string]any {
	quantities := make(map[string]any, len(given))
	for _, g := range given {
		quantities[g.Code] = quoted(g.Quantity)
	}
	return quantities
}

// linesOfPlan are the lines of the price list that the subscription is on.
func (s *Subscription) linesOfPlan() []Line {
	var lines []Line
	for _, line := range s.Charges {
		if line.PriceListID == s.PriceListID {
			lines = append(lines, line)
		}
	}
	return lines
}

// planned is the scheduled change of plan, as it will happen.
func (s *Subscription) planned(o *Offer) move {
	return move{to: o, given: s.NextPriceList.Quantities, on: s.NextPriceList.On}
}

// unfitPlan says what keeps the scheduled change of plan from being what was
// meant.
func (s *Subscription) unfitPlan(o *Offer, keep bool) billing.Problems {
	m := s.planned(o)
	m.keep = keep
	return m.problems(s.linesOfPlan(), maxDate(s.AsOf, s.FirstDay()))
}

// checkPlanned refuses what would spoil a scheduled change of plan. was is the
// subscription before, nil if there was none: what the catalog spoiled meanwhile
// was accepted and is no reason to refuse something else.
func (s *Subscription) checkPlanned(was *Subscription, offers Offers) error {
	if s.NextPriceList == nil {
		return nil
	}
	o, err := offers(s.NextPriceList.ID)
	if err != nil {
		return err
	}
	var known billing.Problems
	if was != nil && was.NextPriceList != nil && was.NextPriceList.ID == o.PriceList.ID {
		known = was.unfitPlan(o, true)
	}
	for _, p := range s.unfitPlan(o, true) {
		if !slices.ContainsFunc(known, func(k *billing.Error) bool { return k.Message == p.Message }) {
			return billing.Fail(billing.NotAllowed, "quantities", "The plan is to change on %s, which would not be possible any more: %s Take that change back first, or order it again with the quantities it needs.", s.NextPriceList.On, p.Message)
		}
	}
	return nil
}

// switchTo puts the subscription on another offer. Terms that follow have the
// offer's length; so has the current one if it restarts.
func (s *Subscription) switchTo(m move, restart bool) {
	s.RenewalTermMonths, s.NextPriceList = m.to.PriceList.RenewalTermMonths, nil
	if restart {
		start := maxDate(m.on, s.StartDate)
		s.TermStartDate, s.AnchorDay = start, start.Day
		s.EndDate = termEnd(start, s.RenewalTermMonths, s.AnchorDay)
		s.Epochs = s.Epochs.Restarted(start, s.AnchorDay, s.RenewalTermMonths)
	}
	if !m.on.After(s.StartDate) {
		s.setFirstEpoch()
	}
	m.end = s.EndDate
	lines := m.lines(s.linesOfPlan())
	for _, line := range s.Charges { // what is due once on that day stays due
		if line.Type == catalog.OneTime && line.StartDate == m.on && !m.anew {
			lines = append(lines, line)
		}
	}
	s.cutLines(m.on.AddDays(-1))
	s.endKept(m.on)
	s.PriceListID, s.Charges = m.to.PriceList.ID, append(s.Charges, lines...)
	s.settleOnce(m.on)
}

// settleOnce decides about charges that are due once, but on no day before the first
// paid one: if the plan changes until then, those of other plans are never due, and
// those of this one are, even if it was left in between.
func (s *Subscription) settleOnce(on billing.Date) {
	due := map[billing.ChargeID]bool{}
	for i := range s.Charges {
		line := &s.Charges[i]
		switch waits := line.Type == catalog.OneTime && !s.StartDate.Before(on) && line.StartDate.Before(s.StartDate); {
		case !waits:
		case line.PriceListID != s.PriceListID:
			line.EndDate = line.StartDate.AddDays(-1)
		case !due[line.ChargeID]:
			line.EndDate, due[line.ChargeID] = line.StartDate, true
		}
	}
}

// dropScheduled forgets quantities that are scheduled for that day or later.
func (s *Subscription) dropScheduled(from billing.Date) {
	after := maxDate(s.AsOf, s.FirstDay())
	s.dropLines(func(line *Line) bool {
		return line.StartDate.After(after) && !line.StartDate.Before(from)
	})
}

// dropLines removes lines of the current plan. The line that ended where they
// began lasts until the next one of the charge that stays, or to the end of the
// term.
func (s *Subscription) dropLines(goes func(*Line) bool) {
	type start struct {
		charge billing.ChargeID
		on     billing.Date
	}
	dropped := map[start]bool{}
	s.Charges = slices.DeleteFunc(s.Charges, func(line Line) bool {
		gone := line.PriceListID == s.PriceListID && goes(&line)
		if gone {
			dropped[start{line.ChargeID, line.StartDate}] = true
		}
		return gone
	})
	for i := range s.Charges {
		if line := &s.Charges[i]; dropped[start{line.ChargeID, line.EndDate.AddDays(1)}] && line.Type != catalog.OneTime && line.counted() {
			line.lastsTo(s.endBefore(line.ChargeID, line.StartDate))
			line.KeptTo = nil
		}
	}
}
