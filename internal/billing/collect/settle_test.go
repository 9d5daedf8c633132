package collect

import (
	"testing"
	"time"
)

func TestWhoDecides(t *testing.T) {
	later := time.Unix(1, 0)
	for _, c := range []struct {
		outcome             Outcome
		next                *time.Time
		canSettle, isNeeded bool
	}{
		{OutUnknown, &later, true, false}, {OutUnknown, nil, true, true}, {OutPending, nil, false, true}, {OutPending, &later, false, false},
		{Waiting, &later, false, false}, {OutSucceeded, nil, false, false}, {OutDeclined, nil, false, false}, {OutFailed, nil, false, false}, {OutReversed, nil, false, false},
	} {
		row := Collection{Outcome: c.outcome, NextAt: c.next}
		if row.CanSettle() != c.canSettle || row.NeedsPerson() != c.isNeeded {
			t.Errorf("%s, asked next %v: CanSettle is %v, NeedsPerson %v", c.outcome, c.next, row.CanSettle(), row.NeedsPerson())
		}
	}
}
