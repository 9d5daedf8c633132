package billing

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func dateFrom(t testing.TB, text string) Date {
	t.Helper()
	d, err := ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func zoneNamed(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestParseDate(t *testing.T) {
	for _, c := range []struct{ text, message string }{
		{"2026-01-31", ""},
		{"2024-02-29", ""},
		{"2000-02-29", ""},
		{"1900-01-01", ""},
		{"9999-12-31", ""},
		{"", "Write it as YYYY-MM-DD"},
		{"2026-1-31", "Write it as YYYY-MM-DD"},
		{"2026/01/31", "Write it as YYYY-MM-DD"},
		{"20260131", "Write it as YYYY-MM-DD"},
		{"31-01-2026", "Write it as YYYY-MM-DD"},
		{" 2026-01-31", "Write it as YYYY-MM-DD"},
		{"2026-01-31T00:00:00Z", "Write it as YYYY-MM-DD"},
		{"+026-01-31", "Write it as YYYY-MM-DD"},
		{"2026-01-3１", "Write it as YYYY-MM-DD"},
		{"2026-00-01", "months go from 01 to 12"},
		{"2026-13-01", "months go from 01 to 12"},
		{"2026-01-00", "January 2026 has 31 days"},
		{"2026-04-31", "April 2026 has 30 days"},
		{"2026-02-29", "February 2026 has 28 days"},
		{"1900-02-29", "February 1900 has 28 days"},
		{"2024-02-30", "February 2024 has 29 days"},
		{"1899-12-31", "years go from 1900 to 9999"},
		{"0000-00-00", "years go from 1900 to 9999"},
	} {
		t.Run(c.text, func(t *testing.T) {
			d, err := ParseDate(c.text)
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%v is not an Error", err)
			}
			wantMessage(t, e, "date", c.message)
			if err == nil && d.String() != c.text {
				t.Errorf("prints as %s", d)
			}
		})
	}
}

func TestAddMonths(t *testing.T) {
	for _, c := range []struct {
		from   string
		months int
		want   string
	}{
		{"2026-01-15", 1, "2026-02-15"},
		{"2026-01-31", 1, "2026-02-28"},
		{"2024-01-31", 1, "2024-02-29"},
		{"2026-02-28", 1, "2026-03-28"},
		{"2024-02-29", 12, "2025-02-28"},
		{"2024-02-29", 48, "2028-02-29"},
		{"2026-12-31", 2, "2027-02-28"},
		{"2026-11-30", 1, "2026-12-30"},
		{"2026-03-31", -1, "2026-02-28"},
		{"2026-01-31", -13, "2024-12-31"},
		{"2026-05-31", 0, "2026-05-31"},
		{"2026-01-01", 120, "2036-01-01"},
	} {
		if got := dateFrom(t, c.from).AddMonths(c.months); got != dateFrom(t, c.want) {
			t.Errorf("%s and %d months is %s, want %s", c.from, c.months, got, c.want)
		}
	}
}

func TestAnchoredMonthsDoNotDrift(t *testing.T) {
	d := dateFrom(t, "2026-12-31")
	for _, want := range []string{"2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"} {
		if d = d.AddMonthsAnchored(1, 31); d.String() != want {
			t.Fatalf("reached %s, want %s", d, want)
		}
	}
}

func TestBillingDate(t *testing.T) {
	for _, c := range []struct {
		year  int
		month time.Month
		day   int
		want  string
	}{
		{2026, time.January, 31, "2026-01-31"},
		{2026, time.February, 31, "2026-02-28"},
		{2024, time.February, 30, "2024-02-29"},
		{2100, time.February, 29, "2100-02-28"},
		{2026, time.April, 31, "2026-04-30"},
		{2026, time.December, 1, "2026-12-01"},
	} {
		if got := BillingDate(c.year, c.month, c.day); got.String() != c.want {
			t.Errorf("day %d of %s %d is %s, want %s", c.day, c.month, c.year, got, c.want)
		}
	}
}

func TestDateOf(t *testing.T) {
	instant := time.Date(2026, 1, 1, 3, 30, 0, 0, time.UTC)
	for zone, want := range map[string]string{
		"UTC": "2026-01-01", "America/New_York": "2025-12-31", "Pacific/Kiritimati": "2026-01-01",
	} {
		if got := DateOf(instant, zoneNamed(t, zone)); got.String() != want {
			t.Errorf("in %s it is %s, want %s", zone, got, want)
		}
	}
}

func TestDateStart(t *testing.T) {
	for _, c := range []struct{ name, zone, date, want string }{
		{"UTC", "UTC", "2026-01-15", "2026-01-15T00:00:00Z"},
		{"plain", "Europe/Berlin", "2026-07-01", "2026-07-01T00:00:00+02:00"},
		{"day of the change to summer time", "Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00"},
		{"day after the change to summer time", "Europe/Berlin", "2026-03-30", "2026-03-30T00:00:00+02:00"},
		{"far ahead", "Pacific/Kiritimati", "2026-01-01", "2026-01-01T00:00:00+14:00"},
		{"far behind", "Pacific/Pago_Pago", "2026-01-01", "2026-01-01T00:00:00-11:00"},
		{"midnight skipped, Lebanon", "Asia/Beirut", "2024-03-31", "2024-03-31T01:00:00+03:00"},
		{"midnight skipped, Brazil", "America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00"},
		{"midnight skipped, Cuba", "America/Havana", "2025-03-09", "2025-03-09T01:00:00-04:00"},
		{"midnight twice, Cuba", "America/Havana", "2025-11-02", "2025-11-02T00:00:00-04:00"},
		{"day before lasts 25 hours, Brazil", "America/Sao_Paulo", "2018-02-18", "2018-02-18T00:00:00-03:00"},
		{"set back just after midnight", "America/St_Johns", "2010-11-07", "2010-11-07T00:00:00-02:30"},
		{"day left out, Samoa", "Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"},
		{"end of a leap year beyond the table of changes", "Europe/Berlin", "2040-12-31", "2040-12-31T00:00:00+01:00"},
		{"start of the year after it, west", "America/New_York", "2041-01-01", "2041-01-01T00:00:00-05:00"},
		{"start of the year after it, south", "Australia/Sydney", "2041-01-02", "2041-01-02T00:00:00+11:00"},
		{"beyond the table of changes", "Asia/Beirut", "2090-03-26", "2090-03-26T01:00:00+03:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := dateFrom(t, c.date).Start(zoneNamed(t, c.zone))
			if got.Format(time.RFC3339) != c.want {
				t.Errorf("starts at %s, want %s", got.Format(time.RFC3339), c.want)
			}
		})
	}
}

