package tax

import (
	"slices"
	"strings"
)

// Place is where a seller or a buyer is. Country is an ISO 3166 code, Region the
// code of a subdivision with or without its country: CN or ES-CN.
type Place struct{ Country, Region, Zip string }

// The member states of the European Union, whose VAT area is theirs but for the
// territories below.
var memberStates = strings.Fields("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")

// otherNames are codes of places that belong to a country as far as VAT on
// services is concerned: Greece's code in VAT numbers; the United Kingdom's,
// Northern Ireland's (which is in the EU's VAT area for goods only) and the Isle
// of Man's; and Monaco, whose VAT is France's (VAT directive, article 7).
var otherNames = map[string]string{"EL": "GR", "UK": "GB", "XI": "GB", "IM": "GB", "MC": "FR"}

// territories are parts of member states outside the VAT area (VAT directive,
// article 6), by their subdivision or, where they have none, by their postal
// code. Those with a country code of their own, such as GP or AX, are no member
// states anyway.
var territories = map[string]struct{ regions, zips []string }{
	"DE": {zips: []string{"27498", "78266"}},                                                                        // Heligoland, Büsingen
	"ES": {regions: []string{"CN", "GC", "TF", "CE", "ML"}},                                                         // Canary Islands, Ceuta, Melilla
	"FI": {regions: []string{"01", "AX"}},                                                                           // Åland
	"FR": {regions: strings.Fields("GP MQ GF RE YT MF BL PM WF PF NC 971 972 973 974 975 976 977 978 986 987 988")}, // overseas
	"GR": {regions: []string{"69"}},                                                                                 // Mount Athos
	"IT": {zips: []string{"22061", "23041"}},                                                                        // Campione d'Italia, Livigno
}

// normal is the place in one spelling, without what has no meaning for tax.
func (p Place) normal() Place {
	tidy := func(s string) string { return strings.ToUpper(strings.TrimSpace(s)) }
	n := Place{tidy(p.Country), tidy(p.Region), strings.ReplaceAll(p.Zip, " ", "")}
	n.Region = strings.TrimPrefix(n.Region, n.Country+"-")
	if country, other := otherNames[n.Country]; other {
		n.Country, n.Region = country, ""
	}
	return n
}

// isTerritory reports whether the place, in its normal spelling, is a part of a
// member state outside the VAT area.
func (p Place) isTerritory() bool {
	t := territories[p.Country]
	return slices.Contains(t.regions, p.Region) || slices.Contains(t.zips, p.Zip)
}

// inEU reports whether the place is in the EU's VAT area.
func (p Place) inEU() bool { return slices.Contains(memberStates, p.Country) && !p.isTerritory() }

// sameCountry reports whether VAT treats two places as one country.
func (p Place) sameCountry(q Place) bool {
	if p.isTerritory() || q.isTerritory() {
		return p == q
	}
	return p.Country == q.Country
}

// numberPrefix is how VAT numbers of the place's country begin.
func (p Place) numberPrefix() string {
	if p.Country == "GR" {
		return "EL"
	}
	return p.Country
}
