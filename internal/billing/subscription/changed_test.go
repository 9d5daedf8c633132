package subscription

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"pgregory.net/rapid"
)

// Every action notes from which day on something else is owed, and keeps the
// first of those days until the subscription has been billed.
func TestNoteChange(t *testing.T) {
	cancelThen := func(s *Subscription) { s.CancellationDate = at(d("2026-01-25")) }
	// Space is billed for a year in advance, though the term is a month.
	withSpace := func(s *Subscription) {
		with, _, err := quantities("2026-01-10", order("space", 3))(*s, d("2026-01-10"))
		if err != nil {
			t.Fatal(err)
		}
		*s = with
	}
	for name, c := range map[string]struct {
		do        action
		had       func(*Subscription)
		dirty, on string // "" if nothing is noted
	}{
		"a quantity":                 {quantities("2026-01-20", order("seats", 9)), nil, "2026-01-20", "2026-01-10"},
		"a cancellation":             {cancel("2026-01-25"), nil, "2026-01-25", "2026-01-10"},
		"one taken back":             {reinstate(""), cancelThen, "2026-01-25", "2026-01-10"},
		"a plan":                     {plan(annualID, false), nil, "2026-01-10", "2026-01-10"},
		"no renewal":                 {autoRenew(false), nil, "2026-02-01", "2026-01-10"},
		"no renewal, canceled":       {autoRenew(false), cancelThen, "2026-02-01", "2026-01-10"},
		"an earlier change":          {cancel("2026-01-25"), func(s *Subscription) { s.DirtyFrom, s.ChangedOn = at(d("2026-01-03")), at(d("2026-01-04")) }, "2026-01-03", "2026-01-04"},
		"a later change":             {cancel("2026-01-25"), func(s *Subscription) { s.DirtyFrom, s.ChangedOn = at(d("2026-01-28")), at(d("2026-01-09")) }, "2026-01-25", "2026-01-09"},
		"days billed elsewhere":      {billedThrough("2026-01-31"), nil, "2026-01-01", "2026-01-10"},
		"days billed elsewhere less": {billedThrough("2026-01-15"), func(s *Subscription) { s.BilledThrough = at(d("2026-01-20")) }, "2026-01-16", "2026-01-10"},
		"off from the next term":     {orderQuantities(QuantityUpdate{Orders: []QuantityOrder{{Code: "space"}}, AtTermEnd: true}), withSpace, "2026-02-01", "2026-01-10"},
		"a purchase order": {func(s Subscription, _ billing.Date) (Subscription, Change, error) {
			s.PONumber = new("7")
			return s, Change{Kind: KindUpdated}, nil
		}, nil, "", ""},
	} {
		y := fiveSeats(t).until("2026-01-10")
		if c.had != nil {
			c.had(&y.s)
		}
		today := d("2026-01-10")
		after, _, err := c.do(y.s, today)
		if err != nil {
			t.Fatal(name, err)
		}
		after.NoteChange(&y.s, today)
		have := []string{dayOf(after.DirtyFrom), dayOf(after.ChangedOn), dayOf(after.BillOn)}
		if have[0] != c.dirty || have[1] != c.on || have[2] != "2026-01-10" { // a draft may have to show it
			t.Errorf("%s: %q, want %q, %q, 2026-01-10", name, have, c.dirty, c.on)
		}
	}
	s := fiveSeats(t).s
	s.NoteChange(nil, d("2026-01-01"))
	if dayOf(s.DirtyFrom) != "2026-01-01" || dayOf(s.ChangedOn) != "2026-01-01" || dayOf(s.BillOn) != "2026-01-01" {
		t.Errorf("new: %v, %v, %v", s.DirtyFrom, s.ChangedOn, s.BillOn)
	}
}

// projected is a subscription with everything that is to come in a year.
func projected(t *rapid.T, s *Subscription, today billing.Date) ledger.Timeline {
	timeline, err := s.Timeline(today, s.billedElsewhere(), findOffer)
	if err != nil {
		t.Fatal(err)
	}
	return timeline
}

// checkNoted fails unless all that was owed by today and ends before the day
// that an action notes is owed as before.
func checkNoted(t *rapid.T, before, after *Subscription, today billing.Date) {
	noted, changed := after.firstChange(before)
	owed := func(s *Subscription) []ledger.Owed {
		timeline := projected(t, s, today)
		all, err := timeline.Owed(billing.Date{}, today)
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(all, func(o ledger.Owed) bool { return changed && !o.Period.To.Before(noted) })
	}
	if was, is := owed(before), owed(after); len(was)+len(is) > 0 && !reflect.DeepEqual(was, is) {
		t.Fatalf("notes %s (%t), and before that there was\n%+v and is\n%+v: %s became %s", noted, changed, was, is, sketch(before), sketch(after))
	}
}

func billedThrough(day string) action {
	return func(s Subscription, _ billing.Date) (Subscription, Change, error) {
		s.BilledThrough = at(d(day))
		return s, Change{Kind: KindUpdated}, nil
	}
}

func dayOf(d *billing.Date) string {
	if d == nil {
		return ""
	}
	return d.String()
}
