package console

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/ui"
)

var dunningPolicyPages *resource[dunning.Policy, billing.DunningPolicyID]

// Set here, because pages refer to each other.
func init() {
	dunningPolicyPages = &resource[dunning.Policy, billing.DunningPolicyID]{
		path: "dunning-policies", one: "dunning policy", many: "Dunning policies", billing: true, Resource: invoicing.DunningPolicies,
		name:   func(p *dunning.Policy) string { return p.Name },
		about:  "A dunning policy says what happens while an invoice is unpaid: reminders, collection, and what becomes of the tenant. An entity has one, and an account may have another.",
		hint:   "default",
		fields: dunning.PolicyFields,
		listed: []string{"code", "tolerance"},
		show:   showDunningPolicy, said: []string{"tolerance"},
		begin: func(*call) (dunning.Policy, error) { return dunning.NewPolicy(), nil },
		inputs: func(*call, *dunning.Policy, bool) ([]ui.Section[dunning.Policy], error) {
			return append(ui.Sections(dunning.PolicyFields, ui.InputFor(dunning.PolicyFields, "name").Wide(), ui.InputFor(dunning.PolicyFields, "code").Suggested(), toleranceInput(), ui.InputFor(dunning.PolicyFields, "billWhileSuspended").Wide()),
				ui.Section[dunning.Policy]{Inputs: []ui.Input[dunning.Policy]{stepsInput()}}), nil
		},
		losses: func(*call, *dunning.Policy) (string, error) {
			return "Only a policy that nobody has can be deleted.", nil
		},
	}
}

func showDunningPolicy(_ *call, p *dunning.Policy) (*ui.Details, error) {
	steps := ui.Block{Title: "Steps", Note: "Days count from the due date of an invoice. An invoice is past due from day 1 on.",
		Table: ui.Table{Columns: []string{"Day", "Step", "E-mail"}}}
	for _, s := range p.Steps {
		steps.Table.Rows = append(steps.Table.Rows, []ui.Cell{ui.Plain(dayWord(s.Day)), ui.Plain(actionWord(s.Action)), ui.OrDash(s.Template)})
	}
	data := &ui.Details{Blocks: []ui.Block{steps}}
	data.Fact("Tolerance", ui.Money(p.Tolerance, "").WithSub("in the currency of the invoice"))
	return data, nil
}

// dayWord is a day of a policy for people.
func dayWord(day int) string {
	switch {
	case day == 0:
		return "on the due date"
	case day < 0:
		return ui.Plural(-day, "day", "days") + " before"
	}
	return ui.Plural(day, "day", "days") + " after"
}

// stepsInWords are the steps of a policy in an entry of the audit log.
func stepsInWords(value json.RawMessage) string {
	var steps []dunning.Step
	if json.Unmarshal(value, &steps) != nil {
		return jsonWords(value)
	}
	words := make([]string, len(steps))
	for i, s := range steps {
		if words[i] = dayWord(s.Day) + ": " + ui.Uncapitalized(actionWord(s.Action)); s.Template != "" {
			words[i] += " (" + s.Template + ")"
		}
	}
	return strings.Join(words, "; ")
}

// actionWord is a step for people.
func actionWord(a dunning.Action) string {
	words := map[dunning.Action]string{
		dunning.Remind: "Remind by e-mail", dunning.Collect: "Collect the payment", dunning.Restrict: "Restrict the subscriptions", dunning.Suspend: "Suspend the subscriptions",
		dunning.Cancel: "Cancel the subscriptions", dunning.WriteOff: "Write the invoice off",
	}
	return words[a]
}

func toleranceInput() ui.Input[dunning.Policy] {
	in := ui.InputFor(billing.Fields[dunning.Policy]{{Fields: []billing.Field[dunning.Policy]{
		billing.Describe("tolerance", "Tolerance", func(p *dunning.Policy) *string { return (*string)(&p.Tolerance) }).AsRequired().
			WithHelp("An invoice with no more than this amount due counts as paid. In units of its currency."),
	}}}, "tolerance")
	in.Set = func(p *dunning.Policy, typed string) *billing.Error {
		price, err := billing.ParsePrice(strings.TrimSpace(typed))
		if err != nil {
			return billing.Fail(billing.Invalid, "tolerance", "%q is not an amount. Write digits with a point before the fraction, such as 0.5.", billing.Excerpt(typed))
		}
		p.Tolerance = price
		return nil
	}
	return in
}

// stepsInput takes one step on each line: its day, what is done, and the template of
// its e-mail.
func stepsInput() ui.Input[dunning.Policy] {
	const name = "steps"
	return ui.Input[dunning.Policy]{
		Field: ui.Field{Name: name, Label: "Steps", Kind: ui.FieldArea, Rows: 14, Wide: true, Required: true, Placeholder: "0 COLLECT\n3 REMIND reminder\n21 SUSPEND",
			Help: "One per line: the day counted from the due date, what is done (REMIND, COLLECT, RESTRICT, SUSPEND, CANCEL or WRITE_OFF), and for REMIND the template of the e-mail."},
		Get: func(p *dunning.Policy) string {
			lines := make([]string, len(p.Steps))
			for i, s := range p.Steps {
				lines[i] = strings.TrimSpace(fmt.Sprintf("%d %s %s", s.Day, s.Action, s.Template))
			}
			return strings.Join(lines, "\n")
		},
		Set: func(p *dunning.Policy, typed string) *billing.Error {
			p.Steps = nil
			for i, line := range ui.Lines(typed) {
				words := strings.Fields(line)
				if len(words) == 0 {
					continue
				}
				day, err := strconv.Atoi(words[0])
				if err != nil || len(words) < 2 || len(words) > 3 || !slices.Contains(dunning.Actions(), dunning.Action(strings.ToUpper(words[1]))) {
					return billing.Fail(billing.Invalid, name, "Line %d is not a step. Write its day and what is done, such as: 21 SUSPEND", i+1)
				}
				step := dunning.Step{Day: day, Action: dunning.Action(strings.ToUpper(words[1]))}
				if len(words) == 3 {
					step.Template = words[2]
				}
				p.Steps = append(p.Steps, step)
			}
			return nil
		},
	}
}
