package ledger

import (
	"math/big"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// settle puts claims in order and decides about days that two lines of a charge
// claim, because unused days were kept: the larger price counts, once.
func settle(claims []stretch) []stretch {
	slices.SortStableFunc(claims, func(a, b stretch) int { return a.From.Compare(b.From) })
	overlap := false
	for i := 1; i < len(claims); i++ {
		overlap = overlap || !claims[i].From.After(claims[i-1].To)
	}
	if !overlap {
		return claims
	}
	var starts []billing.Date // of every stretch that the same lines claim
	for _, c := range claims {
		starts = append(starts, c.From)
		if c.To != forever {
			starts = append(starts, c.To.AddDays(1))
		}
	}
	slices.SortFunc(starts, billing.Date.Compare)
	starts = slices.Compact(starts)
	var settled []stretch
	for i, from := range starts {
		to := forever
		if i+1 < len(starts) {
			to = starts[i+1].AddDays(-1)
		}
		if best := dearest(claims, from); best != nil {
			settled = append(settled, stretch{Period{from, to}, best.line, best.value})
		}
	}
	return settled
}

// dearest is the claim on a day with the larger price, the later one of equals;
// nil if there is none.
func dearest(claims []stretch, day billing.Date) *stretch {
	var best *stretch
	for i := range claims {
		c := &claims[i]
		if c.From.After(day) || c.To.Before(day) {
			continue
		}
		if best == nil || c.perMonth().Cmp(best.perMonth()) >= 0 {
			best = c
		}
	}
	return best
}

// perMonth makes prices for periods of different lengths comparable.
func (s *stretch) perMonth() *big.Rat {
	return new(big.Rat).Quo(s.value, big.NewRat(int64(max(1, s.line.Rate.Months())), 1))
}
