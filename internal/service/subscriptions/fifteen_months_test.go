package subscriptions_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// TestFifteenMonths takes one account on a test clock from a trial through two
// renewals, a change of quantity, a change of plan at the end of a term and a
// cancellation at the end of another. All that its tenant was told is in
// testdata/fifteen_months.golden; TENANTRY_UPDATE=1 writes it anew.
func TestFifteenMonths(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		clock := w.NewClock("2026-01-15 12:00")
		n := subscriptions.NewSubscription{
			Account: &subscriptions.NewAccount{
				Edit: servicetest.Named("Zoë's \"Flowers\" <&>", &clock.ID),
				BillingContact: func(c *billing.Contact) error {
					c.FirstName, c.Email = "Zoë 🌷", new("zoe@example.com")
					return nil
				},
			},
			PriceList: servicetest.ByCode("basic-half"), Tenant: &subscriptions.TenantRef{Code: "flowers", Name: new("Flowers \u2028 & more")},
		}
		n.Draft.Trial, n.Draft.Evergreen = true, true
		sub := w.Sub(w.Subscriptions.SubscriptionCreate(w.Ctx, n))
		advance(w, clock, "2026-03-10 09:30")
		w.Sub(w.Subscriptions.SubscriptionQuantityUpdate(w.Ctx, sub.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(12)}))
		advance(w, clock, "2026-09-01 00:00")
		w.Sub(w.Subscriptions.SubscriptionPlanChange(w.Ctx, sub.ID, servicetest.ByCode("pro-quarter"), subscription.PlanUpdate{AtTermEnd: true}))
		advance(w, clock, "2027-02-14 18:00")
		w.Subs(w.Subscriptions.SubscriptionCancel(w.Ctx, servicetest.IDs(sub), subscription.Cancellation{AtTermEnd: true}))
		advance(w, clock, "2027-05-01 00:00")

		w.Equal("the end", servicetest.Describe(w.Now(sub))[:38], "1 on 4 CANCELED 2026-01-29..2027-04-28")
		job := func(n int, what string) string { return fmt.Sprintf("job %d for %s %s", n, servicetest.Actor, what) }
		w.Equal("the history", w.History(sub.ID), []string{
			servicetest.Actor + " subscription.created >TRIAL 2026-01-15 12:00",
			job(1, "state.changed TRIAL>ACTIVE 2026-01-29 00:00"),
			servicetest.Actor + " quantity.changed ACTIVE>ACTIVE 2026-03-10 09:30",
			job(2, "subscription.renewed ACTIVE>ACTIVE 2026-07-29 00:00"),
			servicetest.Actor + " plan.scheduled ACTIVE>ACTIVE 2026-09-01 00:00",
			job(3, "plan.changed ACTIVE>ACTIVE 2027-01-29 00:00"),
			job(3, "subscription.renewed ACTIVE>ACTIVE 2027-01-29 00:00"),
			servicetest.Actor + " cancellation.scheduled ACTIVE>ACTIVE 2027-02-14 18:00",
			job(4, "state.changed ACTIVE>CANCELED 2027-04-29 00:00"),
		})
		golden(w, "testdata/fifteen_months.golden", *sub.TenantID)
	})
}

// golden compares all that a tenant was told with a file.
func golden(w *servicetest.World, path string, id billing.TenantID) {
	w.T.Helper()
	var text strings.Builder
	for _, e := range w.Events(id) {
		fmt.Fprintf(&text, "%d %s\n%s\n", e.Sequence, e.Reason, e.Body)
	}
	if os.Getenv("TENANTRY_UPDATE") != "" && w.DB.Engine == "sqlite" {
		w.OK(os.WriteFile(path, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	w.OK(err)
	have, expected := strings.Split(text.String(), "\n"), strings.Split(string(want), "\n")
	w.Equal("how many lines were told", len(have), len(expected))
	for i := range min(len(have), len(expected)) {
		w.Equal(fmt.Sprintf("line %d of %s", i+1, path), have[i], expected[i])
	}
}
