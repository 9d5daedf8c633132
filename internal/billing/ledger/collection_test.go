package ledger_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

func TestNextBillingDay(t *testing.T) {
	for _, row := range []struct {
		day  string
		on   int
		want string
	}{
		{"2026-01-01", 1, "2026-01-01"}, {"2026-01-02", 1, "2026-02-01"}, {"2026-01-31", 31, "2026-01-31"}, {"2026-02-01", 31, "2026-02-28"},
		{"2026-02-28", 31, "2026-02-28"}, {"2026-12-16", 15, "2027-01-15"}, {"2024-02-10", 30, "2024-02-29"},
	} {
		if got := ledger.NextBillingDay(d(row.day), row.on); got != d(row.want) {
			t.Errorf("the billing day %d after %s is %s, want %s", row.on, row.day, got, row.want)
		}
	}
}

func TestAlignedEnd(t *testing.T) {
	for _, row := range []struct {
		start  string
		day    int
		end    string
		aligns bool
	}{{"2026-01-10", 1, "2026-01-31", true}, {"2026-01-10", 15, "2026-01-14", true}, {"2026-01-10", 10, "", false}, {"2026-02-28", 31, "", false}, {"2026-02-27", 31, "2026-02-27", true}} {
		end, aligns := ledger.AlignedEnd(d(row.start), row.day)
		if aligns != row.aligns || aligns && end != d(row.end) {
			t.Errorf("from %s with billing day %d: %s, %v; want %s", row.start, row.day, end, aligns, row.end)
		}
	}
}

func TestBillingStart(t *testing.T) {
	none, jan, feb, mar := billing.Date{}, d("2026-01-01"), d("2026-02-01"), d("2026-03-01")
	for _, row := range [][4]billing.Date{
		{jan, none, none, jan}, {jan, feb, none, feb}, {mar, feb, none, mar}, {jan, feb, feb, d("2026-02-02")}, {jan, none, mar, d("2026-03-02")}, {mar, none, jan, mar},
	} {
		if got := ledger.BillingStart(row[0], row[1], row[2]); got != row[3] {
			t.Errorf("start %s, invoicing from %s, billed through %s: %s, want %s", row[0], row[1], row[2], got, row[3])
		}
	}
}

var (
	asDue        = ledger.Collection{Mode: ledger.AsDue, BillingDay: 5}
	onBillingDay = ledger.Collection{Mode: ledger.OnBillingDay, BillingDay: 5}
)

// collected runs an account's billing on a day, as the collection says.
func (b *book) collected(c ledger.Collection, today string) documents {
	b.t.Helper()
	var issued documents
	for _, change := range c.Collect(b.changes(d(today)), d(today)) {
		b.apply(&change, &issued)
	}
	return issued
}

func (b *book) next(c ledger.Collection, today string) string {
	b.t.Helper()
	next, some := b.line.NextBilling(b.changes(d(today)), d(today), c)
	if !some {
		return ""
	}
	return next.String()
}

// A seat added to an annual plan is invoiced on the next billing day, not in a
// year, and several changes make one item.
func TestDifferencesWaitForTheBillingDay(t *testing.T) {
	b := newBook(t, termed("2026-01-20", 12, line(1, flat("365", catalog.Annual), 1, "2026-01-20")))
	if got := b.next(asDue, "2026-01-10"); got != "2026-01-20" {
		t.Errorf("before the start, the next billing is on %s", got)
	}
	b.expect("the year", b.collected(asDue, "2026-01-20"), amounts{36500}, nil)
	if got := b.next(asDue, "2026-01-20"); got != "2027-01-20" {
		t.Errorf("the next billing is on %s", got)
	}
	b.setQuantity(1, 3, d("2026-03-10"), false)
	b.expect("a change", b.collected(asDue, "2026-03-10"), nil, nil)
	b.setQuantity(1, 2, d("2026-03-12"), false)
	if got := b.next(asDue, "2026-03-12"); got != "2026-04-05" {
		t.Errorf("the difference is billed on %s", got)
	}
	b.expect("the day before", b.collected(asDue, "2026-04-04"), nil, nil)
	b.expect("the billing day", b.collected(asDue, "2026-04-05"), amounts{31800}, nil) // 2 days of 2 more, 314 of 1 more
}

