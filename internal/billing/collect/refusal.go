package collect

// Verdict is what an attempt says about its payment method.
type Verdict int

// What an attempt can say about its payment method.
const (
	SaysNothing Verdict = iota
	Usable              // the provider has charged it, or may do so another time
	Refused             // charging it again is useless
)

// Verdict is what has become of an attempt, as far as other invoices are concerned. A
// charge that is taken back is about its own invoices alone.
func (a *Attempt) Verdict() Verdict {
	switch {
	case !a.Outcome.IsFinal(), a.Outcome == OutReversed:
		return SaysNothing
	case a.Hard:
		return Refused
	case a.Outcome == OutSucceeded, a.Outcome == OutDeclined:
		return Usable
	}
	return SaysNothing // the request failed for another reason
}

// Renew notes what people know the method by now. It reports whether it can be charged
// again after it was declined for good: it is another card or account, is valid for
// longer, or was added again after it was removed. Being told the same twice changes
// nothing.
func (m *Method) Renew(brand, last4 string, expires *string) (again bool) {
	until := sameMonth(m.Expires, expires)
	if !until {
		m.ExpiryTold = nil // of another month
	}
	again = m.RefusedAt != nil && (m.State == Removed || m.Brand != brand || m.Last4 != last4 || !until)
	if again {
		m.RefusedAt = nil
	}
	m.Brand, m.Last4, m.Expires = brand, last4, expires
	return again
}

func sameMonth(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
