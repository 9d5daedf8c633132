package subscriptions_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// TestRefusedCreate gives every bad input to a new subscription. Each has a
// problem of its own that names the field, and nothing is half done: no
// account, no tenant, no event.
func TestRefusedCreate(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.Subscribe("basic-monthly", "taken")
		w.Account("acme")
		for what, c := range map[string]struct {
			list string
			with func(*subscriptions.NewSubscription)
			want []string
		}{
			"no account":   {"basic-monthly", func(n *subscriptions.NewSubscription) { n.AccountID = nil }, is("REQUIRED accountId")},
			"two accounts": {"basic-monthly", func(n *subscriptions.NewSubscription) { n.AccountCode = new("acme") }, is("INVALID accountCode")},
			"an old and a new account": {"basic-monthly", func(n *subscriptions.NewSubscription) {
				n.Account = &subscriptions.NewAccount{Edit: servicetest.Named("new", nil)}
			}, is("INVALID account")},
			"an unknown account": {"basic-monthly", func(n *subscriptions.NewSubscription) { n.AccountID = new(billing.AccountID(99)) }, is("NOT_FOUND accountId")},
			"an unknown code":    {"basic-monthly", func(n *subscriptions.NewSubscription) { n.AccountID, n.AccountCode = nil, new("nobody") }, is("NOT_FOUND accountCode")},
			"no price list":      {"", func(n *subscriptions.NewSubscription) { n.PriceList = subscriptions.PriceListRef{} }, is("REQUIRED priceListCode")},
			"two price lists":    {"basic-monthly", func(n *subscriptions.NewSubscription) { n.PriceList.ID = new(billing.PriceListID(1)) }, is("INVALID priceListCode")},
			"an unknown list":    {"nothing", nil, is("NOT_FOUND priceListCode")},
			"an unknown list's id": {"", func(n *subscriptions.NewSubscription) {
				n.PriceList = subscriptions.PriceListRef{ID: new(billing.PriceListID(99))}
			}, is("NOT_FOUND priceListId")},
			"end before start":         {"basic-monthly", func(n *subscriptions.NewSubscription) { n.Draft.EndDate = servicetest.On("2026-01-14") }, is("INVALID endDate")},
			"no trial allowed":         {"pro-monthly", servicetest.Trial, is("INVALID trial")},
			"a trial start alone":      {"basic-monthly", func(n *subscriptions.NewSubscription) { n.Draft.TrialStartDate = servicetest.On("2026-02-01") }, is("INVALID trialStartDate")},
			"a term of no months":      {"basic-monthly", func(n *subscriptions.NewSubscription) { n.Draft.RenewalTermMonths = new(0) }, is("INVALID renewalTermMonths")},
			"fewer than none":          {"basic-monthly", servicetest.WithSeats(-1), is("INVALID quantities.0.quantity")},
			"too many":                 {"basic-monthly", servicetest.WithSeats(501), is("INVALID quantities.0.quantity")},
			"too few":                  {"basic-monthly", servicetest.WithSeats(0), is("INVALID quantities.0.quantity")},
			"a charge it has not":      {"basic-monthly", ordering("storage", 1), is("NOT_FOUND quantities.0.code")},
			"another's tenant":         {"basic-monthly", servicetest.InTenant("taken"), is("TAKEN tenantCode")},
			"a tenant without a place": {"advice", nil, is("INVALID tenantCode")},
			"a bad tenant code":        {"basic-monthly", servicetest.InTenant("no\nlines"), is("INVALID tenantCode")},
			"another's tenant, nested": {"basic-monthly", nested("taken"), is("TAKEN tenant.code")},
			"a bad code, nested":       {"basic-monthly", nested("no\nlines"), is("INVALID tenant.code")},
			"without a place, nested":  {"advice", nested("acme"), is("INVALID tenant.code")},
			"a bad tenant name, nested": {"basic-monthly", func(n *subscriptions.NewSubscription) {
				nested("fine")(n)
				n.Tenant.Name = new("no\x00name")
			}, is("INVALID tenant.name")},
			"a nameless account": {"basic-monthly", func(n *subscriptions.NewSubscription) {
				n.AccountID, n.Account = nil, &subscriptions.NewAccount{Edit: servicetest.Named("", nil)}
			}, is("REQUIRED account.name")},
			"several things": {"pro-monthly", func(n *subscriptions.NewSubscription) {
				n.Draft.Trial, n.Draft.RenewalTermMonths, n.Draft.Quantities = true, new(121), append(servicetest.Seats(501), servicetest.Seats(1)...)
			}, is("INVALID renewalTermMonths", "INVALID trial", "INVALID quantities.0.quantity", "INVALID quantities.1.code")},
		} {
			order := w.Order(c.list, "acme")
			if c.with != nil {
				c.with(&order)
			}
			w.Unchanged(what, func() {
				_, err := w.Subscriptions.SubscriptionCreate(w.Ctx, order)
				w.Refused(what, err, c.want...)
			})
		}
	})
}

