package billing

import (
	"cmp"
	"fmt"
	"time"
)

// The years a date from outside may have.
const (
	minYear = 1900
	MaxYear = 9999
)

// Date is a day of the calendar, in no time zone. Dates compare with ==. The
// zero value is no date. Arithmetic stays a date whatever the year; only
// ParseDate bounds it.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate reads YYYY-MM-DD and refuses days that do not exist. Its errors
// are about the field "date".
func ParseDate(s string) (Date, error) {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' ||
		!isDigits(s[:4]) || !isDigits(s[5:7]) || !isDigits(s[8:]) {
		return Date{}, Invalidf("date", "%q is not a date. Write it as YYYY-MM-DD, such as 2026-01-31.", Excerpt(s))
	}
	d := Date{Year: number(s[:4]), Month: time.Month(number(s[5:7])), Day: number(s[8:])}
	switch {
	case d.Year < minYear || d.Year > MaxYear:
		return Date{}, Invalidf("date", "The date %s is out of range: years go from %d to %d.", s, minYear, MaxYear)
	case d.Month < time.January || d.Month > time.December:
		return Date{}, Invalidf("date", "The date %s does not exist: months go from 01 to 12.", s)
	case d.Day < 1 || d.Day > 28 && d.Day > LastDayOfMonth(d.Year, d.Month):
		return Date{}, Invalidf("date", "The date %s does not exist: %s %d has %d days.", s, d.Month, d.Year, LastDayOfMonth(d.Year, d.Month))
	}
	return d, nil
}

// number reads a few digits that are known to be digits.
func number(digits string) int {
	n := 0
	for _, r := range digits {
		n = 10*n + int(r-'0')
	}
	return n
}

// DateOf returns the day that it is at t in the zone.
func DateOf(t time.Time, zone *time.Location) Date {
	year, month, day := t.In(zone).Date()
	return Date{year, month, day}
}

// BillingDate returns the billing day in that month: the month's last day if
// it is too short for it. billingDay is 1 or more.
func BillingDate(year int, month time.Month, billingDay int) Date {
	return Date{year, month, min(billingDay, LastDayOfMonth(year, month))}
}

// LastDayOfMonth returns how many days the month has.
func LastDayOfMonth(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// String returns the date as YYYY-MM-DD.
func (d Date) String() string {
	if d.Year < 0 || d.Year > MaxYear || d.Month < 0 || d.Day < 0 || d.Month > 99 || d.Day > 99 {
		return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
	}
	two := func(n int) (byte, byte) { return '0' + byte(n/10), '0' + byte(n%10) }
	text := [10]byte{4: '-', 7: '-'}
	text[0], text[1] = two(d.Year / 100)
	text[2], text[3] = two(d.Year % 100)
	text[5], text[6] = two(int(d.Month))
	text[8], text[9] = two(d.Day)
	return string(text[:])
}

// Compare returns -1, 0 or 1 as d is before, the same as or after e.
func (d Date) Compare(e Date) int {
	return cmp.Or(cmp.Compare(d.Year, e.Year), cmp.Compare(d.Month, e.Month), cmp.Compare(d.Day, e.Day))
}

// Before says whether d is an earlier day than e.
func (d Date) Before(e Date) bool { return d.Compare(e) < 0 }

// After says whether d is a later day than e.
func (d Date) After(e Date) bool { return d.Compare(e) > 0 }

// AddDays returns the date n days later, or earlier if n is negative.
func (d Date) AddDays(n int) Date {
	return DateOf(d.midnightUTC().AddDate(0, 0, n), time.UTC)
}

// DaysUntil returns how many days after d e is, negative if it is before.
func (d Date) DaysUntil(e Date) int {
	// In UTC every day has as many seconds.
	const day = 24 * 60 * 60
	return int((e.midnightUTC().Unix() - d.midnightUTC().Unix()) / day)
}

// AddMonths returns the same day n months later, or the last day of that month
// if it is shorter. Months added one by one drift (Jan 31, Feb 28, Mar 28);
// for a series of dates use AddMonthsAnchored.
func (d Date) AddMonths(n int) Date { return d.AddMonthsAnchored(n, d.Day) }

// AddMonthsAnchored goes n months on and lands on anchorDay, or on the last
// day of a month without one. Kept from date to date, the anchor returns to
// its day after a short month: Jan 31, Feb 28, Mar 31.
func (d Date) AddMonthsAnchored(n int, anchorDay int) Date {
	// From the first of the month, where there is nothing to overflow.
	first := time.Date(d.Year, d.Month+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	return BillingDate(first.Year(), first.Month(), anchorDay)
}

// Start returns the first instant at which it is d or later in the zone. That
// is midnight, unless clocks skip it or show it twice; of a day that the zone
// leaves out altogether it is the start of the day after.
func (d Date) Start(zone *time.Location) time.Time {
	midnight := d.midnightUTC()
	// No zone is two days ahead, so it is not yet d anywhere. From there, look
	// through the stretches of constant offset for the first that reaches d.
	from := midnight.AddDate(0, 0, -2).In(zone)
	for {
		_, offset := from.Zone()
		_, end := from.ZoneBounds()
		if !end.IsZero() && !end.After(from) {
			// ZoneBounds is a day short at the end of leap years past a zone's
			// table. Nothing changes there; going on by the hour gets past it.
			end = from.Add(time.Hour)
		}
		start := midnight.Add(-time.Duration(offset) * time.Second)
		if start.Before(from) {
			start = from
		}
		if end.IsZero() || start.Before(end) {
			return start.In(zone)
		}
		from = end
	}
}

func (d Date) midnightUTC() time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
}

// MarshalText writes the date as YYYY-MM-DD, in JSON too.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Date) UnmarshalText(text []byte) error {
	read, err := ParseDate(string(text))
	if err == nil {
		*d = read
	}
	return err
}
