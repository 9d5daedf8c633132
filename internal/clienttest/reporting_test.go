package clienttest

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/client"
	"github.com/tenantry/tenantry/client/webhook"
)

const statePath = "/tenants/state"

// reporting is an application that reports what its tenants have to a real server.
type reporting struct {
	*server
	client  *client.Client
	network *network
	store   webhook.Store
	// arrived gets a value for each webhook before the handler sees it.
	arrived chan struct{}

	mu      sync.Mutex
	tenants map[string]webhook.TenantState
}

// startReporting starts a server with so many tenants, t1 and so on with five users each,
// of which the application has been told long ago.
func startReporting(t *testing.T, engine string, store webhook.Store, tenants int) *reporting {
	t.Helper()
	s := start(t, engine)
	n := newNetwork(t, s)
	c, _ := dial(t, n.URL, allScopes...)
	r := &reporting{server: s, client: c, network: n, store: store, arrived: make(chan struct{}, 100), tenants: map[string]webhook.TenantState{}}
	ctx := t.Context()
	first := fill(t, c)
	must[[]client.Subscription](t)(c.SubscriptionCancel(ctx, []string{first.ID}, nil)) // the tenant of which others know
	secret := must[string](t)(c.PlatformSigningSecret(ctx, client.PlatformKey{Code: "app"}))
	handler := must[*webhook.Handler](t)(webhook.NewHandler([]string{secret}, store, r.apply,
		webhook.WithClock(s.clock.Now), webhook.WithLog(slog.New(slog.DiscardHandler))))
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.arrived <- struct{}{}
		handler.ServeHTTP(w, request)
	}))
	t.Cleanup(receiver.Close)
	workflow := must[[]client.Workflow](t)(c.Workflows(ctx, "", 0))[0]
	must[*client.Workflow](t)(c.WorkflowUpdate(ctx, workflow.ID, client.WorkflowAttributes{
		Recipe: client.Some(client.WorkflowRecipeAttributes{URL: client.Some(receiver.URL), RetryDelays: client.Some([]int{1})}),
	}, nil))
	for i := range tenants {
		r.subscribe(t, fmt.Sprintf("t%d", i+1))
	}
	eventually(t, "all tenants are told", func() bool { return len(r.states()) == tenants && r.delivered(t) })
	s.clock.Advance(2 * time.Minute)
	return r
}

func (r *reporting) subscribe(t *testing.T, tenant string) *client.Subscription {
	t.Helper()
	account := must[*client.Account](t)(r.client.Account(t.Context(), client.AccountKey{Code: "acme"}))
	return must[*client.Subscription](t)(r.client.SubscriptionCreate(t.Context(), client.SubscriptionAttributes{
		AccountID: client.Some(account.ID), PriceListCode: client.Some("pro-monthly"), TenantCode: client.Some(tenant),
		Quantities: client.Some([]client.QuantityAttributes{{Code: client.Some("users"), Quantity: client.Some(5)}}),
	}, nil))
}

// delivered says whether the server knows that everything arrived.
func (r *reporting) delivered(t *testing.T) bool {
	t.Helper()
	events := must[[]client.WebhookEvent](t)(r.client.WebhookEvents(t.Context(), "platform:app", 1000))
	return !slices.ContainsFunc(events, func(e client.WebhookEvent) bool {
		return e.State != client.DeliveryStateDelivered && e.State != client.DeliveryStateSuperseded
	})
}

func (r *reporting) apply(_ context.Context, change webhook.Change) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if change.Tenant.Code == "acme" {
		return nil
	}
	r.tenants[change.Tenant.Code] = webhook.TenantState{
		Code: change.Tenant.Code, ID: change.Tenant.ID, Sequence: change.Delivery.Sequence, Features: change.Features,
	}
	return nil
}

// change makes a tenant in the application something else by hand.
func (r *reporting) change(code string, users int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := r.tenants[code]
	state.Features = slices.Clone(state.Features)
	for i := range state.Features {
		if state.Features[i].Code == "users" {
			state.Features[i].Quantity = &users
		}
	}
	r.tenants[code] = state
}

func (r *reporting) remove(code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tenants, code)
}

// states are the tenants of the application, by code.
func (r *reporting) states() []webhook.TenantState {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []webhook.TenantState
	for _, state := range r.tenants {
		all = append(all, state)
	}
	slices.SortFunc(all, func(a, b webhook.TenantState) int { return int(a.ID - b.ID) })
	return all
}

func (r *reporting) state(code string) webhook.TenantState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tenants[code]
}

// reporter yields the tenants as they are, with their sequences. before is called before
// each of them and can end it with an error; nil if nothing is to be done.
func (r *reporting) reporter(before func(i int) error) *webhook.Reporter {
	return &webhook.Reporter{
		Client: r.client, Platform: "app", Now: r.clock.Now,
		Tenants: func(context.Context) iter.Seq2[webhook.TenantState, error] {
			return func(yield func(webhook.TenantState, error) bool) {
				for i, state := range r.states() {
					if before != nil {
						if err := before(i); err != nil {
							yield(webhook.TenantState{}, err)
							return
						}
					}
					if !yield(state, nil) {
						return
					}
				}
			}
		},
	}
}

// reports are the full reports that the server knows of.
func (r *reporting) reports(t *testing.T) []client.DriftReport {
	t.Helper()
	var data struct {
		Platform struct{ DriftReports []client.DriftReport }
	}
	document := `{ platform(code: "app") { driftReports { report completedAt outcomes { inSync drifted missing } } } }`
	if err := r.client.Do(t.Context(), document, nil, &data); err != nil {
		t.Fatal(err)
	}
	return data.Platform.DriftReports
}
