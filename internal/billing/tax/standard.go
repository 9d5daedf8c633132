package tax

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// standardRates are the standard rates of VAT in the European Union, Switzerland,
// Norway and the United Kingdom since 2023: place, percentage, and the day from
// which on it holds if it changed since. The mainland rate of Portugal is not
// that of the Azores (PT-20) and Madeira (PT-30).
const standardRates = `
AT 20
BE 21
BG 20
CH 7.7
CH 8.1 2024-01-01
CY 19
CZ 21
DE 19
DK 25
EE 20
EE 22 2024-01-01
EE 24 2025-07-01
ES 21
FI 24
FI 25.5 2024-09-01
FR 20
GB 20
GR 24
HR 25
HU 27
IE 23
IT 22
LT 21
LU 16
LU 17 2024-01-01
LV 21
MT 18
NL 21
NO 25
PL 23
PT 23
PT-20 16
PT-30 22
RO 19
RO 21 2025-08-01
SE 25
SI 22
SK 20
SK 23 2025-01-01
`

// StandardRates are the rates that a new installation has.
func StandardRates() Rates {
	since := billing.Date{Year: 2023, Month: 1, Day: 1}
	var rates Rates
	for line := range strings.Lines(strings.TrimSpace(standardRates)) {
		words := strings.Fields(line)
		country, region, _ := strings.Cut(words[0], "-")
		r := Rate{Country: country, Region: billing.EmptyToNil(&region), TaxCode: billing.StandardTaxCode, Rate: Percent(words[1]), Name: "VAT " + words[1] + " %", ValidFrom: &since}
		if len(words) > 2 {
			from, _ := billing.ParseDate(words[2])
			last := from.AddDays(-1)
			r.ValidFrom, rates[len(rates)-1].ValidTo = &from, &last
		}
		rates = append(rates, r)
	}
	return rates
}
