package dunning

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/billingtest"
	"github.com/tenantry/tenantry/internal/billing/money"
)

func policyWith(change func(*Policy)) *Policy {
	p := NewPolicy()
	change(&p)
	return &p
}

func policyOf(steps ...Step) *Policy { return policyWith(func(p *Policy) { p.Steps = steps }) }

func TestPoliciesAreAccepted(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*Policy{
		"default":                policyWith(func(*Policy) {}),
		"bounds":                 policyOf(Step{MinDay, Remind, TemplateReminder}, Step{MaxDay, WriteOff, ""}),
		"collect before due":     policyOf(Step{-5, Collect, ""}),
		"restrict, then suspend": policyOf(Step{5, Restrict, ""}, Step{5, Suspend, TemplateReminder}, Step{6, Cancel, ""}, Step{9, Collect, ""}),
		"tolerance":              policyWith(func(p *Policy) { p.Tolerance = "0.05" }),
	} {
		if ps := p.Check(); ps != nil {
			t.Errorf("%s: %v", name, ps)
		}
	}
}

func TestPoliciesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy      *Policy
		code        billing.Code
		field, says string
	}{
		{policyWith(func(p *Policy) { p.Name = "" }), billing.Required, "name", "empty"},
		{policyWith(func(p *Policy) { p.Code = "" }), billing.Required, "code", "empty"},
		{policyWith(func(p *Policy) { p.Tolerance = "-1" }), billing.Invalid, "tolerance", "not an amount"},
		{policyWith(func(p *Policy) { p.Tolerance = "0.50" }), billing.Invalid, "tolerance", "not an amount"},
		{policyWith(func(p *Policy) { p.Tolerance = "1000.01" }), billing.Invalid, "tolerance", "at most 1000"},
		{policyOf(), billing.Invalid, "steps", "1 to 50 steps, not 0"},
		{policyOf(slices.Repeat([]Step{{1, Collect, ""}}, 51)...), billing.Invalid, "steps", "not 51"},
		{policyOf(Step{1, "SHOUT", ""}), billing.Invalid, "steps.0.action", `no action "SHOUT". Use one of REMIND, COLLECT,`},
		{policyOf(Step{-31, Remind, TemplateReminder}), billing.Invalid, "steps.0.day", "from -30 to 365"},
		{policyOf(Step{366, Collect, ""}), billing.Invalid, "steps.0.day", "not 366"},
		{policyOf(Step{0, Suspend, ""}), billing.Invalid, "steps.0.day", "SUSPEND on day 0 is too early"},
		{policyOf(Step{1, Remind, ""}), billing.Required, "steps.0.template", "needs the template"},
		{policyOf(Step{1, Remind, "dunning"}), billing.Invalid, "steps.0.template", "due-soon, reminder, last-reminder"},
		{policyOf(Step{1, Remind, "a\x00"}), billing.Invalid, "steps.0.template", "NUL"},
		{policyOf(Step{3, Collect, ""}, Step{1, Collect, ""}), billing.Invalid, "steps.1.day", "in the order of their days"},
		{policyOf(Step{3, Remind, TemplateReminder}, Step{3, Collect, ""}, Step{3, Remind, TemplateLastReminder}), billing.Invalid, "steps.2.action", "REMIND is twice on day 3"},
		{policyOf(Step{3, Suspend, ""}, Step{5, Suspend, ""}), billing.Invalid, "steps.1.action", "SUSPEND is on day 3 already"},
		{policyOf(Step{3, Suspend, ""}, Step{5, Restrict, ""}), billing.Invalid, "steps.1.action", "Put RESTRICT before it"},
		{policyOf(Step{3, Cancel, ""}, Step{5, Suspend, ""}), billing.Invalid, "steps.1.action", "Put SUSPEND before it"},
		{policyOf(Step{3, WriteOff, ""}, Step{3, Cancel, ""}), billing.Invalid, "steps.1.action", "Put WRITE_OFF last"},
	} {
		billingtest.Refused(t, c.policy, c.code, c.field, c.says)
	}
}

func TestTolerance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tolerance billing.Price
		currency  string
		want      money.Amount
	}{
		{"0", "EUR", 0}, {"0.05", "EUR", 5}, {"0.059", "EUR", 5}, {"0.9", "JPY", 0}, {"1", "JPY", 1},
		{"0", "KWD", 5}, {"0.05", "KWD", 50}, {"", "EUR", 0},
	} {
		currency, err := money.CurrencyOf(c.currency)
		if err != nil {
			t.Fatal(err)
		}
		p := Policy{Tolerance: c.tolerance}
		if got := p.ToleranceIn(currency); got != c.want {
			t.Errorf("%s in %s is %d, want %d", c.tolerance, c.currency, got, c.want)
		}
	}
}
