package money

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
)

func currency(t testing.TB, code string) Currency {
	t.Helper()
	c, err := CurrencyOf(code)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAmountsHaveTheDigitsOfTheirCurrency(t *testing.T) {
	for _, row := range []struct {
		currency string
		amount   Amount
		text     string
	}{
		{"EUR", 4900, "49.00"}, {"EUR", 5, "0.05"}, {"EUR", -5, "-0.05"}, {"EUR", 0, "0.00"}, {"EUR", -123456, "-1234.56"},
		{"JPY", 1000, "1000"}, {"JPY", -1, "-1"}, {"JPY", 0, "0"},
		{"KWD", 3226, "3.226"}, {"KWD", -26, "-0.026"},
		{"CLF", 12345, "1.2345"}, {"UYW", 1, "0.0001"},
		{"EUR", MaxDocument, "9999999999999.99"},
	} {
		c := currency(t, row.currency)
		if got := c.Format(row.amount); got != row.text {
			t.Errorf("%d in %s is written %s, want %s", row.amount, row.currency, got, row.text)
		}
		if got, err := c.Parse(row.text); err != nil || got != row.amount {
			t.Errorf("%s in %s is read as %d, %v; want %d", row.text, row.currency, got, err, row.amount)
		}
	}
}

func TestAmountsThatAreRefused(t *testing.T) {
	for _, row := range []struct{ currency, text, says string }{
		{"EUR", "", "not an amount"}, {"EUR", "-", "not an amount"}, {"EUR", "1,50", "not an amount"}, {"EUR", "1e2", "not an amount"},
		{"EUR", "+1.00", "not an amount"}, {"EUR", "--1.00", "not an amount"}, {"EUR", ".50", "not an amount"}, {"EUR", "١.00", "not an amount"},
		{"EUR", "49", "2 digits"}, {"EUR", "49.0", "2 digits"}, {"EUR", "49.000", "2 digits"},
		{"JPY", "49.00", "0 digits"}, {"JPY", "49.", "0 digits"}, {"KWD", "49.00", "3 digits"}, {"CLF", "49.000", "4 digits"},
		{"EUR", "10000000000000.00", "too large"}, {"EUR", "99999999999999999999999.00", "too large"},
	} {
		_, err := currency(t, row.currency).Parse(row.text)
		if !billing.Is(err, billing.Invalid) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%q in %s: %v, want an error that says %q", row.text, row.currency, err, row.says)
		}
	}
	if _, err := CurrencyOf("EURO"); !billing.Is(err, billing.Invalid) {
		t.Errorf("currency EURO: %v", err)
	}
}

func TestRoundingIsHalfAwayFromZero(t *testing.T) {
	for _, row := range []struct {
		exact string
		want  Amount
	}{
		{"0", 0}, {"1/2", 1}, {"-1/2", -1}, {"3/2", 2}, {"-3/2", -2}, {"5/2", 3}, {"49/100", 0}, {"-49/100", 0}, {"51/100", 1}, {"-51/100", -1},
		{"203000/31", 6548}, {"10000/31", 323}, {"100000/31", 3226}, {"1/3", 0}, {"2/3", 1},
		{"999999999999998.5", 999999999999999},
		{"1000000000000000000000000000001/2000000000000000000000000000000", 1},
		{"-999999999999999999999999999999/2000000000000000000000000000000", 0},
	} {
		exact, _ := new(big.Rat).SetString(row.exact)
		if got, err := Round(exact); err != nil || got != row.want {
			t.Errorf("round(%s) = %d, %v; want %d", row.exact, got, err, row.want)
		}
	}
	for _, large := range []string{"1000000000000000", "-999999999999999.5", "1e40", "10000000000000000000000000000000000000000/3"} {
		exact, _ := new(big.Rat).SetString(large)
		if got, err := Round(exact); !billing.Is(err, billing.Invalid) {
			t.Errorf("round(%s) = %d, %v; want an error", large, got, err)
		}
	}
}

