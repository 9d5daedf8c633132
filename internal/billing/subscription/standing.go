package subscription

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// The kinds of changes of standing. Webhooks tell only of those that take something
// away or give it back.
const (
	KindStandingChanged    = "standing.changed"
	KindStandingRestricted = "standing.restricted"
	KindStandingSuspended  = "standing.suspended"
	KindStandingRestored   = "standing.restored"
)

// Verdict is the standing that unpaid invoices give a subscription.
type Verdict struct {
	Standing billing.Standing
	// InvoiceID is the one of them that is the reason; nil if the standing is good.
	InvoiceID *billing.InvoiceID
	// Unbilled says that the days on which it is suspended are not billed.
	Unbilled bool
}

// SetStanding is the subscription with another standing. One that is over has a
// standing as well, which means nothing until it is reinstated.
func (s Subscription) SetStanding(v Verdict, today billing.Date) (Subscription, Change) {
	from, to, reason := s.standing(), v.Standing, v.InvoiceID
	if from == to && same(s.StandingInvoiceID, reason) {
		return s, Change{}
	}
	next := s.clone()
	next.Standing, next.StandingInvoiceID = to, reason
	next.pause(to == billing.Suspended && v.Unbilled, s.now(today))
	change := Change{Kind: standingChange(from, to), From: s.State, To: s.State, Detail: map[string]any{"from": from, "to": to}}
	if reason != nil {
		change.Detail["invoiceId"] = int64(*reason)
	}
	return next, change
}

// pause lets a pause begin or end, if need be: one begins when the subscription is
// suspended, and goes on until it is not, whatever becomes of the policy.
func (s *Subscription) pause(begins bool, today billing.Date) {
	if ended, over := s.EndedOn(); over && s.State.Ended() {
		today = minDate(today, ended)
	}
	switch {
	case s.standing() != billing.Suspended:
		s.Pauses = s.Pauses.Ended(today)
	case begins:
		s.Pauses = s.Pauses.Begun(today)
	}
}

// IsStanding reports whether it is the standing that changed.
func (c Change) IsStanding() bool { return strings.HasPrefix(c.Kind, "standing.") }

// standingChange names the change from one standing to another.
func standingChange(from, to billing.Standing) string {
	switch {
	case from == to, from.HasAllFeatures() && to.HasAllFeatures():
		return KindStandingChanged
	case to == billing.Suspended:
		return KindStandingSuspended
	case to == billing.Restricted:
		return KindStandingRestricted
	}
	return KindStandingRestored
}

// Tells reports whether a change is told to the tenant: not how the subscription is
// invoiced, not that an invoice is overdue, and not the standing of one that is over.
func (s *Subscription) Tells(c Change) bool {
	switch c.Kind {
	case KindInvoicingChanged, KindStandingChanged:
		return false
	case KindStandingRestricted, KindStandingSuspended, KindStandingRestored:
		return s.State.Live()
	}
	return true
}

// standing is the standing; one that was never set is good.
func (s *Subscription) standing() billing.Standing {
	if s.Standing == "" {
		return billing.Good
	}
	return s.Standing
}

// IsSuspended reports whether unpaid invoices keep a trial or active subscription from
// giving anything.
func (s *Subscription) IsSuspended() bool {
	return s.State.Live() && s.standing() == billing.Suspended
}

// WireState is the state as webhooks have it.
func (s *Subscription) WireState() string {
	if s.IsSuspended() {
		return "suspended"
	}
	return s.State.Wire()
}

// restrict takes away of a feature what a restricted subscription does not have. It
// reports whether anything is left.
func (p *ProvisionedFeature) restrict(f *catalog.IncludedFeature) bool {
	if f.WhenRestricted == catalog.RemoveWhenRestricted {
		return false
	}
	if most := f.RestrictedQuantity; p.Kind == catalog.Quantity && most != nil && (p.Quantity == nil || *p.Quantity > *most) {
		p.Quantity = most
	}
	return true
}
