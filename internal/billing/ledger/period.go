package ledger

import "github.com/tenantry/tenantry/internal/billing"

// Period is a stretch of days, from the first to the last.
type Period struct{ From, To billing.Date }

// Days is how many days the period has; 0 or less if it has none.
func (p Period) Days() int { return p.From.DaysUntil(p.To) + 1 }

// empty reports whether the period has no day.
func (p Period) empty() bool { return p.To.Before(p.From) }

// within is the part of the period that is also in another.
func (p Period) within(other Period) Period {
	return Period{later(p.From, other.From), sooner(p.To, other.To)}
}

// forever stands for the last day of what goes on.
var forever = billing.Date{Year: 9999, Month: 12, Day: 31}

func later(a, b billing.Date) billing.Date {
	if a.Before(b) {
		return b
	}
	return a
}

func sooner(a, b billing.Date) billing.Date {
	if b.Before(a) {
		return b
	}
	return a
}
