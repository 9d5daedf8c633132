// Package money has amounts of money: exact integers of minor units, the one
// rule by which fractions are rounded to them, and the division of an amount
// into shares. There are no floating-point numbers in it.
package money

import (
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
)

// Amount is a sum of money in minor units, such as cents, of a currency that
// whoever has it knows.
type Amount int64

// The largest amounts of an item and of a document. Sums of items cannot
// overflow before they are found to be too large.
const (
	MaxItem     Amount = 1e13 - 1
	MaxDocument Amount = 1e15 - 1
)

var half = big.NewInt(2)

// Round rounds an exact number of minor units half away from zero. It is for
// the net amount of a key, the tax of a group, and the shares of payments and
// coupons; nothing else is rounded. A number beyond MaxDocument is refused.
func Round(exact *big.Rat) (Amount, error) {
	if a, ok := roundSmall(exact); ok {
		return checkRound(a, exact)
	}
	// |x| + 1/2, rounded down, has the digits of the result.
	num, denom := new(big.Int).Abs(exact.Num()), exact.Denom()
	num.Mul(num, half).Add(num, denom)
	num.Quo(num, new(big.Int).Mul(denom, half))
	if !num.IsInt64() {
		return 0, tooLarge(exact)
	}
	a := Amount(num.Int64())
	if exact.Sign() < 0 {
		a = -a
	}
	return checkRound(a, exact)
}

// roundSmall is Round for numbers that need no big arithmetic.
func roundSmall(exact *big.Rat) (Amount, bool) {
	if exact.IsInt() {
		return Amount(exact.Num().Int64()), exact.Num().IsInt64()
	}
	const limit = 1 << 61
	if !exact.Num().IsInt64() || !exact.Denom().IsInt64() {
		return 0, false
	}
	num, denom := exact.Num().Int64(), exact.Denom().Int64()
	if num >= limit || num <= -limit || denom >= limit {
		return 0, false
	}
	if num < 0 {
		return -Amount((-2*num + denom) / (2 * denom)), true
	}
	return Amount((2*num + denom) / (2 * denom)), true
}

func checkRound(a Amount, exact *big.Rat) (Amount, error) {
	if a > MaxDocument || a < -MaxDocument {
		return 0, tooLarge(exact)
	}
	return a, nil
}

func tooLarge(exact *big.Rat) error {
	return billing.Fail(billing.Invalid, "amount", "An amount of %s minor units is too large: documents are below 10^15.", exact.FloatString(0))
}

func (c Currency) tooLarge(amount string, limit Amount) error {
	return billing.Fail(billing.Invalid, "amount", "An amount of %s %s is too large: the largest is %s.", c.Code, amount, c.Format(limit))
}

// CheckItem refuses an amount that is too large for an item.
func (c Currency) CheckItem(a Amount) error {
	if a > MaxItem || a < -MaxItem {
		return c.tooLarge(c.Format(a), MaxItem)
	}
	return nil
}

// Total adds up amounts, and refuses a sum that is too large for a document.
func (c Currency) Total(amounts ...Amount) (Amount, error) {
	var sum Amount
	for _, a := range amounts {
		// Neither side is anywhere near the bounds of an int64.
		if sum += a; sum > MaxDocument || sum < -MaxDocument {
			return 0, c.tooLarge(c.Format(sum), MaxDocument)
		}
	}
	return sum, nil
}
