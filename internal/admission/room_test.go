package admission

import "testing"

func TestRoom(t *testing.T) {
	t.Parallel()
	r := NewRoom(100)
	take := func(caller string, bytes int64, want bool) func() {
		t.Helper()
		leave, ok := r.Take(caller, bytes)
		if ok != want {
			t.Errorf("%s gets room for %d is %t", caller, bytes, ok)
		}
		return leave
	}
	take("a", 26, false) // more than a quarter
	leave := take("a", 20, true)
	take("a", 6, false)
	take("a", 5, true)
	for _, other := range []string{"b", "c", "d"} {
		take(other, 25, true)
	}
	take("e", 1, false) // all is taken
	leave()
	take("e", 20, true)
	if len(r.callers) != 5 || r.taken != 100 || r.refused != 3 {
		t.Errorf("%d callers have %d bytes, %d were refused", len(r.callers), r.taken, r.refused)
	}
	if _, ok := (*Room)(nil).Take("a", 1<<40); !ok {
		t.Error("no room bounds something")
	}
}
