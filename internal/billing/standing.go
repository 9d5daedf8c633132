package billing

// Standing says what unpaid invoices do to a subscription.
type Standing string

// The standings, from the best to the worst.
const (
	Good       Standing = "GOOD"
	PastDue    Standing = "PAST_DUE"   // an invoice is overdue; nothing is taken away
	Restricted Standing = "RESTRICTED" // some features are taken away
	Suspended  Standing = "SUSPENDED"  // all features are taken away
)

// Standings lists all standings, from the best to the worst.
func Standings() []Standing { return []Standing{Good, PastDue, Restricted, Suspended} }

// rank is the place of a standing among all.
func (s Standing) rank() int {
	for n, other := range Standings() {
		if s == other {
			return n
		}
	}
	return 0
}

// Worse reports whether s is worse than another.
func (s Standing) Worse(than Standing) bool { return s.rank() > than.rank() }

// HasAllFeatures reports whether nothing is taken away.
func (s Standing) HasAllFeatures() bool { return !s.Worse(PastDue) }
