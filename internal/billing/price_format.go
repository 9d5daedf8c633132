package billing

import "strings"

// In returns the price with at least the digits that amounts in the currency
// have: 10.80 in EUR, 11 in JPY, and 0.0025 in both. ParsePrice reads it back.
// In a currency that does not exist it is the price as it is stored.
func (p Price) In(currency string) string {
	digits, _ := CurrencyDigits(currency)
	whole, fraction, _ := strings.Cut(string(p), ".")
	if missing := digits - len(fraction); missing > 0 {
		fraction += strings.Repeat("0", missing)
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// Money returns the price for people: EUR 1,234.50. The code of the currency is
// unambiguous where $ is not.
func (p Price) Money(currency string) string {
	whole, fraction, point := strings.Cut(p.In(currency), ".")
	whole = Grouped(whole)
	if point {
		whole += "." + fraction
	}
	return strings.TrimSpace(currency + " " + whole)
}

// Grouped puts commas between the thousands of digits.
func Grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
