package billing

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParsePrice(t *testing.T) {
	for text, want := range map[string]Price{
		"0": "0", "0.0": "0", "00": "0", "0.00000000": "0",
		"9.90": "9.9", "9.9": "9.9", "10": "10", "100.00": "100", "007.50": "7.5",
		"0.00000001":               "0.00000001",
		"999999999999999.99999999": "999999999999999.99999999",
	} {
		if got, err := ParsePrice(text); err != nil || got != want {
			t.Errorf("ParsePrice(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestParsePriceRefuses(t *testing.T) {
	for text, message := range map[string]string{
		"":                        "must not be empty",
		"-1":                      "Prices are not negative",
		"-0":                      "Prices are not negative",
		"−5":                      "Prices are not negative",
		"+1":                      "is not a price",
		"1e3":                     "no signs, blanks, separators or exponents",
		"NaN":                     "is not a price",
		"Infinity":                "is not a price",
		"0x10":                    "is not a price",
		"1,5":                     "is not a price",
		"1_000":                   "is not a price",
		" 1":                      "is not a price",
		"1 ":                      "is not a price",
		"1\x00":                   "is not a price",
		"1.2.3":                   "is not a price",
		"１":                       "is not a price",
		"€1":                      "is not a price",
		".":                       "both sides of the point",
		".5":                      "both sides of the point",
		"5.":                      "both sides of the point",
		"1000000000000000":        "up to 15 digits before the point; this has 16",
		"0.000000001":             "up to 8 digits after the point; this has 9",
		strings.Repeat("x", 1000): "xxx…",
	} {
		_, err := ParsePrice(text)
		var e *Error
		if err == nil || !errors.As(err, &e) {
			t.Errorf("ParsePrice(%q) gives %v, want an Error", text, err)
			continue
		}
		wantMessage(t, e, "price", message)
	}
}

var (
	pricesAsSent   = rapid.StringMatching(`[0-9]{1,15}(\.[0-9]{1,8})?`)
	canonicalPrice = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$`)
)

func exactly(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return r
}

func TestPriceIsExactAndCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := pricesAsSent.Draw(t, "text")
		p, err := ParsePrice(text)
		if err != nil {
			t.Fatalf("ParsePrice(%q): %v", text, err)
		}
		if !canonicalPrice.MatchString(string(p)) {
			t.Fatalf("%q is not canonical", p)
		}
		if exactly(t, text).Cmp(exactly(t, string(p))) != 0 {
			t.Fatalf("%q became %q", text, p)
		}
		if again, err := ParsePrice(string(p)); err != nil || again != p {
			t.Fatalf("%q parses to %q, %v", p, again, err)
		}
	})
}

func TestPriceCmpComparesNumbers(t *testing.T) {
	// Few digits, so that equal and nearly equal prices come up.
	near := rapid.OneOf(pricesAsSent, rapid.StringMatching(`[01]{1,2}(\.[01]{1,2})?`))
	rapid.Check(t, func(t *rapid.T) {
		a, b := near.Draw(t, "a"), near.Draw(t, "b")
		p, err1 := ParsePrice(a)
		q, err2 := ParsePrice(b)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		want := exactly(t, a).Cmp(exactly(t, b))
		if got := p.Cmp(q); got != want || q.Cmp(p) != -want || (want == 0) != (p == q) {
			t.Fatalf("%q.Cmp(%q) = %d, want %d", p, q, got, want)
		}
	})
}

func TestParsePriceTakesNothingElse(t *testing.T) {
	accepted := regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,8})?$`)
	nearly := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-+]?[0-9]{0,16}[.,eE ]?[0-9]{0,9}`))
	rapid.Check(t, func(t *rapid.T) {
		text := nearly.Draw(t, "text")
		if _, err := ParsePrice(text); (err == nil) != accepted.MatchString(text) {
			t.Fatalf("ParsePrice(%q): %v", text, err)
		}
	})
}
