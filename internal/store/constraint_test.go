package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// duplicates do what a unique constraint forbids.
var duplicates = map[string]func(maker){
	"account code": func(m maker) {
		for _, a := range []*billing.Account{m.account("A"), m.account("B")} {
			a.Code = ptr("same")
			must(store.Accounts.Update(m.ctx, m.tx, a))
		}
	},
	"platform code": func(m maker) { must(store.Platforms.Insert(m.ctx, m.tx, m.platform())) },
	"product code":  func(m maker) { must(store.Products.Insert(m.ctx, m.tx, m.product())) },
	"feature code":  func(m maker) { must(store.Features.Insert(m.ctx, m.tx, m.feature(m.product().ID))) },
	"plan code":     func(m maker) { must(store.Plans.Insert(m.ctx, m.tx, m.plan(m.product().ID))) },
	"plan feature": func(m maker) {
		p := m.product().ID
		must(store.PlanFeatures.Insert(m.ctx, m.tx, m.planFeature(m.plan(p).ID, m.feature(p).ID)))
	},
	"price list code": func(m maker) { must(store.PriceLists.Insert(m.ctx, m.tx, m.priceList(m.plan(m.product().ID).ID))) },
	"charge code": func(m maker) {
		must(store.Charges.Insert(m.ctx, m.tx, m.charge(m.priceList(m.plan(m.product().ID).ID).ID, nil)))
	},
	"client id": func(m maker) { must(store.InsertClient(m.ctx, m.tx, m.client())) },
}

const nobody = 1 << 40

// dangling do what a foreign key forbids: refer to what is not there, or
// delete what something refers to.
var dangling = map[string]func(maker){
	"contact of no account": func(m maker) { m.contact(nobody, "C", nil) },
	"product on no platform": func(m maker) {
		p := m.product()
		p.PlatformID = ptr(billing.PlatformID(nobody))
		must(store.Products.Update(m.ctx, m.tx, p))
	},
	"feature of no product":   func(m maker) { m.feature(nobody) },
	"plan of no product":      func(m maker) { m.plan(nobody) },
	"no plan with a feature":  func(m maker) { m.planFeature(nobody, m.feature(m.product().ID).ID) },
	"plan with no feature":    func(m maker) { m.planFeature(m.plan(m.product().ID).ID, nobody) },
	"price list of no plan":   func(m maker) { m.priceList(nobody) },
	"charge of no price list": func(m maker) { m.charge(nobody, nil) },
	"charge for no feature":   func(m maker) { m.charge(m.priceList(m.plan(m.product().ID).ID).ID, ptr(billing.FeatureID(nobody))) },
	"account with a contact": func(m maker) {
		a := m.account("A")
		m.contact(a.ID, "C", nil)
		must(store.Accounts.Delete(m.ctx, m.tx, a))
	},
	"plan with a price list": func(m maker) {
		p := m.plan(m.product().ID)
		m.priceList(p.ID)
		must(store.Plans.Delete(m.ctx, m.tx, p))
	},
	"product with a plan": func(m maker) { p := m.product(); m.plan(p.ID); must(store.Products.Delete(m.ctx, m.tx, p)) },
	"price list with a charge": func(m maker) {
		l := m.priceList(m.plan(m.product().ID).ID)
		m.charge(l.ID, nil)
		must(store.PriceLists.Delete(m.ctx, m.tx, l))
	},
}

func testConstraints(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	run := func(what string, do func(maker)) error {
		err := attempt(t, s, func(ctx context.Context, tx *store.Tx) { do(maker{ctx, tx}) })
		if err == nil {
			t.Errorf("%s: no error", what)
		}
		return err
	}
	for what, do := range duplicates {
		if err := run(what, do); !store.IsDuplicate(err) || store.IsReference(err) || store.IsFull(err) {
			t.Errorf("%s: %v, want a duplicate and nothing else", what, err)
		}
	}
	for what, do := range dangling {
		if err := run(what, do); !store.IsReference(err) || store.IsDuplicate(err) || store.IsFull(err) {
			t.Errorf("%s: %v, want a violated reference and nothing else", what, err)
		}
	}
	for _, table := range []string{"account", "platform", "product", "feature", "plan", "price_list", "api_client"} {
		same(t, table+" after all that failed", got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SELECT count(*) FROM "+table)), []string{"0"})
	}
	// What has no code collides with nothing.
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		m.account("A")
		m.account("B")
		p := m.product().ID
		for range 2 {
			must(store.Plans.Insert(ctx, tx, &catalog.Plan{ProductID: p, Name: "P"}))
		}
	})
	if store.IsDuplicate(nil) || store.IsReference(nil) || store.IsFull(nil) {
		t.Error("no error is taken for one")
	}
}
