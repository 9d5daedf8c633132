package drift

// Outcome is what came of comparing a tenant.
type Outcome string

// The outcomes there are.
const (
	// InSync means that the application has what it was told last.
	InSync Outcome = "IN_SYNC"
	// Behind means that it has what it was told, and there is something newer.
	Behind Outcome = "BEHIND"
	// Drifted means that it has something else than what it was told.
	Drifted Outcome = "DRIFTED"
	// Ahead means that it names a webhook that was never sent.
	Ahead Outcome = "AHEAD"
	// UnknownTenant means that the tenant is only there.
	UnknownTenant Outcome = "UNKNOWN_TENANT"
	// Missing means that the tenant is only here.
	Missing Outcome = "MISSING"
)

// Outcomes are all outcomes.
var Outcomes = []Outcome{InSync, Behind, Drifted, Ahead, UnknownTenant, Missing}

// Words are what people call an outcome.
func (o Outcome) Words() string {
	switch o {
	case InSync:
		return "in sync"
	case Behind:
		return "behind"
	case Drifted:
		return "differs"
	case Ahead:
		return "ahead"
	case UnknownTenant:
		return "not known here"
	case Missing:
		return "missing there"
	}
	return string(o)
}

// WordsOf are those of so many tenants.
func (o Outcome) WordsOf(tenants int) string {
	if o == Drifted && tenants != 1 {
		return "differ"
	}
	return o.Words()
}

// Counts is how many tenants had each outcome.
type Counts map[Outcome]int

// Judged is how many tenants of ours were compared: those that exist only in the
// application are none.
func (c Counts) Judged() int {
	n := 0
	for outcome, count := range c {
		if outcome != UnknownTenant {
			n += count
		}
	}
	return n
}

// Suspicious says whether so much of a full report differs that the reporter is more
// likely to be broken than the tenants: then a person decides.
func (c Counts) Suspicious() bool {
	return (c[Drifted]+c[Missing])*100 > c.Judged()*mostDriftedPercent
}

// mostDriftedPercent is how much of a full report may differ and still be repaired
// without a person.
const mostDriftedPercent = 5
