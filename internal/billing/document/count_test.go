package document

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestSeriesBeginsWithItsFirstNumber numbers documents from a count on: with a
// year in the format, only in the year of the first document.
func TestSeriesBeginsWithItsFirstNumber(t *testing.T) {
	for _, c := range []struct {
		format, want string
		first        int
	}{
		{"INV-{YYYY}-{0000}", "INV-2026-0500 INV-2026-0501 INV-2027-0001 INV-2027-0002", 500},
		{"INV-{0000}", "INV-0500 INV-0501 INV-0502 INV-0503", 500},
		{"{YY}{00}", "2699 26100 2701 2702", 99},
		{"A{0}", "A1 A2 A3 A4", 0},
	} {
		format := format(t, c.format)
		s, count := Series{Format: format, First: c.first}, Count{Format: format, First: c.first}
		var numbers []string
		for _, day := range []string{"2026-12-30", "2026-12-31", "2027-01-01", "2027-01-01"} {
			number, issuedAt, next, err := s.Next(d(day))
			if err != nil {
				t.Fatal(err)
			}
			if err := count.Next(number, issuedAt); err != nil {
				t.Errorf("%s: %v", c.format, err)
			}
			s, numbers = next, append(numbers, number)
		}
		if got := strings.Join(numbers, " "); got != c.want {
			t.Errorf("%s from %d: %s, want %s", c.format, c.first, got, c.want)
		}
	}
}

// TestCountFindsGaps gives numbers that do not follow each other, and such as a
// format wrote that the series had before.
func TestCountFindsGaps(t *testing.T) {
	for _, c := range []struct {
		format, numbers, want string
		first                 int
	}{
		{"INV-{0000}", "INV-0501 INV-0502", "INV-0501 is wrong: its number should be INV-0500", 500},
		{"INV-{0000}", "INV-0001 INV-0002", "its number should be INV-0500", 500},
		{"INV-{0000}", "INV-0002", "its number should be INV-0001", 0},
		{"INV-{0000}", "INV-0001 INV-0003", "its number should be INV-0002", 0},
		{"INV-{0000}", "INV-0001 INV-0001", "its number should be INV-0002", 0},
		{"INV-{YYYY}-{00}", "INV-2026-07 INV-2027-08", "its number should be INV-2027-01", 7},
		{"INV-{0000}", "R7 R9 INV-0010 INV-0011", "", 7}, // written by another format
		{"INV-{0000}", "INV-010 INV-0011 INV-0013", "its number should be INV-0012", 10},
		{"INV-{000}", "INV-0999 INV-999 INV-1000", "", 999},
	} {
		count := Count{Format: format(t, c.format), First: c.first}
		var found string
		for number := range strings.FieldsSeq(c.numbers) {
			day := billing.Date{Year: 2026, Month: 1, Day: 1}
			if strings.Contains(number, "2027") {
				day.Year = 2027
			}
			if err := count.Next(number, day); err != nil && found == "" {
				found = err.Error()
			}
		}
		if c.want == "" && found != "" || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q, want %q", c.numbers, found, c.want)
		}
	}
}

func TestNextNumbersFitTheirFormats(t *testing.T) {
	entity := func(invoices, notes *int, same bool) *billing.Entity {
		e := billing.NewEntity()
		e.InvoiceNextNumber, e.CreditNoteNextNumber = invoices, notes
		if same {
			e.CreditNoteNumberFormat = e.InvoiceNumberFormat
		}
		return &e
	}
	for _, c := range []struct {
		e                     *billing.Entity
		invoices, creditNotes bool
		want                  string
	}{
		{entity(new(999999), new(999999), false), true, true, ""},
		{entity(new(1000000), nil, false), true, true, "1000000 has more digits than the count of \"INV-{YYYY}-{000000}\""},
		{entity(nil, new(1000000), false), true, true, "1000000 has more digits than the count of \"CN-{YYYY}-{000000}\""},
		{entity(new(1000000), new(1000000), false), false, false, ""}, // the count has moved on
		{entity(new(5), new(5), true), true, true, "one series"},
		{entity(new(5), nil, true), true, true, ""},
	} {
		got := ""
		if err := CheckNextNumbers(c.e, c.invoices, c.creditNotes).Err(); err != nil {
			got = err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
