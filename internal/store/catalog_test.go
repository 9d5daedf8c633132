package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testPlatforms(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var p *webhook.Platform
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		maker{ctx, tx}.platform()
		p = maker{ctx, tx}.platform()
	})
	find := func(code string) *webhook.Platform {
		return got[*webhook.Platform](t)(store.Platforms.ByCode(t.Context(), s.Queries(), code))
	}
	same(t, "Platforms.ByCode", find(p.Code), p)
	same(t, "Platforms.ByCode of none", find("none"), (*webhook.Platform)(nil))
}

func testProducts(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, empty *webhook.Platform
	var on, off *catalog.Product
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, empty, off, on = m.platform(), m.platform(), m.product(), m.product()
		on.PlatformID = &p.ID
		must(store.Products.Update(ctx, tx, on))
	})
	same(t, "Products.ByCode", got[*catalog.Product](t)(store.Products.ByCode(ctx, q, off.Code)), off)
	same(t, "Products.ByCode of none", got[*catalog.Product](t)(store.Products.ByCode(ctx, q, "none")), (*catalog.Product)(nil))
	same(t, "products of platforms", got[[]catalog.Product](t)(store.ChildrenOf(ctx, q, store.Products, "platformId", []billing.PlatformID{empty.ID, p.ID}, billing.Filter{})), []catalog.Product{*on})
	same(t, "products of none", got[[]catalog.Product](t)(store.ChildrenOf(ctx, q, store.Products, "platformId", []billing.PlatformID(nil), billing.Filter{})), []catalog.Product{})
	same(t, "ProductsOnPlatform", got[int](t)(store.ProductsOnPlatform(ctx, q, p.ID)), 1)
	same(t, "ProductsOnPlatform of an empty one", got[int](t)(store.ProductsOnPlatform(ctx, q, empty.ID)), 0)
}

func testFeatures(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, other, empty billing.ProductID
	var a, b, twin *catalog.Feature
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, other, empty = m.product().ID, m.product().ID, m.product().ID
		a, b, twin = m.feature(p), m.feature(p), m.feature(other)
		b.Position, b.Kind = 7, catalog.Value
		must(store.Features.Update(ctx, tx, b))
		twin.Code = b.Code
		must(store.Features.Update(ctx, tx, twin))
	})
	feature := got[*catalog.Feature](t)
	same(t, "FeatureByCode", feature(store.FeatureByCode(ctx, q, other, b.Code)), twin)
	same(t, "FeatureByCode of another product", feature(store.FeatureByCode(ctx, q, other, a.Code)), (*catalog.Feature)(nil))
	same(t, "Features.ByCode", feature(store.Features.ByCode(ctx, q, b.Code)), b)
	features := got[[]catalog.Feature](t)
	same(t, "FeaturesOf", features(store.FeaturesOf(ctx, q, []billing.ProductID{other, p}, billing.Filter{})), []catalog.Feature{*a, *b, *twin})
	same(t, "FeaturesOf by kind", features(store.FeaturesOf(ctx, q, []billing.ProductID{other, p}, filter(t, "kind:value"))), []catalog.Feature{*b})
	number := got[int](t)
	same(t, "FeaturesInProduct", number(store.FeaturesInProduct(ctx, q, p)), 2)
	same(t, "FeaturesInProduct of an empty one", number(store.FeaturesInProduct(ctx, q, empty)), 0)
	same(t, "LastFeaturePosition", number(store.LastFeaturePosition(ctx, q, p)), 7)
	same(t, "LastFeaturePosition of an empty one", number(store.LastFeaturePosition(ctx, q, empty)), 0)
}

func testPlans(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, other, empty billing.ProductID
	var a, b, twin *catalog.Plan
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, other, empty = m.product().ID, m.product().ID, m.product().ID
		a, b, twin = m.plan(p), m.plan(p), m.plan(other)
		b.Addon = true
		must(store.Plans.Update(ctx, tx, b))
		twin.Code = b.Code
		must(store.Plans.Update(ctx, tx, twin))
	})
	plan := got[*catalog.Plan](t)
	same(t, "PlanByCode", plan(store.PlanByCode(ctx, q, other, *b.Code)), twin)
	same(t, "PlanByCode of another product", plan(store.PlanByCode(ctx, q, other, *a.Code)), (*catalog.Plan)(nil))
	same(t, "Plans.ByCode", plan(store.Plans.ByCode(ctx, q, *b.Code)), b)
	plans := got[[]catalog.Plan](t)
	same(t, "PlansOf", plans(store.PlansOf(ctx, q, []billing.ProductID{other, p}, billing.Filter{})), []catalog.Plan{*a, *b, *twin})
	same(t, "PlansOf that are no add-ons", plans(store.PlansOf(ctx, q, []billing.ProductID{p}, filter(t, "addon:false"))), []catalog.Plan{*a})
	same(t, "PlansInProduct", got[int](t)(store.PlansInProduct(ctx, q, p)), 2)
	same(t, "PlansInProduct of an empty one", got[int](t)(store.PlansInProduct(ctx, q, empty)), 0)
}

