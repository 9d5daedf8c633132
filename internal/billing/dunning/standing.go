package dunning

import (
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// The events that tell of a change of standing.
const (
	EventRestricted = "standing.restricted"
	EventSuspended  = "standing.suspended"
	EventRestored   = "standing.restored"
)

// ChangeEvent is the event of a change from one standing to another. It is empty if
// the change takes nothing away and gives nothing back.
func ChangeEvent(from, to billing.Standing) string {
	switch {
	case from == to, from.HasAllFeatures() && to.HasAllFeatures():
		return ""
	case to == billing.Suspended:
		return EventSuspended
	case to == billing.Restricted:
		return EventRestricted
	}
	return EventRestored
}

// Standing is what an invoice by itself does to the subscriptions it has items of.
// What was carried out stays in force until the invoice is paid, also while steps
// wait.
func (p *Policy) Standing(i *Invoice, today billing.Date) billing.Standing {
	if p == nil || i.OneOff || !i.Forfeited && !p.Open(i) {
		return billing.Good
	}
	if _, suspended := i.Done[Suspend]; suspended {
		return billing.Suspended
	}
	if _, restricted := i.Done[Restrict]; restricted {
		return billing.Restricted
	}
	if p.Open(i) && today.After(i.start()) { // nothing may be claimed any more of one that is forfeited
		return billing.PastDue
	}
	return billing.Good
}

// Claim is an invoice with the policy it is subject to, nil for none.
type Claim struct {
	Policy  *Policy
	Invoice *Invoice
}

// Verdict is the standing of a subscription, and the invoice that is the reason
// for it, nil if it is good.
type Verdict struct {
	Standing billing.Standing
	Invoice  *Invoice
	Today    billing.Date
}

// Judge returns the standing of a subscription by its unpaid invoices: the worst
// of what each does. Of several, the one that is overdue for longest is the reason.
func Judge(claims []Claim, today billing.Date) Verdict {
	verdict := Verdict{Standing: billing.Good, Today: today}
	for _, c := range claims {
		standing := c.Policy.Standing(c.Invoice, today)
		if standing == billing.Good {
			continue
		}
		if standing.Worse(verdict.Standing) || standing == verdict.Standing && c.Invoice.before(verdict.Invoice) {
			verdict.Standing, verdict.Invoice = standing, c.Invoice
		}
	}
	return verdict
}

func (i *Invoice) before(other *Invoice) bool {
	return i.Due.Before(other.Due) || i.Due == other.Due && i.Number < other.Number
}

// Why says in a sentence why the standing is not good, such as "suspended: invoice
// INV-2026-000017 is 21 days overdue". It is empty if the standing is good.
func (v Verdict) Why() string {
	if v.Invoice == nil {
		return ""
	}
	word := strings.ToLower(strings.ReplaceAll(string(v.Standing), "_", " "))
	return fmt.Sprintf("%s: invoice %s %s", word, v.Invoice.Number, v.Invoice.delay(v.Today))
}

func (i *Invoice) delay(today billing.Date) string {
	switch days := i.DaysOverdue(today); {
	case i.Forfeited:
		return "was written off"
	case days < 1:
		return "is unpaid" // its due day was moved
	case days == 1:
		return "is 1 day overdue"
	default:
		return fmt.Sprintf("is %d days overdue", days)
	}
}
