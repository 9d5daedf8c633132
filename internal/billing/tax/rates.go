package tax

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Rate is a tax rate of a place for a tax code. Without a region it is that of
// the whole country.
type Rate struct {
	ID      billing.TaxRateID `json:"id"`
	Country string            `json:"country"`
	Region  *string           `json:"region"`
	TaxCode string            `json:"taxCode"`
	Rate    Percent           `json:"rate"`
	Name    string            `json:"name"`
	// ValidFrom and ValidTo are its first and last day; nil if there is none.
	ValidFrom *billing.Date `json:"validFrom"`
	ValidTo   *billing.Date `json:"validTo"`
	CreatedAt time.Time     `json:"createdAt"`
	UpdatedAt time.Time     `json:"updatedAt"`
}

// RateFields describes the fields of a tax rate.
var RateFields = billing.Fields[Rate]{{Fields: []billing.Field[Rate]{
	billing.Describe("name", "Name", func(r *Rate) *string { return &r.Name }, billing.NameText).AsRequired().WithHelp("What you call it, such as VAT 19 %."),
	billing.Describe("country", "Country", func(r *Rate) *string { return &r.Country }, billing.CheckCountry).AsRequired().WithHelp("ISO 3166, such as DE."),
	billing.Optional("region", "Region", func(r *Rate) **string { return &r.Region }, billing.ShortText).WithHelp("Code of a state or region, such as 20 of PT-20. Empty for the whole country."),
	billing.Describe("taxCode", "Tax code", func(r *Rate) *string { return &r.TaxCode }, billing.CheckCode).AsRequired().WithHelp("Charges name the rate by it."),
	billing.Describe("rate", "Percent", func(r *Rate) *Percent { return &r.Rate }, checkPercent).AsRequired().WithHelp("Such as 19 or 8.1."),
	billing.Optional("validFrom", "First day", func(r *Rate) **billing.Date { return &r.ValidFrom }),
	billing.Optional("validTo", "Last day", func(r *Rate) **billing.Date { return &r.ValidTo }),
}}}

// Check returns what is wrong with the rate, nil if nothing is.
func (r *Rate) Check() billing.Problems {
	p := RateFields.Check(r)
	if r.ValidFrom != nil && r.ValidTo != nil && r.ValidTo.Before(*r.ValidFrom) {
		p.Add(billing.Invalidf("validTo", "The last day, %s, is before the first, %s.", r.ValidTo, r.ValidFrom))
	}
	return p
}

// Normalize writes the region as places have it, without its country.
func (r *Rate) Normalize() {
	region := Place{Country: r.Country, Region: r.region()}.normal().Region
	r.Region = billing.EmptyToNil(&region)
}

func checkPercent(field string, p Percent) *billing.Error {
	if p == "" {
		return billing.Requiredf(field, "A tax rate needs its percentage, such as 19 or 8.1.")
	}
	if canonical, err := ParsePercent(string(p)); err != nil || canonical != p {
		return wrongPercent(field, string(p))
	}
	return nil
}

func (r *Rate) region() string {
	if r.Region == nil {
		return ""
	}
	return *r.Region
}

// from is the first day, before all others if there is none.
func (r *Rate) from() billing.Date {
	if r.ValidFrom == nil {
		return billing.Date{}
	}
	return *r.ValidFrom
}

// validOn reports whether the rate counts on a day.
func (r *Rate) validOn(day billing.Date) bool {
	return !r.from().After(day) && (r.ValidTo == nil || !r.ValidTo.Before(day))
}

// Overlaps reports whether two rates of one place and code are valid on the same
// day.
func (r *Rate) Overlaps(other *Rate) bool {
	later := r.from()
	if other.from().After(later) {
		later = other.from()
	}
	return r.Country == other.Country && r.region() == other.region() && r.TaxCode == other.TaxCode && r.validOn(later) && other.validOn(later)
}

// Rates are the tax rates that an operator has.
type Rates []Rate

// CheckOverlap refuses a rate that is valid on the same day as another one of its
// place and code.
func (rates Rates) CheckOverlap(r *Rate) *billing.Error {
	for i := range rates {
		if other := &rates[i]; other.ID != r.ID && r.Overlaps(other) {
			return billing.Fail(billing.Taken, "validFrom", "The rate %q of %s for the tax code %q is valid on some of these days. End it before, or choose other days.", other.Name, other.Place(), other.TaxCode)
		}
	}
	return nil
}

// Place is the code of the country, or of a part of it.
func (r *Rate) Place() string {
	if r.Region == nil {
		return r.Country
	}
	return r.Country + "-" + *r.Region
}

// at finds the rate of a place. A place without any rates has no tax that we
// know of.
func (rates Rates) at(p Place, code string, on billing.Date) (Treatment, error) {
	var best *Rate
	some := false
	for i := range rates {
		r := &rates[i]
		if r.Country != p.Country || r.Region != nil && *r.Region != p.Region || p.territory() != "" && r.Region == nil {
			continue
		}
		some = true
		if r.TaxCode == code && r.validOn(on) && r.before(best) {
			best = r
		}
	}
	switch {
	case best != nil && best.Rate == "0":
		return Treatment{ZeroRated, "0", ""}, nil
	case best != nil:
		return Treatment{Standard, best.Rate, ""}, nil
	case some || p.inEU():
		return Treatment{}, billing.Fail(billing.NotFound, "taxCode", "There is no tax rate %q for %s on %s. Add one to the tax rates.", code, p.Country, on)
	}
	return Treatment{NotSubject, "0", reasonNotSubject}, nil
}

// before reports whether a rate goes before another: that of a region before that
// of its country, and then the one that began later.
func (r *Rate) before(other *Rate) bool {
	switch {
	case other == nil:
		return true
	case (r.Region == nil) != (other.Region == nil):
		return r.Region != nil
	}
	return r.from().After(other.from())
}
