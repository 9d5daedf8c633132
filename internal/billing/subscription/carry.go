package subscription

import (
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// match returns the charge that a line of another offer goes on as, nil if
// there is none: the one for the same feature, if several are that of the same
// code, and where one of them is for no feature the one with the same code. What
// was due once does not go on.
func (o *Offer) match(line *Line) *catalog.Charge {
	var best *catalog.Charge
	most := 0
	for i := range o.Charges {
		if n := line.likeness(&o.Charges[i]); n > most {
			best, most = &o.Charges[i], n
		}
	}
	return best
}

// likeness says how well the line would go on as a charge of another offer: 0
// is not at all.
func (line *Line) likeness(c *catalog.Charge) int {
	if c.ChargeType != line.Type || c.ChargeType == catalog.OneTime {
		return 0
	}
	sameCode := c.Code == line.Code
	bothForFeatures := c.FeatureID != nil && line.FeatureID != nil
	switch {
	case bothForFeatures && *c.FeatureID != *line.FeatureID:
		return 0
	case bothForFeatures && sameCode:
		return 3
	case bothForFeatures:
		return 2
	case sameCode:
		return 1
	}
	return 0
}

// move is a change to another offer: the quantities given for it, the day it
// happens, and the last day of the term it happens in.
type move struct {
	to      *Offer
	given   []PlannedQuantity
	on, end billing.Date
	// keep says that scheduled changes of charges that a quantity is given for
	// are known to the caller, and follow it.
	keep bool
	// anew says that the subscription has not begun, so that what is due once
	// with a new subscription is due on this offer.
	anew bool
}

// PlannedQuantity is a quantity given for a charge of the price list that a
// subscription changes to. A nil quantity leaves the charge out.
type PlannedQuantity struct {
	ChargeID billing.ChargeID `json:"chargeId"`
	Code     string           `json:"code"`
	Quantity *int             `json:"quantity"`
}

// of returns what was given for a charge.
func (m *move) of(c *catalog.Charge) *PlannedQuantity {
	i := slices.IndexFunc(m.given, func(g PlannedQuantity) bool { return g.ChargeID == c.ID })
	if i < 0 {
		return nil
	}
	return &m.given[i]
}

// going returns the old lines that go on as a charge.
func (m *move) going(old []Line, c *catalog.Charge) []*Line {
	var going []*Line
	for i := range old {
		if !old[i].EndDate.Before(m.on.AddDays(-1)) && m.to.match(&old[i]) == c {
			going = append(going, &old[i])
		}
	}
	return going
}

// lines makes the lines on the new offer. They go on with the quantities of the
// old ones: those of several charges that go on as one add up, and changes
// scheduled for later stay scheduled.
func (m *move) lines(old []Line) []Line {
	var lines []Line
	for i := range m.to.Charges {
		c := &m.to.Charges[i]
		switch {
		case c.ChargeType != catalog.OneTime:
			lines = append(lines, m.linesOf(c, m.going(old, c))...)
		case m.anew:
			if quantity, sold := m.to.unquoted(c); sold {
				lines = append(lines, m.to.line(c, quantity, m.on, m.on))
			}
		}
	}
	return lines
}

func (m *move) linesOf(c *catalog.Charge, going []*Line) []Line {
	var lines []Line
	for _, day := range m.days(going) {
		quantity, sold := m.quantityOn(day, c, going)
		if !sold && len(lines) == 0 {
			continue
		}
		line := m.to.line(c, quantity, day, maxDate(day, m.end))
		line.Off = !sold
		if n := len(lines); n > 0 {
			last := day.AddDays(-1)
			lines[n-1].EndDate = last
			if slices.ContainsFunc(going, func(l *Line) bool { return l.KeptTo != nil && l.EndDate == last }) {
				lines[n-1].KeptTo = &last // which is not final
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// days returns the day of the change and those on which scheduled changes of
// the lines follow.
func (m *move) days(going []*Line) []billing.Date {
	days := []billing.Date{m.on}
	for _, line := range going {
		if line.StartDate.After(m.on) {
			days = append(days, line.StartDate)
		}
	}
	slices.SortFunc(days, billing.Date.Compare)
	return slices.Compact(days)
}

// quantityOn is the quantity of a charge from a day on, and whether the charge
// is on the subscription then: what was given, what is carried over, or what
// follows where there is neither.
func (m *move) quantityOn(day billing.Date, c *catalog.Charge, going []*Line) (quantity *int, sold bool) {
	if given := m.of(c); given != nil && day == m.on {
		return given.Quantity, given.Quantity != nil || !m.to.sellsNumber(c)
	}
	carried := sumOn(day, going)
	switch {
	case carried != nil || !m.to.sellsNumber(c):
		return carried, true
	case m.to.includes(c):
		return nil, false
	}
	return m.to.unquoted(c)
}

// problems says what keeps the change from being what was meant: numbers that
// are missing or that the new charges do not sell, and scheduled changes that
// would be lost. after is the day up to which nothing is a schedule any more.
func (m *move) problems(old []Line, after billing.Date) billing.Problems {
	var problems billing.Problems
	for i := range m.to.Charges {
		if c := &m.to.Charges[i]; c.ChargeType != catalog.OneTime {
			problems.Add(m.problemsOf(c, m.going(old, c), after)...)
		}
	}
	for i := range old {
		line := &old[i]
		lost := line.StartDate.After(after) && !line.StartDate.Before(m.on) && line.Quantity != nil && m.to.match(line) == nil
		if lost {
			problems.Add(billing.Fail(billing.NotAllowed, "scheduled", "%s is scheduled, and the price list %q has no such charge. Take it back first, or give scheduled: REPLACE.", line.scheduled(), m.to.PriceList.Code))
		}
	}
	return problems
}

func (m *move) problemsOf(c *catalog.Charge, going []*Line, after billing.Date) []*billing.Error {
	var problems billing.Problems
	given := m.of(c)
	if given != nil {
		for _, line := range going {
			switch {
			case !line.StartDate.After(after) || line.StartDate.Before(m.on):
			case line.StartDate == m.on:
				problems.Add(billing.Fail(billing.NotAllowed, "scheduled", "%s is scheduled, and %s is given for the same day. Take it back first, or give scheduled: REPLACE.", line.scheduled(), inWords(given.Quantity)))
			case !m.keep:
				problems.Add(billing.Fail(billing.NotAllowed, "scheduled", "%s is scheduled already. Give scheduled: KEEP to have %s until then, or scheduled: REPLACE to drop that change.", line.scheduled(), inWords(given.Quantity)))
			}
		}
	}
	for _, day := range m.days(going) {
		if given != nil && day == m.on {
			continue // it was checked when it was given
		}
		carried := sumOn(day, going)
		if carried == nil && (!m.to.sellsNumber(c) || m.to.includes(c)) {
			continue
		}
		problems.Add(m.unfit(c, carried, day))
	}
	return problems
}

// unfit refuses a number that is carried over to a charge that does not sell
// it, or that is missing.
func (m *move) unfit(c *catalog.Charge, carried *int, day billing.Date) *billing.Error {
	switch {
	case carried == nil && day != m.on:
		return billing.Fail(billing.NotAllowed, "scheduled", "The price list %q sells %q by the number, and it is to be taken off on %s: take that back first, or give scheduled: REPLACE.", m.to.PriceList.Code, c.Code, day)
	case carried == nil:
		return billing.Requiredf("quantities", "The price list %q sells %q by the number, and the subscription has none to carry over: give one for it in quantities%s.", m.to.PriceList.Code, c.Code, inBrackets(c.Bounds()))
	case *carried <= billing.MaxQuantity && c.Sells(*carried):
		return nil
	case day == m.on:
		return billing.Invalidf("quantities", "The price list %q sells %q in quantities of %s, and the subscription has %d: give a number for it in quantities.", m.to.PriceList.Code, c.Code, c.Bounds(), *carried)
	}
	return billing.Invalidf("scheduled", "The price list %q sells %q in quantities of %s, and %d is scheduled for %s: take that back first, or give scheduled: REPLACE.", m.to.PriceList.Code, c.Code, c.Bounds(), *carried, day)
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// scheduled says in words what a line that begins later will do.
func (c *Line) scheduled() string {
	return fmt.Sprintf("A change of %q to %s on %s", c.Code, inWords(c.Quantity), c.StartDate)
}

// inWords is a quantity in a message.
func inWords(quantity *int) string {
	if quantity == nil {
		return "none"
	}
	return fmt.Sprint(*quantity)
}

// sumOn adds up the quantities that lines quote on a day, nil if none does. A
// line counts until another of its charge begins.
func sumOn(day billing.Date, lines []*Line) *int {
	latest := map[billing.ChargeID]*Line{}
	for _, line := range lines {
		known := latest[line.ChargeID]
		if !line.StartDate.After(day) && (known == nil || line.StartDate.After(known.StartDate)) {
			latest[line.ChargeID] = line
		}
	}
	var sum *int
	for _, line := range latest {
		if line.Quantity != nil {
			sum = addUp(sum, *line.Quantity)
		}
	}
	return sum
}

// addUp adds a quantity to a sum that is nil as long as there was none.
func addUp(sum *int, n int) *int {
	if sum != nil {
		n += *sum
	}
	return &n
}

func sameQuantity(a, b *int) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// quoted is a quantity as details show it: null if there is none.
func quoted(quantity *int) any {
	if quantity == nil {
		return nil
	}
	return *quantity
}
