package drift

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// MostTenants is how many tenants a request may report, and MostBytes how long it may
// be. MostMade is how long it may be in the standard form, if it is sent in another: a
// few bytes can become many.
const (
	MostTenants = 10_000
	MostBytes   = 8 << 20
	MostMade    = 2 * MostBytes
)

// mostFeatures bounds the features of one tenant.
const mostFeatures = 1_000

// mostText bounds the texts of a feature.
const mostText = 2_000

// maxNumber bounds numbers, so that they are exact in every program that reads JSON.
const maxNumber = 1 << 53

// OpenFor is how long a full report can be continued. One that was not completed by
// then never is.
const OpenFor = 24 * time.Hour

// Begun is when an application began to look, by the first request of a full report: it may
// take long until it has looked at all tenants of that. Nobody is believed to look for half
// of the time that a report can be continued.
func Begun(states []State, now time.Time) time.Time {
	begun := now
	for n := range states {
		if at := states[n].At; at != nil && at.Before(begun) {
			begun = *at
		}
	}
	if earliest := now.Add(-OpenFor / 2); begun.Before(earliest) {
		return earliest
	}
	return begun
}

// KeptFor is how long reports are kept, to show drift over time.
const KeptFor = 400 * 24 * time.Hour

// CheckReportName returns what is wrong with the name that an application gives a report.
func CheckReportName(field, name string) *billing.Error {
	if name == "" {
		return billing.Requiredf(field, "The id of a report must not be empty.")
	}
	return billing.CheckText(field, name, 100)
}

// Check returns what is wrong with a report of several tenants. Where says how an error
// names the place of a tenant, by its index; field is the path of the tenants.
func Check(field string, states []State, where func(i int) string) error {
	if len(states) > MostTenants {
		return billing.Fail(billing.TooMany, field, "A request reports at most %d tenants, and this one has more. Send several with one report id.", MostTenants)
	}
	first := make(map[string]int, len(states))
	for i := range states {
		s := &states[i]
		if e := s.check(field, where(i)); e != nil {
			return e
		}
		if before, twice := first[s.Code]; twice {
			return billing.Invalidf(field, "The tenant %q is in the request twice: %s and %s.", s.Code, where(before), where(i))
		}
		first[s.Code] = i
	}
	return nil
}

func (s *State) check(field, where string) *billing.Error {
	switch {
	case s.Code == "":
		return billing.Requiredf(field, "%s: the tenant has no code.", where)
	case billing.CheckText("code", s.Code, 200) != nil:
		return billing.Invalidf(field, "%s: the code of the tenant is no text of up to 200 characters.", where)
	case s.Sequence < 0 || s.Sequence > maxNumber:
		return billing.Invalidf(field, "%s: the sequence of tenant %q is %d. It is the highest webhook-sequence that was acted on, or 0 for none.", where, s.Code, s.Sequence)
	case len(s.Features) > mostFeatures:
		return billing.Fail(billing.TooMany, field, "%s: tenant %q has more than %d features.", where, s.Code, mostFeatures)
	}
	return s.checkFeatures(field, where)
}

func (s *State) checkFeatures(field, where string) *billing.Error {
	seen := make(map[string]bool, len(s.Features))
	for i := range s.Features {
		f := &s.Features[i]
		switch {
		case f.Code == "":
			return billing.Requiredf(field, "%s: feature %d of tenant %q has no code.", where, i+1, s.Code)
		case billing.CheckText("code", f.Code, mostText) != nil || billing.CheckText("value", f.Value, mostText) != nil:
			return billing.Invalidf(field, "%s: feature %d of tenant %q has a code or a value that is no text of up to %d characters.", where, i+1, s.Code, mostText)
		case f.Quantity != nil && (*f.Quantity < 0 || *f.Quantity > maxNumber):
			return billing.Invalidf(field, "%s: the quantity of feature %q of tenant %q is %d. It is 0 or more, or null for no limit.", where, f.Code, s.Code, *f.Quantity)
		case seen[f.Code]:
			return billing.Invalidf(field, "%s: tenant %q has the feature %q twice.", where, s.Code, f.Code)
		}
		seen[f.Code] = true
	}
	return nil
}
