package billing

import "time"

// TestClock is a clock that only moves when told. The business dates of the
// accounts on it follow it; everything else stays on real time.
type TestClock struct {
	ID        TestClockID `json:"id"`
	Name      string      `json:"name"`
	Now       time.Time   `json:"now"`
	CreatedAt time.Time   `json:"createdAt"`
	UpdatedAt time.Time   `json:"updatedAt"`
}

// Check returns what is wrong with the clock, nil if nothing is.
func (c *TestClock) Check() Problems {
	var p Problems
	p.Add(RequireText("name", c.Name, MaxName))
	if year := c.Now.Year(); year < 1900 || year > 9000 {
		p.Add(Invalidf("now", "A clock shows a time from the year 1900 to 9000, not %d.", year))
	}
	return p
}
