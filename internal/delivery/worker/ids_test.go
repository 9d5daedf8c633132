package worker

import (
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

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

// TestIDsOfAFailedBatch are not given out again: it may have been committed all
// the same, and then streams are leased under them.
func TestIDsOfAFailedBatch(t *testing.T) {
	db := storetest.New(t, "sqlite")
	e := New(Options{Store: db.Open(t), Now: db.Clock.Now})
	w := newWorker(e, 1)
	w.ids = attemptIDs{next: 100, end: 100_000}
	w.most = 10
	e.Store.Close()
	if err := w.work(); err == nil || w.ids.next < 110 {
		t.Errorf("%v: what comes next is %d, though those before may be in the database", err, w.ids.next)
	}
}
