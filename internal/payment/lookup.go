package payment

import "time"

// GiveUpAfter is how long the outcome of a charge is looked up before a person has
// to.
const GiveUpAfter = 24 * time.Hour

var firstLookups = []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute}

// NextLookup is when to look up a charge again that began at a time. It is false if
// there is nothing more to learn, or, after an unknown outcome, if a person has to.
//
// An unknown outcome is looked up after 10 seconds, a minute, 10 minutes, and then
// every hour for a day. A pending one is looked up once a day: usually a notice comes
// first, but it may be lost. Where the provider says when it expects something, that
// is the time.
func NextLookup(began time.Time, last Outcome, now time.Time) (time.Time, bool) {
	switch {
	case last.ExpectedAt.After(now):
		return last.ExpectedAt, true
	case last.State == Pending:
		return nextMultiple(began, 24*time.Hour, now), true
	case last.State != Unknown:
		return time.Time{}, false
	}
	for _, wait := range firstLookups {
		if at := began.Add(wait); at.After(now) {
			return at, true
		}
	}
	at := nextMultiple(began, time.Hour, now)
	return at, !at.After(began.Add(GiveUpAfter))
}

// nextMultiple is the first time after now that is a multiple of a period after
// the beginning.
func nextMultiple(began time.Time, period time.Duration, now time.Time) time.Time {
	past := max(0, now.Sub(began)/period)
	return began.Add((past + 1) * period)
}
