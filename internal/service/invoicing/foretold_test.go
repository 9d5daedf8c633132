package invoicing_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// previewed is something that can be done to a subscription.
type previewed struct {
	name string
	// before is done first, on the day before.
	before func(*customer)
	do     func(ctx context.Context, c *customer) error
}

// TestPreviewOfEveryOperation previews everything that can be done to a
// subscription, does it, and compares the documents of that day and of the next on
// which something is billed; once with what is due billed at once, and once not.
func TestPreviewOfEveryOperation(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		var all []*foretold
		for _, op := range o.operations() {
			for _, atOnce := range []bool{true, false} {
				f := &foretold{customer: &customer{office: o, code: fmt.Sprintf("%s-%v", op.name, atOnce)}, previewed: op, atOnce: atOnce}
				f.account = o.customer(f.code).ID
				all = append(all, f)
			}
		}
		o.at("2026-03-01")
		for _, f := range all {
			if f.name != "create" {
				f.begin()
			}
		}
		o.run()
		o.at("2026-03-09")
		for _, f := range all {
			if f.before != nil {
				f.before(f.customer)
			}
		}
		o.run()
		o.at("2026-03-10")
		o.run()
		for _, f := range all {
			f.act()
		}
		slices.SortFunc(all, func(a, b *foretold) int { return cmp.Compare(a.nextDay(), b.nextDay()) })
		for _, f := range all {
			if f.next != nil {
				o.at(f.nextDay())
				o.run()
			}
		}
		o.at("2027-06-20")
		o.run()
		for _, f := range all {
			f.compareNext()
		}
	})
}

// operations are all that can be done to a subscription.
func (o *office) operations() []previewed {
	quantity := func(update subscription.QuantityUpdate, n int) func(context.Context, *customer) error {
		return func(ctx context.Context, c *customer) error {
			update.Orders = servicetest.Seats(n)
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionQuantityUpdate(ctx, c.sub, update))
		}
	}
	plan := func(list string, update subscription.PlanUpdate) func(context.Context, *customer) error {
		return func(ctx context.Context, c *customer) error {
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionPlanChange(ctx, c.sub, servicetest.ByCode(list), update))
		}
	}
	cancel := func(how subscription.Cancellation) func(context.Context, *customer) error {
		return func(ctx context.Context, c *customer) error {
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionCancel(ctx, []billing.SubscriptionID{c.sub}, how))
		}
	}
	reinstate := func(from *billing.Date) func(context.Context, *customer) error {
		return func(ctx context.Context, c *customer) error {
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionReinstate(ctx, []billing.SubscriptionID{c.sub}, from))
		}
	}
	update := func(u subscription.Update) func(context.Context, *customer) error {
		return func(ctx context.Context, c *customer) error {
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionUpdate(ctx, c.sub, u))
		}
	}
	return []previewed{
		{name: "create", do: func(ctx context.Context, c *customer) error {
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionCreate(ctx, c.Order("seats-31", c.code, servicetest.WithSeats(5), servicetest.InTenant(c.tenant()))))
		}},
		{name: "more", do: quantity(subscription.QuantityUpdate{}, 9)},
		{name: "fewer", do: quantity(subscription.QuantityUpdate{}, 2)},
		{name: "fewer-kept", do: quantity(subscription.QuantityUpdate{Unused: keep}, 2)},
		{name: "more-later", do: quantity(subscription.QuantityUpdate{StartDate: servicetest.On("2026-03-20")}, 9)},
		{name: "fewer-at-term-end", do: quantity(subscription.QuantityUpdate{AtTermEnd: true}, 2)},
		{name: "plan", do: plan("pro-monthly", subscription.PlanUpdate{})},
		{name: "plan-restart", do: plan("pro-monthly", subscription.PlanUpdate{Term: subscription.RestartTerm})},
		{name: "plan-at-term-end", do: plan("pro-monthly", subscription.PlanUpdate{AtTermEnd: true})},
		{name: "plan-longer", do: plan("year", subscription.PlanUpdate{})},
		{name: "plan-longer-kept", do: plan("year", subscription.PlanUpdate{Term: subscription.KeepTerm})},
		{name: "cancel", do: cancel(subscription.Cancellation{})},
		{name: "cancel-kept", do: cancel(subscription.Cancellation{Unused: keep})},
		{name: "cancel-later", do: cancel(subscription.Cancellation{On: servicetest.On("2026-03-20")})},
		{name: "cancel-at-term-end", do: cancel(subscription.Cancellation{AtTermEnd: true})},
		{name: "reinstate", before: func(c *customer) { c.OK(cancel(subscription.Cancellation{})(c.Ctx, c)) }, do: reinstate(nil)},
		{name: "reinstate-earlier", before: func(c *customer) { c.OK(cancel(subscription.Cancellation{})(c.Ctx, c)) }, do: reinstate(servicetest.On("2026-03-05"))},
		{name: "take-back", before: func(c *customer) { c.OK(cancel(subscription.Cancellation{AtTermEnd: true})(c.Ctx, c)) }, do: reinstate(nil)},
		{name: "unschedule", before: func(c *customer) { c.OK(plan("pro-monthly", subscription.PlanUpdate{AtTermEnd: true})(c.Ctx, c)) }, do: func(ctx context.Context, c *customer) error {
			sub, err := store.Subscriptions.Get(ctx, c.Read(), c.sub)
			c.OK(err)
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionScheduledChangeCancel(ctx, sub.ScheduledChanges()[0].ID))
		}},
		{name: "no-renewal", do: func(ctx context.Context, c *customer) error {
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionSetAutoRenew(ctx, []billing.SubscriptionID{c.sub}, false))
		}},
		{name: "longer", do: update(subscription.Update{EndDate: servicetest.On("2026-04-15")})},
		{name: "shorter", do: update(subscription.Update{EndDate: servicetest.On("2026-03-25")})},
		{name: "other-term", do: update(subscription.Update{RenewalTermMonths: new(12)})},
		{name: "separate", do: update(subscription.Update{SeparateInvoice: new(true)})},
		{name: "convert-trial", do: func(ctx context.Context, c *customer) error {
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionTrialConvert(ctx, c.sub, subscriptions.PriceListRef{}, nil))
		}},
		{name: "extend-trial", do: func(ctx context.Context, c *customer) error {
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionTrialExtend(ctx, c.sub, servicetest.Day("2026-03-25")))
		}},
		{name: "other-tenant", do: func(ctx context.Context, c *customer) error {
			return servicetest.ErrorOf(c.Subscriptions.SubscriptionTenantUpdate(ctx, c.sub, subscriptions.TenantRef{Code: c.tenant() + "-2"}))
		}},
	}
}