func TestDateStartInAFixedZone(t *testing.T) {
	zone := time.FixedZone("", -5*60*60)
	if got := dateFrom(t, "2026-01-01").Start(zone); !got.Equal(time.Date(2026, 1, 1, 5, 0, 0, 0, time.UTC)) {
		t.Errorf("starts at %s", got)
	}
}

var anyDate = rapid.Custom(func(t *rapid.T) Date {
	year := rapid.OneOf(
		rapid.IntRange(1901, 9998),
		rapid.SampledFrom([]int{1904, 2000, 2024, 2025, 2028, 2096, 2100, 2400}),
	).Draw(t, "year")
	month := time.Month(rapid.IntRange(1, 12).Draw(t, "month"))
	return Date{year, month, rapid.IntRange(1, LastDayOfMonth(year, month)).Draw(t, "day")}
})

func TestDateTextProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, e := anyDate.Draw(t, "d"), anyDate.Draw(t, "e")
		if back, err := ParseDate(d.String()); err != nil || back != d {
			t.Fatalf("%s parses to %s, %v", d, back, err)
		}
		if (d.String() < e.String()) != d.Before(e) || (d.String() > e.String()) != d.After(e) {
			t.Fatalf("%s and %s sort differently as text", d, e)
		}
		if (d.Compare(e) == 0) != (d == e) {
			t.Fatalf("%s compares to %s as %d", d, e, d.Compare(e))
		}
	})
}

func TestDayProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, e := anyDate.Draw(t, "d"), anyDate.Draw(t, "e")
		if d.AddDays(d.DaysUntil(e)) != e || d.DaysUntil(e) != -e.DaysUntil(d) {
			t.Fatalf("%s to %s is %d days", d, e, d.DaysUntil(e))
		}
		if next := d.AddDays(1); !next.After(d) || next.AddDays(-1) != d || d.DaysUntil(next) != 1 {
			t.Fatalf("after %s comes %s", d, next)
		}
	})
}

func TestMonthProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDate.Draw(t, "d")
		n := rapid.IntRange(-500, 500).Draw(t, "months")
		anchor := rapid.IntRange(1, 31).Draw(t, "anchor")

		got := d.AddMonthsAnchored(n, anchor)
		if apart := 12*(got.Year-d.Year) + int(got.Month-d.Month); apart != n {
			t.Fatalf("%s is %d months from %s, not %d", got, apart, d, n)
		}
		if got.Day != anchor && (got.Day > anchor || got.AddDays(1).Day != 1) {
			t.Fatalf("%s is neither on day %d nor the month's last", got, anchor)
		}
		step := d
		for range max(n, 0) {
			step = step.AddMonthsAnchored(1, anchor)
		}
		if n > 0 && step != got {
			t.Fatalf("month by month reaches %s, at once %s", step, got)
		}
		if d.AddMonths(n).AddMonths(-n).After(d) {
			t.Fatalf("%s, %d months on and back, is later", d, n)
		}
	})
}

// Every day of many years, because zones go wrong on single days.
func TestDateStartThroughTheYears(t *testing.T) {
	for _, name := range []string{
		"UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "America/St_Johns",
		"Asia/Beirut", "Asia/Kathmandu", "Asia/Manila", "Australia/Lord_Howe", "Africa/Casablanca",
		"Pacific/Apia", "Pacific/Kwajalein", "Pacific/Kiritimati", "America/Metlakatla", "Antarctica/Troll",
	} {
		t.Run(name, func(t *testing.T) {
			zone := zoneNamed(t, name)
			last := dateFrom(t, "2045-12-31")
			for d := dateFrom(t, "1985-01-01"); !d.After(last); d = d.AddDays(1) {
				wantFirstInstant(t, d, zone)
			}
		})
	}
}

func wantFirstInstant(t testing.TB, d Date, zone *time.Location) {
	t.Helper()
	start := d.Start(zone)
	if DateOf(start, zone).Before(d) {
		t.Fatalf("%s starts at %s, on the day before", d, start)
	}
	for _, back := range []time.Duration{1, 30 * time.Minute, time.Hour, 26 * time.Hour} {
		if at := start.Add(-back); !DateOf(at, zone).Before(d) {
			t.Fatalf("%s starts at %s, but is there at %s", d, start, at)
		}
	}
}
