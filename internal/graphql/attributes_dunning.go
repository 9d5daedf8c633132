package graphql

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func editPolicy(in gen.DunningPolicyAttributes, creating bool) func(*dunning.Policy) error {
	return edit(setPolicy, in, creating, func(p *patch, policy *dunning.Policy) {
		if steps, set := in.Steps.ValueOK(); set {
			policy.Steps = p.steps(steps)
		}
	})
}

func (p *patch) steps(in []*gen.DunningStepAttributes) []dunning.Step {
	steps := make([]dunning.Step, len(in))
	for n, step := range in {
		field := fmt.Sprintf("steps.%d", n)
		day, action := step.Day.Value(), step.Action.Value()
		if day == nil {
			p.fail(billing.Required, field+".day", "A step needs its day, counted from the due date.")
		}
		if action == nil {
			p.fail(billing.Required, field+".action", "A step says what is done: give action.")
		}
		steps[n] = dunning.Step{Day: valueOf(day), Action: valueOf(action), Template: valueOf(step.Template.Value())}
	}
	return steps
}
