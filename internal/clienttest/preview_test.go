package clienttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/client"
)

func users(n int) []client.QuantityAttributes {
	return []client.QuantityAttributes{{Code: client.Some("users"), Quantity: client.Some(n)}}
}

// TestPreview: a mutation is tried, says what it would do, and leaves nothing behind, not
// even its key.
func TestPreview(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, start(t, "sqlite"))
	c, _ := dial(t, n.URL)
	subscription := fill(t, c)
	events := len(must[[]client.WebhookEvent](t)(c.WebhookEvents(t.Context(), "", 0)))
	before := len(n.requests(graphqlPath))

	ctx := client.WithIdempotencyKey(t.Context(), "job 12")
	trial, impact := client.Preview(ctx)
	n.breakNext(graphqlPath, loseAnswer)
	tried := must[*client.Subscription](t)(c.SubscriptionQuantityUpdate(trial, subscription.ID, users(9), nil))
	if *tried.Charges[0].Quantity != 9 {
		t.Errorf("the preview answers %+v", tried.Charges)
	}
	if impact.Tenants != 1 || impact.Webhooks != 1 || impact.Subscriptions != 1 || len(impact.Features) != 1 ||
		impact.Features[0].Code != "users" || impact.Features[0].Change != 1 || impact.Features[0].Tenants[0] != "acme" {
		t.Errorf("the impact is %+v", impact)
	}
	if len(impact.Money) != 1 || impact.Money[0].Currency != "EUR" || impact.Money[0].PerMonth != "79.80" {
		t.Errorf("the money is %+v", impact.Money)
	}
	for _, r := range n.requests(graphqlPath)[before:] {
		if r.Header.Get("Tenantry-Preview") != "true" || r.Header.Get("Idempotency-Key") != "" {
			t.Errorf("the header of a preview is %v", r.Header)
		}
	}
	found := must[*client.Subscription](t)(c.Subscription(trial, subscription.ID)) // a query, which nothing keeps from reading
	if *found.Charges[0].Quantity != 5 || len(must[[]client.WebhookEvent](t)(c.WebhookEvents(ctx, "", 0))) != events {
		t.Errorf("the preview left %+v", found.Charges)
	}

	if _, err := c.SubscriptionCancel(trial, []string{subscription.ID}, &client.SubscriptionCancelOptions{AtTermEnd: client.Some(true)}); err != nil {
		t.Fatal(err)
	}
	if later := impact.Money[0].Later; len(later) != 1 || later[0].From == "" || later[0].PerMonth != "-99.75" {
		t.Errorf("the money later is %+v", impact.Money[0])
	}

	done := must[*client.Subscription](t)(c.SubscriptionQuantityUpdate(ctx, subscription.ID, users(9), nil))
	requests := n.requests(graphqlPath)
	if last := requests[len(requests)-1]; *done.Charges[0].Quantity != 9 || last.Header.Get("Idempotency-Key") != "job 12" || last.Header.Get("Tenantry-Preview") != "" {
		t.Errorf("the mutation answers %+v, with the header %v", done.Charges, last.Header)
	}
}

// TestPreviewsThatFail say so, and the impact is not that of the call before.
func TestPreviewsThatFail(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, start(t, "sqlite"))
	c, _ := dial(t, n.URL)
	subscription := fill(t, c)
	trial, impact := client.Preview(t.Context())
	must[*client.Subscription](t)(c.SubscriptionQuantityUpdate(trial, subscription.ID, users(9), nil))
	var refused client.UserErrors
	if _, err := c.SubscriptionQuantityUpdate(trial, subscription.ID, users(-1), nil); !errors.As(err, &refused) || impact.Tenants != 0 {
		t.Errorf("a preview of what is refused: %v, %+v", err, impact)
	}
	n.breakNext(graphqlPath, answers(200, `{"data":{"accountCreate":{"account":{"id":"1"},"userErrors":[]}}}`))
	if _, err := c.AccountCreate(trial, client.AccountAttributes{Name: client.Some("x")}); err == nil || !strings.Contains(err.Error(), "knows no previews") {
		t.Errorf("a server without previews: %v", err)
	}
	var failed client.Errors
	_, err := c.TenantStateSend(trial, client.TenantStatePart{Platform: "app", Complete: true})
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "nothing was done") {
		t.Errorf("a preview of a report: %v", err)
	}
}

// TestExpectTenants: a mutation that would reach more tenants is refused, with what it would
// have done.
func TestExpectTenants(t *testing.T) {
	t.Parallel()
	c, _ := dial(t, start(t, "sqlite").url)
	subscription := fill(t, c)
	_, err := c.SubscriptionQuantityUpdate(client.ExpectTenants(t.Context(), 0), subscription.ID, users(9), nil)
	var tooMany *client.TooManyTenantsError
	var failed client.Errors
	if !errors.As(err, &tooMany) || tooMany.Impact.Tenants != 1 || tooMany.Expected != 0 || len(tooMany.Impact.Features) != 1 {
		t.Fatalf("the guard answers %v", err)
	}
	if !errors.As(err, &failed) || !failed.Has(client.CodeConflict) {
		t.Errorf("the guard answers %v", failed)
	}
	if found := must[*client.Subscription](t)(c.Subscription(t.Context(), subscription.ID)); *found.Charges[0].Quantity != 5 {
		t.Errorf("it was done: %+v", found.Charges)
	}
	done := must[*client.Subscription](t)(c.SubscriptionQuantityUpdate(client.ExpectTenants(t.Context(), 1), subscription.ID, users(9), nil))
	if *done.Charges[0].Quantity != 9 {
		t.Errorf("the guard let through %+v", done.Charges)
	}
	trial, impact := client.Preview(client.ExpectTenants(t.Context(), 0))
	if _, err := c.SubscriptionQuantityUpdate(trial, subscription.ID, users(3), nil); !errors.As(err, &tooMany) || impact.Tenants != 1 {
		t.Errorf("a preview with a guard: %v, %+v", err, impact)
	}
}
