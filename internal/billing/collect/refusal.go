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

// Learns is what an attempt says about the method as it is now. What is learned late of
// what it was before it was renewed says nothing. Nor does a charge that was declined for
// the time being lift a refusal that came after it began: only money that was moved does.
func (m *Method) Learns(a *Attempt) Verdict {
	verdict := a.Verdict()
	switch {
	case a.MethodRevision != m.Revision:
		return SaysNothing
	case verdict == Usable && a.Outcome != OutSucceeded && m.refusedSince(a):
		return SaysNothing
	}
	return verdict
}

// refusedSince reports whether the method was declined for good after an attempt began.
func (m *Method) refusedSince(a *Attempt) bool {
	return m.RefusedAt != nil && !m.RefusedAt.Before(a.StartedAt)
}

// Refuses returns why an attempt that was not sent yet is not to be sent with the method any
// more; empty if it is. A person may charge a method that was refused before.
func (m *Method) Refuses(a *Attempt) string {
	switch {
	case m.State != Active:
		return "The payment method was removed meanwhile. Nothing was charged."
	case m.refusedSince(a):
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
