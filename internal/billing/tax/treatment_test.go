package tax

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func d(text string) billing.Date {
	date, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return date
}

func in(country string) Place { return Place{Country: country} }

func TestTreatment(t *testing.T) {
	business := func(country, number string, state billing.TaxNumberState) Buyer {
		return Buyer{Place: in(country), TaxNumber: number, NumberState: state}
	}
	person := func(country, region string) Buyer { return Buyer{Place: Place{Country: country, Region: region}} }
	de, oss := Seller{Place: in("DE")}, Seller{Place: in("DE"), OSS: true}
	trusting := Seller{Place: in("DE"), AcceptsUnchecked: true}
	us := Seller{Place: in("US")}
	for _, row := range []struct {
		name   string
		seller Seller
		buyer  Buyer
		want   Treatment
	}{
		{"1: exempt", de, Buyer{Place: in("DE"), TaxExempt: true, Reason: "Embassy"}, Treatment{Exempt, "0", "Embassy"}},
		{"1: exempt abroad", de, Buyer{Place: in("US"), TaxExempt: true}, Treatment{Exempt, "0", ""}},
		{"2: the same country", de, person("DE", ""), Treatment{Standard, "19", ""}},
		{"2: the same country, with a number", de, business("DE", "DE123456789", billing.TaxNumberValid), Treatment{Standard, "19", ""}},
		{"2: the same country by another name", Seller{Place: in("GR")}, person("EL", ""), Treatment{Standard, "24", ""}},
		{"2: Monaco is France", Seller{Place: in("FR")}, person("MC", ""), Treatment{Standard, "20", ""}},
		{"2: the Isle of Man is the United Kingdom", Seller{Place: in("GB")}, person("IM", ""), Treatment{Standard, "20", ""}},
		{"2: services in Northern Ireland are British", Seller{Place: in("GB")}, person("XI", ""), Treatment{Standard, "20", ""}},
		{"2: a rate of the region", Seller{Place: in("PT")}, person("PT", "PT-30"), Treatment{Standard, "22", ""}},
		{"2: no known tax", us, person("US", "CA"), Treatment{NotSubject, "0", reasonNotSubject}},
		{"3: reverse charge", de, business("FR", "FR12345678901", billing.TaxNumberValid), Treatment{ReverseCharge, "0", reasonReverse}},
		{"3: Greek numbers begin with EL", de, business("GR", "el123456789", billing.TaxNumberValid), Treatment{ReverseCharge, "0", reasonReverse}},
		{"3: reverse charge, with OSS", oss, business("AT", "ATU12345678", billing.TaxNumberValid), Treatment{ReverseCharge, "0", reasonReverse}},
		{"3: not looked up, and accepted", trusting, business("AT", "ATU12345678", billing.TaxNumberUnchecked), Treatment{ReverseCharge, "0", reasonReverse}},
		{"4: not looked up", de, business("AT", "ATU12345678", billing.TaxNumberUnchecked), Treatment{Standard, "19", ""}},
		{"4: invalid, where others are accepted", trusting, business("AT", "ATU12345678", billing.TaxNumberInvalid), Treatment{Standard, "19", ""}},
		{"4: a number of another country", de, business("AT", "FR12345678901", billing.TaxNumberValid), Treatment{Standard, "19", ""}},
		{"4: Greece's other code", de, business("GR", "GR123456789", billing.TaxNumberValid), Treatment{Standard, "19", ""}},
		{"4: no number", de, business("AT", "AT", billing.TaxNumberValid), Treatment{Standard, "19", ""}},
		{"4: too short to be a number", de, business("FR", "FR1", billing.TaxNumberValid), Treatment{Standard, "19", ""}},
		{"4: a number without a digit", de, business("FR", "FRXX", billing.TaxNumberValid), Treatment{Standard, "19", ""}},
		{"4: no number at all", trusting, business("FR", "FRance: none, see 2025", billing.TaxNumberUnchecked), Treatment{Standard, "19", ""}},
		{"3: a number with blanks", de, business("FR", " fr 23 334 175 221", billing.TaxNumberValid), Treatment{ReverseCharge, "0", reasonReverse}},
		{"4: consumer", de, person("AT", ""), Treatment{Standard, "19", ""}},
		{"4: consumer, with OSS", oss, person("AT", ""), Treatment{Standard, "20", ""}},
		{"4: consumer in a region, with OSS", oss, person("PT", "20"), Treatment{Standard, "16", ""}},
		{"5: outside", de, person("US", ""), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Switzerland, whose rates are known", de, person("CH", ""), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: the United Kingdom", de, business("GB", "GB123456789", billing.TaxNumberValid), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Northern Ireland, for services", de, business("XI", "XI123456789", billing.TaxNumberValid), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Canary Islands", de, person("ES", "ES-CN"), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Canary Islands, from the mainland", Seller{Place: in("ES")}, person("ES", "cn"), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Guadeloupe", de, person("FR", "FR-GP"), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Guadeloupe by its own code", de, person("GP", ""), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Guadeloupe by its department", Seller{Place: in("FR")}, person("FR", "971"), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Åland", de, person("AX", ""), Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Heligoland", de, Buyer{Place: Place{Country: "DE", Zip: "27498"}}, Treatment{NotSubject, "0", reasonNotSubject}},
		{"5: Livigno", Seller{Place: in("IT")}, Buyer{Place: Place{Country: "IT", Zip: "23041"}}, Treatment{NotSubject, "0", reasonNotSubject}},
		{"4: the mainland of Spain", oss, person("ES", "MD"), Treatment{Standard, "21", ""}},
		{"6: a rate of the buyer's country", us, person("DE", ""), Treatment{Standard, "19", ""}},
		{"6: Norway to Switzerland", Seller{Place: in("NO")}, person("CH", ""), Treatment{Standard, "8.1", ""}},
		{"7: none", us, person("BR", ""), Treatment{NotSubject, "0", reasonNotSubject}},
		{"7: within the Canary Islands", Seller{Place: Place{Country: "ES", Region: "CN"}}, person("ES", "CN"), Treatment{NotSubject, "0", reasonNotSubject}},
	} {
		if got, err := Treat(row.seller, row.buyer, billing.StandardTaxCode, d("2026-03-01"), StandardRates()); err != nil || got != row.want {
			t.Errorf("%s: %v, %v; want %v", row.name, got, err, row.want)
		}
	}
}