// A difference rides along with whatever calls for an invoice before.
func TestDifferencesRideAlong(t *testing.T) {
	b := newBook(t, termed("2026-01-20", 12, line(1, flat("365", catalog.Annual), 1, "2026-01-20"), line(2, flat("10", catalog.Monthly), 1, "2026-01-20")))
	b.collected(asDue, "2026-01-20")
	b.setQuantity(1, 2, d("2026-02-10"), false)
	b.expect("the day before", b.collected(asDue, "2026-02-19"), nil, nil)
	b.expect("the second month", b.collected(asDue, "2026-02-20"), amounts{34400, 1000}, nil)
}

func TestEverythingWaitsForTheBillingDay(t *testing.T) {
	b := newBook(t, monthly("2026-01-20", line(1, flat("31", catalog.Monthly), 1, "2026-01-20"), line(2, once("7"), 1, "2026-01-25")))
	if got := b.next(onBillingDay, "2026-01-20"); got != "2026-02-05" {
		t.Errorf("the first billing is on %s", got)
	}
	b.expect("the day before", b.collected(onBillingDay, "2026-02-04"), nil, nil)
	b.expect("the billing day", b.collected(onBillingDay, "2026-02-05"), amounts{3100, 700}, nil)
	if got := b.next(onBillingDay, "2026-02-05"); got != "2026-03-05" {
		t.Errorf("the next billing is on %s", got)
	}
	b.cancel(d("2026-02-11"), false)
	b.expect("the end waits too", b.collected(onBillingDay, "2026-02-11"), nil, nil)
	b.expect("the credit", b.collected(onBillingDay, "2026-03-05"), nil, amounts{900})
	if got := b.next(onBillingDay, "2026-03-05"); got != "" {
		t.Errorf("after the end, the next billing is on %s", got)
	}
}

// The end of a subscription calls for what it leaves, and for what waited.
func TestTheEndCalls(t *testing.T) {
	b := march(t, 1)
	b.setQuantity(1, 2, d("2026-03-10"), false)
	b.expect("waits", b.collected(asDue, "2026-03-10"), nil, nil)
	b.cancel(d("2026-03-20"), false) // scheduled on the 12th
	if got := b.next(asDue, "2026-03-12"); got != "2026-03-20" {
		t.Errorf("the end is billed on %s", got)
	}
	b.expect("not before", b.collected(asDue, "2026-03-19"), nil, nil)
	b.expect("the end", b.collected(asDue, "2026-03-20"), nil, amounts{200}) // 9 × 1 + 10 × 2 of 31
	if got := b.next(asDue, "2026-03-20"); got != "" {
		t.Errorf("after the end, the next billing is on %s", got)
	}
}

// A quantity that is scheduled is due on its day, not on the day of the order.
func TestScheduledQuantityIsDueOnItsDay(t *testing.T) {
	b := march(t, 1)
	b.setQuantity(1, 2, d("2026-03-16"), false) // ordered on the 2nd
	changes := b.changes(d("2026-03-02"))
	if len(changes) != 1 || changes[0].Due != d("2026-03-16") || changes[0].Amount != 1600 {
		t.Fatalf("%+v", changes)
	}
	b.expect("not before", b.collected(asDue, "2026-03-05"), nil, nil)
	b.expect("with April", b.collected(asDue, "2026-04-01"), amounts{1600, 6200}, nil)
}

