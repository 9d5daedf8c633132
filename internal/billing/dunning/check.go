package dunning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// The bounds of a policy.
const (
	MinDay   = -30
	MaxDay   = 365
	MaxSteps = 50
	// MaxTolerance is in units of a currency.
	MaxTolerance billing.Price = "1000"
)

// Actions lists all actions.
func Actions() []Action { return []Action{Remind, Collect, Restrict, Suspend, Cancel, WriteOff} }

// PolicyFields describes the fields of a policy.
var PolicyFields = billing.Fields[Policy]{{Fields: []billing.Field[Policy]{
	billing.Describe("name", "Name", func(p *Policy) *string { return &p.Name }, billing.NameText).AsRequired(),
	billing.Describe("code", "Code", func(p *Policy) *string { return &p.Code }, billing.CheckCode).AsRequired().WithHelp("Unique."),
	billing.Describe("tolerance", "Tolerance", func(p *Policy) *billing.Price { return &p.Tolerance }, checkTolerance).AsRequired().
		WithHelp("An invoice with no more than this amount due counts as paid. In units of its currency."),
	billing.Describe("billWhileSuspended", "Bill suspended days", func(p *Policy) *bool { return &p.BillWhileSuspended }).
		WithHelp("If not, days on which a subscription is suspended are free: those that were billed before are credited when the suspension ends."),
}}}

// Check returns what is wrong with the policy, nil if nothing is.
func (p *Policy) Check() billing.Problems {
	ps := PolicyFields.Check(p)
	if len(p.Steps) == 0 || len(p.Steps) > MaxSteps {
		ps.Add(billing.Invalidf("steps", "A policy has 1 to %d steps, not %d. An account without dunning has dunningExempt.", MaxSteps, len(p.Steps)))
		return ps
	}
	for i := range p.Steps {
		ps.Add(p.checkStep(i))
	}
	return ps
}

func checkTolerance(field string, value billing.Price) *billing.Error {
	canonical, err := billing.ParsePrice(string(value))
	switch {
	case err != nil || canonical != value:
		return billing.Invalidf(field, "%q is not an amount. Write digits with a point before the fraction, such as 0.5.", billing.Excerpt(string(value)))
	case value.Cmp(MaxTolerance) > 0:
		return billing.Invalidf(field, "A tolerance is at most %s, not %s.", MaxTolerance, value)
	}
	return nil
}

// templates are those that a step can name.
var templates = []string{TemplateDueSoon, TemplateReminder, TemplateLastReminder}

// checkStep returns the first thing that is wrong with a step, by itself and after
// those before it.
func (p *Policy) checkStep(i int) *billing.Error {
	step, at := p.Steps[i], fmt.Sprintf("steps.%d.", i)
	if !slices.Contains(Actions(), step.Action) {
		return billing.Invalidf(at+"action", "There is no action %q. Use one of %s.", billing.Excerpt(string(step.Action)), actionList())
	}
	if step.Day < MinDay || step.Day > MaxDay {
		return billing.Invalidf(at+"day", "The day of a step is from %d to %d, counted from the due day, not %d.", MinDay, MaxDay, step.Day)
	}
	if step.Day < 1 && step.Action != Remind && step.Action != Collect {
		return billing.Invalidf(at+"day", "%s on day %d is too early: an invoice is overdue from day 1 on. Before, only REMIND and COLLECT are allowed.", step.Action, step.Day)
	}
	if step.Action == Remind && step.Template == "" {
		return billing.Requiredf(at+"template", "REMIND on day %d needs the template of its e-mail.", step.Day)
	}
	if e := billing.CheckText(at+"template", step.Template, billing.MaxCode); e != nil {
		return e
	}
	if step.Template != "" && !slices.Contains(templates, step.Template) {
		return billing.Invalidf(at+"template", "There is no reminder %q. Use one of %s.", billing.Excerpt(step.Template), strings.Join(templates, ", "))
	}
	if i == 0 {
		return nil
	}
	return checkAfter(at, step, p.Steps[:i])
}

// checkAfter refuses a step that makes no sense after those before it.
func checkAfter(at string, step Step, before []Step) *billing.Error {
	if last := before[len(before)-1]; step.Day < last.Day {
		return billing.Invalidf(at+"day", "%s on day %d stands after %s on day %d. Put the steps in the order of their days.", step.Action, step.Day, last.Action, last.Day)
	}
	for _, b := range before {
		once := step.Action != Remind && step.Action != Collect
		switch {
		case b.Action == step.Action && b.Day == step.Day:
			return billing.Invalidf(at+"action", "%s is twice on day %d. Remove one of them.", step.Action, step.Day)
		case b.Action == step.Action && once:
			return billing.Invalidf(at+"action", "%s is on day %d already. It has an effect only once; remove the one on day %d.", step.Action, b.Day, step.Day)
		case b.Action == WriteOff:
			return billing.Invalidf(at+"action", "%s on day %d comes after WRITE_OFF, when nothing is due any more. Put WRITE_OFF last.", step.Action, step.Day)
		case step.Action == Restrict && (b.Action == Suspend || b.Action == Cancel):
			return billing.Invalidf(at+"action", "RESTRICT on day %d comes after %s on day %d, which has taken all features away. Put RESTRICT before it.", step.Day, b.Action, b.Day)
		case step.Action == Suspend && b.Action == Cancel:
			return billing.Invalidf(at+"action", "SUSPEND on day %d comes after CANCEL on day %d, when the subscription has ended. Put SUSPEND before it.", step.Day, b.Day)
		}
	}
	return nil
}

func actionList() string {
	var names []string
	for _, a := range Actions() {
		names = append(names, string(a))
	}
	return strings.Join(names, ", ")
}
