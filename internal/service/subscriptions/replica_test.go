package subscriptions_test

import (
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestReplicas lets three processes on one PostgreSQL share 300 subscriptions
// that three terms have passed for. No step is done twice, none is skipped.
func TestReplicas(t *testing.T) {
	t.Parallel()
	w := servicetest.NewWorld(t, storetest.New(t, "postgres"))
	tenants := w.SubscribeMany("basic-monthly", 300)
	w.Clock.Set(servicetest.Moment("2026-04-15 00:00"))
	replicas := []*servicetest.World{w, servicetest.Join(t, w.DB), servicetest.Join(t, w.DB)}
	moved := make([]int, len(replicas))
	var group sync.WaitGroup
	for i, r := range replicas {
		group.Go(func() {
			for {
				n, next, err := r.Subscriptions.RunDue(r.Ctx, r.Clock.Now())
				if err != nil {
					t.Error(err)
					return
				}
				if moved[i] += n; n == 0 && next.After(r.Clock.Now().AddDate(0, 0, 1)) {
					return // the next is in a month: all is done
				}
			}
		})
	}
	group.Wait()
	for _, id := range tenants {
		w.WasTold(id, "subscription.created", "subscription.renewed", "subscription.renewed", "subscription.renewed")
	}
	w.Equal("the steps of all", w.QueryText(`SELECT count(*) FROM subscription_change WHERE actor = 'lifecycle'`), "900")
	if moved[0] == 900 || moved[1] == 900 || moved[2] == 900 {
		t.Errorf("the work was not shared: %v", moved)
	}
	t.Logf("moved by each: %v", moved)
}
