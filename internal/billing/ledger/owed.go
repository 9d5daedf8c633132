package ledger

import (
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

// Key is what the ledger counts by: a charge of the subscription in one period
// of its grid. The period of a one-time charge is the day on which it is due.
type Key struct {
	Charge billing.ChargeID
	Period Period
}

// Piece is consecutive days of a key at one rate and quantity. Value is the
// price of a whole period.
type Piece struct {
	Period
	Value *big.Rat
	// Quantity and Rate are of the line; pieces that were recorded have none.
	Quantity int
	Rate     *rate.Rate
}

func (p *Piece) isInArrears() bool { return p.Rate != nil && p.Rate.BillingTiming == catalog.InArrears }

// Owed is what a subscription owes for a key.
type Owed struct {
	Key
	Currency money.Currency
	Pieces   []Piece
	// Due is the day on which the key is billed for the first time.
	Due billing.Date
}

// Owed returns what the subscription owes for keys that end on or after a day
// and begin by another one, charge by charge.
func (t *Timeline) Owed(from, through billing.Date) ([]Owed, error) {
	charges, err := t.stretches(from)
	if err != nil {
		return nil, err
	}
	var owed []Owed
	for _, stretches := range charges {
		first := len(owed)
		for i := range stretches {
			owed = t.cut(owed, first, &stretches[i], from, through)
		}
		for i := range owed[first:] {
			owed[first+i].Due = owed[first+i].due()
		}
	}
	return owed, nil
}

// cut divides a stretch into periods and adds its pieces to their keys, of which
// those of the same charge begin at first.
func (t *Timeline) cut(owed []Owed, first int, s *stretch, from, through billing.Date) []Owed {
	months := s.line.Rate.Months()
	if months == 0 {
		if !s.To.Before(from) && !s.From.After(through) {
			owed = addPiece(owed, first, Key{s.line.Charge, s.Period}, s, s.Period)
		}
		return owed
	}
	for day := later(s.From, t.Epochs.firstOf(from, months)); !day.After(s.To); {
		grid, cut := t.Epochs.period(day, months)
		if cut.From.After(through) || grid.To.After(forever) {
			break
		}
		if !grid.To.Before(from) {
			owed = addPiece(owed, first, Key{s.line.Charge, grid}, s, cut)
		}
		day = cut.To.AddDays(1)
	}
	return owed
}

// addPiece adds the days that a stretch has in a period to the key's pieces.
func addPiece(owed []Owed, first int, key Key, s *stretch, cut Period) []Owed {
	piece := Piece{s.within(cut), s.value, s.line.Quantity, s.line.Rate}
	i := len(owed) - 1
	for i >= first && owed[i].Key != key {
		i--
	}
	if i < first {
		return append(owed, Owed{Key: key, Currency: s.line.Currency, Pieces: []Piece{piece}})
	}
	pieces := owed[i].Pieces
	if last := &pieces[len(pieces)-1]; last.To.AddDays(1) == piece.From && last.Quantity == piece.Quantity && last.Rate.Equal(piece.Rate) {
		last.To = piece.To
		return owed
	}
	owed[i].Pieces = append(pieces, piece)
	return owed
}

// due is the day on which a key is billed for the first time: the first paid day
// of what is billed in advance, and the day after the last one of what is billed
// in arrears.
func (o *Owed) due() billing.Date {
	for i := range o.Pieces {
		if p := &o.Pieces[i]; !p.isInArrears() {
			return p.From
		}
	}
	return o.Pieces[len(o.Pieces)-1].To.AddDays(1)
}

// inArrears reports whether all days of the key are billed in arrears.
func (o *Owed) inArrears() bool {
	for i := range o.Pieces {
		if !o.Pieces[i].isInArrears() {
			return false
		}
	}
	return len(o.Pieces) > 0
}

// Exact is what the days of the key cost, in minor units. It is not rounded.
func (o *Owed) Exact() *big.Rat {
	whole := o.Period.Days()
	if len(o.Pieces) == 1 && o.Pieces[0].Days() == whole {
		return o.Currency.Minor(o.Pieces[0].Value)
	}
	sum, part := new(big.Rat), new(big.Rat)
	for i := range o.Pieces {
		part.SetInt64(int64(o.Pieces[i].Days()))
		sum.Add(sum, part.Mul(part, o.Pieces[i].Value))
	}
	sum.Mul(sum, part.SetFrac64(1, int64(whole)))
	return o.Currency.Minor(sum)
}
