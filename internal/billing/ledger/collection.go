package ledger

import "github.com/tenantry/tenantry/internal/billing"

// Collection says when what is due goes on an invoice.
type Collection struct {
	Mode CollectionMode
	// BillingDay is the account's day of the month, or the last day of a month
	// that is too short for it.
	BillingDay int
}

// CollectionMode is how invoices are collected.
type CollectionMode string

// Everything that calls for an invoice gets one on its day, and the rest waits
// for that or for the billing day; or everything waits for the billing day.
const (
	AsDue        CollectionMode = "AS_DUE"
	OnBillingDay CollectionMode = "ON_BILLING_DAY"
)

// BillOn is the day on which the account is billed if there is nothing but this
// to bill. callsOn is zero for what does not call for an invoice by itself.
func (c Collection) BillOn(due, callsOn billing.Date) billing.Date {
	on := NextBillingDay(due, c.BillingDay)
	if c.Mode != OnBillingDay && callsOn != (billing.Date{}) {
		on = sooner(on, callsOn)
	}
	return on
}

// NextBillingDay is the first billing day on or after a day.
func NextBillingDay(day billing.Date, billingDay int) billing.Date {
	if on := billing.BillingDate(day.Year, day.Month, billingDay); !on.Before(day) {
		return on
	}
	return day.AddMonthsAnchored(1, billingDay)
}

// AlignedEnd is the end of a first term that is to end with the account's billing
// period: the day before the next billing day after its start. A start that is a
// billing day needs no other end.
func AlignedEnd(start billing.Date, billingDay int) (end billing.Date, aligns bool) {
	next := NextBillingDay(start, billingDay)
	return next.AddDays(-1), next != start
}

// Collect returns the changes that are billed today: none unless something calls
// for it or has waited long enough, and then everything that is due.
func (c Collection) Collect(changes []Change, today billing.Date) []Change {
	var due []Change
	calls := false
	for i := range changes {
		if change := &changes[i]; !change.Due.After(today) {
			due = append(due, *change)
			calls = calls || !c.BillOn(change.Due, change.CallsOn).After(today)
		}
	}
	if !calls {
		return nil
	}
	return due
}

// NextBilling is the earliest day on which the account has to be looked at
// because of this subscription, and whether there is one. changes are those that
// were not billed; everything else that was due by the day billedThrough was.
func (t *Timeline) NextBilling(changes []Change, billedThrough billing.Date, c Collection) (billing.Date, bool) {
	next := forever
	for i := range changes {
		next = sooner(next, c.BillOn(changes[i].Due, changes[i].CallsOn))
	}
	if due, some := t.NextDue(billedThrough); some {
		next = sooner(next, c.BillOn(due, due))
	}
	return next, next != forever
}
