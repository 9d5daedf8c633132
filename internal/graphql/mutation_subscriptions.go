package graphql

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

func (r mutation) SubscriptionCreate(ctx context.Context, attributes gen.SubscriptionAttributes, invoiceImmediately *bool) (*gen.SubscriptionCreatePayload, error) {
	n, problems := newSubscription(attributes)
	ctx, issued := atOnce(ctx, invoiceImmediately)
	row, err := ifRight(problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionCreate(ctx, n)
	})
	p := &gen.SubscriptionCreatePayload{}
	if p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions); err == nil {
		p.Invoice, p.CreditNote, p.Invoices, p.CreditNotes, err = r.issued(ctx, issued, p.UserErrors)
	}
	return p, err
}

func (r mutation) SubscriptionUpdate(ctx context.Context, id int64, attributes gen.SubscriptionUpdateAttributes) (*gen.SubscriptionUpdatePayload, error) {
	u, problems := subscriptionUpdate(attributes)
	return r.subscriptionUpdatePayload(ifRight(problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionUpdate(ctx, billing.SubscriptionID(id), u)
	}))
}

func (r mutation) SubscriptionCancel(ctx context.Context, list []int64, cancellationDate *string, atTermEnd *bool, unused *subscription.UnusedDays, invoiceImmediately *bool) (*gen.SubscriptionCancelPayload, error) {
	ctx, issued := atOnce(ctx, invoiceImmediately)
	on, problems := oneDate("cancellationDate", cancellationDate)
	rows, err := ifRight(problems, func() ([]subscription.Subscription, error) {
		c := subscription.Cancellation{On: on, AtTermEnd: valueOf(atTermEnd), Unused: valueOf(unused)}
		return r.service.Subscriptions.SubscriptionCancel(ctx, ids[billing.SubscriptionID](list), c)
	})
	p := &gen.SubscriptionCancelPayload{}
	if p.Subscriptions, p.Errors, p.UserErrors, err = r.outcomes(rows, err); err == nil {
		p.Invoice, p.CreditNote, p.Invoices, p.CreditNotes, err = r.issued(ctx, issued, p.UserErrors)
	}
	return p, err
}

func (r mutation) SubscriptionReinstate(ctx context.Context, list []int64, effectiveDate *string, invoiceImmediately *bool) (*gen.SubscriptionReinstatePayload, error) {
	ctx, issued := atOnce(ctx, invoiceImmediately)
	on, problems := oneDate("effectiveDate", effectiveDate)
	rows, err := ifRight(problems, func() ([]subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionReinstate(ctx, ids[billing.SubscriptionID](list), on)
	})
	p := &gen.SubscriptionReinstatePayload{}
	if p.Subscriptions, p.Errors, p.UserErrors, err = r.outcomes(rows, err); err == nil {
		p.Invoice, p.CreditNote, p.Invoices, p.CreditNotes, err = r.issued(ctx, issued, p.UserErrors)
	}
	return p, err
}

func (r mutation) SubscriptionSetAutoRenew(ctx context.Context, list []int64, evergreen bool) (*gen.SubscriptionSetAutoRenewPayload, error) {
	rows, err := r.service.Subscriptions.SubscriptionSetAutoRenew(ctx, ids[billing.SubscriptionID](list), evergreen)
	p := &gen.SubscriptionSetAutoRenewPayload{}
	p.Subscriptions, p.Errors, p.UserErrors, err = r.outcomes(rows, err)
	return p, err
}

func (r mutation) SubscriptionQuantityUpdate(ctx context.Context, subscriptionID int64, quantities []*gen.QuantityAttributes, startDate *string, atTermEnd *bool, scheduled *subscription.Scheduled, unused *subscription.UnusedDays, invoiceImmediately *bool) (*gen.SubscriptionQuantityUpdatePayload, error) {
	ctx, issued := atOnce(ctx, invoiceImmediately)
	var given patch
	update := subscription.QuantityUpdate{
		Orders: given.orders(quantities), StartDate: given.date("startDate", startDate), AtTermEnd: valueOf(atTermEnd), Scheduled: valueOf(scheduled),
		Unused: valueOf(unused),
	}
	row, err := ifRight(given.problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionQuantityUpdate(ctx, billing.SubscriptionID(subscriptionID), update)
	})
	p := &gen.SubscriptionQuantityUpdatePayload{}
	if p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions); err == nil {
		p.Invoice, p.CreditNote, p.Invoices, p.CreditNotes, err = r.issued(ctx, issued, p.UserErrors)
	}
	return p, err
}

func (r mutation) SubscriptionPlanChange(ctx context.Context, id int64, priceListCode *string, priceListID *int64, atTermEnd *bool, quantities []*gen.QuantityAttributes, term *subscription.TermChange, scheduled *subscription.Scheduled, invoiceImmediately *bool) (*gen.SubscriptionPlanChangePayload, error) {
	ctx, issued := atOnce(ctx, invoiceImmediately)
	var given patch
	update := subscription.PlanUpdate{
		Quantities: given.orders(quantities), AtTermEnd: valueOf(atTermEnd), Term: valueOf(term), Scheduled: valueOf(scheduled),
	}
	row, err := ifRight(given.problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionPlanChange(ctx, billing.SubscriptionID(id), priceListRef(priceListID, priceListCode), update)
	})
	p := &gen.SubscriptionPlanChangePayload{}
	if p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions); err == nil {
		p.Invoice, p.CreditNote, p.Invoices, p.CreditNotes, err = r.issued(ctx, issued, p.UserErrors)
	}
	return p, err
}