// Rounding is within a half, the same on both sides of zero, and the same with
// and without big arithmetic.
func TestRoundingIsWithinAHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		num := rapid.Int64Range(-int64(MaxDocument), int64(MaxDocument)).Draw(t, "numerator")
		exact := big.NewRat(num, rapid.Int64Range(1, 2000).Draw(t, "denominator"))
		got, err := Round(exact)
		if err != nil {
			t.Fatal(err)
		}
		off := new(big.Rat).Sub(big.NewRat(int64(got), 1), exact)
		if away := off.Sign() * exact.Sign(); off.Abs(off).Cmp(big.NewRat(1, 2)) > 0 || off.Cmp(big.NewRat(1, 2)) == 0 && away < 0 {
			t.Fatalf("round(%s) = %d", exact, got)
		}
		if negative, _ := Round(new(big.Rat).Neg(exact)); negative != -got {
			t.Fatalf("round(−%s) = %d, round(%s) = %d", exact, negative, exact, got)
		}
	})
}

func TestFormatIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, _ := CurrencyOf(rapid.SampledFrom([]string{"JPY", "EUR", "KWD", "CLF"}).Draw(t, "currency"))
		a := Amount(rapid.Int64Range(-int64(MaxDocument), int64(MaxDocument)).Draw(t, "amount"))
		if got, err := c.Parse(c.Format(a)); err != nil || got != a {
			t.Fatalf("%d is written %s and read as %d, %v", a, c.Format(a), got, err)
		}
	})
}

func TestBounds(t *testing.T) {
	eur := currency(t, "EUR")
	if err := eur.CheckItem(MaxItem); err != nil {
		t.Error(err)
	}
	if err := eur.CheckItem(MaxItem + 1); !billing.Is(err, billing.Invalid) || !strings.Contains(err.Error(), "99999999999.99") {
		t.Errorf("an item of 10^13: %v", err)
	}
	if sum, err := eur.Total(MaxDocument, 1, -1); !billing.Is(err, billing.Invalid) {
		t.Errorf("a document of 10^15: %d, %v", sum, err)
	}
	if sum, err := eur.Total(1, 2, 3); err != nil || sum != 6 {
		t.Errorf("1 + 2 + 3 = %d, %v", sum, err)
	}
}

func TestAllocation(t *testing.T) {
	for _, row := range []struct {
		total   Amount
		weights []Amount
		want    []Amount
	}{
		{100, []Amount{1, 1, 1}, []Amount{34, 33, 33}},
		{101, []Amount{1, 1, 1}, []Amount{34, 34, 33}},
		{5, []Amount{3, 3, 1}, []Amount{2, 2, 1}},
		{10, []Amount{0, 5, 0}, []Amount{0, 10, 0}},
		{7, []Amount{0, 0}, []Amount{7, 0}},
		{0, []Amount{1, 2}, []Amount{0, 0}},
		{MaxDocument, []Amount{MaxItem, MaxItem}, []Amount{500000000000000, 499999999999999}},
	} {
		if got := Allocate(row.total, row.weights); !slices.Equal(got, row.want) {
			t.Errorf("%d by %v is %v, want %v", row.total, row.weights, got, row.want)
		}
	}
}

// Shares add up, and each is less than one unit off its exact share.
func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := Amount(rapid.Int64Range(0, int64(MaxDocument)).Draw(t, "total"))
		weights := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Amount { return Amount(rapid.Int64Range(0, int64(MaxItem)).Draw(t, "weight")) }), 1, 12).Draw(t, "weights")
		var sum, given Amount
		for _, w := range weights {
			sum += w
		}
		for i, share := range Allocate(total, weights) {
			given += share
			if sum == 0 {
				continue
			}
			exact := big.NewRat(int64(weights[i]), int64(sum))
			exact.Mul(exact, big.NewRat(int64(total), 1))
			if off := exact.Sub(exact, big.NewRat(int64(share), 1)); off.Abs(off).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("share %d of %v is %d", i, weights, share)
			}
		}
		if given != total {
			t.Fatalf("shares add up to %d, not to %d", given, total)
		}
	})
}
