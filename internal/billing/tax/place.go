package tax

import (
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// Place is where a seller or a buyer is. Country is an ISO 3166 code, Region the
// code of a subdivision with or without its country: CN or ES-CN.
type Place struct{ Country, Region, Zip string }

// otherNames are codes of places that belong to a country as far as VAT on
// services is concerned: Greece's code in VAT numbers; the United Kingdom's,
// Northern Ireland's (which is in the EU's VAT area for goods only) and the Isle
// of Man's; and Monaco, whose VAT is France's (VAT directive, article 7).
var otherNames = map[string]string{"EL": "GR", "UK": "GB", "XI": "GB", "IM": "GB", "MC": "FR"}

// IsCountry reports whether tax can be decided by a code: of ISO 3166-1, or one
// that tax law has for a place.
func IsCountry(code string) bool { return otherNames[code] != "" || billing.IsCountry(code) }

// Countries are all codes that tax can be decided by, in order.
func Countries() []string {
	all := slices.AppendSeq(billing.Countries(), maps.Keys(otherNames))
	slices.Sort(all)
	return slices.Compact(all)
}

// territories are parts of member states outside the VAT area (VAT directive,
// article 6): by the code of a subdivision or, where there is none, by a postal
// code. Those with a country code of their own, such as GP or AX, are no member
// states anyway.
var territories = map[string]map[string]string{
	"DE": {"27498": "Heligoland", "78266": "Büsingen"},
	"ES": {"CN": "Canary Islands", "GC": "Canary Islands", "TF": "Canary Islands", "CE": "Ceuta", "ML": "Melilla"},
	"FI": {"01": "Åland", "AX": "Åland"},
	"FR": {
		"GP": "Guadeloupe", "971": "Guadeloupe", "MQ": "Martinique", "972": "Martinique", "GF": "French Guiana", "973": "French Guiana",
		"RE": "Réunion", "974": "Réunion", "YT": "Mayotte", "976": "Mayotte", "MF": "Saint Martin", "978": "Saint Martin",
		"BL": "Saint Barthélemy", "977": "Saint Barthélemy", "PM": "Saint Pierre and Miquelon", "975": "Saint Pierre and Miquelon",
		"WF": "Wallis and Futuna", "986": "Wallis and Futuna", "PF": "French Polynesia", "987": "French Polynesia", "NC": "New Caledonia", "988": "New Caledonia",
	},
	"GR": {"69": "Mount Athos"},
	"IT": {"22061": "Campione d'Italia", "23041": "Livigno"},
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

// territory is the part of a member state outside the VAT area in which the place,
// in its normal spelling, is; empty if it is in none.
func (p Place) territory() string {
	if name := territories[p.Country][p.Region]; name != "" {
		return name
	}
	return territories[p.Country][p.Zip]
}

// inEU reports whether the place is in the EU's VAT area: that of its member
// states but for the territories above.
func (p Place) inEU() bool {
	return slices.Contains(billing.EUMembers, p.Country) && p.territory() == ""
}

// sameCountry reports whether VAT treats two places as one country.
func (p Place) sameCountry(q Place) bool {
	return p.Country == q.Country && p.territory() == q.territory()
}