func TestRatesOfADay(t *testing.T) {
	rates := append(StandardRates(),
		Rate{Country: "DE", TaxCode: "reduced", Rate: "7"},
		Rate{Country: "DE", TaxCode: "books", Rate: "0"},
		Rate{Country: "US", Region: new("NY"), TaxCode: billing.StandardTaxCode, Rate: "8.875"},
		Rate{Country: "ES", Region: new("CN"), TaxCode: billing.StandardTaxCode, Rate: "7"},
	)
	for _, row := range []struct {
		country, region, code, on string
		want                      Treatment
	}{
		{"EE", "", billing.StandardTaxCode, "2023-12-31", Treatment{Standard, "20", ""}},
		{"EE", "", billing.StandardTaxCode, "2024-01-01", Treatment{Standard, "22", ""}},
		{"EE", "", billing.StandardTaxCode, "2025-06-30", Treatment{Standard, "22", ""}},
		{"EE", "", billing.StandardTaxCode, "2025-07-01", Treatment{Standard, "24", ""}},
		{"FI", "", billing.StandardTaxCode, "2026-01-01", Treatment{Standard, "25.5", ""}},
		{"RO", "", billing.StandardTaxCode, "2025-07-31", Treatment{Standard, "19", ""}},
		{"RO", "", billing.StandardTaxCode, "2025-08-01", Treatment{Standard, "21", ""}},
		{"SK", "", billing.StandardTaxCode, "2025-01-01", Treatment{Standard, "23", ""}},
		{"CH", "", billing.StandardTaxCode, "2023-06-01", Treatment{Standard, "7.7", ""}},
		{"DE", "", "reduced", "2026-01-01", Treatment{Standard, "7", ""}},
		{"DE", "", "books", "2026-01-01", Treatment{ZeroRated, "0", ""}},
		{"US", "NY", billing.StandardTaxCode, "2026-01-01", Treatment{Standard, "8.875", ""}},
		{"US", "OR", billing.StandardTaxCode, "2026-01-01", Treatment{NotSubject, "0", reasonNotSubject}},
		{"ES", "CN", billing.StandardTaxCode, "2026-01-01", Treatment{Standard, "7", ""}},
		{"ES", "", billing.StandardTaxCode, "2026-01-01", Treatment{Standard, "21", ""}},
	} {
		place := Place{Country: row.country, Region: row.region}
		if got, err := Treat(Seller{Place: place}, Buyer{Place: place}, row.code, d(row.on), rates); err != nil || got != row.want {
			t.Errorf("%s-%s, %s on %s: %v, %v; want %v", row.country, row.region, row.code, row.on, got, err, row.want)
		}
	}
	mainland, gran, tenerife := in("ES"), Place{"ES", "GC", "35001"}, Place{"ES", "es-tf", "38001"}
	rates = append(rates, Rate{Country: "ES", Region: new("TF"), TaxCode: billing.StandardTaxCode, Rate: "7"})
	for _, row := range []struct {
		seller, buyer Place
		want          Treatment
	}{{gran, tenerife, Treatment{Standard, "7", ""}}, {mainland, tenerife, Treatment{NotSubject, "0", reasonNotSubject}}} {
		if got, err := Treat(Seller{Place: row.seller}, Buyer{Place: row.buyer}, billing.StandardTaxCode, d("2026-01-01"), rates); err != nil || got != row.want {
			t.Errorf("%v to %v: %v, %v; want %v", row.seller, row.buyer, got, err, row.want)
		}
	}
}

