package ledger

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// Pause is days of a subscription that are not paid for, because it was suspended
// under a policy that does not bill such days.
type Pause struct {
	From billing.Date `json:"from"`
	// To is the last day; zero while the pause goes on.
	To billing.Date `json:"to,omitzero"`
}

// Pauses are those of a subscription, in order. Only the last can go on.
type Pauses []Pause

// Current is the first day of the pause that goes on; zero if none does.
func (p Pauses) Current() billing.Date {
	if len(p) == 0 || p[len(p)-1].To != (billing.Date{}) {
		return billing.Date{}
	}
	return p[len(p)-1].From
}

// Begun are the pauses once one begins. If one goes on, it does so.
func (p Pauses) Begun(on billing.Date) Pauses {
	if p.Current() != (billing.Date{}) {
		return p
	}
	if n := len(p) - 1; n >= 0 && !p[n].To.Before(on) { // it ended and begins on the same day
		on = p[n].To.AddDays(1)
	}
	return append(slices.Clip(p), Pause{From: on})
}

// Ended are the pauses once the one that goes on has ended before a day. It is
// forgotten if it has no day.
func (p Pauses) Ended(before billing.Date) Pauses {
	from := p.Current()
	if from == (billing.Date{}) {
		return p
	}
	p = slices.Clone(p)
	last := before.AddDays(-1)
	if last.Before(from) {
		return p[:len(p)-1]
	}
	p[len(p)-1].To = last
	return p
}

// Check returns what is wrong with the pauses, nil if nothing is.
func (p Pauses) Check() *billing.Error {
	for i := range p {
		goesOn := p[i].To == (billing.Date{})
		switch {
		case p[i].From == (billing.Date{}):
			return billing.Requiredf("pauses", "Pause %d needs its first day, from.", i+1)
		case goesOn && i < len(p)-1:
			return billing.Requiredf("pauses", "Pause %d needs its last day, to: another one follows.", i+1)
		case !goesOn && p[i].To.Before(p[i].From):
			return billing.Invalidf("pauses", "Pause %d ends on %s, before it begins.", i+1, p[i].To)
		case i > 0 && !p[i].From.After(p[i-1].To):
			return billing.Invalidf("pauses", "Pauses are in the order of their days; %s is not after %s.", p[i].From, p[i-1].To)
		}
	}
	return nil
}

// Pause lets pauses count. They end with the subscription, if that is over by a day.
func (t *Timeline) Pause(pauses Pauses, by billing.Date) {
	over := t.End != (billing.Date{}) && !t.End.After(by)
	if over {
		pauses = pauses.Ended(t.End)
	}
	t.PausedFrom, t.Paused = pauses.Current(), nil
	for _, p := range pauses {
		days := Period(p)
		if days.To == (billing.Date{}) {
			continue
		}
		if over {
			days.To = sooner(days.To, t.End.AddDays(-1))
		}
		switch n := len(t.Paused) - 1; {
		case days.empty():
		case n >= 0 && t.Paused[n].To.AddDays(1) == days.From:
			t.Paused[n].To = days.To
		default:
			t.Paused = append(t.Paused, days)
		}
	}
}

// isPaused reports whether all days of a period are in a pause.
func (t *Timeline) isPaused(p Period) bool {
	return slices.ContainsFunc(t.Paused, func(pause Period) bool { return !p.From.Before(pause.From) && !p.To.After(pause.To) })
}

// unpaused takes paused days out of stretches.
func (t *Timeline) unpaused(stretches []stretch) []stretch {
	for _, pause := range t.Paused {
		var left []stretch
		for _, s := range stretches {
			if s.line.Rate.Months() == 0 || s.within(pause).empty() {
				left = append(left, s)
				continue
			}
			before, after := s, s
			before.To, after.From = pause.From.AddDays(-1), pause.To.AddDays(1)
			for _, part := range []stretch{before, after} {
				if !part.empty() {
					left = append(left, part)
				}
			}
		}
		stretches = left
	}
	return stretches
}

// held leaves the days of a pause that goes on as they were billed: nothing more is
// billed, and nothing is credited before it is known how many days it has.
func (t *Timeline) held(o Owed, before *Billed) Owed {
	var billed []Piece
	if before != nil {
		billed = before.Pieces
	}
	known := o.Pieces
	all := slices.Concat(known, billed)
	if t.PausedFrom == (billing.Date{}) || len(all) == 0 || all[0].Rate != nil && all[0].Rate.Months() == 0 {
		return o
	}
	o.Pieces = nil
	for _, p := range known {
		if p.To = sooner(p.To, t.PausedFrom.AddDays(-1)); !p.empty() {
			o.Pieces = append(o.Pieces, p)
		}
	}
	for _, p := range billed {
		if p.From = later(p.From, t.PausedFrom); p.empty() {
			continue
		}
		if len(known) == 0 {
			o.Period = before.Period
		} else {
			p.Quantity, p.Rate = known[len(known)-1].Quantity, known[len(known)-1].Rate
		}
		o.Pieces = append(o.Pieces, p)
	}
	return o
}

// firstPauseChange is the first day that is paused in one of two timelines only.
func firstPauseChange(a, b *Timeline) billing.Date {
	first := sooner(orForever(a.PausedFrom), orForever(b.PausedFrom))
	if a.PausedFrom == b.PausedFrom {
		first = forever
	}
	n := 0
	for n < min(len(a.Paused), len(b.Paused)) && a.Paused[n] == b.Paused[n] {
		n++
	}
	for _, t := range []*Timeline{a, b} {
		if n < len(t.Paused) {
			first = sooner(first, t.Paused[n].From)
		}
	}
	return first
}