// nested names the tenant as tenant: {code}.
func nested(code string) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Tenant = &subscriptions.TenantRef{Code: code, Nested: true} }
}

func is(problems ...string) []string { return problems }

func ordering(code string, quantity int) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) {
		n.Draft.Quantities = []subscription.QuantityOrder{{Code: code, Quantity: &quantity}}
	}
}

// TestRefusedOperations gives every bad input to what can be done to a
// subscription.
func TestRefusedOperations(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		active, over, onTrial := w.Subscribe("basic-monthly", "active"), w.Subscribe("basic-monthly", "over"), w.Subscribe("basic-monthly", "trial", servicetest.Trial)
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(over), subscription.Cancellation{}))
		w.Account("stranger")
		unknown := &subscription.Subscription{ID: 99}
		many := make([]billing.SubscriptionID, 1001)
		for what, c := range map[string]struct {
			do   func() error
			want string
		}{
			"canceled too late":      {func() error { return servicetest.ErrorOf(cancel(servicetest.On("2026-02-16"), false)(w, active)) }, "INVALID cancellationDate"},
			"canceled yesterday":     {func() error { return servicetest.ErrorOf(cancel(servicetest.On("2026-01-14"), false)(w, active)) }, "INVALID cancellationDate"},
			"canceled in two ways":   {func() error { return servicetest.ErrorOf(cancel(servicetest.On("2026-02-01"), true)(w, active)) }, "INVALID cancellationDate"},
			"canceled though over":   {func() error { return servicetest.ErrorOf(cancel(nil, false)(w, over)) }, "NOT_ALLOWED ids"},
			"canceled and not there": {func() error { return servicetest.ErrorOf(cancel(nil, false)(w, unknown)) }, "NOT_FOUND ids"},
			"canceled by the thousand": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(w.Ctx, many, subscription.Cancellation{}))
			}, "TOO_MANY ids"},
			"none canceled": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(w.Ctx, nil, subscription.Cancellation{}))
			}, "REQUIRED ids"},
			"one of several is over": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(active, over), subscription.Cancellation{}))
			}, "NOT_ALLOWED ids"},
			"one of several is unknown": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionSetAutoRenew(w.Ctx, servicetest.IDs(active, unknown), false))
			}, "NOT_FOUND ids"},
			"reinstated though active": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionReinstate(w.Ctx, servicetest.IDs(active), nil))
			}, "NOT_ALLOWED ids"},
			"reinstated from tomorrow": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionReinstate(w.Ctx, servicetest.IDs(over), servicetest.On("2026-01-16")))
			}, "INVALID effectiveDate"},
			"renewed though over": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionSetAutoRenew(w.Ctx, servicetest.IDs(over), false))
			}, "NOT_ALLOWED ids"},
			"updated though over": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionUpdate(w.Ctx, over.ID, subscription.Update{RenewalTermMonths: new(2)}))
			}, "NOT_ALLOWED id"},
			"updated to end yesterday": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionUpdate(w.Ctx, active.ID, subscription.Update{EndDate: servicetest.On("2026-01-14")}))
			}, "INVALID endDate"},
			"updated and not there": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionUpdate(w.Ctx, unknown.ID, subscription.Update{}))
			}, "NOT_FOUND id"},
			"a quantity below none":    {func() error { return servicetest.ErrorOf(servicetest.Quantity(-1, nil)(w, active)) }, "INVALID quantities.0.quantity"},
			"a quantity over the most": {func() error { return servicetest.ErrorOf(servicetest.Quantity(501, nil)(w, active)) }, "INVALID quantities.0.quantity"},
			"a quantity after the term": {func() error {
				return servicetest.ErrorOf(servicetest.Quantity(5, servicetest.On("2026-02-16"))(w, active))
			}, "INVALID startDate"},
			"a quantity for yesterday": {func() error {
				return servicetest.ErrorOf(servicetest.Quantity(5, servicetest.On("2026-01-14"))(w, active))
			}, "INVALID startDate"},
			"a quantity though over": {func() error { return servicetest.ErrorOf(servicetest.Quantity(5, nil)(w, over)) }, "NOT_ALLOWED subscriptionId"},
			"no quantities": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, active.ID, subscription.QuantityUpdate{Orders: nil}))
			}, "REQUIRED quantities"},
			"a quantity of nothing": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, active.ID, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: "storage", Quantity: new(1)}}}))
			}, "NOT_FOUND quantities.0.code"},
			"a quantity and not there":  {func() error { return servicetest.ErrorOf(servicetest.Quantity(5, nil)(w, unknown)) }, "NOT_FOUND subscriptionId"},
			"a plan of another product": {func() error { return servicetest.ErrorOf(servicetest.ToPlan("advice", false)(w, active)) }, "INVALID priceListCode"},
			"a plan that is not there":  {func() error { return servicetest.ErrorOf(servicetest.ToPlan("nothing", true)(w, active)) }, "NOT_FOUND priceListCode"},
			"a plan though over":        {func() error { return servicetest.ErrorOf(servicetest.ToPlan("pro-monthly", false)(w, over)) }, "NOT_ALLOWED id"},
			"a trial extended into the past": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionTrialExtend(w.Ctx, onTrial.ID, servicetest.Day("2026-01-14")))
			}, "INVALID trialEndDate"},
			"no trial to extend": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionTrialExtend(w.Ctx, active.ID, servicetest.Day("2026-02-14")))
			}, "NOT_ALLOWED id"},
			"no trial to convert": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionTrialConvert(w.Ctx, active.ID, subscriptions.PriceListRef{}, nil))
			}, "NOT_ALLOWED subscriptionId"},
			"converted to nothing": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionTrialConvert(w.Ctx, onTrial.ID, servicetest.ByCode("nothing"), nil))
			}, "NOT_FOUND priceListCode"},
			"moved though over": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, over.ID, subscriptions.TenantRef{Code: "new"}))
			}, "NOT_ALLOWED id"},
			"moved to another's tenant": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, active.ID, subscriptions.TenantRef{Code: "trial"}))
			}, "TAKEN code"},
			"moved to a bad code": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, active.ID, subscriptions.TenantRef{Code: "no\nlines"}))
			}, "INVALID code"},
			"moved and not there": {func() error {
				return servicetest.ErrorOf(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, 99, subscriptions.TenantRef{Code: "new"}))
			}, "NOT_FOUND id"},
		} {
			w.Unchanged(what, func() { w.Refused(what, c.do(), c.want) })
		}
	})
}

