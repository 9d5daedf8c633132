package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testCatalog(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var product, other *catalog.Product
	var plan, bare *catalog.Plan
	var l, second, lone *catalog.PriceList
	var f, g *catalog.Feature
	var x, y *catalog.Charge
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		other, product = m.product(), m.product()
		plan, bare = m.plan(product.ID), m.plan(other.ID)
		l, second, lone = m.priceList(plan.ID), m.priceList(plan.ID), m.priceList(bare.ID)
		m.priceList(plan.ID) // which nobody asks for
		f, g = m.feature(product.ID), m.feature(product.ID)
		pf := m.planFeature(plan.ID, g.ID)
		pf.Value = "7"
		must(store.PlanFeatures.Update(ctx, tx, pf))
		m.planFeature(plan.ID, f.ID)
		x, y = m.charge(l.ID, nil), m.charge(l.ID, &g.ID)
		m.charge(second.ID, &f.ID)
	})
	sold := got[*store.Catalog](t)
	same(t, "LoadCatalog", sold(store.LoadCatalog(ctx, q, []billing.PriceListID{lone.ID, l.ID, second.ID, l.ID, 1 << 40})), &store.Catalog{
		PriceLists: map[billing.PriceListID]catalog.PriceList{l.ID: *l, second.ID: *second, lone.ID: *lone},
		Plans:      map[billing.PlanID]catalog.Plan{plan.ID: *plan, bare.ID: *bare},
		Products:   map[billing.ProductID]catalog.Product{product.ID: *product, other.ID: *other},
		Contents: map[billing.PlanID]*catalog.PlanContents{
			plan.ID: {Features: []catalog.IncludedFeature{{Feature: *g, PlanValue: "7", WhenRestricted: "KEEP"}, {Feature: *f, PlanValue: "true", WhenRestricted: "KEEP"}}},
			bare.ID: {},
		},
	})
	nothing := sold(store.LoadCatalog(ctx, q, nil))
	same(t, "LoadCatalog of nothing", len(nothing.PriceLists)+len(nothing.Plans)+len(nothing.Products)+len(nothing.Contents), 0)

	offer := got[*subscription.Offer](t)
	same(t, "LoadOffer", offer(store.LoadOffer(ctx, q, l.ID)), &subscription.Offer{
		PriceList: *l, ProductID: product.ID, Charges: []catalog.Charge{*x, *y}, Features: map[billing.FeatureID]catalog.PricedFeature{g.ID: {Code: g.Code, Kind: g.Kind}},
	})
	same(t, "LoadOffer without charges", offer(store.LoadOffer(ctx, q, lone.ID)), &subscription.Offer{
		PriceList: *lone, ProductID: other.ID, Charges: []catalog.Charge{}, Features: map[billing.FeatureID]catalog.PricedFeature{},
	})
	same(t, "LoadOffer of none", offer(store.LoadOffer(ctx, q, 1<<40)), (*subscription.Offer)(nil))

	checkWaits(t, s, "a product that is held",
		func(ctx context.Context, tx *store.Tx) { must(store.HoldProduct(ctx, tx, product.ID)) },
		func(ctx context.Context, tx *store.Tx) {
			_, err := store.Products.Lock(ctx, tx, product.ID)
			must(err)
		})
	if s.Engine() == "postgres" { // where many can hold it at once
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			must(store.HoldProduct(ctx, tx, product.ID))
			write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.HoldProduct(ctx, tx, product.ID)) })
		})
	}
}

func testProvisioning(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, p2 *webhook.Platform
	var ann, bob *billing.Account
	var c1, c2 *billing.Contact
	var a, b *billing.Tenant
	var live, over *subscription.Subscription
	var o offered
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, p2 = m.platform(), m.platform()
		bob, ann = m.account("Bob"), m.account("Ann")
		c1, c2 = m.contact(ann.ID, "C1", nil), m.contact(ann.ID, "C2", nil)
		m.contact(m.account("Nobody").ID, "C3", nil)
		a, b = m.tenant(p.ID, ann.ID), m.tenant(p2.ID, bob.ID)
		o = m.offer()
		m.planFeature(o.plan, m.feature(o.product).ID)
		live = m.subscription(ann.ID, o, forTenant(a.ID))
		m.subscription(ann.ID, m.offer()) // of no tenant
		over = m.subscription(ann.ID, o, forTenant(a.ID), inState(subscription.StateExpired))
		m.subscription(ann.ID, m.offer(), forTenant(m.tenant(p.ID, ann.ID).ID)) // of a tenant that nobody asks for
	})
	states, catalog, err := store.LoadProvisioning(ctx, q, []billing.TenantID{b.ID, 1 << 40, a.ID})
	if err != nil {
		t.Fatal(err)
	}
	around := func(sub *subscription.Subscription) webhook.ProvisioningSubscription {
		return webhook.ProvisioningSubscription{
			Subscription: *sub, Plan: catalog.Plans[o.plan], PriceList: catalog.PriceLists[o.list], Product: catalog.Products[o.product],
		}
	}
	told := func(t *billing.Tenant, p *webhook.Platform, a *billing.Account) webhook.ProvisioningState {
		return webhook.ProvisioningState{
			Tenant:   billing.Tenant{ID: t.ID, PlatformID: p.ID, AccountID: a.ID, Code: t.Code, Name: t.Name},
			Platform: webhook.Platform{ID: p.ID, Code: p.Code, Name: p.Name},
			Account:  billing.Account{ID: a.ID, Name: a.Name, BillingDay: a.BillingDay, TestClockID: a.TestClockID},
		}
	}
	first, second := told(a, p, ann), told(b, p2, bob)
	for _, c := range []*billing.Contact{c1, c2} {
		first.Contacts = append(first.Contacts, billing.Contact{ID: c.ID, AccountID: c.AccountID, FirstName: c.FirstName, LastName: c.LastName, Email: c.Email})
	}
	first.Subscriptions = []webhook.ProvisioningSubscription{around(live), around(over)}
	same(t, "LoadProvisioning", states, []*webhook.ProvisioningState{&first, &second})
	same(t, "the catalog of LoadProvisioning", catalog, got[*store.Catalog](t)(store.LoadCatalog(ctx, q, []billing.PriceListID{o.list})))
	same(t, "features of the plan", len(catalog.Contents[o.plan].Features), 1)
	same(t, "the plan around a subscription", states[0].Subscriptions[0].Plan.ID, o.plan)
	same(t, "the product around a subscription", states[0].Subscriptions[0].Product.ID, o.product)
	states, _, err = store.LoadProvisioning(ctx, q, nil)
	if len(states) != 0 || err != nil {
		t.Errorf("LoadProvisioning of nothing: %v, %v", states, err)
	}
}

