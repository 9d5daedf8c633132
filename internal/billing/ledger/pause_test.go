package ledger_test

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

// pause lets the subscription be paused from one day on until another, "" if it goes on.
func (b *book) pause(from, until, today string) {
	pauses := ledger.Pauses{}.Begun(d(from))
	if until != "" {
		pauses = pauses.Ended(d(until))
	}
	b.line.Pause(pauses, d(today))
	b.line.ChangedOn = d(today)
}

// A fee of 31.00 for 31 days, ten of them paused.
func TestPausedDaysAreCredited(t *testing.T) {
	b := newBook(t, monthly("2026-01-01", line(1, flat("31", catalog.Monthly), 1, "2026-01-01")))
	b.expect("January", b.run(d("2026-01-01")), amounts{3100}, nil)
	b.pause("2026-01-11", "", "2026-01-11")
	b.expect("paused", b.run(d("2026-01-15")), nil, nil)
	b.pause("2026-01-11", "2026-01-21", "2026-01-21")
	change := b.changes(d("2026-01-21"))[0]
	if want := (ledger.Period{From: d("2026-01-11"), To: d("2026-01-20")}); change.Days != want || change.Due != d("2026-01-21") {
		t.Errorf("the difference is about %v and due on %s", change.Days, change.Due)
	}
	b.expect("ten days", b.run(d("2026-01-21")), nil, amounts{1000})
	b.expect("February", b.run(d("2026-02-01")), amounts{3100}, nil)
}

// Nothing is billed while a pause goes on. When it has ended, the days that are left are.
func TestNothingIsBilledDuringAPause(t *testing.T) {
	for _, c := range []struct {
		timing catalog.BillingTiming
		runs   []string
	}{
		{catalog.InAdvance, []string{"items [3100], credits []", "items [], credits []", "items [], credits []", "items [2100 3100], credits [1100]"}},
		{catalog.InArrears, []string{"items [], credits []", "items [2000], credits []", "items [], credits []", "items [2100], credits []"}},
	} {
		fee := flat("31", catalog.Monthly)
		fee.BillingTiming = c.timing
		b := newBook(t, monthly("2026-01-01", line(1, fee, 1, "2026-01-01")))
		got := []string{b.run(d("2026-01-01")).String()}
		b.pause("2026-01-21", "", "2026-01-21")
		got = append(got, b.run(d("2026-02-01")).String(), b.run(d("2026-03-01")).String())
		b.pause("2026-01-21", "2026-03-11", "2026-03-11")
		last := b.run(d("2026-03-11"))
		arrears := b.run(d("2026-04-01"))
		last.items = append(last.items, arrears.items...)
		if got = append(got, last.String()); !slices.Equal(got, c.runs) {
			t.Errorf("%s: %q, want %q", c.timing, got, c.runs)
		}
	}
}

// A subscription that ends while it is paused is credited what was paused. What is
// kept then are days that were billed.
func TestAPauseEndsWithTheSubscription(t *testing.T) {
	for _, c := range []struct {
		end     string
		keep    bool
		credits amounts
	}{
		{"2026-01-21", false, amounts{2100}}, {"2026-01-21", true, amounts{1000}}, {"2026-02-11", true, amounts{2100}}, {"2026-02-11", false, amounts{2100}},
	} {
		b := newBook(t, monthly("2026-01-01", line(1, flat("31", catalog.Monthly), 1, "2026-01-01")))
		b.run(d("2026-01-01"))
		b.cancel(d(c.end), c.keep)
		b.pause("2026-01-11", "", "2026-01-11")
		b.expect("before "+c.end, b.run(d(c.end).AddDays(-1)), nil, nil)
		if next, some := b.line.NextDue(d("2026-01-11")); !some || next.After(d(c.end)) {
			t.Errorf("looked at on %s, %v", next, some)
		}
		b.pause("2026-01-11", "", c.end)
		b.expect("on "+c.end, b.run(d(c.end)), nil, c.credits)
	}
}

func TestPauses(t *testing.T) {
	var p ledger.Pauses
	p = p.Ended(d("2026-01-01"))
	p = p.Begun(d("2026-01-02")).Begun(d("2026-01-03")).Ended(d("2026-01-05"))
	p = p.Begun(d("2026-02-01")).Ended(d("2026-02-01")) // no day
	p = p.Begun(d("2026-03-01"))
	if want := (ledger.Pauses{{From: d("2026-01-02"), To: d("2026-01-04")}, {From: d("2026-03-01")}}); !slices.Equal(p, want) || p.Current() != d("2026-03-01") {
		t.Errorf("%v, want %v", p, want)
	}
	for _, bad := range []ledger.Pauses{
		{{}}, {{To: d("2026-01-01")}}, {{From: d("2026-01-02"), To: d("2026-01-01")}}, {{From: d("2026-01-02")}, {From: d("2026-01-03")}},
		{{From: d("2026-01-02"), To: d("2026-01-05")}, {From: d("2026-01-05")}},
	} {
		if e := bad.Check(); e == nil || !slices.Equal(e.Field, []string{"pauses"}) {
			t.Errorf("%v: %v", bad, e)
		}
	}
	if e := p.Check(); e != nil {
		t.Errorf("%v: %v", p, e)
	}
	was, is := monthly("2026-01-01"), monthly("2026-01-01")
	was.Pause(p, d("2026-03-05"))
	is.Pause(p.Ended(d("2026-03-06")), d("2026-03-06"))
	if first, changed := ledger.FirstChange(&was, &is); !changed || first != d("2026-03-01") {
		t.Errorf("changed from %s on, %v", first, changed)
	}
	if first, changed := ledger.FirstChange(&was, &was); changed {
		t.Errorf("the same changed from %s on", first)
	}
}
