package ledger

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// Epoch is a run of terms of equal length and anchor. From is its first day;
// Origin is where its grid starts, which can be another day only in a first
// term whose end was chosen.
type Epoch struct {
	From       billing.Date `json:"from"`
	Origin     billing.Date `json:"origin"`
	AnchorDay  int          `json:"anchorDay"`
	TermMonths int          `json:"termMonths"`
}

// Sound says that periods can be counted in all of them: without an anchor, one would
// never end.
func (e Epochs) Sound() bool {
	return !slices.ContainsFunc(e, func(one Epoch) bool { return one.TermMonths < 1 || one.AnchorDay < 1 || one.AnchorDay > 31 })
}

// boundary is the first day of the k-th period of that many months.
func (e *Epoch) boundary(k, months int) billing.Date {
	return e.Origin.AddMonthsAnchored(k*months, e.AnchorDay)
}

// Period returns the grid period of that many months in which a day lies. The
// grid extends to both sides of the epoch.
func (e *Epoch) Period(day billing.Date, months int) Period {
	distance := 12*(day.Year-e.Origin.Year) + int(day.Month) - int(e.Origin.Month)
	k := distance / months
	if distance%months < 0 {
		k--
	}
	from := e.boundary(k, months)
	if from.After(day) { // later in the same month
		k--
		from = e.boundary(k, months)
	}
	return Period{from, e.boundary(k+1, months).AddDays(-1)}
}

// Epochs are the epochs of a subscription, in the order of their first days. A
// day belongs to the last that begins by then.
type Epochs []Epoch

// Check returns what keeps days from being divided into periods, nil if nothing
// does.
func (e Epochs) Check() *billing.Error {
	for i := range e {
		switch {
		case e[i].AnchorDay < 1 || e[i].AnchorDay > 31 || e[i].TermMonths < 1:
			return billing.Invalidf("epochs", "Epoch %d has terms of %d months from day %d of the month.", i+1, e[i].TermMonths, e[i].AnchorDay)
		case e[i].From == (billing.Date{}) || e[i].Origin == (billing.Date{}):
			return billing.Requiredf("epochs", "Epoch %d needs the days from and origin.", i+1)
		case i > 0 && !e[i].From.After(e[i-1].From):
			return billing.Invalidf("epochs", "Epochs are in the order of their days; %s is not after %s.", e[i].From, e[i-1].From)
		}
	}
	return nil
}

// FirstEpoch is that of a first term from start to end. If somebody chose the
// end, the grid starts after it, so that the incomplete period is at the
// beginning.
func FirstEpoch(start, end billing.Date, anchorDay, termMonths int) Epochs {
	origin := start
	if byLength := start.AddMonths(termMonths).AddDays(-1); end != byLength {
		origin = end.AddDays(1)
	}
	return Epochs{{start, origin, anchorDay, termMonths}}
}

// Renewed are the epochs once a new term follows the present one. A term that
// begins on the grid of terms of the same length and anchor begins no epoch.
func (e Epochs) Renewed(start billing.Date, anchorDay, termMonths int) Epochs {
	if i := e.index(start); i >= 0 {
		present := &e[i]
		if present.AnchorDay == anchorDay && present.TermMonths == termMonths && present.Period(start, termMonths).From == start {
			return e
		}
	}
	return e.Restarted(start, anchorDay, termMonths)
}

// Restarted are the epochs once a term starts afresh: by a change of plan that
// restarts it, or by a reinstatement.
func (e Epochs) Restarted(start billing.Date, anchorDay, termMonths int) Epochs {
	kept := e[:e.index(start.AddDays(-1))+1]
	return append(slices.Clone(kept), Epoch{start, start, anchorDay, termMonths})
}

// index finds the epoch that a day belongs to; -1 if it is before them all.
func (e Epochs) index(day billing.Date) int {
	i := len(e) - 1
	for i >= 0 && e[i].From.After(day) {
		i--
	}
	return i
}

// period returns the grid period of a day, and the part of it that its epoch
// has. A day before all epochs counts to the first.
func (e Epochs) period(day billing.Date, months int) (grid, cut Period) {
	i := max(0, e.index(day))
	grid = e[i].Period(day, months)
	cut = Period{grid.From, sooner(grid.To, e.end(i))}
	if i > 0 {
		cut.From = later(cut.From, e[i].From)
	}
	return grid, cut
}

// end is the last day of an epoch.
func (e Epochs) end(i int) billing.Date {
	if i+1 < len(e) {
		return e[i+1].From.AddDays(-1)
	}
	return forever
}

// firstOf is the first day of a period of that many months that ends on a day or
// later. Periods are taken whole, even where a later epoch cuts them.
func (e Epochs) firstOf(day billing.Date, months int) billing.Date {
	for i := range e {
		first := e[i].Period(day, months).From
		if i > 0 {
			first = later(first, e[i].From)
		}
		if !first.After(e.end(i)) {
			return first
		}
	}
	return day
}
