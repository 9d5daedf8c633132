package ledger_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

func TestGrid(t *testing.T) {
	type period struct {
		from, to string
		days     int
	}
	for _, row := range []struct {
		origin string
		months int
		want   []period
	}{
		{"2026-01-31", 1, []period{{"2026-01-31", "2026-02-27", 28}, {"2026-02-28", "2026-03-30", 31}, {"2026-03-31", "2026-04-29", 30}, {"2026-04-30", "2026-05-30", 31}}},
		{"2024-02-29", 12, []period{{"2024-02-29", "2025-02-27", 365}, {"2025-02-28", "2026-02-27", 365}, {"2026-02-28", "2027-02-27", 365}, {"2027-02-28", "2028-02-28", 366}, {"2028-02-29", "2029-02-27", 365}}},
		{"2024-01-01", 12, []period{{"2023-01-01", "2023-12-31", 365}, {"2024-01-01", "2024-12-31", 366}}},
		{"2026-01-15", 3, []period{{"2025-10-15", "2026-01-14", 92}, {"2026-01-15", "2026-04-14", 90}}},
		{"2026-05-31", 6, []period{{"2025-11-30", "2026-05-30", 182}, {"2026-05-31", "2026-11-29", 183}}},
		// before the origin: the first term had a chosen end
		{"2026-02-01", 1, []period{{"2025-12-01", "2025-12-31", 31}, {"2026-01-01", "2026-01-31", 31}, {"2026-02-01", "2026-02-28", 28}}},
	} {
		epoch := ledger.Epoch{From: d(row.origin), Origin: d(row.origin), AnchorDay: d(row.origin).Day, TermMonths: 1}
		for _, want := range row.want {
			for _, day := range []string{want.from, want.to} {
				got := epoch.Period(d(day), row.months)
				if got.From != d(want.from) || got.To != d(want.to) || got.Days() != want.days {
					t.Errorf("%d months from %s: %s is in %v (%d days), want %v", row.months, row.origin, day, got, got.Days(), want)
				}
			}
		}
	}
}

// Every day is in exactly one period, and periods follow each other.
func TestGridIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		origin := d("2023-01-01").AddDays(rapid.IntRange(0, 1500).Draw(t, "origin"))
		epoch := ledger.Epoch{Origin: origin, AnchorDay: origin.Day}
		if origin.Day == billing.LastDayOfMonth(origin.Year, origin.Month) {
			epoch.AnchorDay = rapid.IntRange(origin.Day, 31).Draw(t, "anchor")
		}
		months := rapid.SampledFrom([]int{1, 3, 6, 12}).Draw(t, "months")
		day := origin.AddDays(rapid.IntRange(-1000, 1000).Draw(t, "day"))
		p := epoch.Period(day, months)
		if p.From.After(day) || p.To.Before(day) {
			t.Fatalf("%s is not in %v", day, p)
		}
		if epoch.Period(p.From, months) != p || epoch.Period(p.To, months) != p {
			t.Fatalf("the ends of %v are in other periods", p)
		}
		if next := epoch.Period(p.To.AddDays(1), months); next.From != p.To.AddDays(1) {
			t.Fatalf("%v is followed by %v", p, next)
		}
		bounds := map[int][2]int{1: {28, 31}, 3: {89, 92}, 6: {181, 184}, 12: {365, 366}}[months]
		if n := p.Days(); n < bounds[0] || n > bounds[1] {
			t.Fatalf("%v has %d days", p, n)
		}
	})
}

