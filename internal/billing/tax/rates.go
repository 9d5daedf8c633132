package tax

import (
	"github.com/tenantry/tenantry/internal/billing"
)

// StandardCode is the tax code that charges have unless they say another.
const StandardCode = "standard"

// Rate is a tax rate of a place for a tax code. Without a region it is that of
// the whole country.
type Rate struct {
	Country string
	Region  string
	TaxCode string
	Percent Percent
	Name    string
	// ValidFrom and ValidTo are its first and last day; zero if there is none.
	ValidFrom, ValidTo billing.Date
}

// Rates are the tax rates that an operator has.
type Rates []Rate

// at finds the rate of a place. A place without any rates has no tax that we
// know of.
func (rates Rates) at(p Place, code string, on billing.Date) (Treatment, error) {
	var best *Rate
	some := false
	for i := range rates {
		r := &rates[i]
		if r.Country != p.Country || r.Region != "" && r.Region != p.Region || p.territory() != "" && r.Region == "" {
			continue
		}
		some = true
		if r.TaxCode == code && r.validOn(on) && r.before(best) {
			best = r
		}
	}
	switch {
	case best != nil && best.Percent == "0":
		return Treatment{ZeroRated, "0", ""}, nil
	case best != nil:
		return Treatment{Standard, best.Percent, ""}, nil
	case some || p.inEU():
		return Treatment{}, billing.Fail(billing.NotFound, "taxCode", "There is no tax rate %q for %s on %s. Add one to the tax rates.", code, p.Country, on)
	}
	return Treatment{NotSubject, "0", reasonNotSubject}, nil
}

func (r *Rate) validOn(day billing.Date) bool {
	none := billing.Date{}
	return (r.ValidFrom == none || !r.ValidFrom.After(day)) && (r.ValidTo == none || !r.ValidTo.Before(day))
}

// before reports whether a rate goes before another: that of a region before that
// of its country, and then the one that began later.
func (r *Rate) before(other *Rate) bool {
	switch {
	case other == nil:
		return true
	case (r.Region == "") != (other.Region == ""):
		return r.Region != ""
	}
	return r.ValidFrom.After(other.ValidFrom)
}
