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
	v := i.view(now)
	again, collecting := never, false
	for _, step := range v.toCome(p.Steps) {
		ready := v.readyOn(step)
		switch {
		case ready > v.today, collecting, !v.passed && !v.retries(step):
			again = min(again, ready)
		default:
			plan.Now = append(plan.Now, step)
			collecting = step.Action == Collect
		}
	}
	if again != never {
		plan.Again = i.start().AddDays(again)
	}
	return plan
}

// never is later than every day.
const never = 1 << 30

// view is an invoice at a moment, with its days counted as those of steps are.
type view struct {
	*Invoice
	today  int
	passed bool
	issued int
	// held and waited are the first days after a hold, and after the longest wait for
	// an attempt.
	held, waited int
}

func (i *Invoice) view(now Moment) view {
	start := i.start()
	v := view{Invoice: i, today: start.DaysUntil(now.Day), passed: now.Passed, issued: start.DaysUntil(i.Issued)}
	v.held, v.waited = v.today, v.today
	if i.HoldUntil.After(now.Day) {
		v.held = start.DaysUntil(i.HoldUntil)
	}
	if i.Attempt != NoAttempt {
		v.waited = max(v.today, start.DaysUntil(i.AttemptOn)+PendingDays)
	}
	return v
}

// toCome are the steps that are not carried out yet and can be: of those whose time
// has come the last of each action, and all later ones.
func (v *view) toCome(all []Step) []Step {
	steps := make([]Step, 0, len(all))
	seen := make([]Action, 0, len(Actions()))
	for _, step := range slices.Backward(all) {
		past := v.past(step)
		done, before := v.Done[step.Action]
		switch {
		case past && slices.Contains(seen, step.Action):
			continue
		case before && step.Day <= done && !v.retries(step):
			continue
		case !v.allows(step):
			continue
		}
		if past {
			seen = append(seen, step.Action)
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return steps
}

// past reports whether the time of a step has come.
func (v *view) past(step Step) bool {
	return step.Day < v.today || step.Day == v.today && v.passed
}

// retries reports whether a step is a COLLECT that a new payment method repeats, at
// any time of day.
func (v *view) retries(step Step) bool {
	return step.Action == Collect && v.NewMethod && v.past(step)
}

// allows reports whether a step has a meaning for the invoice, whenever it happens.
func (v *view) allows(step Step) bool {
	if step.Day < 0 && v.Restarted != (billing.Date{}) {
		return false // what begins again begins on day 0
	}
	switch step.Action {
	case Collect:
		// While a charge has no outcome there is no other, however long that takes:
		// nothing is charged twice.
		return v.HasMethod && !v.HardDecline && v.Attempt == NoAttempt
	case Remind:
		// Before the due day, only those who pay by themselves need a reminder, and
		// not together with the invoice. Once it is due, it is not due soon.
		return step.Day >= 0 || !v.HasMethod && step.Day >= v.issued && v.readyOn(step) < 0
	}
	return !v.OneOff
}

// readyOn is the first day from today on which a step can be carried out.
func (v *view) readyOn(step Step) int {
	ready := max(v.today, step.Day, v.held)
	// A pending payment may make needless what takes something away, for good above all.
	if v.Attempt == Unanswered || v.Attempt == Pending && step.Action != Remind {
		ready = max(ready, v.waited)
	}
	return ready
}