// A change of days that are past waits for the billing day after it was made.
func TestLateDifferenceWaits(t *testing.T) {
	b := newBook(t, monthly("2026-01-01", line(1, flat("31", catalog.Monthly), 1, "2026-01-01")))
	b.run(d("2026-03-01"))
	b.setQuantity(1, 2, d("2026-01-16"), false) // on 20 March
	b.setQuantity(1, 1, d("2026-02-01"), false)
	b.line.ChangedOn = d("2026-03-20")
	if got := b.next(asDue, "2026-03-20"); got != "2026-04-01" {
		t.Errorf("the next billing is on %s", got)
	}
	b.expect("the day of the change", b.collected(asDue, "2026-03-20"), nil, nil)
	b.expect("with April", b.collected(asDue, "2026-04-01"), amounts{1600, 3100}, nil)
}

// A quantity that was scheduled before its period was billed is part of that bill,
// and nothing is due on its day.
func TestScheduledQuantityOfABilledPeriod(t *testing.T) {
	for timing, want := range map[catalog.BillingTiming]string{catalog.InAdvance: "2026-04-01", catalog.InArrears: "2026-04-01"} {
		r := flat("31", catalog.Monthly)
		r.BillingTiming = timing
		b := newBook(t, monthly("2026-03-01", line(1, r, 1, "2026-03-01")))
		b.setQuantity(1, 2, d("2026-03-16"), false)
		b.collected(asDue, "2026-03-01")
		if got := b.next(asDue, "2026-03-01"); got != want {
			t.Errorf("%s: the next billing is on %s, want %s", timing, got, want)
		}
	}
}

func TestArrearsAreDueAfterTheirDays(t *testing.T) {
	b := newBook(t, monthly("2026-03-01", line(1, arrears("31"), 1, "2026-03-01")))
	if got := b.next(asDue, "2026-03-01"); got != "2026-04-01" {
		t.Errorf("a month in arrears is billed on %s", got)
	}
	b.changePlan(line(2, flat("62", catalog.Monthly), 1, "2026-03-11"), 0)
	if got := b.next(asDue, "2026-03-05"); got != "2026-03-11" {
		t.Errorf("a plan that ends is billed on %s", got)
	}
	b.expect("both plans", b.collected(asDue, "2026-03-11"), amounts{1000, 4200}, nil)
	// Off and on again in one period: billed when the period is over.
	b = newBook(t, monthly("2026-03-01", line(1, arrears("31"), 1, "2026-03-01")))
	b.line.Lines[0].To = d("2026-03-10")
	b.expect("taken off", b.collected(asDue, "2026-03-11"), amounts{1000}, nil)
	b.line.Lines = append(b.line.Lines, line(1, arrears("31"), 1, "2026-03-21"))
	if due := b.changes(d("2026-03-21"))[0].Due; due != d("2026-04-01") {
		t.Errorf("on again, the difference is due on %s", due)
	}
	b.expect("the period is over", b.collected(asDue, "2026-04-05"), amounts{1100}, nil)
}

// Looking at an account only when NextBilling says so misses nothing: the same
// is billed on the same days as by looking every day.
func TestNothingIsDueBeforeTheNextBilling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLife(t)
		c := ledger.Collection{
			Mode:       rapid.SampledFrom([]ledger.CollectionMode{ledger.AsDue, ledger.OnBillingDay}).Draw(t, "mode"),
			BillingDay: rapid.IntRange(1, 31).Draw(t, "billing day"),
		}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			l.act(t)
			l.collected(c, l.today.String())
			next := l.next(c, l.today.String())
			for range rapid.IntRange(1, 60).Draw(t, "days") {
				l.today = l.today.AddDays(1)
				issued := len(c.Collect(l.changes(l.today), l.today)) > 0
				if issued && (next == "" || l.today.Before(d(next))) {
					t.Fatalf("%s: something is billed, but the next billing is on %q", l.today, next)
				}
				if issued {
					l.collected(c, l.today.String())
				}
				if issued || l.today.String() == next {
					next = l.next(c, l.today.String())
				}
			}
		}
	})
}
