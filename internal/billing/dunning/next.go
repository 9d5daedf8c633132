package dunning

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// Moment is a day in the operator's time zone, and whether the entity's
// collectionTime has passed on it. Steps are carried out from that time on.
type Moment struct {
	Day    billing.Date
	Passed bool
}

// Plan is what to do about an invoice.
type Plan struct {
	// Now has the steps to carry out, in order. A COLLECT is always the last of
	// them: what follows depends on its outcome.
	Now []Step
	// Again is the day to look again if nothing else changes; zero for never. It is
	// today before collectionTime, and when a COLLECT has steps after it.
	Again billing.Date
}

// Next decides which steps of an invoice are carried out now. Whoever carries them
// out records each with After, and asks again whenever the invoice, its payments or
// the payment method change.
//
// Of the steps that were missed, by downtime, a hold or a pending payment, the last
// one of each action is carried out, once.
func (p *Policy) Next(i *Invoice, now Moment) Plan {
	var plan Plan
	if !p.Open(i) {
		return plan
	}
	collecting := false
	for _, step := range p.toCome(i, now) {
		ready := i.readyOn(step, now)
		switch {
		case ready == (billing.Date{}):
			continue
		case ready.After(now.Day), collecting, !now.Passed && !i.retries(step, now):
			plan.lookOn(ready)
			continue
		}
		plan.Now = append(plan.Now, step)
		collecting = step.Action == Collect
	}
	return plan
}

// lookOn makes the plan's next day no later than a day.
func (plan *Plan) lookOn(day billing.Date) {
	if plan.Again == (billing.Date{}) || day.Before(plan.Again) {
		plan.Again = day
	}
}

// toCome are the steps that are not carried out yet and can be: of those whose time
// has come the last of each action, and all later ones.
func (p *Policy) toCome(i *Invoice, now Moment) []Step {
	seen := map[Action]bool{}
	var steps []Step
	for _, step := range slices.Backward(p.Steps) {
		past := i.past(step, now)
		done, before := i.Done[step.Action]
		switch {
		case past && seen[step.Action]:
			continue
		case before && step.Day <= done && !i.retries(step, now):
			continue
		case !i.allows(step):
			continue
		}
		seen[step.Action] = past
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return steps
}

// past reports whether the time of a step has come.
func (i *Invoice) past(step Step, now Moment) bool {
	today := i.start().DaysUntil(now.Day)
	return step.Day < today || step.Day == today && now.Passed
}

// retries reports whether a step is a COLLECT that a new payment method repeats, at
// any time of day.
func (i *Invoice) retries(step Step, now Moment) bool {
	return step.Action == Collect && i.NewMethod && i.past(step, now)
}

// allows reports whether a step has a meaning for the invoice, whenever it happens.
func (i *Invoice) allows(step Step) bool {
	if step.Day < 0 && i.Restarted != (billing.Date{}) {
		return false // what begins again begins on day 0
	}
	switch step.Action {
	case Collect:
		return i.HasMethod && !i.HardDecline
	case Remind:
		// Before the due day, only those who pay by themselves need a reminder, and
		// not together with the invoice.
		return step.Day >= 0 || !i.HasMethod && !i.start().AddDays(step.Day).Before(i.Issued)
	}
	return !i.OneOff
}

// readyOn is the first day from today on which a step can be carried out, zero if
// there is none unless something changes. While a charge has no outcome, there is no
// other COLLECT, however long that takes: nothing is charged twice.
func (i *Invoice) readyOn(step Step, now Moment) billing.Date {
	ready := latest(now.Day, i.start().AddDays(step.Day), i.HoldUntil)
	if i.Attempt == Unanswered || i.Attempt == Pending && step.Action != Remind {
		ready = latest(ready, i.AttemptOn.AddDays(PendingDays))
	}
	switch {
	case step.Action == Collect && i.Attempt != NoAttempt:
		return billing.Date{}
	case step.Day < 0 && step.Action == Remind && !ready.Before(i.start()):
		return billing.Date{} // an invoice that is due is not due soon
	}
	return ready
}

func latest(days ...billing.Date) billing.Date { return slices.MaxFunc(days, billing.Date.Compare) }
