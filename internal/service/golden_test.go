package service_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// TestFifteenMonths takes one account on a test clock from a trial through two
// renewals, a change of quantity, a change of plan at the end of a term and a
// cancellation at the end of another. All that its tenant was told is in
// testdata/fifteen_months.golden; TENANTRY_UPDATE=1 writes it anew.
func TestFifteenMonths(t *testing.T) {
	each(t, func(w *world) {
		clock := w.newClock("2026-01-15 12:00")
		n := subscriptions.NewSubscription{
			Account: &subscriptions.NewAccount{
				Edit: named("Zoë's \"Flowers\" <&>", &clock.ID),
				BillingContact: func(c *billing.Contact) error {
					c.FirstName, c.Email = "Zoë 🌷", ptr("zoe@example.com")
					return nil
				},
			},
			PriceList: byCode("basic-half"), Tenant: &subscriptions.TenantRef{Code: "flowers", Name: ptr("Flowers \u2028 & more")},
		}
		n.Draft.Trial, n.Draft.Evergreen = true, true
		sub := w.sub(w.Subscriptions.SubscriptionCreate(w.ctx, n))
		w.advance(clock, "2026-03-10 09:30")
		w.sub(w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, sub.ID, subscription.QuantityUpdate{Orders: seats(12)}))
		w.advance(clock, "2026-09-01 00:00")
		w.sub(w.Subscriptions.SubscriptionPlanChange(w.ctx, sub.ID, byCode("pro-quarter"), subscription.PlanUpdate{AtTermEnd: true}))
		w.advance(clock, "2027-02-14 18:00")
		w.subs(w.Subscriptions.SubscriptionCancel(w.ctx, ids(sub), nil, true))
		w.advance(clock, "2027-05-01 00:00")

		w.same("the end", describe(w.now(sub))[:38], "1 on 4 CANCELED 2026-01-29..2027-04-28")
		job := func(n int, what string) string { return fmt.Sprintf("job %d for %s %s", n, actor, what) }
		w.same("the history", w.history(sub.ID), []string{
			actor + " subscription.created >TRIAL 2026-01-15 12:00",
			job(1, "state.changed TRIAL>ACTIVE 2026-01-29 00:00"),
			actor + " quantity.changed ACTIVE>ACTIVE 2026-03-10 09:30",
			job(2, "subscription.renewed ACTIVE>ACTIVE 2026-07-29 00:00"),
			actor + " plan.scheduled ACTIVE>ACTIVE 2026-09-01 00:00",
			job(3, "plan.changed ACTIVE>ACTIVE 2027-01-29 00:00"),
			job(3, "subscription.renewed ACTIVE>ACTIVE 2027-01-29 00:00"),
			actor + " cancellation.scheduled ACTIVE>ACTIVE 2027-02-14 18:00",
			job(4, "state.changed ACTIVE>CANCELED 2027-04-29 00:00"),
		})
		w.golden("testdata/fifteen_months.golden", *sub.TenantID)
	})
}

// golden compares all that a tenant was told with a file.
func (w *world) golden(path string, id billing.TenantID) {
	w.t.Helper()
	var text strings.Builder
	for _, e := range w.events(id) {
		fmt.Fprintf(&text, "%d %s\n%s\n", e.Sequence, e.Reason, e.Body)
	}
	if os.Getenv("TENANTRY_UPDATE") != "" && w.db.Engine == "sqlite" {
		w.ok(os.WriteFile(path, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	w.ok(err)
	have, expected := strings.Split(text.String(), "\n"), strings.Split(string(want), "\n")
	w.same("how many lines were told", len(have), len(expected))
	for i := range min(len(have), len(expected)) {
		w.same(fmt.Sprintf("line %d of %s", i+1, path), have[i], expected[i])
	}
}
