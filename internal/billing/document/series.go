package document

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// Series is where the numbers of an entity's invoices or credit notes stand.
type Series struct {
	Format NumberFormat
	// First is the count that the series begins with, 0 for 1. With a year in the
	// format, it counts for the year of the first document.
	First int
	// Year is the one that the count started again in, 0 if it never did.
	Year, Last int
	// Highest is the highest count so far: a format without a year goes on after it,
	// whatever formats the series has had.
	Highest int
	// Formats are those that its numbers were written in so far.
	Formats      []string
	LastIssuedAt billing.Date
	// Head is the hash of the last document.
	Head Hash
}

// Next returns the number and the date of the next document, and the series
// after it, but for the hash. Dates ascend with numbers: a clock that was set
// back does not count.
func (s Series) Next(today billing.Date) (number string, issuedAt billing.Date, next Series, err error) {
	next = s
	if today.After(s.LastIssuedAt) {
		next.LastIssuedAt = today
	}
	year := next.LastIssuedAt.Year
	next.Last = s.NextCount(year)
	next.Highest = max(next.Highest, next.Last)
	if s.Format.HasYear() {
		next.Year = year
	}
	if text := s.Format.String(); !slices.Contains(s.Formats, text) {
		next.Formats = append(slices.Clip(s.Formats), text)
	}
	number, err = s.Format.Number(year, next.Last)
	return number, next.LastIssuedAt, next, err
}

// NextCount is the count of the next number, if it is given in that year.
func (s *Series) NextCount(year int) int {
	switch {
	case s.LastIssuedAt == (billing.Date{}):
		return max(1, s.First)
	case !s.Format.HasYear():
		return s.Highest + 1
	case s.Year != year:
		return 1
	}
	return s.Last + 1
}

// Link is where an issued document is in its series.
type Link struct {
	SeriesID billing.SeriesID
	// Place counts the documents of the series from 1, also where numbers start
	// again each year.
	Place          int64
	Previous, Hash Hash
}

// Numbered is a document as a part of its series.
type Numbered struct {
	Number         string
	IssuedAt       billing.Date
	Previous, Hash Hash
	// Canonical is what is hashed.
	Canonical []byte
}

// Verify checks that a document is the one that follows in the series, and
// returns the series after it.
func (s Series) Verify(l Numbered) (Series, error) {
	number, issuedAt, next, err := s.Next(l.IssuedAt)
	switch next.Head = l.Hash; {
	case err != nil:
		return s, err
	case number != l.Number:
		return s, broken(l.Number, "its number should be %s", number)
	case issuedAt != l.IssuedAt:
		return s, broken(l.Number, "it is dated %s, before the document before it, which is dated %s", l.IssuedAt, issuedAt)
	case l.Previous != s.Head:
		return s, broken(l.Number, "it does not follow the document before it: it says that its hash is %s, and that is %s", l.Previous, s.Head)
	case l.Hash != Chain(l.Previous, l.Canonical):
		return s, broken(l.Number, "it was changed since it was issued: its hash is %s, and it should be %s", Chain(l.Previous, l.Canonical), l.Hash)
	}
	return next, nil
}
