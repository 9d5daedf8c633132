package service_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// crowd makes many subscriptions at once, each with a tenant of its own, and
// returns their tenants in order.
func (w *world) crowd(list string, n int, with ...func(*subscriptions.NewSubscription)) []billing.TenantID {
	w.t.Helper()
	tenants := make([]billing.TenantID, n)
	var group sync.WaitGroup
	next := make(chan int)
	for i := range min(n, 8) {
		// Those of one account are made one after the other.
		account := w.account(fmt.Sprintf("crowd %d of %d on %s", i, n, list))
		group.Go(func() {
			for i := range next {
				order := subscriptions.NewSubscription{
					AccountID: &account.ID, PriceList: byCode(list), Tenant: &subscriptions.TenantRef{Code: fmt.Sprintf("%s-%d", list, i)},
				}
				order.Draft.Evergreen = true
				for _, f := range with {
					f(&order)
				}
				s, err := w.Subscriptions.SubscriptionCreate(w.ctx, order)
				if err != nil {
					w.t.Error(err)
					continue
				}
				tenants[i] = *s.TenantID
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	return tenants
}

// TestReplicas lets three processes on one PostgreSQL share 300 subscriptions
// that three terms have passed for. No step is done twice, none is skipped.
func TestReplicas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres"))
	tenants := w.crowd("basic-monthly", 300)
	w.clock.Set(moment("2026-04-15 00:00"))
	replicas := []*world{w, join(t, w.db), join(t, w.db)}
	moved := make([]int, len(replicas))
	var group sync.WaitGroup
	for i, r := range replicas {
		group.Go(func() {
			for {
				n, next, err := r.Subscriptions.RunDue(r.ctx, r.clock.Now())
				if err != nil {
					t.Error(err)
					return
				}
				if moved[i] += n; n == 0 && next.After(r.clock.Now().AddDate(0, 0, 1)) {
					return // the next is in a month: all is done
				}
			}
		})
	}
	group.Wait()
	for _, id := range tenants {
		w.told(id, "subscription.created", "subscription.renewed", "subscription.renewed", "subscription.renewed")
	}
	w.same("the steps of all", w.text(`SELECT count(*) FROM subscription_change WHERE actor = 'lifecycle'`), "900")
	if moved[0] == 900 || moved[1] == 900 || moved[2] == 900 {
		t.Errorf("the work was not shared: %v", moved)
	}
	t.Logf("moved by each: %v", moved)
}
