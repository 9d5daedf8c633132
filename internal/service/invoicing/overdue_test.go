package invoicing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// TestInvoiceOverdueIsToldOnce tells event endpoints that an invoice is overdue, whatever
// the policy does first, and for customers that no policy counts for.
func TestInvoiceOverdueIsToldOnce(t *testing.T) {
	for _, c := range []struct {
		name, steps string
		exempt      bool
		// down is for how many days after the due day nothing runs.
		down int
		days string
	}{
		{name: "reminded first", steps: "3 REMIND", days: "1"},
		{name: "restricted at once", steps: "1 RESTRICT, 9 SUSPEND", days: "1"},
		{name: "suspended at once", steps: "1 SUSPEND", days: "1"},
		{name: "after downtime", steps: "1 RESTRICT, 5 SUSPEND", down: 7, days: "7"},
		{name: "exempt", steps: "1 SUSPEND", exempt: true, days: "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachOffice(t, func(o *office) {
				o.endpoint(webhook.InvoiceOverdue)
				o.dunned(o.policy("p", strings.Split(c.steps, ", ")...))
				o.list("fee", 1, flat("100", catalog.Monthly))
				o.customer("acme", func(a *billing.Account) { a.DunningExempt = c.exempt })
				sub := o.Subscribe("fee", "acme")
				o.run()
				i := o.lastInvoice()
				o.days(i.DueAt.String())
				if words, _ := o.business(); len(words) > 0 {
					t.Errorf("told on the due day: %v", words)
				}
				o.at(i.DueAt.AddDays(max(1, c.down)).String())
				o.run()
				_, bodies := o.business()
				if len(bodies) != 1 || !strings.Contains(bodies[0], i.Number) || !strings.Contains(bodies[0], `"daysOverdue":`+c.days+"}") {
					t.Errorf("told when it was overdue: %v", bodies)
				}
				o.days(i.DueAt.AddDays(12).String())
				o.pays(i, "19.00")
				o.days(i.DueAt.AddDays(14).String())
				_, bodies = o.business()
				if about := slices.DeleteFunc(bodies, func(b string) bool { return !strings.Contains(b, i.Number) }); len(about) != 1 {
					t.Errorf("told in the end: %v", about)
				}
				o.InSync(*sub.TenantID)
			})
		})
	}
}

// TestOverdueInvoiceOfNoSubscription tells of an invoice that was made by hand as well.
func TestOverdueInvoiceOfNoSubscription(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.endpoint(webhook.InvoiceOverdue)
		o.dunned(o.policy("p", "5 SUSPEND"))
		o.oneOff(o.customer("acme").ID, 1)
		i := o.lastInvoice()
		o.days(i.DueAt.AddDays(8).String())
		if _, bodies := o.business(); len(bodies) != 1 || !strings.Contains(bodies[0], `"daysOverdue":1}`) {
			t.Errorf("told: %v", bodies)
		}
	})
}

// TestNobodyLooksAtDueDatesWithoutAPolicy tells nothing of overdue invoices, as
// docs/business-events.md says, until there is a policy, and then of those that are.
func TestNobodyLooksAtDueDatesWithoutAPolicy(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.endpoint(webhook.InvoiceOverdue)
		_, i := o.overdue("acme")
		o.days(i.DueAt.AddDays(2).String())
		if words, _ := o.business(); len(words) > 0 {
			t.Errorf("told without a policy: %v", words)
		}
		o.dunned(o.policy("p", "9 SUSPEND"))
		o.days(i.DueAt.AddDays(3).String())
		if _, bodies := o.business(); len(bodies) != 1 || !strings.Contains(bodies[0], i.Number) {
			t.Errorf("told with a policy: %v", bodies)
		}
	})
}
