package ledger

import (
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Billed is what the ledger keeps of a key that has been billed.
type Billed struct {
	Key
	Currency money.Currency
	// Pieces are the days that are billed. There are none after an invoice was
	// voided so that its days are billed again.
	Pieces []Piece
	// Net is the sum of the key's issued items less the credits on them.
	Net money.Amount
	// Forgiven is the sum of the credits that somebody gave by hand.
	Forgiven money.Amount
}

// Change is what has to be done about a key so that it is billed right. If it
// is carried out, its pieces are what is billed then, and Target is the net.
type Change struct {
	// Owed has no pieces if everything is taken back.
	Owed
	// Before is what was billed so far, nil if the key is new.
	Before *Billed
	// Exact is what the days cost, in minor units.
	Exact  *big.Rat
	Target money.Amount
	// Amount is invoiced if it is positive, and credited if it is negative. If it
	// is zero, only the days are recorded.
	Amount money.Amount
	// Days are those that the change is about.
	Days Period
	// Due is the day from which on the change can be billed.
	Due billing.Date
	// CallsOn is the day on which the change calls for an invoice by itself; zero
	// if it waits for one.
	CallsOn billing.Date
}

// Changes compares what the subscription owes with what was billed. billed has
// the keys that end on or after from; keys that end before are taken to be
// right. Keys that were not billed are included if they are due by through.
// Differences of billed keys are included even if they are due later, because
// they decide when to look again.
func (t *Timeline) Changes(billed []Billed, from, through billing.Date) ([]Change, error) {
	horizon := through
	for i := range billed {
		horizon = later(horizon, billed[i].Period.To)
	}
	owed, err := t.Owed(from, horizon)
	if err != nil {
		return nil, err
	}
	byKey := make(map[Key]*Billed, len(billed))
	for i := range billed {
		byKey[billed[i].Key] = &billed[i]
	}
	var changes []Change
	add := func(o Owed, before *Billed) error {
		c, changed, err := t.change(t.held(o, before), before, through)
		if changed && err == nil {
			changes = append(changes, c)
		}
		return err
	}
	for i := range owed {
		before := byKey[owed[i].Key]
		delete(byKey, owed[i].Key)
		if err := add(owed[i], before); err != nil {
			return nil, err
		}
	}
	for i := range billed { // what is left of these is owed no more
		if b := &billed[i]; byKey[b.Key] != nil {
			if err := add(Owed{Key: b.Key, Currency: b.Currency}, b); err != nil {
				return nil, err
			}
		}
	}
	return changes, nil
}

// change applies the rule of the ledger to a key, and reports whether there is
// anything to do about it by that day.
func (t *Timeline) change(o Owed, before *Billed, through billing.Date) (Change, bool, error) {
	c := Change{Owed: o, Before: before, Due: o.Due}
	var net, forgiven money.Amount
	if before != nil {
		net, forgiven = before.Net, before.Forgiven
	}
	isNew, differ := before == nil || len(before.Pieces) == 0, false
	switch {
	case isNew && (len(o.Pieces) == 0 && net == 0 || o.Due.After(through)):
		return c, false, nil
	case isNew && len(o.Pieces) > 0:
		c.Days, c.CallsOn = Period{o.Pieces[0].From, o.Pieces[len(o.Pieces)-1].To}, o.Due
	default:
		if c.Days, differ = difference(before.Pieces, o.Pieces); !differ {
			c.Days = o.Period
		}
		if c.Due = later(c.Days.From, t.ChangedOn); o.inArrears() {
			c.Due = later(c.Due, o.Due)
		}
		if t.End != (billing.Date{}) {
			c.CallsOn = later(c.Due, t.End)
		}
	}
	c.Exact = o.Exact()
	rounded, err := money.Round(c.Exact)
	if err != nil {
		return c, false, err
	}
	c.Target = max(0, rounded-forgiven)
	c.Amount = c.Target - net
	return c, isNew || differ || c.Amount != 0, o.Currency.CheckItem(c.Target)
}

// difference returns the days from the first to the last on which two lists of
// pieces differ, and whether there are any.
func difference(a, b []Piece) (days Period, differ bool) {
	day := forever
	for _, pieces := range [][]Piece{a, b} {
		if len(pieces) > 0 {
			day = sooner(day, pieces[0].From)
		}
	}
	for len(a) > 0 || len(b) > 0 {
		inA, inB := valueOn(a, day), valueOn(b, day)
		end := sooner(endOf(a, day), endOf(b, day))
		if same := inA == inB || inA != nil && inB != nil && inA.Cmp(inB) == 0; !same {
			if !differ {
				days.From, differ = day, true
			}
			days.To = end
		}
		day = end.AddDays(1)
		a, b = dropBefore(a, day), dropBefore(b, day)
	}
	return days, differ
}

// valueOn is the value on a day that is not after the first piece, nil if the
// day is before it.
func valueOn(pieces []Piece, day billing.Date) *big.Rat {
	if len(pieces) == 0 || pieces[0].From.After(day) {
		return nil
	}
	return pieces[0].Value
}

// endOf is the last day on which the value stays what it is on that day.
func endOf(pieces []Piece, day billing.Date) billing.Date {
	switch {
	case len(pieces) == 0:
		return forever
	case pieces[0].From.After(day):
		return pieces[0].From.AddDays(-1)
	}
	return pieces[0].To
}

func dropBefore(pieces []Piece, day billing.Date) []Piece {
	if len(pieces) > 0 && pieces[0].To.Before(day) {
		return pieces[1:]
	}
	return pieces
}
