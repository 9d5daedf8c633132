package subscriptions_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestHammer lets many callers change the same few subscriptions, tenants and
// features at once, from two processes where the engine allows it. Whoever is
// refused hears why; nobody hears of a deadlock. In the end every tenant's
// events are numbered without a gap and the last one is how things are.
func TestHammer(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		const callers, rounds = 8, 40
		h := newHammer(w)
		var group sync.WaitGroup
		for i := range callers {
			group.Go(func() {
				random := rand.New(rand.NewPCG(1, uint64(i)))
				for range rounds {
					if err := h.strike(random); !servicetest.IsOutcome(err) {
						w.T.Errorf("a caller hears: %v", err)
					}
				}
			})
		}
		group.Wait()
		w.RunDue()
		w.RunJobs()
		told := 0
		for _, tenant := range everyTenant(w) {
			told += len(w.Events(tenant.ID))
			subs, err := store.ChildrenOf(w.Ctx, w.Read(), store.Subscriptions, "tenantId", []billing.TenantID{tenant.ID}, billing.Filter{})
			w.OK(err)
			if len(subs) > 0 { // one without any is not told its new name
				w.InSync(tenant.ID)
			}
		}
		if told < callers*rounds/4 {
			w.T.Errorf("the tenants were told only %d things", told)
		}
		if w.DB.Engine == "postgres" {
			noDeadlocks(w)
		}
	})
}

// TestTenantsInOrder changes two pairs of subscriptions again and again that
// meet the same two tenants in opposite orders.
func TestTenantsInOrder(t *testing.T) {
	t.Parallel()
	w := servicetest.NewWorld(t, storetest.New(t, "postgres")) // SQLite has one writer
	var subs []*subscription.Subscription
	for _, tenant := range []string{"one", "two", "two", "one"} {
		subs = append(subs, w.Subscribe("basic-monthly", "acme", servicetest.InTenant(tenant)))
	}
	var group sync.WaitGroup
	for _, pair := range [][]*subscription.Subscription{subs[:2], subs[2:]} {
		group.Go(func() {
			for i := range 30 {
				if _, err := w.Subscriptions.SubscriptionSetAutoRenew(w.Ctx, servicetest.IDs(pair...), i%2 == 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	noDeadlocks(w)
	w.Equal("events", len(w.Events(*subs[0].TenantID)), 62)
}

// noDeadlocks fails the test if PostgreSQL had to end a transaction for another.
func noDeadlocks(w *servicetest.World) {
	w.T.Helper()
	w.Equal("deadlocks", w.QueryText(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`), "0")
}

// hammer is five subscriptions in three tenants, so that who goes by the ids of
// subscriptions meets the tenants in different orders, and all that can be done
// to them.
type hammer struct {
	processes []*servicetest.World
	subs      []*subscription.Subscription
	tenants   []billing.TenantID
	value     billing.PlanFeatureID
	contacts  map[billing.AccountID]billing.ContactID
}

// phone changes what is in no webhook.
func phone(n int) func(*billing.Contact) error {
	return func(c *billing.Contact) error {
		c.FirstName, c.Phone = "Ann", new(fmt.Sprint(n))
		return nil
	}
}

func newHammer(w *servicetest.World) *hammer {
	h := &hammer{processes: []*servicetest.World{w}}
	if w.DB.Engine == "postgres" {
		other := servicetest.Join(w.T, w.DB)
		other.Shop = w.Shop
		h.processes = append(h.processes, other)
	}
	h.subs = []*subscription.Subscription{
		w.Subscribe("basic-monthly", "a", servicetest.WithSeats(1)), w.Subscribe("pro-monthly", "a", servicetest.WithSeats(1), servicetest.InTenant("a2")),
		w.Subscribe("basic-monthly", "a", servicetest.WithSeats(1), servicetest.InTenant("a2")), w.Subscribe("basic-monthly", "a", servicetest.WithSeats(1)),
		w.Subscribe("basic-monthly", "b", servicetest.WithSeats(1)),
	}
	h.tenants = []billing.TenantID{*h.subs[0].TenantID, *h.subs[1].TenantID, *h.subs[4].TenantID}
	h.contacts = map[billing.AccountID]billing.ContactID{}
	for _, s := range h.subs {
		account, err := w.Customers.AccountUpdate(w.Ctx, s.AccountID, func(*billing.Account) error { return nil }, phone(0))
		w.OK(err)
		h.contacts[s.AccountID] = *account.BillingContactID
	}
	h.value = w.PlanFeature(w.Basic.ID, w.Shop.Features["region"].ID).ID
	return h
}

func everyTenant(w *servicetest.World) []billing.Tenant {
	w.T.Helper()
	rows, err := store.Tenants.List(w.Ctx, w.Read(), store.Page{Limit: 1000})
	w.OK(err)
	return rows
}

// codeOf is the code that a tenant has at the moment, or had.
func codeOf(w *servicetest.World, id billing.TenantID) string {
	tenant, err := store.Tenants.Get(w.Ctx, w.Read(), id)
	if err != nil {
		return "nobody"
	}
	return tenant.Code
}

// strike does something at random.
func (h *hammer) strike(random *rand.Rand) error {
	w := h.processes[random.IntN(len(h.processes))]
	one, two := h.subs[random.IntN(len(h.subs))], h.subs[random.IntN(len(h.subs))]
	n := random.IntN(400) + 1
	switch random.IntN(13) {
	case 0, 1:
		return servicetest.ErrorOf(servicetest.Quantity(n, nil)(w, one))
	case 2:
		return servicetest.ErrorOf(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(one, two), subscription.Cancellation{}))
	case 3, 4:
		return servicetest.ErrorOf(w.Subscriptions.SubscriptionReinstate(w.Ctx, servicetest.IDs(one), nil))
	case 5:
		return servicetest.ErrorOf(w.Subscriptions.SubscriptionSetAutoRenew(w.Ctx, servicetest.IDs(two, one), n%2 == 0))
	case 6:
		tenant := h.tenants[n%len(h.tenants)]
		return servicetest.ErrorOf(w.Subscriptions.TenantUpdate(w.Ctx, tenant, servicetest.Rename(fmt.Sprintf("tenant-%d-%d", tenant, n), "Renamed")))
	case 7:
		return servicetest.ErrorOf(servicetest.ToPlan([]string{"basic-monthly", "pro-monthly"}[n%2], n%3 == 0)(w, one))
	case 8:
		return servicetest.ErrorOf(w.Catalog.PlanFeatureUpdate(w.Ctx, h.value, func(pf *catalog.PlanFeature) error {
			pf.Value = fmt.Sprint(n)
			return nil
		}))
	case 9:
		return servicetest.ErrorOf(w.Customers.AccountUpdate(w.Ctx, one.AccountID, func(a *billing.Account) error {
			a.Code = new(fmt.Sprintf("account-%d-%d", a.ID, n)) // all its subscriptions are found by that
			return nil
		}, phone(n)))
	case 10:
		return servicetest.ErrorOf(w.Customers.ContactUpdate(w.Ctx, h.contacts[one.AccountID], phone(n)))
	case 11:
		return servicetest.ErrorOf(w.Subscriptions.SubscriptionTenantUpdate(w.Ctx, one.ID, subscriptions.TenantRef{Code: codeOf(w, h.tenants[n%2])}))
	}
	_, err := w.Jobs.Run(w.Ctx)
	return err
}
