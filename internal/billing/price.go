package billing

import (
	"cmp"
	"strings"
)

// Digits a price may have on either side of its point.
const (
	maxPriceWhole    = 15
	maxPriceFraction = 8
)

// Price is an exact decimal, zero or above, in its one canonical text: no
// sign, no exponent, no needless zeros. Equal prices are equal as strings.
// ParsePrice makes them; the zero value is not a price.
type Price string

// ParsePrice reads digits with an optional fraction after a point, such as
// 9.90, and returns them as 9.9. Its errors are about the field "price".
func ParsePrice(s string) (Price, error) {
	whole, fraction, point := strings.Cut(s, ".")
	switch {
	case s == "":
		return "", Requiredf("price", "A price must not be empty. Write it with digits, such as 9.90.")
	case strings.HasPrefix(s, "-"), strings.HasPrefix(s, "−"):
		return "", Invalidf("price", "Prices are not negative; %q is.", Excerpt(s))
	case !isDigits(whole), !isDigits(fraction):
		return "", Invalidf("price", "%q is not a price. Write digits with a point before the fraction, such as 1234.50: no signs, blanks, separators or exponents.", Excerpt(s))
	case whole == "", point && fraction == "":
		return "", Invalidf("price", "%q is not a price. Write a digit on both sides of the point, such as 0.5.", Excerpt(s))
	case len(whole) > maxPriceWhole:
		return "", Invalidf("price", "A price has up to %d digits before the point; this has %d.", maxPriceWhole, len(whole))
	case len(fraction) > maxPriceFraction:
		return "", Invalidf("price", "A price has up to %d digits after the point; this has %d.", maxPriceFraction, len(fraction))
	}
	whole = strings.TrimLeft(whole[:len(whole)-1], "0") + whole[len(whole)-1:]
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		return Price(whole), nil
	}
	return Price(whole + "." + fraction), nil
}

// Cmp returns -1, 0 or 1 as p is below, equal to or above q.
func (p Price) Cmp(q Price) int {
	pWhole, pFraction, _ := strings.Cut(string(p), ".")
	qWhole, qFraction, _ := strings.Cut(string(q), ".")
	return cmp.Or(
		// Without leading zeros the longer number is the larger one.
		cmp.Compare(len(pWhole), len(qWhole)),
		strings.Compare(pWhole, qWhole),
		strings.Compare(pFraction, qFraction),
	)
}

// isDigits says whether s holds nothing but 0 to 9; digits of other scripts
// are not what a database or a client reads.
func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