// TestCountries bills in every country that there is, however its code is written.
func TestCountries(t *testing.T) {
	for _, code := range append(Countries(), "el", " xi ", "uk") {
		if _, err := Treat(Seller{Place: in("DE")}, Buyer{Place: in(code)}, billing.StandardTaxCode, d("2026-01-01"), StandardRates()); err != nil {
			t.Errorf("%q: %v", code, err)
		}
	}
}

func TestStandardRates(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range StandardRates() {
		seen[r.Country] = true
		if _, err := ParsePercent(string(r.Rate)); err != nil {
			t.Errorf("%v: %v", r, err)
		}
	}
	for _, country := range append([]string{"CH", "NO", "GB"}, billing.EUMembers...) {
		if !seen[country] {
			t.Errorf("%s has no rate", country)
		}
	}
}

func TestWhatCannotBeTaxed(t *testing.T) {
	for _, row := range []struct {
		seller, buyer, code, on, says string
	}{
		{"DE", "", billing.StandardTaxCode, "2026-01-01", "The account has no country."},
		{"DE", "Germany", billing.StandardTaxCode, "2026-01-01", `The account's country "Germany" is not an ISO 3166-1 code. Use one of two letters, such as DE.`},
		{"DE", "XX", billing.StandardTaxCode, "2026-01-01", `"XX" is not an ISO 3166-1 code`},
		{"US", "Frankreich", billing.StandardTaxCode, "2026-01-01", `"Frankreich" is not an ISO 3166-1 code`},
		{"", "DE", billing.StandardTaxCode, "2026-01-01", "The entity has no country."},
		{"DE", "DE", "reduced", "2026-01-01", `no tax rate "reduced" for DE`},
		{"DE", "DE", billing.StandardTaxCode, "2019-01-01", "no tax rate"},
		{"US", "GB", "reduced", "2026-01-01", `no tax rate "reduced" for GB`},
	} {
		_, err := Treat(Seller{Place: in(row.seller)}, Buyer{Place: in(row.buyer)}, row.code, d(row.on), StandardRates())
		if _, clear := billing.AsProblems(err); !clear || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s to %q: %v, want %q", row.seller, row.buyer, err, row.says)
		}
	}
	ended := Rates{{Country: "US", TaxCode: billing.StandardTaxCode, Rate: "5", ValidTo: new(d("2025-12-31"))}}
	for country, rates := range map[string]Rates{"DE": nil, "US": ended} {
		if got, err := Treat(Seller{Place: in(country)}, Buyer{Place: in(country)}, billing.StandardTaxCode, d("2026-01-01"), rates); !billing.Is(err, billing.NotFound) {
			t.Errorf("%s, without a rate: %v, %v", country, got, err)
		}
	}
	for _, text := range []string{"", "-1", "100.5", "19 %", "1e1"} {
		if p, err := ParsePercent(text); !billing.Is(err, billing.Invalid) {
			t.Errorf("%q is read as %s, %v", text, p, err)
		}
	}
}
