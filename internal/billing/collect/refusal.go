package collect

// Verdict is what an attempt says about its payment method.
type Verdict int

// What an attempt can say about its payment method.
const (
	SaysNothing Verdict = iota
	Usable              // the provider has charged it
	Refused             // charging it again is useless
)

// Verdict is what has become of an attempt, as far as other invoices are concerned. A
// charge that is taken back is about its own invoices alone, and so is one that is declined
// for the time being: it lifts no refusal, whenever it is learned.
func (a *Attempt) Verdict() Verdict {
	switch {
	case !a.Outcome.IsFinal(), a.Outcome == OutReversed:
		return SaysNothing
	case a.Hard:
		return Refused
	case a.Outcome == OutSucceeded:
		return Usable
	}
	return SaysNothing
}

// Learns is what an attempt says about the method as it is now. What is learned late of
// what it was before it was renewed says nothing.
func (m *Method) Learns(a *Attempt) Verdict {
	if a.MethodRevision != m.Revision {
		return SaysNothing
	}
	return a.Verdict()
}

// Refuses returns why an attempt that was not sent yet is not to be sent with the method any
// more; empty if it is. A person may charge a method that was refused before.
func (m *Method) Refuses(a *Attempt) string {
	switch {
	case m.State != Active:
		return "The payment method was removed meanwhile. Nothing was charged."
	case m.RefusedAt != nil && !m.RefusedAt.Before(a.StartedAt):
		return "The payment method was declined for good meanwhile. Nothing was charged."
	}
	return ""
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
	if m.State == Removed || m.Brand != brand || m.Last4 != last4 || !until {
		again = m.RefusedAt != nil
		m.RefusedAt, m.Revision = nil, m.Revision+1
	}
	m.Brand, m.Last4, m.Expires = brand, last4, expires
	return again
}

func sameMonth(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
