package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestReinstatedWithUnpaidInvoices cancels a suspended subscription and reinstates it: it is
// suspended as before, until the invoice is paid.
func TestReinstatedWithUnpaidInvoices(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "2 SUSPEND"))
		sub, i := o.overdue("acme")
		o.days(i.DueAt.AddDays(2).String())
		steps := i.DueAt.AddDays(2).String() + " 2 SUSPEND"
		o.stands("suspended", sub, i, billing.Suspended, "none", steps)
		_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, servicetest.IDs(sub), subscription.Cancellation{Unused: subscription.KeepUnused})
		o.OK(err)
		o.days(i.DueAt.AddDays(3).String())
		o.Equal("canceled", o.Now(sub).State, subscription.StateCanceled)
		_, err = o.Subscriptions.SubscriptionReinstate(o.Ctx, servicetest.IDs(sub), nil)
		o.OK(err)
		o.Equal("reinstated", o.Now(sub).State, subscription.StateActive)
		o.stands("reinstated", sub, i, billing.Suspended, "none", steps)
		o.pays(i, "119.00")
		o.stands("paid", sub, i, billing.Good, "all", steps)
	})
}

// TestPaidWhileCanceled pays the invoice of a subscription that is over: reinstated, it has
// everything.
func TestPaidWhileCanceled(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "2 SUSPEND"))
		sub, i := o.overdue("acme")
		o.days(i.DueAt.AddDays(2).String())
		_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, servicetest.IDs(sub), subscription.Cancellation{Unused: subscription.KeepUnused})
		o.OK(err)
		told := len(o.Events(*sub.TenantID))
		o.pays(i, "119.00")
		o.Equal("events about one that is over", len(o.Events(*sub.TenantID)), told)
		_, err = o.Subscriptions.SubscriptionReinstate(o.Ctx, servicetest.IDs(sub), nil)
		o.OK(err)
		o.stands("reinstated", sub, i, billing.Good, "all", i.DueAt.AddDays(2).String()+" 2 SUSPEND")
	})
}

// TestDunningWithoutProvisioning suspends and restores while the platform's webhooks are
// off: the standing changes, and nothing is told, as of every change.
func TestDunningWithoutProvisioning(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "2 SUSPEND"))
		sub, i := o.overdue("acme")
		told := len(o.Events(*sub.TenantID))
		o.SetProvisioning(false)
		o.days(i.DueAt.AddDays(2).String())
		o.Equal("suspended", o.Now(sub).Standing, billing.Suspended)
		o.Equal("features", o.Features(*sub.TenantID), "")
		o.pays(i, "119.00")
		o.Equal("paid", o.Now(sub).Standing, billing.Good)
		o.Equal("events", len(o.Events(*sub.TenantID)), told)
		o.judgeAnew()
	})
}

// TestWrittenOffBeforeItIsDue gives up an invoice that has taken nothing away: as time goes
// by it takes nothing away either, since nobody claims it any more.
func TestWrittenOffBeforeItIsDue(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "2 SUSPEND"))
		sub, i := o.overdue("acme")
		_, err := o.Invoicing.InvoiceWriteOff(o.Ctx, i.ID, "Goodwill", false, false)
		o.OK(err)
		o.stands("written off", sub, i, billing.Good, "all", "")
		o.days(i.DueAt.AddDays(3).String())
		o.stands("after the due day", sub, i, billing.Good, "all", "")
	})
}
