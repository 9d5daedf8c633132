package money

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// Currency is a currency with the number of digits that its amounts have after
// the point.
type Currency struct {
	Code   string
	Digits int
}

// CurrencyOf returns the currency with an ISO 4217 code.
func CurrencyOf(code string) (Currency, error) {
	if e := billing.CheckCurrency("currencyId", code); e != nil {
		return Currency{}, e
	}
	digits, _ := billing.CurrencyDigits(code)
	return Currency{code, digits}, nil
}

// Format writes an amount with exactly the digits of the currency: 49.00 in
// EUR, 1000 in JPY, -3.226 in KWD.
func (c Currency) Format(a Amount) string {
	text := strconv.FormatInt(int64(a), 10)
	if c.Digits == 0 {
		return text
	}
	sign := ""
	if a < 0 {
		sign, text = "-", text[1:]
	}
	if missing := c.Digits + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	point := len(text) - c.Digits
	return sign + text[:point] + "." + text[point:]
}

// Parse reads what Format writes. An amount with other digits than those of
// the currency is refused, so that nothing is rounded on the way in.
func (c Currency) Parse(s string) (Amount, error) {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	switch {
	case whole == "" || !areDigits(whole) || !areDigits(fraction):
		return 0, billing.Fail(billing.Invalid, "amount", "%q is not an amount. Write digits with a point before the fraction, such as %s.", s, c.Format(123450))
	case len(fraction) != c.Digits || point != (c.Digits > 0):
		return 0, billing.Fail(billing.Invalid, "amount", "An amount in %s has %d digits after the point, as in %s; %q has %d.", c.Code, c.Digits, c.Format(123450), s, len(fraction))
	}
	minor, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil || Amount(minor) > MaxDocument {
		return 0, c.tooLarge(s, MaxDocument)
	}
	if strings.HasPrefix(s, "-") {
		minor = -minor
	}
	return Amount(minor), nil
}

func areDigits(s string) bool {
	for _, r := range []byte(s) {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}

// powers of ten by their exponent, for currencies.
var powers = [...]*big.Rat{big.NewRat(1, 1), big.NewRat(10, 1), big.NewRat(100, 1), big.NewRat(1000, 1), big.NewRat(10000, 1)}

// Minor converts a price, which is in units of the currency, to minor units.
func (c Currency) Minor(price *big.Rat) *big.Rat { return new(big.Rat).Mul(price, powers[c.Digits]) }
