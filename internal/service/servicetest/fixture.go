package servicetest

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// ErrorOf is the error of a call that also returns a value.
func ErrorOf[T any](_ T, err error) error { return err }

// SubscribeMany makes many subscriptions at once, each with a tenant of its own, and
// returns their tenants in order.
func (w *World) SubscribeMany(list string, n int, with ...func(*subscriptions.NewSubscription)) []billing.TenantID {
	w.T.Helper()
	tenants := make([]billing.TenantID, n)
	var group sync.WaitGroup
	next := make(chan int)
	for i := range min(n, 8) {
		// Those of one account are made one after the other.
		account := w.Account(fmt.Sprintf("crowd %d of %d on %s", i, n, list))
		group.Go(func() {
			for i := range next {
				order := subscriptions.NewSubscription{
					AccountID: &account.ID, PriceList: ByCode(list), Tenant: &subscriptions.TenantRef{Code: fmt.Sprintf("%s-%d", list, i)},
				}
				order.Draft.Evergreen = true
				for _, f := range with {
					f(&order)
				}
				s, err := w.Subscriptions.SubscriptionCreate(w.Ctx, order)
				if err != nil {
					w.T.Error(err)
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

// Job shows a job as "STATE DONE/TOTAL", with what failed.
func (w *World) Job(id billing.JobID) string {
	w.T.Helper()
	job, err := store.Jobs.Get(w.Ctx, w.Read(), id)
	w.OK(err)
	if job == nil {
		return "none"
	}
	text := fmt.Sprintf("%s %d/%d", job.State, job.Done, job.Total)
	if job.Failed > 0 {
		text += fmt.Sprintf(", %d failed", job.Failed)
	}
	return text
}

// WithKey is a request with an idempotency key. With the same key it is the same
// request sent again.
func (w *World) WithKey(key string) context.Context {
	w.T.Helper()
	once, err := w.ClaimOnce(w.Ctx, "client 1", key, "the body")
	w.OK(err)
	return operation.As(w.Ctx, operation.Caller{Actor: Actor, Once: once, Step: "0"})
}

// ChangeRegion changes the value of a feature in the basic plan.
func (w *World) ChangeRegion(value string) error {
	return ErrorOf(w.Catalog.PlanFeatureUpdate(w.Ctx, w.PlanFeature(w.Basic.ID, w.Shop.Features["region"].ID).ID, func(pf *catalog.PlanFeature) error {
		pf.Value = value
		return nil
	}))
}

// StopBeforeCommit makes requests with an idempotency key wait when all they
// have left to do is to note that they are done.
func (w *World) StopBeforeCommit() (release func()) {
	w.T.Helper()
	db, err := sql.Open("pgx", w.DB.URL)
	w.OK(err)
	w.T.Cleanup(func() { db.Close() })
	tx, err := db.BeginTx(w.Ctx, nil)
	w.OK(err)
	_, err = tx.ExecContext(w.Ctx, `LOCK TABLE idempotency_step IN EXCLUSIVE MODE`)
	w.OK(err)
	return func() { w.OK(tx.Rollback()) }
}

// AwaitBlocked returns when that many transactions wait for others.
func (w *World) AwaitBlocked(n int) {
	w.T.Helper()
	if done, err := w.AwaitBlockedOr(n, nil); done {
		w.T.Fatalf("nobody waits: %v", err)
	}
}

// AwaitBlockedOr also returns when something is done, with its error.
func (w *World) AwaitBlockedOr(n int, done <-chan error) (bool, error) {
	w.T.Helper()
	for w.Ctx.Err() == nil {
		select {
		case err := <-done:
			return true, err
		default:
		}
		if w.QueryText(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == Itoa(billing.AccountID(n)) {
			return false, nil
		}
	}
	return true, w.Ctx.Err()
}

// User makes a user who signs in with Password.
func (w *World) User(email string, role billing.Role) *billing.User {
	w.T.Helper()
	return Must[*billing.User](w)(w.Access.UserCreate(w.Ctx, func(u *billing.User) error {
		u.Email, u.Role = email, role
		return nil
	}, Password))
}

const Password = "correct horse battery"

// NewClock makes a test clock.
func (w *World) NewClock(now string) *billing.TestClock {
	w.T.Helper()
	return Must[*billing.TestClock](w)(w.Subscriptions.TestClockCreate(w.Ctx, "A year in a minute", Moment(now)))
}

// NewTenant is the edit that makes a tenant of an account.
func (w *World) NewTenant(code string, account billing.AccountID) func(*billing.Tenant) error {
	return func(t *billing.Tenant) error {
		t.Code, t.AccountID = code, account
		return nil
	}
}

// ToPlan changes a subscription to another price list.
func ToPlan(list string, atTermEnd bool) func(*World, *subscription.Subscription) (*subscription.Subscription, error) {
	return func(w *World, s *subscription.Subscription) (*subscription.Subscription, error) {
		return w.Subscriptions.SubscriptionPlanChange(w.Ctx, s.ID, ByCode(list), subscription.PlanUpdate{AtTermEnd: atTermEnd})
	}
}

// Quantity changes the number of seats of a subscription.
func Quantity(n int, from *billing.Date) func(*World, *subscription.Subscription) (*subscription.Subscription, error) {
	return func(w *World, s *subscription.Subscription) (*subscription.Subscription, error) {
		return w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, s.ID, subscription.QuantityUpdate{Orders: Seats(n), StartDate: from})
	}
}

// Rename is the edit that gives a tenant another code and name.
func Rename(code, name string) func(*billing.Tenant) error {
	return func(t *billing.Tenant) error {
		t.Code, t.Name = code, name
		return nil
	}
}

// ChargeOf is a charge of a price list of the shop, made up if it is gone.
func (w *World) ChargeOf(list, code string) *catalog.Charge {
	w.T.Helper()
	c := Must[*catalog.Charge](w)(store.ChargeByCode(w.Ctx, w.Read(), w.Lists[list].ID, code))
	if c == nil {
		c = &catalog.Charge{}
	}
	return c
}

// SetProvisioning turns the webhooks of the platform on or off.
func (w *World) SetProvisioning(enabled bool) {
	w.T.Helper()
	_, err := w.Delivery.PlatformUpdate(w.Ctx, w.Platform.ID, func(p *webhook.Platform) error {
		p.ProvisioningEnabled = enabled
		return nil
	}, delivery.PlatformSecrets{})
	w.OK(err)
}
