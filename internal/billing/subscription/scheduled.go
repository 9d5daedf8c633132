package subscription

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// ScheduledKind says what a scheduled change will do.
type ScheduledKind string

// The kinds of scheduled changes.
const (
	ScheduledCancellation ScheduledKind = "CANCELLATION"
	ScheduledPlan         ScheduledKind = "PLAN"
	ScheduledQuantity     ScheduledKind = "QUANTITY"
)

// ScheduledChange is something that was ordered for a later day.
type ScheduledChange struct {
	// ID names the change as it is: one that replaces it has another, even on the
	// same day, so that nobody takes back what somebody else has ordered since.
	ID   string
	Kind ScheduledKind
	On   billing.Date
	// Quantities are those that begin on the day, or were given for the plan that
	// does. A nil quantity takes the charge off.
	Quantities []QuantityOrder
	// PriceListID is the next price list, of a change of plan.
	PriceListID *billing.PriceListID
	// Unused says what becomes of unused days; "" for a change of plan.
	Unused UnusedDays
}

// name gives a change the id of what it does to the subscription.
func (c *ScheduledChange) name(s *Subscription) {
	c.ID = fmt.Sprintf("%d-%s-%s", s.ID, strings.ToLower(string(c.Kind)), c.On)
	if c.Kind == ScheduledCancellation {
		if c.Unused == KeepUnused {
			c.ID += "-keep"
		}
		return // which is its day and nothing else
	}
	text := ""
	if c.Unused == KeepUnused {
		text = "keep "
	}
	if c.PriceListID != nil {
		text += strconv.FormatInt(int64(*c.PriceListID), 10)
	}
	for _, q := range c.Quantities {
		text += fmt.Sprintf(" %s=%v", q.Code, quoted(q.Quantity))
	}
	c.ID += fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(text)))
}

// ScheduledChanges returns what is scheduled, in the order in which it happens.
func (s *Subscription) ScheduledChanges() []ScheduledChange {
	if s.State.Ended() {
		return nil
	}
	var changes []ScheduledChange
	if c := s.CancellationDate; c != nil {
		changes = append(changes, ScheduledChange{Kind: ScheduledCancellation, On: *c, Unused: s.UnusedAtCancellation()})
	}
	if n := s.NextPriceList; n != nil {
		change := ScheduledChange{Kind: ScheduledPlan, On: n.On, PriceListID: &n.ID}
		for _, g := range n.Quantities {
			change.Quantities = append(change.Quantities, QuantityOrder{g.Code, g.Quantity})
		}
		changes = append(changes, change)
	}
	changes = append(changes, s.scheduledQuantities()...)
	slices.SortStableFunc(changes, func(a, b ScheduledChange) int { return a.On.Compare(b.On) })
	for i := range changes {
		changes[i].name(s)
	}
	return changes
}

// scheduledQuantities has one change for each day on which lines begin that are
// not those of the first day.
func (s *Subscription) scheduledQuantities() []ScheduledChange {
	var later []*Line
	for i := range s.Charges {
		if line := &s.Charges[i]; s.isScheduled(line) {
			later = append(later, line)
		}
	}
	slices.SortFunc(later, func(a, b *Line) int {
		return cmp.Or(a.StartDate.Compare(b.StartDate), cmp.Compare(a.Code, b.Code))
	})
	var changes []ScheduledChange
	for _, line := range later {
		if n := len(changes); n == 0 || changes[n-1].On != line.StartDate {
			changes = append(changes, ScheduledChange{Kind: ScheduledQuantity, On: line.StartDate, Unused: s.unusedOn(line.StartDate)})
		}
		last := &changes[len(changes)-1]
		last.Quantities = append(last.Quantities, QuantityOrder{line.Code, line.Quantity})
	}
	return changes
}

// unusedOn says what becomes of unused days when quantities change on a day.
func (s *Subscription) unusedOn(day billing.Date) UnusedDays {
	if slices.ContainsFunc(s.Charges, func(c Line) bool { return c.KeptTo != nil && c.EndDate.AddDays(1) == day }) {
		return KeepUnused
	}
	return CreditUnused
}

// isScheduled reports whether a line begins later than all that counts now.
func (s *Subscription) isScheduled(line *Line) bool {
	return line.PriceListID == s.PriceListID && line.counted() && line.StartDate.After(maxDate(s.AsOf, s.FirstDay()))
}

// TakeBack takes a scheduled change back, named by its id.
func (s Subscription) TakeBack(id string, offers Offers, today billing.Date) (Subscription, Change, error) {
	if err := s.mayBe("changed"); err != nil {
		return s, Change{}, err
	}
	scheduled := s.ScheduledChanges()
	i := slices.IndexFunc(scheduled, func(c ScheduledChange) bool { return c.ID == id })
	if i < 0 {
		return s, Change{}, billing.Fail(billing.NotFound, "id", "Subscription %d has no scheduled change %q: it has happened, or was taken back or replaced.", s.ID, billing.Excerpt(id))
	}
	next := s.clone()
	next.AsOf = s.now(today)
	change := Change{From: s.State, To: s.State}
	switch taken := scheduled[i]; taken.Kind {
	case ScheduledCancellation:
		return s.takeCancellationBack(today)
	case ScheduledPlan:
		next.NextPriceList = nil
		change.Kind, change.Detail = KindPlanUnscheduled, s.NextPriceList.detail()
	default:
		next.dropLines(func(line *Line) bool { return s.isScheduled(line) && line.StartDate == taken.On })
		quantities := make(map[string]any, len(taken.Quantities))
		for _, q := range taken.Quantities {
			quantities[q.Code] = quoted(q.Quantity)
		}
		change.Kind, change.Detail = KindQuantityUnscheduled, map[string]any{"quantities": quantities, "startDate": taken.On.String()}
	}
	if err := next.checkPlanned(&s, offers); err != nil {
		return s, Change{}, err
	}
	return next, change, nil
}
