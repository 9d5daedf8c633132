package service_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestHammer lets many callers change the same few subscriptions, tenants and
// features at once, from two processes where the engine allows it. Whoever is
// refused hears why; nobody hears of a deadlock. In the end every tenant's
// events are numbered without a gap and the last one is how things are.
func TestHammer(t *testing.T) {
	each(t, func(w *world) {
		const callers, rounds = 8, 40
		h := newHammer(w)
		var group sync.WaitGroup
		for i := range callers {
			group.Go(func() {
				random := rand.New(rand.NewPCG(1, uint64(i)))
				for range rounds {
					if err := h.strike(random); !isOutcome(err) {
						w.t.Errorf("a caller hears: %v", err)
					}
				}
			})
		}
		group.Wait()
		w.runDue()
		w.runJobs()
		told := 0
		for _, tenant := range w.everyTenant() {
			told += len(w.events(tenant.ID))
			subs, err := store.ChildrenOf(w.ctx, w.Read(), store.Subscriptions, "tenantId", []billing.TenantID{tenant.ID}, billing.Filter{})
			w.ok(err)
			if len(subs) > 0 { // one without any is not told its new name
				w.inStep(tenant.ID)
			}
		}
		if told < callers*rounds/4 {
			w.t.Errorf("the tenants were told only %d things", told)
		}
		if w.db.Engine == "postgres" {
			w.noDeadlocks()
		}
	})
}

// TestTenantsInOrder changes two pairs of subscriptions again and again that
// meet the same two tenants in opposite orders.
func TestTenantsInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "postgres")) // SQLite has one writer
	var subs []*subscription.Subscription
	for _, tenant := range []string{"one", "two", "two", "one"} {
		subs = append(subs, w.subscribe("basic-monthly", "acme", inTenant(tenant)))
	}
	var group sync.WaitGroup
	for _, pair := range [][]*subscription.Subscription{subs[:2], subs[2:]} {
		group.Go(func() {
			for i := range 30 {
				if _, err := w.Subscriptions.SubscriptionSetAutoRenew(w.ctx, ids(pair...), i%2 == 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	w.noDeadlocks()
	w.same("events", len(w.events(*subs[0].TenantID)), 62)
}

// noDeadlocks fails the test if PostgreSQL had to end a transaction for another.
func (w *world) noDeadlocks() {
	w.t.Helper()
	w.same("deadlocks", w.text(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`), "0")
}

// hammer is five subscriptions in three tenants, so that who goes by the ids of
// subscriptions meets the tenants in different orders, and all that can be done
// to them.
type hammer struct {
	processes []*world
	subs      []*subscription.Subscription
	tenants   []billing.TenantID
	value     billing.PlanFeatureID
	contacts  map[billing.AccountID]billing.ContactID
}

// phone changes what is in no webhook.
func phone(n int) func(*billing.Contact) error {
	return func(c *billing.Contact) error {
		c.FirstName, c.Phone = "Ann", ptr(fmt.Sprint(n))
		return nil
	}
}

func newHammer(w *world) *hammer {
	h := &hammer{processes: []*world{w}}
	if w.db.Engine == "postgres" {
		other := join(w.t, w.db)
		other.shop = w.shop
		h.processes = append(h.processes, other)
	}
	h.subs = []*subscription.Subscription{
		w.subscribe("basic-monthly", "a", withSeats(1)), w.subscribe("pro-monthly", "a", withSeats(1), inTenant("a2")),
		w.subscribe("basic-monthly", "a", withSeats(1), inTenant("a2")), w.subscribe("basic-monthly", "a", withSeats(1)),
		w.subscribe("basic-monthly", "b", withSeats(1)),
	}
	h.tenants = []billing.TenantID{*h.subs[0].TenantID, *h.subs[1].TenantID, *h.subs[4].TenantID}
	h.contacts = map[billing.AccountID]billing.ContactID{}
	for _, s := range h.subs {
		account, err := w.Customers.AccountUpdate(w.ctx, s.AccountID, func(*billing.Account) error { return nil }, phone(0))
		w.ok(err)
		h.contacts[s.AccountID] = *account.BillingContactID
	}
	h.value = w.planFeature(w.basic.ID, w.shop.features["region"].ID).ID
	return h
}

func (w *world) everyTenant() []billing.Tenant {
	w.t.Helper()
	rows, err := store.Tenants.List(w.ctx, w.Read(), store.Page{Limit: 1000})
	w.ok(err)
	return rows
}

// codeOf is the code that a tenant has at the moment, or had.
func (w *world) codeOf(id billing.TenantID) string {
	tenant, err := store.Tenants.Get(w.ctx, w.Read(), id)
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
		return second(quantity(n, nil)(w, one))
	case 2:
		return second(w.Subscriptions.SubscriptionCancel(w.ctx, ids(one, two), nil, false))
	case 3, 4:
		return second(w.Subscriptions.SubscriptionReinstate(w.ctx, ids(one), nil))
	case 5:
		return second(w.Subscriptions.SubscriptionSetAutoRenew(w.ctx, ids(two, one), n%2 == 0))
	case 6:
		tenant := h.tenants[n%len(h.tenants)]
		return second(w.Subscriptions.TenantUpdate(w.ctx, tenant, rename(fmt.Sprintf("tenant-%d-%d", tenant, n), "Renamed")))
	case 7:
		return second(toPlan([]string{"basic-monthly", "pro-monthly"}[n%2], n%3 == 0)(w, one))
	case 8:
		return second(w.Catalog.PlanFeatureUpdate(w.ctx, h.value, func(pf *catalog.PlanFeature) error {
			pf.Value = fmt.Sprint(n)
			return nil
		}))
	case 9:
		return second(w.Customers.AccountUpdate(w.ctx, one.AccountID, func(a *billing.Account) error {
			a.Code = ptr(fmt.Sprintf("account-%d-%d", a.ID, n)) // all its subscriptions are found by that
			return nil
		}, phone(n)))
	case 10:
		return second(w.Customers.ContactUpdate(w.ctx, h.contacts[one.AccountID], phone(n)))
	case 11:
		return second(w.Subscriptions.SubscriptionTenantUpdate(w.ctx, one.ID, subscriptions.TenantRef{Code: w.codeOf(h.tenants[n%2])}))
	}
	_, err := w.Jobs.Run(w.ctx)
	return err
}
