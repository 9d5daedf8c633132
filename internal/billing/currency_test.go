package billing

import (
	"strings"
	"testing"
)

func TestCurrencyDigits(t *testing.T) {
	for code, want := range map[string]int{
		"EUR": 2, "USD": 2, "CHF": 2, "HUF": 2, "MGA": 2, "MRU": 2, "TWD": 2, "IDR": 2,
		"JPY": 0, "KRW": 0, "ISK": 0, "VND": 0, "UGX": 0, "XAF": 0, "CLP": 0, "UYI": 0,
		"BHD": 3, "KWD": 3, "TND": 3, "CLF": 4, "UYW": 4,
		"SLE": 2, "VED": 2, "VES": 2, "XCG": 2, "ZWG": 2, "XAD": 2,
	} {
		if got, ok := CurrencyDigits(code); !ok || got != want {
			t.Errorf("CurrencyDigits(%s) = %d, %t, want %d", code, got, ok, want)
		}
	}
	for _, code := range []string{
		"", "eur", "EURO", "DEM", "HRK", "BGN", "ANG", "SLL", "ZWL", "CUC", "VEF", "LTL", "MRO", "STD", "BYR",
		"XAU", "XDR", "XTS", "XXX", "BTC",
	} {
		if _, ok := CurrencyDigits(code); ok {
			t.Errorf("%q is taken for an active currency", code)
		}
	}
}

func TestCurrencyTableIsWhole(t *testing.T) {
	n := 0
	for digits, codes := range currencyTable {
		for _, code := range strings.Fields(codes) {
			n++
			if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
				t.Errorf("%q is not the form of a code", code)
			}
			if got, _ := CurrencyDigits(code); got != digits {
				t.Errorf("%s is listed twice", code)
			}
		}
	}
	// 178 active codes, 13 of them without a minor unit.
	if n != 165 || len(currencyDigits) != n {
		t.Errorf("%d codes listed, %d kept, want 165", n, len(currencyDigits))
	}
}

func TestCheckCurrency(t *testing.T) {
	for _, c := range []struct{ value, message string }{
		{"EUR", ""},
		{"eur", "Did you mean EUR?"},
		{"Eur", "Did you mean EUR?"},
		{" EUR", "Did you mean EUR?"},
		{"", `no currency ""`},
		{"BGN", `no currency "BGN". Use an active`},
		{"XAU", "Amounts in XAU cannot be rounded and billed"},
		{"€", `no currency "€". Use`},
		{strings.Repeat("x", 1000), "xxx…"},
		{"\xff", "no currency"},
	} {
		t.Run(c.value, func(t *testing.T) {
			wantMessage(t, CheckCurrency("currencyId", c.value), "currencyId", c.message)
		})
	}
}
