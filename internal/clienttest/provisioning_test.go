package clienttest

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/client"
	"github.com/tenantry/tenantry/client/webhook"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// application is a receiver of webhooks.
type application struct {
	mu      sync.Mutex
	changes []webhook.Change
	tests   []webhook.Change
	refuse  int // how many changes it has yet to fail with
}

func (a *application) apply(_ context.Context, change webhook.Change) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refuse > 0 {
		a.refuse--
		return errors.New("the application has a bad day")
	}
	a.changes = append(a.changes, change)
	return nil
}

func (a *application) test(_ context.Context, change webhook.Change) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tests = append(a.tests, change)
	return nil
}

func (a *application) got() []webhook.Change {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.changes)
}

// TestWebhooksOfARealServer: what is done with the client arrives at the
// handler, which needs a second attempt of the first; then the secret is
// rotated, and both are accepted.
func TestWebhooksOfARealServer(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine)
			c, _ := dial(t, s.url, allScopes...)
			ctx := t.Context()
			subscription := fill(t, c)
			platform := must[*client.Platform](t)(c.Platform(ctx, client.PlatformKey{Code: "app"}))
			secret := must[string](t)(c.PlatformSigningSecret(ctx, client.PlatformKey{Code: "app"}))
			app := &application{refuse: 1}
			handler := must[*webhook.Handler](t)(webhook.NewHandler([]string{secret}, webhook.NewMemoryStore(), app.apply,
				webhook.WithTests(app.test), webhook.WithClock(s.clock.Now), webhook.WithLog(slog.New(slog.DiscardHandler))))
			receiver := httptest.NewServer(handler)
			defer receiver.Close()
			workflow := must[[]client.Workflow](t)(c.Workflows(ctx, "", 0))[0]
			must[*client.Workflow](t)(c.WorkflowUpdate(ctx, workflow.ID, client.WorkflowAttributes{
				Recipe: client.Some(client.WorkflowRecipeAttributes{URL: client.Some(receiver.URL), RetryDelays: client.Some([]int{1})}),
			}, nil))
			eventually(t, "the first change arrives", func() bool { s.clock.Advance(time.Second); return len(app.got()) == 1 })
			must[*client.Subscription](t)(c.SubscriptionQuantityUpdate(ctx, subscription.ID,
				[]client.QuantityAttributes{{Code: client.Some("users"), Quantity: client.Some(9)}}, nil))
			eventually(t, "the second change arrives", func() bool { return len(app.got()) == 2 })
			checkChanges(t, app.got(), subscription)

			tested := must[*client.PlatformWebhookTestPayload](t)(c.PlatformWebhookTest(ctx, platform.ID))
			if tested.Attempt == nil || tested.Attempt.Status == nil || *tested.Attempt.Status != 204 || len(app.tests) != 1 || !app.tests[0].Delivery.Test {
				t.Errorf("the test came to %+v, the application got %d", tested.Attempt, len(app.tests))
			}
			must[*client.Platform](t)(c.PlatformSigningSecretRotate(ctx, platform.ID, nil))
			must[*client.TenantSyncPayload](t)(c.TenantSync(ctx, client.TenantKey{Code: "acme"}))
			eventually(t, "a change signed with both secrets arrives", func() bool { return len(app.got()) == 3 })
			if rotated := must[string](t)(c.PlatformSigningSecret(ctx, client.PlatformKey{Code: "app"})); rotated == secret {
				t.Error("the secret is the old one")
			}
		})
	}
}

func checkChanges(t *testing.T, changes []webhook.Change, subscription *client.Subscription) {
	t.Helper()
	first, second := changes[0], changes[1]
	if first.Delivery.Attempt < 2 || second.Delivery.Attempt != 1 || second.Delivery.Sequence != first.Delivery.Sequence+1 {
		t.Errorf("the deliveries are %+v and %+v", first.Delivery, second.Delivery)
	}
	users, ok := second.Feature("users")
	if !ok || users.Quantity == nil || *users.Quantity != 9 {
		t.Errorf("the users are %+v", users)
	}
	if sso, ok := second.Feature("sso"); !ok || sso.Quantity != nil {
		t.Errorf("the other feature is %+v", sso)
	}
	if _, ok := second.Feature("none"); ok {
		t.Error("there is a feature that was not bought")
	}
	tenant := second.Tenant
	if tenant.Code != "acme" || tenant.Platform.Code != "app" || tenant.Account.Name != "Acme Inc" || tenant.Account.Contacts[0].Email != "ann@example.com" {
		t.Errorf("the tenant is %+v", tenant)
	}
	told := second.Subscriptions[0]
	if told.State != webhook.Active || string(told.StartDate) != string(subscription.StartDate) || told.TrialStartDate != nil ||
		*told.Plan.Code != "pro" || told.PriceList.Code != "pro-monthly" || told.Product.Code != "crm" || len(told.Features) != 2 {
		t.Errorf("the subscription is %+v", told)
	}
}
