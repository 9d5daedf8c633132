package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testSubscriptionsWithoutRate(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var first, second billing.EntityID
	var subs []*subscription.Subscription
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		o := m.offer()
		first, second = m.entity().ID, m.entity().ID
		a, b := m.account("A"), m.account("B")
		b.EntityID = &second
		must(store.Accounts.Update(ctx, tx, b))
		price := billing.Price("10")
		known := &rate.Rate{ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, PricingModel: catalog.Flat, Price: &price}
		lines := func(rates ...*rate.Rate) func(*subscription.Subscription) {
			return func(s *subscription.Subscription) {
				for n, r := range rates {
					s.Charges = append(s.Charges, subscription.Line{
						ID: billing.SubscriptionChargeID(n + 1), ChargeID: billing.ChargeID(n + 1), Code: "c", Name: `"rate":{ and "chargeId":`, Rate: r,
						StartDate: date("2026-01-01"), EndDate: date("2026-01-31"),
					})
				}
			}
		}
		ended := func(s *subscription.Subscription) { s.State = subscription.StateCanceled }
		subs = []*subscription.Subscription{
			m.subscription(a.ID, o), m.subscription(a.ID, o, lines(known, known)), m.subscription(a.ID, o, lines(known, nil)), m.subscription(a.ID, o, lines(nil), ended), m.subscription(b.ID, o, lines(nil)),
		}
	})
	ids := func(entity billing.EntityID, others bool, limit int) (ids []billing.SubscriptionID) {
		for _, sub := range got[[]subscription.Subscription](t)(store.SubscriptionsWithoutRate(t.Context(), s.Queries(), entity, others, limit)) {
			ids = append(ids, sub.ID)
		}
		return ids
	}
	same(t, "of the first", ids(first, true, 10), []billing.SubscriptionID{subs[2].ID})
	same(t, "of the first alone", len(ids(first, false, 10)), 0)
	same(t, "of the second", ids(second, false, 10), []billing.SubscriptionID{subs[4].ID})
	same(t, "at most one", len(ids(second, true, 1)), 1)
}
