package console_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/ui"
)

// policy makes a dunning policy with a few steps.
func (s *site) policy() *dunning.Policy {
	s.t.Helper()
	return must[*dunning.Policy](s)(invoicing.DunningPolicies.Create(s.ctx, s.service.Runner, func(p *dunning.Policy) error {
		p.Code, p.Name, p.Tolerance, p.BillWhileSuspended = "strict", "Strict", "1.5", true
		p.Steps = []dunning.Step{{Day: -3, Action: dunning.Remind, Template: dunning.TemplateDueSoon}, {Day: 0, Action: dunning.Collect}, {Day: 21, Action: dunning.Suspend}}
		return nil
	}))
}

// TestDunningPolicyPage shows all that a policy says, on its page and in the list, and
// calls the steps by their name once in its form.
func TestDunningPolicyPage(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	p := s.policy()
	v := s.as(billing.Admin)
	here := "/dunning-policies/" + ui.IDText(p.ID)
	v.wants(v.get(here), 200, "Tolerance 1.5 in the currency of the invoice", "Bill suspended days Yes")
	v.wants(v.get("/dunning-policies"), 200, "Strict strict 1.5")
	if text := v.wants(v.get(here+"/edit"), 200, "Steps required").text(); strings.Contains(text, "Steps Steps") {
		t.Errorf("the form says it twice: %s", text)
	}
}

// TestAuditTellsOfSteps shows what the steps of a policy were and are, and calls its
// fields what its page calls them.
func TestAuditTellsOfSteps(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	p := s.policy()
	must[*dunning.Policy](s)(invoicing.DunningPolicies.Update(s.ctx, s.service.Runner, p.ID, func(p *dunning.Policy) error {
		p.BillWhileSuspended = false
		p.Steps = []dunning.Step{{Day: 1, Action: dunning.Collect}, {Day: 14, Action: dunning.WriteOff}}
		return nil
	}))
	v := s.as(billing.Admin)
	page := regexp.MustCompile(`href="(/audit/\d+)">Changed the dunning policy`).FindStringSubmatch(v.get("/audit").body)
	if page == nil {
		t.Fatal("the change is not listed")
	}
	v.wants(v.get("/audit"), 200, "bill suspended days, steps")
	v.wants(v.get(page[1]), 200, "Bill suspended days yes no",
		"3 days before: remind by e-mail (due-soon); on the due date: collect the payment; 21 days after: suspend the subscriptions "+
			"1 day after: collect the payment; 14 days after: write the invoice off")
}

// TestDunningPolicyInUse says who has a policy that cannot be deleted.
func TestDunningPolicyInUse(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	p := s.policy()
	v := s.as(billing.Admin)
	here := "/dunning-policies/" + ui.IDText(p.ID)
	for _, c := range []struct {
		account int
		want    string
	}{{0, "1 account"}, {1, "2 accounts"}} {
		must[*billing.Account](s)(s.service.Customers.AccountUpdate(s.ctx, s.accounts[c.account].ID, func(a *billing.Account) error { a.DunningPolicyID = &p.ID; return nil }, nil))
		v.wants(v.get(here), 200, "It cannot be deleted: the dunning policy is that of "+c.want+". Choose another one there first.")
	}
	must[*billing.Entity](s)(invoicing.Entities.Update(s.ctx, s.service.Runner, 1, func(e *billing.Entity) error { e.DunningPolicyID = &p.ID; return nil }))
	v.wants(v.get(here), 200, "is that of 1 entity and 2 accounts.")
}
