package service_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// TestRefusedCreate gives every bad input to a new subscription. Each has a
// problem of its own that names the field, and nothing is half done: no
// account, no tenant, no event.
func TestRefusedCreate(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("basic-monthly", "taken")
		w.account("acme")
		for what, c := range map[string]struct {
			list string
			with func(*subscriptions.NewSubscription)
			want []string
		}{
			"no account":               {"basic-monthly", func(n *subscriptions.NewSubscription) { n.AccountID = nil }, is("REQUIRED accountId")},
			"two accounts":             {"basic-monthly", func(n *subscriptions.NewSubscription) { n.AccountCode = ptr("acme") }, is("INVALID accountCode")},
			"an old and a new account": {"basic-monthly", func(n *subscriptions.NewSubscription) { n.Account = &subscriptions.NewAccount{Edit: named("new", nil)} }, is("INVALID account")},
			"an unknown account":       {"basic-monthly", func(n *subscriptions.NewSubscription) { n.AccountID = ptr(billing.AccountID(99)) }, is("NOT_FOUND accountId")},
			"an unknown code":          {"basic-monthly", func(n *subscriptions.NewSubscription) { n.AccountID, n.AccountCode = nil, ptr("nobody") }, is("NOT_FOUND accountCode")},
			"no price list":            {"", func(n *subscriptions.NewSubscription) { n.PriceList = subscriptions.PriceListRef{} }, is("REQUIRED priceListCode")},
			"two price lists":          {"basic-monthly", func(n *subscriptions.NewSubscription) { n.PriceList.ID = ptr(billing.PriceListID(1)) }, is("INVALID priceListCode")},
			"an unknown list":          {"nothing", nil, is("NOT_FOUND priceListCode")},
			"an unknown list's id": {"", func(n *subscriptions.NewSubscription) {
				n.PriceList = subscriptions.PriceListRef{ID: ptr(billing.PriceListID(99))}
			}, is("NOT_FOUND priceListId")},
			"end before start":         {"basic-monthly", func(n *subscriptions.NewSubscription) { n.Draft.EndDate = on("2026-01-14") }, is("INVALID endDate")},
			"no trial allowed":         {"pro-monthly", trial, is("INVALID trial")},
			"a trial start alone":      {"basic-monthly", func(n *subscriptions.NewSubscription) { n.Draft.TrialStartDate = on("2026-02-01") }, is("INVALID trialStartDate")},
			"a term of no months":      {"basic-monthly", func(n *subscriptions.NewSubscription) { n.Draft.RenewalTermMonths = ptr(0) }, is("INVALID renewalTermMonths")},
			"fewer than none":          {"basic-monthly", withSeats(-1), is("INVALID quantities.0.quantity")},
			"too many":                 {"basic-monthly", withSeats(501), is("INVALID quantities.0.quantity")},
			"too few":                  {"basic-monthly", withSeats(0), is("INVALID quantities.0.quantity")},
			"a charge it has not":      {"basic-monthly", ordering("storage", 1), is("NOT_FOUND quantities.0.code")},
			"another's tenant":         {"basic-monthly", inTenant("taken"), is("TAKEN tenantCode")},
			"a tenant without a place": {"advice", nil, is("INVALID tenantCode")},
			"a bad tenant code":        {"basic-monthly", inTenant("no\nlines"), is("INVALID tenantCode")},
			"another's tenant, nested": {"basic-monthly", nested("taken"), is("TAKEN tenant.code")},
			"a bad code, nested":       {"basic-monthly", nested("no\nlines"), is("INVALID tenant.code")},
			"without a place, nested":  {"advice", nested("acme"), is("INVALID tenant.code")},
			"a bad tenant name, nested": {"basic-monthly", func(n *subscriptions.NewSubscription) {
				nested("fine")(n)
				n.Tenant.Name = ptr("no\x00name")
			}, is("INVALID tenant.name")},
			"a nameless account": {"basic-monthly", func(n *subscriptions.NewSubscription) {
				n.AccountID, n.Account = nil, &subscriptions.NewAccount{Edit: named("", nil)}
			}, is("REQUIRED account.name")},
			"several things": {"pro-monthly", func(n *subscriptions.NewSubscription) {
				n.Draft.Trial, n.Draft.RenewalTermMonths, n.Draft.Quantities = true, ptr(121), append(seats(501), seats(1)...)
			}, is("INVALID renewalTermMonths", "INVALID trial", "INVALID quantities.0.quantity", "INVALID quantities.1.code")},
		} {
			order := w.order(c.list, "acme")
			if c.with != nil {
				c.with(&order)
			}
			w.untouched(what, func() {
				_, err := w.Subscriptions.SubscriptionCreate(w.ctx, order)
				w.refused(what, err, c.want...)
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
	each(t, func(w *world) {
		active, over, onTrial := w.subscribe("basic-monthly", "active"), w.subscribe("basic-monthly", "over"), w.subscribe("basic-monthly", "trial", trial)
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(over), nil, false))
		w.account("stranger")
		unknown := &subscription.Subscription{ID: 99}
		many := make([]billing.SubscriptionID, 1001)
		for what, c := range map[string]struct {
			do   func() error
			want string
		}{
			"canceled too late":        {func() error { return second(cancel(on("2026-02-16"), false)(w, active)) }, "INVALID cancellationDate"},
			"canceled yesterday":       {func() error { return second(cancel(on("2026-01-14"), false)(w, active)) }, "INVALID cancellationDate"},
			"canceled in two ways":     {func() error { return second(cancel(on("2026-02-01"), true)(w, active)) }, "INVALID cancellationDate"},
			"canceled though over":     {func() error { return second(cancel(nil, false)(w, over)) }, "NOT_ALLOWED ids"},
			"canceled and not there":   {func() error { return second(cancel(nil, false)(w, unknown)) }, "NOT_FOUND ids"},
			"canceled by the thousand": {func() error { return second(w.Subscriptions.SubscriptionCancel(w.ctx, many, nil, false)) }, "TOO_MANY ids"},
			"none canceled":            {func() error { return second(w.Subscriptions.SubscriptionCancel(w.ctx, nil, nil, false)) }, "REQUIRED ids"},
			"one of several is over":   {func() error { return second(w.Subscriptions.SubscriptionCancel(w.ctx, ids(active, over), nil, false)) }, "NOT_ALLOWED ids"},
			"one of several is unknown": {func() error {
				return second(w.Subscriptions.SubscriptionSetAutoRenew(w.ctx, ids(active, unknown), false))
			}, "NOT_FOUND ids"},
			"reinstated though active": {func() error { return second(w.Subscriptions.SubscriptionReinstate(w.ctx, ids(active), nil)) }, "NOT_ALLOWED ids"},
			"reinstated from tomorrow": {func() error { return second(w.Subscriptions.SubscriptionReinstate(w.ctx, ids(over), on("2026-01-16"))) }, "INVALID effectiveDate"},
			"renewed though over":      {func() error { return second(w.Subscriptions.SubscriptionSetAutoRenew(w.ctx, ids(over), false)) }, "NOT_ALLOWED ids"},
			"updated though over": {func() error {
				return second(w.Subscriptions.SubscriptionUpdate(w.ctx, over.ID, subscription.Update{RenewalTermMonths: ptr(2)}))
			}, "NOT_ALLOWED id"},
			"updated to end yesterday": {func() error {
				return second(w.Subscriptions.SubscriptionUpdate(w.ctx, active.ID, subscription.Update{EndDate: on("2026-01-14")}))
			}, "INVALID endDate"},
			"updated and not there": {func() error {
				return second(w.Subscriptions.SubscriptionUpdate(w.ctx, unknown.ID, subscription.Update{}))
			}, "NOT_FOUND id"},
			"a quantity below none":     {func() error { return second(quantity(-1, nil)(w, active)) }, "INVALID quantities.0.quantity"},
			"a quantity over the most":  {func() error { return second(quantity(501, nil)(w, active)) }, "INVALID quantities.0.quantity"},
			"a quantity after the term": {func() error { return second(quantity(5, on("2026-02-16"))(w, active)) }, "INVALID startDate"},
			"a quantity for yesterday":  {func() error { return second(quantity(5, on("2026-01-14"))(w, active)) }, "INVALID startDate"},
			"a quantity though over":    {func() error { return second(quantity(5, nil)(w, over)) }, "NOT_ALLOWED subscriptionId"},
			"no quantities": {func() error {
				return second(w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, active.ID, subscription.QuantityUpdate{Orders: nil}))
			}, "REQUIRED quantities"},
			"a quantity of nothing": {func() error {
				return second(w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, active.ID, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: "storage", Quantity: ptr(1)}}}))
			}, "NOT_FOUND quantities.0.code"},
			"a quantity and not there":  {func() error { return second(quantity(5, nil)(w, unknown)) }, "NOT_FOUND subscriptionId"},
			"a plan of another product": {func() error { return second(toPlan("advice", false)(w, active)) }, "INVALID priceListCode"},
			"a plan that is not there":  {func() error { return second(toPlan("nothing", true)(w, active)) }, "NOT_FOUND priceListCode"},
			"a plan though over":        {func() error { return second(toPlan("pro-monthly", false)(w, over)) }, "NOT_ALLOWED id"},
			"a trial extended into the past": {func() error {
				return second(w.Subscriptions.SubscriptionTrialExtend(w.ctx, onTrial.ID, day("2026-01-14")))
			}, "INVALID trialEndDate"},
			"no trial to extend": {func() error {
				return second(w.Subscriptions.SubscriptionTrialExtend(w.ctx, active.ID, day("2026-02-14")))
			}, "NOT_ALLOWED id"},
			"no trial to convert": {func() error {
				return second(w.Subscriptions.SubscriptionTrialConvert(w.ctx, active.ID, subscriptions.PriceListRef{}, nil))
			}, "NOT_ALLOWED subscriptionId"},
			"converted to nothing": {func() error {
				return second(w.Subscriptions.SubscriptionTrialConvert(w.ctx, onTrial.ID, byCode("nothing"), nil))
			}, "NOT_FOUND priceListCode"},
			"moved though over": {func() error {
				return second(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, over.ID, subscriptions.TenantRef{Code: "new"}))
			}, "NOT_ALLOWED id"},
			"moved to another's tenant": {func() error {
				return second(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, active.ID, subscriptions.TenantRef{Code: "trial"}))
			}, "TAKEN code"},
			"moved to a bad code": {func() error {
				return second(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, active.ID, subscriptions.TenantRef{Code: "no\nlines"}))
			}, "INVALID code"},
			"moved and not there": {func() error {
				return second(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, 99, subscriptions.TenantRef{Code: "new"}))
			}, "NOT_FOUND id"},
		} {
			w.untouched(what, func() { w.refused(what, c.do(), c.want) })
		}
	})
}

func second[T any](_ T, err error) error { return err }

// TestCurrencyOfASoldPriceListStays refuses another currency for a price list
// that something was sold on, even if nobody is on it any more.
func TestCurrencyOfASoldPriceListStays(t *testing.T) {
	each(t, func(w *world) {
		list := w.chargeOf("basic-monthly", "seats").PriceListID
		inDollars := func() error {
			return second(w.Catalog.PriceListUpdate(w.ctx, list, func(l *catalog.PriceList) error { l.CurrencyID = "USD"; return nil }))
		}
		active := w.subscribe("basic-monthly", "acme", func(n *subscriptions.NewSubscription) { n.Draft.StartDate = on("2026-01-01") })
		w.refused("while it is on sale", inDollars(), "NOT_ALLOWED currencyId")
		w.ok(second(toPlan("pro-monthly", false)(w, active)))
		w.refused("when nobody is on it any more", inDollars(), "NOT_ALLOWED currencyId")
		unsold := w.chargeOf("basic-half", "seats").PriceListID
		w.ok(second(w.Catalog.PriceListUpdate(w.ctx, unsold, func(l *catalog.PriceList) error { l.CurrencyID = "USD"; return nil })))
	})
}