// TestCurrencyOfASoldPriceListStays refuses another currency, or prices with tax,
// for a price list that something was sold on, even if nobody is on it any more.
func TestCurrencyOfASoldPriceListStays(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		list := w.ChargeOf("basic-monthly", "seats").PriceListID
		inDollars := func() error {
			return servicetest.ErrorOf(w.Catalog.PriceListUpdate(w.Ctx, list, func(l *catalog.PriceList) error { l.CurrencyID = "USD"; return nil }))
		}
		withTax := func(l *catalog.PriceList) error { l.PricesIncludeTax = true; return nil }
		active := w.Subscribe("basic-monthly", "acme", func(n *subscriptions.NewSubscription) { n.Draft.StartDate = servicetest.On("2026-01-01") })
		w.Refused("while it is on sale", inDollars(), "NOT_ALLOWED currencyId")
		w.OK(servicetest.ErrorOf(servicetest.ToPlan("pro-monthly", false)(w, active)))
		w.Refused("when nobody is on it any more", inDollars(), "NOT_ALLOWED currencyId")
		w.Refused("with tax", servicetest.ErrorOf(w.Catalog.PriceListUpdate(w.Ctx, list, withTax)), "NOT_ALLOWED pricesIncludeTax")
		unsold := w.ChargeOf("basic-half", "seats").PriceListID
		w.OK(servicetest.ErrorOf(w.Catalog.PriceListUpdate(w.Ctx, unsold, func(l *catalog.PriceList) error { l.CurrencyID = "USD"; return nil })))
		w.OK(servicetest.ErrorOf(w.Catalog.PriceListUpdate(w.Ctx, unsold, withTax)))
		sold := w.Subscribe("basic-half", "beta", func(n *subscriptions.NewSubscription) { n.Draft.StartDate = servicetest.On("2026-01-01") })
		if r := sold.Charges[0].Rate; !r.TaxIncluded || r.TaxedAs() != billing.StandardTaxCode {
			t.Errorf("the rate is %+v, want one that includes the standard tax", r)
		}
	})
}
