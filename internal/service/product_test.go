package service_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// moveProduct puts a product on a platform, or on none.
func (w *world) moveProduct(id billing.ProductID, to *billing.PlatformID) error {
	return second(w.Catalog.ProductUpdate(w.ctx, id, func(p *catalog.Product) error {
		p.PlatformID = to
		return nil
	}, nil))
}

func (w *world) otherPlatform() *webhook.Platform {
	w.t.Helper()
	return must[*webhook.Platform](w)(w.Delivery.PlatformCreate(w.ctx, func(p *webhook.Platform) error {
		p.Code, p.Name = "other", "Another App"
		return nil
	}, delivery.PlatformSecrets{}))
}

// TestProductsStayWithTheirTenants: a product cannot leave the platform on which
// its subscriptions have tenants, be they live or over.
func TestProductsStayWithTheirTenants(t *testing.T) {
	each(t, func(w *world) {
		other := w.otherPlatform()
		w.ok(w.moveProduct(w.product.ID, &other.ID))
		w.ok(w.moveProduct(w.product.ID, nil))
		w.subscribe("basic-monthly", "without", withoutTenant)
		w.ok(w.moveProduct(w.product.ID, &w.platform.ID))
		s := w.subscribe("basic-monthly", "acme")
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(s), nil, false))
		for what, to := range map[string]*billing.PlatformID{"to another platform": &other.ID, "to none": nil} {
			w.untouched(what, func() { w.refused(what, w.moveProduct(w.product.ID, to), "IN_USE platformId") })
		}
		_, err := w.Catalog.ProductUpdate(w.ctx, w.product.ID, func(*catalog.Product) error { return nil }, ptr("other"))
		w.refused("by its code", err, "IN_USE platformCode")
		w.ok(w.moveProduct(w.product.ID, &w.platform.ID)) // where it is
	})
}

// TestProductMovesWhileATenantComes stops a subscription that brings the first
// tenant right before its commit. The product cannot slip away meanwhile.
func TestProductMovesWhileATenantComes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres"))
	other := w.otherPlatform()
	order := w.order("basic-monthly", "acme")
	release := w.stopBeforeCommit()
	slow, quick := make(chan error, 1), make(chan error, 1)
	ctx := w.once("slow")
	go func() { slow <- second(w.Subscriptions.SubscriptionCreate(ctx, order)) }()
	w.waiting(1)
	go func() { quick <- w.moveProduct(w.product.ID, &other.ID) }()
	w.waiting(2)
	release()
	w.ok(<-slow)
	w.refused("moving", <-quick, "IN_USE platformId")
}

// TestForgetOldJobs removes jobs that were finished more than thirty days ago.
func TestForgetOldJobs(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("basic-monthly", "acme")
		w.ok(w.moveRegion("us"))
		w.runJobs()
		w.ok(w.moveRegion("uk")) // and stays open
		jobs := func() string { return w.text(`SELECT count(*) FROM job`) }
		w.clock.Advance(30 * 24 * time.Hour)
		w.ok(w.Jobs.ForgetOld(w.ctx))
		w.same("jobs after thirty days", jobs(), "2")
		w.clock.Advance(time.Millisecond)
		w.unsure(func() { w.ok(w.Jobs.ForgetOld(w.ctx)) })
		w.same("jobs while nobody knows what time it is", jobs(), "2")
		w.ok(w.Jobs.ForgetOld(w.ctx))
		w.same("jobs after more", jobs(), "1")
		w.same("the one that is left", w.text(`SELECT count(*) FROM job WHERE finished_at IS NULL`), "1")
	})
}
