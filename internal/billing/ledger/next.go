package ledger

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// NextDue is the first day after another on which a key becomes due, and whether
// there is one. Of a line that cannot be billed it is the day after, so that
// somebody is told.
func (t *Timeline) NextDue(after billing.Date) (billing.Date, bool) {
	charges, err := t.stretches(after)
	if err != nil {
		return after.AddDays(1), true
	}
	next := forever
	if t.PausedFrom != (billing.Date{}) && t.End.After(after) { // the pause ends then, too
		next = t.End
	}
	for _, stretches := range charges {
		for i := range stretches {
			var before, behind *stretch
			if i > 0 {
				before = &stretches[i-1]
			}
			if i+1 < len(stretches) {
				behind = &stretches[i+1]
			}
			next = sooner(next, t.nextOf(&stretches[i], before, behind, after))
		}
	}
	return next, next != forever
}

// nextOf is the first day after another on which a key with days of a stretch
// becomes due. A key that the stretch before it began, or the one behind it
// ends, is theirs.
func (t *Timeline) nextOf(s, before, behind *stretch, after billing.Date) billing.Date {
	months := s.line.Rate.Months()
	if months == 0 {
		if s.From.After(after) {
			return s.From
		}
		return forever
	}
	for day := later(s.From, sooner(after, s.To)); !day.After(s.To); {
		grid, cut := t.Epochs.period(day, months)
		part := s.within(cut)
		due, theirs := part.From, part.From.After(cut.From) && s.follows(before)
		if s.line.Rate.BillingTiming == catalog.InArrears {
			due, theirs = part.To.AddDays(1), part.To.Before(cut.To) && behind != nil && behind.follows(s)
		}
		if due.After(after) && !theirs {
			return due
		}
		if grid.To.After(forever) {
			break
		}
		day = cut.To.AddDays(1)
	}
	return forever
}

// follows reports whether a stretch goes on with the periods of another one.
func (s *stretch) follows(before *stretch) bool {
	return before != nil && before.To.AddDays(1) == s.From &&
		before.line.Rate.Months() == s.line.Rate.Months() && before.line.Rate.BillingTiming == s.line.Rate.BillingTiming
}
