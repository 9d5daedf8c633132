package ledger

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// FirstChange is the first day on which two timelines of a subscription may owe
// something else, and whether there is one. Keys that end before it are the same
// in both, and need not be read again.
func FirstChange(before, after *Timeline) (billing.Date, bool) {
	first := forever
	none := billing.Date{}
	if before.StartDate != after.StartDate {
		first = sooner(first, sooner(before.StartDate, after.StartDate))
	}
	if a, b := before.first(), after.first(); a != b {
		first = sooner(first, sooner(a, b))
	}
	if a, b := before.End, after.End; a != b {
		first = sooner(first, sooner(orForever(a), orForever(b)))
	}
	if n := equalUpTo(before.Epochs, after.Epochs); n < max(len(before.Epochs), len(after.Epochs)) {
		for _, epochs := range []Epochs{before.Epochs, after.Epochs} {
			switch {
			case n == 0:
				first = none
			case n < len(epochs):
				first = sooner(first, epochs[n].From)
			}
		}
	}
	first = sooner(first, firstPauseChange(before, after))
	for _, pair := range [][2]*Timeline{{before, after}, {after, before}} {
		for i := range pair[0].Lines {
			first = sooner(first, firstChangeOf(&pair[0].Lines[i], pair[1].Lines))
		}
	}
	return first, first != forever
}

func orForever(day billing.Date) billing.Date {
	if day == (billing.Date{}) {
		return forever
	}
	return day
}

// equalUpTo is how many epochs two lists have in common.
func equalUpTo(a, b Epochs) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// firstChangeOf is the first day on which a line is not among others.
func firstChangeOf(l *Line, others []Line) billing.Date {
	n := slices.IndexFunc(others, func(o Line) bool {
		return o.Charge == l.Charge && o.From == l.From && o.Quantity == l.Quantity && o.Currency == l.Currency && l.sameRate(&o)
	})
	if n < 0 {
		return l.From
	}
	first, o := forever, &others[n]
	if a, b := orForever(l.To), orForever(o.To); a != b {
		first = sooner(a, b).AddDays(1)
	}
	// Without a last day of its own, a line is kept from the end of the
	// subscription on, which is in the period of the day that was kept to.
	if l.KeptTo != o.KeptTo {
		first = sooner(first, sooner(orForever(l.To), sooner(orForever(l.KeptTo), orForever(o.KeptTo))))
	}
	return first
}

func (l *Line) sameRate(o *Line) bool {
	return l.Rate == o.Rate || l.Rate != nil && o.Rate != nil && l.Rate.Equal(o.Rate)
}
