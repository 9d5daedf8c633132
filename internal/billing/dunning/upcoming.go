package dunning

import "github.com/tenantry/tenantry/internal/billing"

// Planned is a step with the day on which it will be carried out.
type Planned struct {
	Day  billing.Date
	Step Step
}

// Upcoming lists the steps that are still to come, for people, as if every further
// charge was declined and nothing else changed.
func (p *Policy) Upcoming(i Invoice, now Moment) []Planned {
	var planned []Planned
	for {
		plan := p.Next(&i, now)
		for _, step := range plan.Now {
			planned = append(planned, Planned{now.Day, step})
			i = i.After(step)
			if step.Action == WriteOff {
				return planned
			}
		}
		if plan.Again == (billing.Date{}) {
			return planned
		}
		now = Moment{Day: plan.Again, Passed: true}
	}
}
