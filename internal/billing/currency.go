package billing

import (
	"slices"
	"strings"
)

// currencyTable lists the active codes of ISO 4217, funds included, by the
// number of digits after the point. Metals, bond units, XDR, XTS, XXX and
// their like are left out: they have no minor unit, so no amount in them can
// be rounded and billed. As of 2026-01-01, when Bulgaria joined the euro.
var currencyTable = [...]string{
	0: `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
	2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
		CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP
		GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT
		LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN
		NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB
		SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS
		UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
	3: `BHD IQD JOD KWD LYD OMR TND`,
	4: `CLF UYW`,
}

// withoutMinorUnit are metals, bond units and their like, which currencyTable leaves out.
const withoutMinorUnit = `XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XUA`

var currencyDigits = func() map[string]int {
	byCode := map[string]int{}
	for digits, codes := range currencyTable {
		for _, code := range strings.Fields(codes) {
			byCode[code] = digits
		}
	}
	return byCode
}()

// CurrencyDigits returns how many digits after the point an amount in the
// currency has, and whether there is such a currency.
func CurrencyDigits(code string) (int, bool) {
	digits, ok := currencyDigits[code]
	return digits, ok
}

// CheckCurrency refuses what is not exactly an active ISO 4217 code.
func CheckCurrency(field, value string) *Error {
	if _, ok := CurrencyDigits(value); ok {
		return nil
	}
	if upper := strings.ToUpper(strings.TrimSpace(value)); upper != value {
		if _, ok := CurrencyDigits(upper); ok {
			return Invalidf(field, "There is no currency %q. Did you mean %s?", Excerpt(value), upper)
		}
	}
	if slices.Contains(strings.Fields(withoutMinorUnit), value) {
		return Invalidf(field, "Amounts in %s cannot be rounded and billed: it has no minor unit. Use a currency such as EUR or USD.", value)
	}
	return Invalidf(field, "There is no currency %q. Use an active ISO 4217 code such as EUR or USD.", Excerpt(value))
}
