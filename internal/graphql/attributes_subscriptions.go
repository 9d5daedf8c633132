package graphql

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// date reads a date that may be missing.
func (p *patch) date(field string, text *string) *billing.Date {
	return read(p, field, text, billing.ParseDate)
}

func oneDate(field string, text *string) (*billing.Date, billing.Problems) {
	var p patch
	return p.date(field, text), p.problems
}

func (p *patch) orders(in []*gen.QuantityAttributes) []subscription.QuantityOrder {
	orders := make([]subscription.QuantityOrder, len(in))
	for i, order := range in {
		field := fmt.Sprintf("quantities.%d", i)
		if code := order.Code.Value(); code != nil {
			orders[i].Code = *code
		} else {
			p.fail(billing.Required, field+".code", "A quantity names a charge or its feature: give code.")
		}
		if n, set := order.Quantity.ValueOK(); set {
			orders[i].Quantity = n
		} else {
			p.fail(billing.Required, field+".quantity", "The quantity of %q is missing: give a number, or null for none.", orders[i].Code)
		}
	}
	return orders
}

func priceListRef(id *int64, code *string) subscriptions.PriceListRef {
	ref := subscriptions.PriceListRef{Code: code}
	if id != nil {
		list := billing.PriceListID(*id)
		ref.ID = &list
	}
	return ref
}

func tenantRef(in gen.SubscriptionTenantAttributes) (subscriptions.TenantRef, billing.Problems) {
	code := in.Code.Value()
	if code == nil || *code == "" {
		return subscriptions.TenantRef{}, billing.Problems{billing.Fail(billing.Required, "code", "A tenant is found by its code: give code.")}
	}
	return subscriptions.TenantRef{Code: *code, Name: in.Name.Value()}, nil
}

func newSubscription(in gen.SubscriptionAttributes) (subscriptions.NewSubscription, billing.Problems) {
	var p patch
	n := subscriptions.NewSubscription{
		AccountCode: in.AccountCode.Value(),
		PriceList:   priceListRef(in.PriceListID.Value(), in.PriceListCode.Value()),
		TrialAgain:  valueOf(in.TrialAgain.Value()),
		Draft: subscription.Draft{
			Trial:                 valueOf(in.Trial.Value()),
			Evergreen:             in.Evergreen.Value() == nil || *in.Evergreen.Value(),
			StartDate:             p.date("startDate", in.StartDate.Value()),
			EndDate:               p.date("endDate", in.EndDate.Value()),
			AlignTo:               valueOf(in.AlignTo.Value()),
			TrialStartDate:        p.date("trialStartDate", in.TrialStartDate.Value()),
			RenewalTermMonths:     in.RenewalTermMonths.Value(),
			TrialExpirationAction: in.TrialExpirationAction.Value(),
			Quantities:            p.orders(in.Quantities.Value()),
			PONumber:              in.PoNumber.Value(),
			SeparateInvoice:       valueOf(in.SeparateInvoice.Value()),
		},
	}
	if id := in.AccountID.Value(); id != nil {
		account := billing.AccountID(*id)
		n.AccountID = &account
	}
	if account := in.Account.Value(); account != nil {
		n.Account = &subscriptions.NewAccount{Edit: editAccount(*account, true), BillingContact: editBillingContact(*account)}
	}
	n.Tenant = p.tenant(in)
	return n, p.problems
}

// tenant reads the tenant of a new subscription, which can be given in two
// ways.
func (p *patch) tenant(in gen.SubscriptionAttributes) *subscriptions.TenantRef {
	code, name := in.TenantCode.Value(), in.TenantName.Value()
	if nested := in.Tenant.Value(); nested != nil {
		if code != nil || name != nil {
			p.fail(billing.Invalid, "tenant", "Give tenant, or tenantCode and tenantName, not both.")
		}
		code, name = nested.Code.Value(), nested.Name.Value()
	}
	switch {
	case code != nil && *code != "":
		return &subscriptions.TenantRef{Code: *code, Name: name, Nested: in.Tenant.Value() != nil}
	case in.Tenant.Value() != nil:
		p.fail(billing.Required, "tenant.code", "A tenant is found by its code: give its code too.")
	case name != nil:
		p.fail(billing.Required, "tenantCode", "A tenant is found by its code: give its code too.")
	}
	return nil
}

func subscriptionUpdate(in gen.SubscriptionUpdateAttributes) (subscription.Update, billing.Problems) {
	var p patch
	u := subscription.Update{
		Evergreen:             in.Evergreen.Value(),
		RenewalTermMonths:     in.RenewalTermMonths.Value(),
		StartDate:             p.date("startDate", in.StartDate.Value()),
		EndDate:               p.date("endDate", in.EndDate.Value()),
		TrialExpirationAction: in.TrialExpirationAction.Value(),
		SeparateInvoice:       in.SeparateInvoice.Value(),
	}
	if number, set := in.PoNumber.ValueOK(); set {
		number := valueOf(number) // null removes it
		u.PONumber = &number
	}
	return u, p.problems
}

func editTenant(in gen.TenantAttributes, creating bool) func(*billing.Tenant) error {
	return edit(setTenant, in, creating, func(p *patch, _ *billing.Tenant) {
		p.notBoth("platform", in.PlatformID.Value(), in.PlatformCode.Value())
		if !creating && in.PlatformCode.Value() != nil {
			p.fail(billing.Immutable, "platformCode", "A tenant stays on its platform; leave platformCode out.")
		}
	})
}
