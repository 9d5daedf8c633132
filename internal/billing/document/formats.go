package document

import (
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
)

// seriesFormat is how one of the series of an entity is written.
type seriesFormat struct {
	field string
	text  string
}

func formatsOf(e *billing.Entity) []seriesFormat {
	return []seriesFormat{{"invoiceNumberFormat", e.InvoiceNumberFormat}, {"creditNoteNumberFormat", e.CreditNoteNumberFormat}}
}

// CheckFormats returns what is wrong with the formats of an entity's numbers, nil
// if nothing is: a number belongs to one document of all entities. An entity
// whose two formats are the same has one series for both.
func CheckFormats(e *billing.Entity, entities []billing.Entity) (problems billing.Problems) {
	own := formatsOf(e)
	var read []NumberFormat
	for _, f := range own {
		format, err := ParseNumberFormat(f.text)
		if found, wrong := billing.AsProblems(err); wrong {
			problems = append(problems, billing.Fail(found[0].Code, f.field, "%s", found[0].Message))
		}
		read = append(read, format)
	}
	if problems != nil {
		return problems
	}
	if own[0].text != own[1].text && read[0].overlaps(&read[1]) {
		problems.Add(billing.Invalidf(own[1].field, "Credit notes numbered %q could have the numbers of invoices, %q. Use another beginning, or the same format for one series of both.", own[1].text, own[0].text))
	}
	for i := range entities {
		if entities[i].ID == e.ID {
			continue
		}
		for k := range own {
			problems.Add(taken(e, own[k], &read[k], &entities[i]))
		}
	}
	return problems
}

// Used are the formats that a series of an entity has had numbers in: that of its
// credit notes, or that of its invoices and of whatever was numbered with them.
type Used struct {
	Entity      *billing.Entity
	CreditNotes bool
	Formats     []string
}

// CheckUsed returns what is wrong with formats that an entity changes to, nil if
// nothing is. A series may come back to a format of its own, because its count goes
// on; no other format may write a number that was given.
func CheckUsed(e *billing.Entity, used []Used) (problems billing.Problems) {
	own := formatsOf(e)
	for k, f := range own {
		format, err := ParseNumberFormat(f.text)
		if err != nil || k > 0 && f.text == own[0].text {
			continue // what is wrong with it has been said
		}
		for n := range used {
			u := &used[n]
			clashes := format.overlaps
			if u.Entity.ID == e.ID && u.CreditNotes == (k > 0) {
				clashes = format.Collides
			}
			for _, text := range u.Formats {
				if past, err := ParseNumberFormat(text); err == nil && clashes(&past) {
					problems.Add(billing.Fail(billing.Taken, f.field, "Numbers written as %q could be those of documents that the entity %q has issued, %q. Use another beginning.", f.text, u.Entity.Code, text))
				}
			}
		}
	}
	return problems
}

// CheckNextNumbers returns what is wrong with the counts that the series of an
// entity begin with, nil if nothing is. Only series without documents are looked
// at: invoices and creditNotes say whether they have none.
func CheckNextNumbers(e *billing.Entity, invoices, creditNotes bool) (problems billing.Problems) {
	fits := func(field, text string, first *int) *billing.Error {
		format, err := ParseNumberFormat(text)
		if first == nil || err != nil || len(strconv.Itoa(*first)) <= format.digits() {
			return nil
		}
		return billing.Invalidf(field, "%d has more digits than the count of %q. Write the format with more zeros.", *first, text)
	}
	if invoices {
		problems.Add(fits("invoiceNextNumber", e.InvoiceNumberFormat, e.InvoiceNextNumber))
	}
	switch shared := e.InvoiceNumberFormat == e.CreditNoteNumberFormat; {
	case creditNotes && shared && e.CreditNoteNextNumber != nil:
		problems.Add(billing.Invalidf("creditNoteNextNumber", "Invoices and credit notes are one series, because their formats are the same: it begins with invoiceNextNumber."))
	case creditNotes:
		problems.Add(fits("creditNoteNextNumber", e.CreditNoteNumberFormat, e.CreditNoteNextNumber))
	}
	return problems
}

// taken returns a problem if another entity could write the same numbers.
func taken(e *billing.Entity, own seriesFormat, format *NumberFormat, other *billing.Entity) *billing.Error {
	for _, theirs := range formatsOf(other) {
		if used, err := ParseNumberFormat(theirs.text); err == nil && format.overlaps(&used) {
			return billing.Fail(billing.Taken, own.field, "Numbers written as %q could be those of the entity %q, %q. Use another beginning, such as %q.", own.text, other.Code, theirs.text, e.Country+"-"+own.text)
		}
	}
	return nil
}