func (r mutation) SubscriptionScheduledChangeCancel(ctx context.Context, id string) (*gen.SubscriptionScheduledChangeCancelPayload, error) {
	return r.subscriptionScheduledChangeCancelPayload(r.service.Subscriptions.SubscriptionScheduledChangeCancel(ctx, id))
}

func (r mutation) SubscriptionTrialExtend(ctx context.Context, id int64, trialEndDate string) (*gen.SubscriptionTrialExtendPayload, error) {
	end, problems := oneDate("trialEndDate", &trialEndDate)
	return r.subscriptionTrialExtendPayload(ifRight(problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionTrialExtend(ctx, billing.SubscriptionID(id), *end)
	}))
}

func (r mutation) SubscriptionTrialConvert(ctx context.Context, subscriptionID int64, priceListCode *string, priceListID *int64, quantities []*gen.QuantityAttributes, invoiceImmediately *bool) (*gen.SubscriptionTrialConvertPayload, error) {
	ctx, issued := atOnce(ctx, invoiceImmediately)
	var given patch
	orders := given.orders(quantities)
	row, err := ifRight(given.problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionTrialConvert(ctx, billing.SubscriptionID(subscriptionID), priceListRef(priceListID, priceListCode), orders)
	})
	p := &gen.SubscriptionTrialConvertPayload{}
	if p.Subscription, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.Subscriptions); err == nil {
		p.Invoice, p.CreditNote, p.Invoices, p.CreditNotes, err = r.issued(ctx, issued, p.UserErrors)
	}
	return p, err
}

func (r mutation) SubscriptionTenantUpdate(ctx context.Context, id int64, attributes gen.SubscriptionTenantAttributes) (*gen.SubscriptionTenantUpdatePayload, error) {
	ref, problems := tenantRef(attributes)
	return r.subscriptionTenantUpdatePayload(ifRight(problems, func() (*subscription.Subscription, error) {
		return r.service.Subscriptions.SubscriptionTenantUpdate(ctx, billing.SubscriptionID(id), ref)
	}))
}

// outcomes is outcome for a call that changes several subscriptions.
func (r mutation) outcomes(rows []subscription.Subscription, failure error) ([]*node.Subscription, []string, []*node.UserError, error) {
	if failure == nil {
		return r.reader.Subscriptions(rows), nil, nil, nil
	}
	_, errors, userErrors, err := outcome[subscription.Subscription, node.Subscription](nil, failure, nil)
	return nil, errors, userErrors, err
}

// atOnce returns a context in which operations bill accounts at once if the caller
// wants that, and where they tell what they issued; nil otherwise.
func atOnce(ctx context.Context, wanted *bool) (context.Context, *subscriptions.Issued) {
	if !valueOf(wanted) {
		return ctx, nil
	}
	return subscriptions.InvoicedAtOnce(ctx)
}

// issued reads the documents that an operation issued at once, unless it was refused.
func (r mutation) issued(ctx context.Context, made *subscriptions.Issued, refused []*node.UserError) (invoice *node.Invoice, note *node.CreditNote, invoices []*node.Invoice, notes []*node.CreditNote, err error) {
	if made == nil || len(refused) > 0 {
		return nil, nil, nil, nil, nil
	}
	invoiceRows, err := listed(ctx, r, store.Invoices, made.Invoices)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	noteRows, err := listed(ctx, r, store.CreditNotes, made.CreditNotes)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	invoices, notes = r.reader.Invoices(invoiceRows), r.reader.CreditNotes(noteRows)
	if len(invoices) > 0 {
		invoice = invoices[0]
	}
	if len(notes) > 0 {
		note = notes[0]
	}
	return invoice, note, invoices, notes, nil
}

// listed reads rows in the order of their ids in a list.
func listed[T any, K ~int64](ctx context.Context, r mutation, table *store.Table[T, K], list []K) ([]T, error) {
	if len(list) == 0 {
		return nil, nil
	}
	rows, err := table.ByIDs(ctx, r.q(), list)
	slices.SortFunc(rows, func(a, b T) int {
		return cmp.Compare(slices.Index(list, table.ID(&a)), slices.Index(list, table.ID(&b)))
	})
	return rows, err
}

// valueOf is what an argument says, or its zero value if it is left out.
func valueOf[T any](argument *T) (value T) {
	if argument != nil {
		value = *argument
	}
	return value
}

// ifRight runs an operation unless what the caller gave for it is wrong.
func ifRight[T any](problems billing.Problems, run func() (T, error)) (T, error) {
	if err := problems.Err(); err != nil {
		var none T
		return none, err
	}
	return run()
}
