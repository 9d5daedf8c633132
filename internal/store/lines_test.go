package store

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

func linesForTest() []subscription.Line {
	day := func(month, day int) billing.Date {
		return billing.Date{Year: 2026, Month: 1, Day: 1}.AddMonths(month - 1).AddDays(day - 1)
	}
	price := billing.Price("10.50")
	tiers := []catalog.Tier{{Starts: 1, Price: "3"}, {Starts: 11, Price: "2"}}
	seats := subscription.Line{
		ID: 7, PriceListID: 1, ChargeID: 2, Code: "seats", Name: `Seats; "all" – 座席`, FeatureID: new(billing.FeatureID(3)), Type: catalog.Recurring, Quantity: new(3), Price: &price,
		Rate:       &rate.Rate{ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, BillingTiming: catalog.InAdvance, PricingModel: catalog.Tiered, Tiers: tiers},
		CurrencyID: "EUR", StartDate: day(1, 15), EndDate: day(2, 14),
	}
	again := seats
	again.ID, again.Quantity, again.StartDate, again.EndDate, again.KeptTo = 8, new(0), day(2, 15), day(3, 14), new(day(3, 20))
	again.Rate, again.FeatureID = new(*seats.Rate), new(*seats.FeatureID) // as they are when a line is made anew
	off := seats
	off.ID, off.Quantity, off.StartDate, off.EndDate, off.Off = 9, nil, day(3, 15), day(3, 14), true
	dearer := seats
	dearer.ID, dearer.Price, dearer.Rate = 10, nil, nil
	foreign := subscription.Line{ID: -4, PriceListID: -1, ChargeID: -2, Code: "gone", Type: catalog.OneTime, StartDate: day(1, 1), EndDate: day(1, 1)}
	return []subscription.Line{seats, again, off, dearer, foreign}
}

// Lines are read as they were written, and what they have in common is written once.
func TestLinesRoundTrip(t *testing.T) {
	for _, lines := range [][]subscription.Line{linesForTest(), linesForTest()[:1], {}, nil} {
		written := subscription.Subscription{Charges: lines}
		value, err := (*linesColumn)(&written).Value()
		if err != nil {
			t.Fatal(err)
		}
		var read subscription.Subscription
		if err := (*linesColumn)(&read).Scan(value); err != nil || read.Problem != nil {
			t.Fatal(err, *read.Problem)
		}
		if !reflect.DeepEqual(read.Charges, lines) {
			t.Errorf("%s\nis read as %+v\nwant %+v", value, read.Charges, lines)
		}
		if n := strings.Count(value.(string), `"priceListId":1,`); n > 2 {
			t.Errorf("what was agreed is written %d times: %s", n, value)
		}
	}
}

// A line that goes on where the one before ended has its quantity and days, whatever was skipped
// before it.
func TestLinesThatFollow(t *testing.T) {
	lines := linesForTest()[:1]
	for n := range 4 {
		next := lines[n]
		next.ID, next.Quantity, next.StartDate, next.EndDate = next.ID+1, new(n), next.EndDate.AddDays(1), next.EndDate.AddDays(10)
		lines = append(lines, next)
	}
	lines[4].Off = true // in full
	other := linesForTest()[3]
	other.ID, other.StartDate, other.EndDate = lines[4].ID+1, lines[4].EndDate.AddDays(1), lines[4].EndDate.AddDays(5)
	lines = append(lines, other) // for another charge
	value, err := (*linesColumn)(&subscription.Subscription{Charges: lines}).Value()
	if err != nil {
		t.Fatal(err)
	}
	_, words, _ := strings.Cut(value.(string), "\n")
	const want = "7 0 3 2026-01-15 2026-02-14\n0 10\n1 10\n2 10\n11 0 3 2026-03-17 2026-03-26 off\n12 1 3 2026-03-27 2026-03-31"
	if words != want {
		t.Errorf("written as\n%s\nwant\n%s", words, want)
	}
	for n, line := range lines {
		want := lines[n:]
		if n == 5 {
			want = lines[4:] // a line with more words is always read
		}
		if read, err := readLines(value, line.EndDate); err != nil || !reflect.DeepEqual(read, want) {
			t.Errorf("from %s: %v: %+v\nwant %+v", line.EndDate, err, read, want)
		}
	}
}

// Lines that were written in full are read too.
func TestLinesInFull(t *testing.T) {
	text, err := json.Marshal(linesForTest())
	if err != nil {
		t.Fatal(err)
	}
	if read, err := readLines(string(text), billing.Date{}); err != nil || !reflect.DeepEqual(read, linesForTest()) {
		t.Errorf("%v: %+v", err, read)
	}
}

