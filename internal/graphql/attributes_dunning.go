package graphql

import (
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func editPolicy(in gen.DunningPolicyAttributes, creating bool) func(*dunning.Policy) error {
	return edit(setPolicy, in, creating, func(_ *patch, p *dunning.Policy) {
		if steps, set := in.Steps.ValueOK(); set {
			p.Steps = make([]dunning.Step, len(steps))
			for n, step := range steps {
				p.Steps[n] = dunning.Step{Day: step.Day, Action: step.Action}
				if template := step.Template.Value(); template != nil {
					p.Steps[n].Template = *template
				}
			}
		}
	})
}
