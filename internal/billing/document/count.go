package document

import "github.com/tenantry/tenantry/internal/billing"

// Count checks that the numbers of a series count up without a gap from where it
// begins. The format of a series may have changed: numbers that today's does not
// write are passed over.
type Count struct {
	Format NumberFormat
	// First is the count that the series begins with, 0 for 1.
	First int

	begun      bool
	year, last int // of the last number; last is 0 if today's format does not write it
}

// Next checks the number of the next document.
func (c *Count) Next(number string, issuedAt billing.Date) error {
	count, known := c.Format.countIn(number, issuedAt.Year)
	want := c.last + 1
	switch {
	case !known:
		want, count = 0, 0
	case !c.begun:
		want = max(1, c.First)
	case c.last == 0:
		want = count
	case c.Format.HasYear() && issuedAt.Year != c.year:
		want = 1
	}
	c.begun, c.year, c.last = true, issuedAt.Year, count
	if count == want {
		return nil
	}
	expected, err := c.Format.Number(issuedAt.Year, want)
	if err != nil {
		return err
	}
	return broken(number, "its number should be %s", expected)
}