func TestWhereEpochsBegin(t *testing.T) {
	first := ledger.FirstEpoch(d("2026-01-15"), d("2026-02-14"), 15, 1)
	if want := (ledger.Epochs{{From: d("2026-01-15"), Origin: d("2026-01-15"), AnchorDay: 15, TermMonths: 1}}); !reflect.DeepEqual(first, want) {
		t.Errorf("a first term by its length: %v", first)
	}
	chosen := ledger.FirstEpoch(d("2026-01-10"), d("2026-01-31"), 1, 1)
	if want := (ledger.Epochs{{From: d("2026-01-10"), Origin: d("2026-02-01"), AnchorDay: 1, TermMonths: 1}}); !reflect.DeepEqual(chosen, want) {
		t.Errorf("a first term with a chosen end: %v", chosen)
	}
	for _, row := range []struct {
		name           string
		start          string
		anchor, months int
		begins         bool
	}{
		{"a renewal on the grid", "2026-02-15", 15, 1, false},
		{"a renewal on the grid, much later", "2027-06-15", 15, 1, false},
		{"a renewal off the grid", "2026-03-01", 1, 1, true},
		{"another length", "2026-02-15", 15, 12, true},
		{"another anchor", "2026-02-15", 16, 1, true},
	} {
		got := first.Renewed(d(row.start), row.anchor, row.months)
		want := slices.Clone(first)
		if row.begins {
			want = append(want, ledger.Epoch{From: d(row.start), Origin: d(row.start), AnchorDay: row.anchor, TermMonths: row.months})
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", row.name, got, want)
		}
	}
	for _, row := range []struct {
		start string
		kept  int
	}{{"2026-02-20", 1}, {"2026-03-20", 2}, {"2026-03-01", 1}, {"2026-01-15", 0}} {
		two := first.Renewed(d("2026-03-01"), 1, 1)
		got := two.Restarted(d(row.start), 20, 1)
		want := append(slices.Clone(two[:row.kept]), ledger.Epoch{From: d(row.start), Origin: d(row.start), AnchorDay: 20, TermMonths: 1})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("a term that starts afresh on %s: %v, want %v", row.start, got, want)
		}
	}
}

// The examples of periods and stubs, with their prices.
func TestPeriodsAndStubs(t *testing.T) {
	price := flat("49", catalog.Monthly)
	t.Run("full price for every month from the 31st", func(t *testing.T) {
		b := newBook(t, monthly("2026-01-31", line(1, price, 1, "2026-01-31")))
		b.expect("four months", b.run(d("2026-04-30")), amounts{4900, 4900, 4900, 4900}, nil)
	})
	t.Run("chosen end", func(t *testing.T) {
		timeline := monthly("2026-01-10", line(1, price, 1, "2026-01-10"))
		timeline.Epochs = ledger.FirstEpoch(d("2026-01-10"), d("2026-01-31"), 1, 1)
		b := newBook(t, timeline)
		b.expect("22/31", b.run(d("2026-01-10")), amounts{3477}, nil)
		b.expect("then the whole", b.run(d("2026-02-01")), amounts{4900}, nil)
	})
	t.Run("term extended", func(t *testing.T) {
		timeline := monthly("2026-01-15", line(1, price, 1, "2026-01-15"))
		timeline.Epochs = timeline.Epochs.Renewed(d("2026-03-01"), 1, 1)
		b := newBook(t, timeline)
		b.expect("the first term", b.run(d("2026-01-15")), amounts{4900}, nil)
		b.expect("14/28", b.run(d("2026-02-15")), amounts{2450}, nil)
		b.expect("the new epoch", b.run(d("2026-03-01")), amounts{4900}, nil)
	})
	t.Run("annual charge on monthly terms", func(t *testing.T) {
		b := newBook(t, monthly("2026-01-15", line(1, flat("1200", catalog.Annual), 1, "2026-01-15")))
		b.expect("the whole year", b.run(d("2026-01-15")), amounts{120000}, nil)
		b.expect("nothing in the year", b.run(d("2027-01-14")), nil, nil)
		b.expect("the next year", b.run(d("2027-01-15")), amounts{120000}, nil)
	})
	t.Run("monthly charge on annual terms", func(t *testing.T) {
		b := newBook(t, termed("2026-01-15", 12, line(1, price, 1, "2026-01-15")))
		b.expect("twelve periods", b.run(d("2027-01-14")), slices.Repeat(amounts{4900}, 12), nil)
	})
}
