package catalogs_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// moveProduct puts a product on a platform, or on none.
func moveProduct(w *servicetest.World, id billing.ProductID, to *billing.PlatformID) error {
	return servicetest.ErrorOf(w.Catalog.ProductUpdate(w.Ctx, id, func(p *catalog.Product) error {
		p.PlatformID = to
		return nil
	}, nil))
}

func otherPlatform(w *servicetest.World) *webhook.Platform {
	w.T.Helper()
	return servicetest.Must[*webhook.Platform](w)(w.Delivery.PlatformCreate(w.Ctx, func(p *webhook.Platform) error {
		p.Code, p.Name = "other", "Another App"
		return nil
	}, delivery.PlatformSecrets{}))
}

// TestProductsStayWithTheirTenants: a product cannot leave the platform on which
// its subscriptions have tenants, be they live or over.
func TestProductsStayWithTheirTenants(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		other := otherPlatform(w)
		w.OK(moveProduct(w, w.Product.ID, &other.ID))
		w.OK(moveProduct(w, w.Product.ID, nil))
		w.Subscribe("basic-monthly", "without", servicetest.WithoutTenant)
		w.OK(moveProduct(w, w.Product.ID, &w.Platform.ID))
		s := w.Subscribe("basic-monthly", "acme")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(s), subscription.Cancellation{}))
		for what, to := range map[string]*billing.PlatformID{"to another platform": &other.ID, "to none": nil} {
			w.Unchanged(what, func() { w.Refused(what, moveProduct(w, w.Product.ID, to), "IN_USE platformId") })
		}
		_, err := w.Catalog.ProductUpdate(w.Ctx, w.Product.ID, func(*catalog.Product) error { return nil }, new("other"))
		w.Refused("by its code", err, "IN_USE platformCode")
		w.OK(moveProduct(w, w.Product.ID, &w.Platform.ID)) // where it is
	})
}

// TestProductMovesWhileATenantComes stops a subscription that brings the first
// tenant right before its commit. The product cannot slip away meanwhile.
func TestProductMovesWhileATenantComes(t *testing.T) {
	t.Parallel()
	w := servicetest.NewWorld(t, storetest.New(t, "postgres"))
	other := otherPlatform(w)
	order := w.Order("basic-monthly", "acme")
	release := w.StopBeforeCommit()
	slow, quick := make(chan error, 1), make(chan error, 1)
	ctx := w.WithKey("slow")
	go func() { slow <- servicetest.ErrorOf(w.Subscriptions.SubscriptionCreate(ctx, order)) }()
	w.AwaitBlocked(1)
	go func() { quick <- moveProduct(w, w.Product.ID, &other.ID) }()
	w.AwaitBlocked(2)
	release()
	w.OK(<-slow)
	w.Refused("moving", <-quick, "IN_USE platformId")
}

// TestForgetOldJobs removes jobs that were finished more than thirty days ago.
func TestForgetOldJobs(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.Subscribe("basic-monthly", "acme")
		w.OK(w.ChangeRegion("us"))
		w.RunJobs()
		w.OK(w.ChangeRegion("uk")) // and stays open
		jobs := func() string { return w.QueryText(`SELECT count(*) FROM job`) }
		w.Clock.Advance(30 * 24 * time.Hour)
		w.OK(w.Jobs.ForgetOld(w.Ctx))
		w.Equal("jobs after thirty days", jobs(), "2")
		w.Clock.Advance(time.Millisecond)
		w.DistrustClock(func() { w.OK(w.Jobs.ForgetOld(w.Ctx)) })
		w.Equal("jobs while nobody knows what time it is", jobs(), "2")
		w.OK(w.Jobs.ForgetOld(w.Ctx))
		w.Equal("jobs after more", jobs(), "1")
		w.Equal("the one that is left", w.QueryText(`SELECT count(*) FROM job WHERE finished_at IS NULL`), "1")
	})
}
