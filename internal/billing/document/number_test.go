package document

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
)

func d(text string) billing.Date {
	date, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return date
}

func format(t testing.TB, text string) NumberFormat {
	t.Helper()
	f, err := ParseNumberFormat(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestNumbers(t *testing.T) {
	for _, row := range []struct {
		format      string
		year, count int
		want        string
	}{
		{"INV-{YYYY}-{000000}", 2026, 17, "INV-2026-000017"},
		{"{0}", 2026, 17, "17"},
		{"R{YY}{0000}", 2026, 1, "R260001"},
		{"{000}/{YY}", 2007, 1234, "1234/07"},
		{"INV-{YYYY}-{000000}", 2026, 12345678901, "INV-2026-12345678901"},
	} {
		f := format(t, row.format)
		if got, err := f.Number(row.year, row.count); err != nil || got != row.want || f.String() != row.format {
			t.Errorf("%s: %s, %v; want %s", row.format, got, err, row.want)
		}
	}
	if got, err := TestFormat.Number(2026, 3); err != nil || got != "TEST-000003" {
		t.Errorf("the number of a test clock: %s, %v", got, err)
	}
	full := format(t, "INV-{YYYY}-{000000}")
	if got, err := full.Number(2026, 123456789012); !billing.Is(err, billing.NotAllowed) {
		t.Errorf("a number of 21 characters: %s, %v", got, err)
	}
}

func TestFormatsThatAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                          "exactly one count",
		"INV":                       "exactly one count",
		"INV-{YYYY}":                "exactly one count",
		"{00}-{00}":                 "exactly one count",
		"{YYYY}-{YY}-{00}":          "more than one year",
		"{}":                        "neither a year",
		"{001}":                     "neither a year",
		"{YYY}{0}":                  "neither a year",
		"{MM}{0}":                   "neither a year",
		"{0":                        "{ without a }",
		"0}":                        "} without a {",
		"INVOICE-{YYYY}-{00000000}": "20",
		"INV {0}":                   "not a letter",
		"FÄ-{0}":                    "not a letter",
		"TEST-{0}":                  "test clocks",
	} {
		if _, err := ParseNumberFormat(text); !billing.Is(err, billing.Invalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

func TestFormatsThatCouldRepeat(t *testing.T) {
	for _, row := range []struct {
		a, b     string
		collides bool
	}{
		{"INV-{0000}", "CN-{0000}", false},
		{"INV-{0000}", "INV-{0000}", false}, // one series
		{"INV-{0000}", "INV-{000000}", false},
		{"INV-{YYYY}-{0000}", "INV-2026-{0000}", true},
		{"INV-{YYYY}-{0000}", "INV-{YY}-{0000}", false},
		{"A{0}", "A1{0}", true},
		{"{0}", "{000}", false},
		{"{YYYY}{000}", "{0000000}", true},
		{"{YY}{000}", "{000}{YY}", true},
		{"A-{0}", "{0}-A", false},
		{"INV-{YYYY}-{0000}", "INV-{0}-{YYYY}", true},
		{"X{00000000000000000}", "X{YYYY}-{00}", false},
	} {
		a, b := format(t, row.a), format(t, row.b)
		if a.Collides(&b) != row.collides || b.Collides(&a) != row.collides {
			t.Errorf("%s and %s: %v", row.a, row.b, !row.collides)
		}
	}
}

// No two documents of formats that do not collide have the same number, and
// neither have two of one series.
func TestNumbersDoNotRepeat(t *testing.T) {
	texts := []string{"{0}", "A{00}", "A{0}", "A1{0}", "{YY}{0}", "{0}{YY}", "A{YY}{0}", "A{YYYY}-{00}", "A20{0}", "{0}A", "2026{00}", "{YYYY}{0}"}
	rapid.Check(t, func(t *rapid.T) {
		f, err := ParseNumberFormat(rapid.SampledFrom(texts).Draw(t, "format"))
		g, other := ParseNumberFormat(rapid.SampledFrom(texts).Draw(t, "other"))
		if err != nil || other != nil {
			t.Fatal(err, other)
		}
		seen := map[string][2]int{}
		for _, one := range []*NumberFormat{&f, &g} {
			if one == &g && (g.sameBut(&f) || f.Collides(&g)) {
				break
			}
			for year := 2024; year < 2030; year++ {
				for count := 1; count < 130; count++ {
					if !one.HasYear() && year > 2024 {
						continue
					}
					number, err := one.Number(year, count)
					if before, twice := seen[number]; err != nil || twice {
						t.Fatalf("%s: %d of %d is %s, and so is %v (%v)", one, count, year, number, before, err)
					}
					seen[number] = [2]int{year, count}
				}
			}
		}
	})
}

func TestSeries(t *testing.T) {
	s := Series{Format: format(t, "INV-{YYYY}-{000}")}
	var numbers, dates []string
	for _, today := range []string{"2025-12-30", "2025-12-31", "2025-12-29", "2026-01-01", "2025-12-31", "2026-01-02"} {
		number, issuedAt, next, err := s.Next(d(today))
		if err != nil {
			t.Fatal(err)
		}
		s, numbers, dates = next, append(numbers, number), append(dates, issuedAt.String())
	}
	if want := []string{"INV-2025-001", "INV-2025-002", "INV-2025-003", "INV-2026-001", "INV-2026-002", "INV-2026-003"}; !slices.Equal(numbers, want) {
		t.Errorf("numbers are %v, want %v", numbers, want)
	}
	if want := []string{"2025-12-30", "2025-12-31", "2025-12-31", "2026-01-01", "2026-01-01", "2026-01-02"}; !slices.Equal(dates, want) {
		t.Errorf("dates are %v, want %v", dates, want)
	}
	s.Format = format(t, "INV-{YYYY}-{00000}")
	if number, _, _, _ := s.Next(d("2026-01-02")); number != "INV-2026-00004" {
		t.Errorf("after a change of the format, the number is %s", number)
	}
}
