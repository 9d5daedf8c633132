package drifts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

func TestMain(m *testing.M) {
	drifts.SetSweepBatch(3) // as if there were very many tenants
	servicetest.Main(m)
}

// world is a world with an application that reports.
type world struct{ *servicetest.World }

func each(t *testing.T, test func(w *world)) {
	t.Helper()
	servicetest.Each(t, func(w *servicetest.World) { test(&world{w}) })
}

// basic is what a tenant on the basic plan has.
func basic(users int) []drift.Feature {
	return []drift.Feature{{Code: "region", Value: "eu"}, {Code: "users", Quantity: &users}}
}

// policy sets what is done about drift.
func (w *world) policy(policy drift.Policy, perMinute int) {
	w.T.Helper()
	_, err := w.Delivery.PlatformUpdate(w.Ctx, w.Platform.ID, func(p *webhook.Platform) error {
		p.DriftPolicy, p.DriftRepairsPerMinute = policy, perMinute
		return nil
	}, delivery.PlatformSecrets{})
	w.OK(err)
}

// subscribe makes tenants with five users each.
func (w *world) subscribe(codes ...string) (made []*subscription.Subscription) {
	w.T.Helper()
	for _, code := range codes {
		made = append(made, w.Subscribe("basic-monthly", code, servicetest.InTenant(code), servicetest.WithSeats(5)))
	}
	return made
}

// deliver lets all that waits arrive, and time go on so that nothing is under way.
func (w *world) deliver() {
	w.T.Helper()
	w.deliverNow()
	w.Clock.Advance(2 * time.Minute)
}

func (w *world) deliverNow() {
	w.T.Helper()
	for more := true; more; {
		w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
			claims, err := outbox.DueStreams(ctx, tx, w.Platform.ID, tx.Now, 100)
			more = len(claims) > 0
			for _, c := range claims {
				if err := outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: c.Head.Delivery.ID, State: webhook.DeliveryDelivered}}); err != nil {
					return err
				}
				c.Stream.Delivered(c.Head.Sequence, tx.Now)
				if err := outbox.SaveStreams(ctx, tx, []*webhook.Stream{&c.Stream}); err != nil {
					return err
				}
			}
			return err
		}))
	}
}

// state is a tenant as the application has it.
func state(code string, sequence int, features []drift.Feature) drift.State {
	return drift.State{Code: code, Sequence: sequence, Features: features}
}

// report sends some tenants, and returns what came of it.
func (w *world) report(states ...drift.State) *drifts.Outcome {
	w.T.Helper()
	return w.part("", false, states...)
}

// part sends a part of a full report.
func (w *world) part(name string, complete bool, states ...drift.State) *drifts.Outcome {
	w.T.Helper()
	r := drifts.Report{PlatformCode: "app", Complete: complete, States: states}
	if name != "" {
		r.Name = &name
	}
	return servicetest.Must[*drifts.Outcome](w.World)(w.Drifts.TenantStateReport(w.Ctx, r))
}

// refused sends a report that is refused with that problem, and nothing may change.
func (w *world) refused(what string, r drifts.Report, problem, text string) {
	w.T.Helper()
	w.Unchanged(what, func() {
		err := servicetest.ErrorOf(w.Drifts.TenantStateReport(w.Ctx, r))
		w.Refused(what, err, problem)
		if err != nil && !strings.Contains(err.Error(), text) {
			w.T.Errorf("%s: %v, want %s", what, err, text)
		}
	})
}

// drift is what came of comparing a tenant the last time, such as "DRIFTED 3 persistent".
func (w *world) drift(id *billing.TenantID) string {
	w.T.Helper()
	rows, err := store.DriftOf(w.Ctx, w.Read(), []billing.TenantID{*id})
	w.OK(err)
	row := rows[*id]
	if row == nil {
		return ""
	}
	text := fmt.Sprintf("%s %d", row.Outcome, row.Sequence)
	if row.Persistent {
		text += " persistent"
	}
	return text
}

// repairs is how many events were sent to repair tenants.
func (w *world) repairs() string {
	return w.QueryText(`SELECT count(*) FROM webhook_event WHERE reason = 'drift.repair'`)
}
