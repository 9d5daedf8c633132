package dunning

import "github.com/tenantry/tenantry/internal/billing"

// Record is what is kept about the dunning of an invoice.
type Record struct {
	InvoiceID   billing.InvoiceID
	AccountID   billing.AccountID
	EntityID    billing.EntityID
	TestClockID *billing.TestClockID
	// Next is the day on which to look at the invoice, from collectionTime on; zero for
	// never.
	Next billing.Date
	// Standing is what the invoice by itself does to its subscriptions.
	Standing billing.Standing
	State    State
}

// State is how far the dunning of an invoice has come.
type State struct {
	// Begun says that a policy has counted for the invoice before.
	Begun      bool         `json:"begun,omitempty"`
	Done       Progress     `json:"done,omitempty"`
	Restarted  billing.Date `json:"restarted,omitzero"`
	HoldUntil  billing.Date `json:"holdUntil,omitzero"`
	HoldReason string       `json:"holdReason,omitempty"`
	Forfeited  bool         `json:"forfeited,omitempty"`
	// Overdue says that it was noticed that the invoice is overdue. This happens once.
	Overdue bool `json:"overdue,omitempty"`
}

// With returns the invoice as far as the record has it.
func (r *Record) With(i Invoice) Invoice {
	i.Done, i.Restarted, i.HoldUntil, i.Forfeited = r.State.Done, r.State.Restarted, r.State.HoldUntil, r.State.Forfeited
	return i
}

// Begin notes that a policy counts for the invoice. If it is overdue already, because
// there was no policy before, its steps begin today: nobody is suspended without a
// warning.
func (p *Policy) Begin(r *Record, i *Invoice, now Moment) {
	if p == nil || r.State.Begun {
		return
	}
	r.State.Begun = true
	if now.Day.After(i.Due) {
		r.State.Restarted, i.Restarted = now.Day, now.Day
	}
}

// Settle notes what follows from an invoice as it is: the standing that it gives, and
// when to look at it again. It reports whether the invoice has become overdue, which
// happens once, whether a policy counts for it or not.
func (p *Policy) Settle(r *Record, i *Invoice, now Moment) (overdue bool) {
	was := r.Standing
	r.Standing, r.Next = p.Standing(i, now.effective()), billing.Date{}
	if p == nil && i.AmountDue <= 0 || p != nil && !p.Open(i) {
		return false
	}
	if !r.State.Overdue && now.effective().After(i.Due) {
		r.State.Overdue, overdue = true, was == billing.Good // any other standing was told of before this was kept
	}
	p.schedule(r, i, now)
	if on := i.Due.AddDays(1); !r.State.Overdue && (r.Next == (billing.Date{}) || on.Before(r.Next)) {
		r.Next = on
	}
	return overdue
}

// schedule notes when the next step of an invoice is due, or its standing changes.
func (p *Policy) schedule(r *Record, i *Invoice, now Moment) {
	if p == nil {
		return
	}
	plan := p.Next(i, now)
	r.Next = plan.Again
	if len(plan.Now) > 0 {
		r.Next = now.Day
	} else if now.Passed && r.Next == now.Day {
		r.Next = now.Day.AddDays(1)
	}
	if pastDue := i.start().AddDays(1); r.Standing == billing.Good && !i.OneOff && (r.Next == (billing.Date{}) || pastDue.Before(r.Next)) {
		r.Next = pastDue
	}
}

// effective is the day that counts for standings: a day begins at collectionTime.
func (m Moment) effective() billing.Date {
	if m.Passed {
		return m.Day
	}
	return m.Day.AddDays(-1)
}

// Carried is a step that was carried out.
type Carried struct {
	ID        int64
	InvoiceID billing.InvoiceID
	Step
	On billing.Date
}
