package money

import (
	"cmp"
	"math/bits"
	"slices"
)

// Allocate divides a total in proportion to weights, by largest remainder: the
// shares are rounded down, and what is left goes in single units to those that
// lost most, the first of equals. The shares add up to the total. Neither the
// total nor a weight is negative; without any weight the first has it all.
func Allocate(total Amount, weights []Amount) []Amount {
	shares := make([]Amount, len(weights))
	var sum uint64
	for _, w := range weights {
		sum += uint64(w)
	}
	if sum == 0 {
		if len(shares) > 0 {
			shares[0] = total
		}
		return shares
	}
	type lost struct {
		index     int
		remainder uint64
	}
	losses, left := make([]lost, len(weights)), total
	for i, w := range weights {
		// 128 bits hold the product, and a share is not above the total.
		high, low := bits.Mul64(uint64(total), uint64(w))
		share, remainder := bits.Div64(high, low, sum)
		shares[i], losses[i] = Amount(share), lost{i, remainder}
		left -= Amount(share)
	}
	slices.SortStableFunc(losses, func(a, b lost) int { return cmp.Compare(b.remainder, a.remainder) })
	for _, l := range losses[:left] {
		shares[l.index]++
	}
	return shares
}
