package billing

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPriceInItsCurrency(t *testing.T) {
	for _, c := range []struct {
		price     Price
		currency  string
		in, money string
	}{
		{"10.8", "EUR", "10.80", "EUR 10.80"},
		{"0", "EUR", "0.00", "EUR 0.00"},
		{"0.0025", "EUR", "0.0025", "EUR 0.0025"},
		{"1200", "JPY", "1200", "JPY 1,200"},
		{"1200.5", "JPY", "1200.5", "JPY 1,200.5"},
		{"9.9", "KWD", "9.900", "KWD 9.900"},
		{"9.9", "CLF", "9.9000", "CLF 9.9000"},
		{"1234567.5", "USD", "1234567.50", "USD 1,234,567.50"},
		{"999", "USD", "999.00", "USD 999.00"},
		{"10.8", "", "10.8", "10.8"},
		{"10.8", "DEM", "10.8", "DEM 10.8"},
	} {
		if got := c.price.In(c.currency); got != c.in {
			t.Errorf("%s in %q is %q, want %q", c.price, c.currency, got, c.in)
		}
		if got := c.price.Money(c.currency); got != c.money {
			t.Errorf("%s of %q is %q, want %q", c.price, c.currency, got, c.money)
		}
	}
}

func TestPriceIsReadBackFromItsCurrency(t *testing.T) {
	codes := strings.Fields(strings.Join(currencyTable[:], " "))
	rapid.Check(t, func(t *rapid.T) {
		p, err := ParsePrice(pricesAsSent.Draw(t, "text"))
		if err != nil {
			t.Fatal(err)
		}
		currency := rapid.SampledFrom(codes).Draw(t, "currency")
		text := p.In(currency)
		if again, err := ParsePrice(text); err != nil || again != p {
			t.Fatalf("%q in %s is %q, which is read as %q, %v", p, currency, text, again, err)
		}
		_, fraction, _ := strings.Cut(text, ".")
		if digits, _ := CurrencyDigits(currency); len(fraction) < digits {
			t.Fatalf("%q in %s is %q, which has fewer than %d digits", p, currency, text, digits)
		}
		if money := p.Money(currency); strings.ReplaceAll(money, ",", "") != currency+" "+text {
			t.Fatalf("%q in %s is %q for people and %q otherwise", p, currency, money, text)
		}
	})
}