func (c *customer) tenant() string { return "tenant-of-" + c.code }

// foretold is a customer to whose subscription something is done.
type foretold struct {
	*customer
	previewed
	atOnce  bool
	account billing.AccountID
	seen    [2]int
	next    *invoicing.Preview
}

func (f *foretold) begin() {
	f.T.Helper()
	with := []func(*subscriptions.NewSubscription){servicetest.WithSeats(5), servicetest.InTenant(f.tenant())}
	list := "seats-31"
	if f.name == "convert-trial" || f.name == "extend-trial" {
		list, with = "trial", []func(*subscriptions.NewSubscription){servicetest.InTenant(f.tenant()), servicetest.Trial}
	}
	f.sub = f.Subscribe(list, f.code, with...).ID
}

// act previews the operation and does it.
func (f *foretold) act() {
	f.T.Helper()
	f.since(f.account, &f.seen)
	p, err := f.Invoicing.PreviewChange(f.Ctx, f.account, f.atOnce, func(ctx context.Context) error { return f.do(ctx, f.customer) })
	f.OK(err)
	ctx := f.Ctx
	if f.atOnce {
		ctx, _ = subscriptions.InvoicedAtOnce(ctx)
	}
	f.OK(f.do(ctx, f.customer))
	if !f.atOnce {
		f.run()
	}
	invoices, notes := f.since(f.account, &f.seen)
	f.Equal(f.code+": billed now", documentsText(servicetest.Day("2026-03-10"), invoices, notes), previewText(p.Now))
	f.next = p.Next
}

func (f *foretold) nextDay() string {
	if f.next == nil {
		return ""
	}
	return f.next.On.String()
}

// compareNext compares the documents of the next day on which something was billed.
func (f *foretold) compareNext() {
	f.T.Helper()
	invoices, notes := f.since(f.account, &f.seen)
	if f.next == nil {
		f.Equal(f.code+": billed later", documentsText(billing.Date{}, invoices, notes), "")
		return
	}
	first := func(on billing.Date) bool { return on.After(f.next.On) }
	invoices = slices.DeleteFunc(invoices, func(i *document.Invoice) bool { return first(i.IssuedAt) })
	notes = slices.DeleteFunc(notes, func(n document.CreditNote) bool { return first(n.IssuedAt) })
	for n := range notes {
		if notes[n].IssuedAt != f.next.On {
			f.T.Errorf("%s: credited on %s", f.code, notes[n].IssuedAt)
		}
	}
	f.Equal(f.code+": billed next", documentsText(f.next.On, invoices, notes), previewText(f.next))
}