func testSnapshot(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	snapshot := s.Snapshot()
	same(t, "Now of a snapshot", snapshot.Now, db.Clock.Now())
	later := db.Clock.Advance(time.Minute)
	same(t, "Now of a later snapshot", s.Snapshot().Now, later)
	var a *billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) { a = maker{ctx, tx}.account("A") })
	read := got[*billing.Account](t)
	same(t, "what was committed since", read(store.Accounts.Get(t.Context(), snapshot.Queries, a.ID)), a)
	same(t, "a row read with Lock", read(store.Accounts.Lock(t.Context(), snapshot, a.ID)), a)
}

func testOutages(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var p *webhook.Platform
	write(t, s, func(ctx context.Context, tx *store.Tx) { p = maker{ctx, tx}.platform() })
	check := func(what string, err error, want bool) {
		t.Helper()
		if (err == nil) != (what == "nothing") || store.IsOutage(err) != want {
			t.Errorf("%s (%v): IsOutage is %v, want %v", what, err, !want, want)
		}
		if again := want && what != "a missing table"; store.IsUnavailable(err) != again {
			t.Errorf("%s (%v): IsUnavailable is %v, want %v", what, err, !again, again)
		}
		if store.IsInDoubt(err) {
			t.Errorf("%s (%v) is in doubt", what, err)
		}
	}
	check("nothing", nil, false)
	check("a duplicate", attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.Platforms.Insert(ctx, tx, &webhook.Platform{Code: p.Code}))
	}), false)
	check("a missing row", attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.Features.Insert(ctx, tx, &catalog.Feature{ProductID: 1 << 40}))
	}), false)
	check("a mistake of ours", billing.Fail(billing.NotAllowed, "", "No."), false)
	check("a missing table", attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Exec(ctx, tx, `DELETE FROM nothing`)
		must(err)
	}), true)
	ended, end := context.WithCancel(t.Context())
	end()
	check("a context that ended", s.Write(ended, func(context.Context, *store.Tx) error { return nil }), true)
	_, err := store.Accounts.Get(ended, s.Queries(), 1)
	check("a read in a context that ended", err, true)

	if db.Engine == "postgres" {
		_, err = store.Open(t.Context(), store.Options{URL: "postgres://nobody@127.0.0.1:1/none?connect_timeout=1", Now: db.Clock.Now})
		check("a database that cannot be reached", err, true)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check("a closed database", s.Write(t.Context(), func(context.Context, *store.Tx) error { return nil }), true)
	_, err = store.Accounts.Get(t.Context(), s.Queries(), 1)
	check("a read on a closed database", err, true)
}

func testSoldByNumber(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var plan, other *catalog.Plan
	var users, sso *catalog.Feature
	var idle, sold *catalog.PriceList
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		product := m.product()
		plan, other = m.plan(product.ID), m.plan(product.ID)
		users, sso = m.feature(product.ID), m.feature(product.ID)
		users.Kind = catalog.Quantity
		must(store.Features.Update(ctx, tx, users))
		idle, sold = m.priceList(plan.ID), m.priceList(plan.ID)
		for _, list := range []billing.PriceListID{idle.ID, sold.ID, m.priceList(other.ID).ID} {
			for _, f := range []*catalog.Feature{users, sso} {
				c := m.charge(list, &f.ID)
				c.ChargeType = catalog.Recurring
				must(store.Charges.Update(ctx, tx, c))
			}
		}
		account := m.account("Acme").ID
		m.subscription(account, offered{product.ID, plan.ID, sold.ID}, inState(subscription.StateCanceled))
	})
	code := got[string](t)
	same(t, "SoldByNumber", code(store.SoldByNumber(t.Context(), s.Queries(), plan.ID, users.ID)), sold.Code)
	same(t, "SoldByNumber of another plan", code(store.SoldByNumber(t.Context(), s.Queries(), other.ID, users.ID)), "")
	same(t, "SoldByNumber of a feature of another kind", code(store.SoldByNumber(t.Context(), s.Queries(), plan.ID, sso.ID)), "")
}
