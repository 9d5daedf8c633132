package stripe

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v85"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Stripe has rules of its own for the digits of amounts, which differ from ISO 4217.
var (
	// zeroDecimal currencies have no digits after the point. MGA has two in ISO 4217.
	zeroDecimal = strings.Fields("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF")
	// threeDecimal currencies have three, of which the last must be 0.
	threeDecimal = strings.Fields("BHD JOD KWD OMR TND")
	// unsupported currencies are not taken by Stripe, or it is not certain how: for
	// UGX, its documentation says both that amounts have two digits and none.
	unsupported = strings.Fields("CLF IQD LYD UGX UYI UYW")
)

// digits returns how many digits after the point Stripe's amounts have.
func digits(currency money.Currency) (int, error) {
	switch code := currency.Code; {
	case slices.Contains(unsupported, code):
		return 0, fmt.Errorf("amounts in %s cannot be paid with Stripe", code)
	case slices.Contains(zeroDecimal, code):
		return 0, nil
	case slices.Contains(threeDecimal, code):
		return 3, nil
	}
	return 2, nil
}

// stepOf is what amounts with so many digits have to be multiples of.
func stepOf(digits int) int64 {
	if digits == 3 {
		return 10
	}
	return 1
}

// toStripe converts an amount. What is finer than Stripe allows is rounded half away
// from zero; the difference stays open.
func toStripe(amount money.Amount, currency money.Currency) (int64, error) {
	theirs, err := digits(currency)
	if err != nil {
		return 0, err
	}
	step := stepOf(theirs)
	// ISK has no digits in ISO 4217 and two here, which are 0.
	rounded, err := money.Round(shift(int64(amount), theirs-currency.Digits, step))
	if err != nil {
		return 0, err
	}
	return int64(rounded) * step, nil
}

// fromStripe converts an amount that Stripe tells.
func fromStripe(amount int64, code stripe.Currency) (money.Amount, money.Currency, error) {
	currency, err := money.CurrencyOf(strings.ToUpper(string(code)))
	if err != nil {
		return 0, money.Currency{}, err
	}
	theirs, err := digits(currency)
	if err != nil {
		return 0, money.Currency{}, err
	}
	converted, err := money.Round(shift(amount, currency.Digits-theirs, 1))
	return converted, currency, err
}

// shift multiplies an amount by a power of ten and divides it by a step.
func shift(amount int64, power int, step int64) *big.Rat {
	by := big.NewRat(1, step)
	for ; power > 0; power-- {
		by.Mul(by, big.NewRat(10, 1))
	}
	for ; power < 0; power++ {
		by.Mul(by, big.NewRat(1, 10))
	}
	return by.Mul(by, new(big.Rat).SetInt64(amount))
}
