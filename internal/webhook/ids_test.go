package webhook

import "testing"

// TestParts takes ids in parts: what one does not use is there again, unless
// others were taken behind it.
func TestParts(t *testing.T) {
	ids := attemptIDs{next: 100, end: 200}
	first := ids.part(10)
	first.take()
	ids.giveBack(first)
	second := ids.part(10)
	third := ids.part(10)
	if second.next != 101 || third.next != 111 || second.left() != 10 {
		t.Errorf("the next parts are %+v and %+v", second, third)
	}
	ids.giveBack(second)
	if ids.next != 121 {
		t.Errorf("what comes next is %d, though 111 to 120 are in use", ids.next)
	}
	ids.giveBack(third)
	if ids.next != 111 || ids.left() != 89 {
		t.Errorf("what comes next is %d, and %d are left", ids.next, ids.left())
	}
}

// TestIDsOfAFailedTurn are not given out again: it may have been committed all
// the same, and then lanes are leased under them.
func TestIDsOfAFailedTurn(t *testing.T) {
	w := newWorker(nil, 1)
	w.ids = attemptIDs{next: 100, end: 200}
	w.turns = 1
	w.end(&ended{task: task{ids: w.ids.part(10)}, err: errNotAlone})
	if w.ids.next != 110 {
		t.Errorf("what comes next is %d, though 100 to 109 may be in the database", w.ids.next)
	}
}