func testPlanFeatures(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var plans [2]billing.PlanID
	var features [2]billing.FeatureID
	var has [2][2]catalog.PlanFeature // by plan and feature
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		product := m.product().ID
		m.feature(product) // so that no plan has the id of a feature
		for i := range 2 {
			plans[i], features[i] = m.plan(product).ID, m.feature(product).ID
		}
		for i := range 2 {
			for j := range 2 {
				has[i][j] = *m.planFeature(plans[i], features[j])
			}
		}
	})
	of := func(ids ...billing.PlanID) []catalog.PlanFeature {
		return got[[]catalog.PlanFeature](t)(store.PlanFeaturesOf(ctx, q, ids))
	}
	same(t, "PlanFeaturesOf", of(plans[1]), has[1][:])
	with := got[[]catalog.PlanFeature](t)(store.PlanFeaturesWith(ctx, q, []billing.FeatureID{features[1]}))
	same(t, "PlanFeaturesWith", with, []catalog.PlanFeature{has[0][1], has[1][1]})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		n, err := store.DeletePlanFeaturesWith(ctx, tx, features[0])
		must(err)
		same(t, "DeletePlanFeaturesWith", n, int64(2))
	})
	same(t, "what is left", of(plans[:]...), []catalog.PlanFeature{has[0][1], has[1][1]})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		n, err := store.DeletePlanFeaturesOf(ctx, tx, plans[0])
		must(err)
		same(t, "DeletePlanFeaturesOf", n, int64(1))
	})
	same(t, "what is left", of(plans[:]...), []catalog.PlanFeature{has[1][1]})
}

func testPriceLists(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, other, empty billing.PlanID
	var a, b *catalog.PriceList
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		product := m.product().ID
		p, other, empty = m.plan(product).ID, m.plan(product).ID, m.plan(product).ID
		a, b = m.priceList(p), m.priceList(other)
		b.CurrencyID = "USD"
		must(store.PriceLists.Update(ctx, tx, b))
	})
	list := got[*catalog.PriceList](t)
	same(t, "PriceLists.ByCode", list(store.PriceLists.ByCode(ctx, q, b.Code)), b)
	same(t, "PriceLists.ByCode of none", list(store.PriceLists.ByCode(ctx, q, "none")), (*catalog.PriceList)(nil))
	lists := got[[]catalog.PriceList](t)
	both := []billing.PlanID{empty, other, p}
	same(t, "PriceListsOf", lists(store.PriceListsOf(ctx, q, both, billing.Filter{})), []catalog.PriceList{*a, *b})
	same(t, "PriceListsOf in dollars", lists(store.PriceListsOf(ctx, q, both, filter(t, "currency:USD"))), []catalog.PriceList{*b})
	same(t, "PriceListsOnPlan", got[int](t)(store.PriceListsOnPlan(ctx, q, p)), 1)
	same(t, "PriceListsOnPlan of an empty one", got[int](t)(store.PriceListsOnPlan(ctx, q, empty)), 0)
}

func testCharges(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var l, other billing.PriceListID
	var f billing.FeatureID
	var a, b, twin *catalog.Charge
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		product := m.product().ID
		plan := m.plan(product).ID
		l, other, f = m.priceList(plan).ID, m.priceList(plan).ID, m.feature(product).ID
		a, b, twin = m.charge(l, nil), m.charge(l, &f), m.charge(other, nil)
		twin.Code = b.Code
		twin.Tiers = []catalog.Tier{} // an empty list stays one and does not become none
		must(store.Charges.Update(ctx, tx, twin))
	})
	charge := got[*catalog.Charge](t)
	same(t, "ChargeByCode", charge(store.ChargeByCode(ctx, q, other, b.Code)), twin)
	same(t, "ChargeByCode of another list", charge(store.ChargeByCode(ctx, q, other, a.Code)), (*catalog.Charge)(nil))
	same(t, "Charges.ByCode", charge(store.Charges.ByCode(ctx, q, b.Code)), b)
	of := func() []catalog.Charge {
		return got[[]catalog.Charge](t)(store.ChargesOf(ctx, q, []billing.PriceListID{other, l}))
	}
	same(t, "ChargesOf", of(), []catalog.Charge{*a, *b, *twin})
	sold := got[map[store.NumberSold]bool](t)
	plan := got[*catalog.PriceList](t)(store.PriceLists.Get(ctx, q, l)).PlanID
	same(t, "NumbersSold of no number", sold(store.NumbersSold(ctx, q, []billing.PlanID{plan})), map[store.NumberSold]bool{})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		feature := got[*catalog.Feature](t)(store.Features.Lock(ctx, tx, f))
		feature.Kind = catalog.Quantity
		must(store.Features.Update(ctx, tx, feature))
	})
	same(t, "NumbersSold", sold(store.NumbersSold(ctx, q, []billing.PlanID{plan, plan + 1})), map[store.NumberSold]bool{{Plan: plan, Feature: f}: true})
	same(t, "NumbersSold of no plan", sold(store.NumbersSold(ctx, q, nil)), map[store.NumberSold]bool{})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		same(t, "HoldCharges", got[int](t)(store.HoldCharges(ctx, tx, l)), 2)
		same(t, "HoldCharges of none", got[int](t)(store.HoldCharges(ctx, tx, other+1)), 0)
	})
	same(t, "ChargesFor", got[int](t)(store.ChargesFor(ctx, q, f)), 1)
	same(t, "ChargesFor of no feature", got[int](t)(store.ChargesFor(ctx, q, f+1)), 0)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		n, err := store.DeleteChargesOf(ctx, tx, l)
		must(err)
		same(t, "DeleteChargesOf", n, int64(2))
	})
	same(t, "what is left", of(), []catalog.Charge{*twin})
}
