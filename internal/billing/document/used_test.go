package document

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestFormatChangedBack gives a series other formats and its first one again: the
// count goes on, and starts again only with a year that it has not had.
func TestFormatChangedBack(t *testing.T) {
	for _, c := range []struct{ formats, want string }{
		{"R{0000} R{0000} J{YYYY}-{000} R{0000}", "R0001 R0002 J2026-001 R0003"},
		{"R{0000} J{YYYY}-{000} R{0000} J{YYYY}-{000}", "R0001 J2026-001 R0002 J2026-003"},
		{"J{YYYY}-{000} J{YYYY}-{000} R{0000} J{YYYY}-{000}", "J2026-001 J2026-002 R0003 J2026-004"},
		{"R{0000} X{00} R{000}", "R0001 X02 R003"},
	} {
		var s Series
		var numbers []string
		for text := range strings.FieldsSeq(c.formats) {
			s.Format = format(t, text)
			number, _, next, err := s.Next(d("2026-03-01"))
			if err != nil {
				t.Fatal(err)
			}
			s, numbers = next, append(numbers, number)
		}
		if have := strings.Join(numbers, " "); have != c.want {
			t.Errorf("%s: %s, want %s", c.formats, have, c.want)
		}
	}
}

func TestUsedFormats(t *testing.T) {
	here, there := &billing.Entity{ID: 1, Code: "here"}, &billing.Entity{ID: 2, Code: "there"}
	used := []Used{{here, false, []string{"R{0000}", "J{YYYY}{000}"}}, {here, true, []string{"C{0000}"}}, {there, false, []string{"T{0000}"}}}
	for _, row := range []struct{ invoices, creditNotes, field, says string }{
		{"R{0000}", "C{0000}", "", ""},
		{"R{000000}", "C{00}", "", ""}, // the count goes on
		{"J{YYYY}{00}", "D{0000}", "", ""},
		{"N{0000}", "M{0000}", "", ""},
		{"R{0000}", "R{0000}", "", ""}, // one series, that of invoices
		{"X{0000}", "R{0000}", "creditNoteNumberFormat", `the entity "here" has issued, "R{0000}"`},
		{"C{0000}", "D{0000}", "invoiceNumberFormat", `the entity "here" has issued, "C{0000}"`},
		{"C{0000}", "C{0000}", "invoiceNumberFormat", `the entity "here" has issued, "C{0000}"`},
		{"R1{000}", "D{0000}", "invoiceNumberFormat", `the entity "here" has issued, "R{0000}"`},
		{"J{0000000}", "D{0000}", "invoiceNumberFormat", `the entity "here" has issued, "J{YYYY}{000}"`},
		{"N{0000}", "T{000}", "creditNoteNumberFormat", `the entity "there" has issued, "T{0000}"`},
	} {
		problems := CheckUsed(&billing.Entity{ID: 1, InvoiceNumberFormat: row.invoices, CreditNoteNumberFormat: row.creditNotes}, used)
		switch {
		case row.field == "" && problems == nil:
		case row.field == "" || len(problems) != 1 || problems[0].Field[0] != row.field || problems[0].Code != billing.Taken || !strings.Contains(problems[0].Message, row.says):
			t.Errorf("%s and %s: %v, want %s %q", row.invoices, row.creditNotes, problems, row.field, row.says)
		}
	}
}

// TestNoNumberIsGivenTwice changes the formats of two entities at random, as far as
// that is allowed, and issues documents: no number is that of two.
func TestNoNumberIsGivenTwice(t *testing.T) {
	texts := []string{"{0}", "A{00}", "A{0}", "A1{0}", "{YY}{0}", "{0}{YY}", "A{YY}{0}", "A{YYYY}-{00}", "B{00}", "B{YYYY}-{0}", "{0}A", "2026{00}", "C{0}"}
	rapid.Check(t, func(t *rapid.T) {
		entities := []billing.Entity{
			{ID: 1, Code: "one", InvoiceNumberFormat: "A{0}", CreditNoteNumberFormat: "{0}A"}, {ID: 2, Code: "two", InvoiceNumberFormat: "B{00}", CreditNoteNumberFormat: "C{0}"},
		}
		series := map[[2]bool]*Series{{}: {}, {true}: {}, {false, true}: {}, {true, true}: {}} // of the second entity, of credit notes
		day := d("2026-11-01")
		seen := map[string]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			at := rapid.IntRange(0, 1).Draw(t, "entity")
			e := &entities[at]
			day = day.AddDays(rapid.IntRange(0, 20).Draw(t, "days"))
			if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
				changed := *e
				changed.InvoiceNumberFormat = rapid.SampledFrom(texts).Draw(t, "invoices")
				changed.CreditNoteNumberFormat = rapid.SampledFrom(texts).Draw(t, "credit notes")
				var used []Used
				for key, s := range series {
					of := &entities[0]
					if key[0] {
						of = &entities[1]
					}
					used = append(used, Used{of, key[1], s.Formats})
				}
				if CheckFormats(&changed, entities) == nil && CheckUsed(&changed, used) == nil {
					*e = changed
				}
			}
			note := rapid.Bool().Draw(t, "credit note")
			text := e.InvoiceNumberFormat
			if note {
				text = e.CreditNoteNumberFormat
			}
			s := series[[2]bool{at == 1, note && text != e.InvoiceNumberFormat}]
			var err error
			if s.Format, err = ParseNumberFormat(text); err != nil {
				t.Fatal(err)
			}
			number, _, next, err := s.Next(day)
			if err != nil || seen[number] {
				t.Fatalf("%s in %s was given before (%v)", number, text, err)
			}
			seen[number], *s = true, next
		}
	})
}
