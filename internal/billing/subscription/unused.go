package subscription

import (
	"math/big"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

// UnusedDays says what becomes of days that were billed in advance when a
// quantity is reduced or the subscription is canceled. The zero value credits
// them.
type UnusedDays string

// Unused days are credited; or they stay owed to the end of their period.
const (
	CreditUnused UnusedDays = "CREDIT"
	KeepUnused   UnusedDays = "KEEP"
)

// UnusedAtCancellation says what becomes of unused days when the subscription is
// canceled, "" if it is not and no cancellation is scheduled.
func (s *Subscription) UnusedAtCancellation() UnusedDays {
	switch {
	case s.CancellationDate == nil:
		return ""
	case s.Unused != nil:
		return *s.Unused
	}
	return CreditUnused
}

// keptUnused is what a subscription remembers of how it is canceled.
func keptUnused(u UnusedDays) *UnusedDays {
	if u != KeepUnused {
		return nil
	}
	return &u
}

// keepBefore says whether the unused days of the line of a charge that ends where
// another one begins are to be kept. How many that are is decided on the day.
func (s *Subscription) keepBefore(charge billing.ChargeID, from billing.Date, unused UnusedDays) {
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.ChargeID != charge || line.EndDate.AddDays(1) != from || !line.counted() || line.Type == catalog.OneTime {
			continue
		}
		if line.KeptTo = nil; unused == KeepUnused {
			line.KeptTo = at(maxDate(line.EndDate, s.keepTo(line)))
		}
	}
}

// settleKept decides about the days that are to be kept of lines that ended the
// day before: those of the period of the last paid day, where that was billed in
// advance and what follows costs less.
func (s *Subscription) settleKept(day billing.Date) {
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.KeptTo == nil || line.EndDate.AddDays(1) != day {
			continue
		}
		line.KeptTo = at(s.keepTo(line))
		next := slices.IndexFunc(s.Charges, func(c Line) bool { return c.ChargeID == line.ChargeID && c.covers(day) })
		if !line.KeptTo.After(line.EndDate) || next >= 0 && s.Charges[next].value().Cmp(line.value()) >= 0 {
			line.KeptTo = nil
		}
	}
}

// keepTo is the last day up to which a line stays owed if its unused days are
// kept, zero if there are none.
func (s *Subscription) keepTo(line *Line) billing.Date {
	if line.Off || !line.counted() {
		return billing.Date{}
	}
	t := ledger.Timeline{StartDate: s.StartDate, Epochs: s.Epochs}
	return t.KeepTo(&ledger.Line{Rate: line.Rate, From: line.StartDate, To: line.EndDate})
}

// endKept lets days that were kept end before a day: the customer owes something
// else from then on, or nothing.
func (s *Subscription) endKept(before billing.Date) {
	last := before.AddDays(-1)
	for i := range s.Charges {
		line := &s.Charges[i]
		if line.KeptTo == nil || !line.KeptTo.After(last) {
			continue
		}
		if line.KeptTo = &last; !last.After(line.EndDate) {
			line.KeptTo = nil
		}
	}
}

// value is what the line costs for a whole period, nothing if that is not known.
func (c *Line) value() *big.Rat {
	quantity := int64(1)
	if c.Quantity != nil {
		quantity = int64(*c.Quantity)
	}
	if c.Off || c.Rate == nil {
		return new(big.Rat)
	}
	value, err := c.Rate.Value(big.NewRat(quantity, 1))
	if err != nil {
		return new(big.Rat)
	}
	return value
}