// FuzzLines: whatever is in the column, reading it ends with lines that can be
// written and read again, or with an error.
func FuzzLines(f *testing.F) {
	value, _ := (*linesColumn)(&subscription.Subscription{Charges: linesForTest()}).Value()
	const agreed = `[{"chargeId":1}]` + "\n"
	for _, text := range []string{
		value.(string), "[]", "null", "[{", "[]\n", agreed, agreed + "1 0 3 2026-01-01 2026-01-31", agreed + "1 1 3 2026-01-01 2026-01-31", agreed + "1 -1 - 2026-01-01 2026-01-31",
		agreed + "1 0 3 2026-01-01", agreed + "1 0 3 2026-01-01 2026-02-30", agreed + "1 0 - 2026-01-01 2026-01-31 off kept:2026-02-01",
		agreed + "1 0 - 2026-01-01 2026-01-31 of", agreed + "1 0 x 2026-01-01 2026-01-31", agreed + "1 0 3 2026-01-01 2026-01-31\n",
		agreed + "1 0 3 2026-01-01 2026-01-31\n4 28\n- 0", agreed + "4 28", "[]\n4 28", agreed + "1 0 3 2026-01-01 9999-12-31\n4 0",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := readLines(text, billing.Date{})
		if err != nil {
			return
		}
		value, err := (*linesColumn)(&subscription.Subscription{Charges: lines}).Value()
		if err != nil || slices.ContainsFunc(lines, func(l subscription.Line) bool { return l.StartDate.Year == 0 || l.EndDate.Year == 0 }) {
			return // a price or a day of the old form that is none
		}
		again, err := readLines(value, billing.Date{})
		if err != nil {
			t.Fatalf("%q was read, but not %q: %v", text, value, err)
		}
		if !reflect.DeepEqual(again, lines) {
			t.Fatalf("%q is %+v, but %q %+v", text, lines, value, again)
		}
	})
}

// Lines that make no sense are refused, and not half read.
func TestLinesThatAreNone(t *testing.T) {
	for _, words := range []string{"1 1 3 2026-01-01 2026-01-31", "1 -1 3 2026-01-01 2026-01-31", "1 0 3 2026-01-01", "1 0 3 2026-01-01 2026-02-30", "1 0 x 2026-01-01 2026-01-31",
		"1 0 3 2026-01-01 2026-01-31 of", "1 0 3 2026-01-01 2026-01-31 kept:soon", "", "1 0 3 2026-01-01 2026-01-31;", "3 28", "1 0 3 2026-01-01 2026-01-31\nx 28", "1 0 3 2026-01-01 2026-01-31\n3 -1",
		"1 0 3 2026-01-01 2026-01-31\n3 2026-02-28", "1 0 3 2026-01-01 9999-12-31\n3 0"} {
		if lines, err := readLines("[{\"chargeId\":1}]\n"+words+"\n2 0 3 2026-02-01 2026-02-28", billing.Date{}); err == nil {
			t.Errorf("%q is read as %+v", words, lines)
		}
	}
}

// Lines that ended before a day are left out, unless some of their days were kept.
func TestLinesFromADay(t *testing.T) {
	written := subscription.Subscription{Charges: linesForTest()}
	value, err := (*linesColumn)(&written).Value()
	if err != nil {
		t.Fatal(err)
	}
	all := linesForTest()
	last := func(n int) billing.Date { return all[n].EndDate }
	for _, c := range []struct {
		from billing.Date
		want []subscription.Line
	}{
		{billing.Date{}, all},
		{last(4), all},
		{last(4).AddDays(1), all[:4]},
		{last(0), all[:4]},
		{last(0).AddDays(1), all[1:3]},
		{billing.Date{Year: 2126, Month: 1, Day: 1}, all[1:3]},
	} {
		if read, err := readLines(value, c.from); err != nil || !reflect.DeepEqual(read, c.want) {
			t.Errorf("from %s: %v: %+v\nwant %+v", c.from, err, read, c.want)
		}
	}
}

// A subscription of which not all lines were read cannot be written.
func TestNeededLinesAreNotWritten(t *testing.T) {
	value, err := (*linesColumn)(&subscription.Subscription{Charges: linesForTest()}).Value()
	if err != nil {
		t.Fatal(err)
	}
	day := func(year int) *billing.Date { return &billing.Date{Year: year, Month: 1, Day: 1} }
	for _, c := range []struct {
		name            string
		start           *billing.Date
		billedOn, dirty *billing.Date
		lines           int
	}{
		{"never billed", day(2026), nil, day(2026), 5},
		{"billed long after", day(2026), day(2036), nil, 2},
		{"changed in the past", day(2026), day(2036), day(2026), 5},
		{"to begin", day(2036), day(2036), nil, 5},
	} {
		read := subscription.Subscription{ID: 3, StartDate: *c.start, BilledOn: c.billedOn, DirtyFrom: c.dirty}
		if err := (neededLines{(*linesColumn)(&read)}).Scan(value); err != nil || len(read.Charges) != c.lines {
			t.Errorf("%s: %v, %d lines, want %d", c.name, err, len(read.Charges), c.lines)
		}
		if _, err := (*linesColumn)(&read).Value(); (err == nil) != (c.lines == 5) {
			t.Errorf("%s: written with error %v", c.name, err)
		}
	}
}
