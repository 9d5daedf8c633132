package service_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// deliver ends the head of a tenant's stream as the sender would.
func (w *world) deliver(id billing.TenantID, state string) {
	w.t.Helper()
	w.ok(w.store.Write(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		streams, err := outbox.StreamsOf(ctx, tx.Queries, []billing.TenantID{id})
		if err != nil {
			return err
		}
		stream := streams[id]
		head, err := outbox.QueuedAt(ctx, tx.Queries, id, stream.DonePosition+1)
		if err != nil {
			return err
		}
		if state == webhook.DeliveryDelivered {
			stream.Delivered(head.Sequence, tx.Now)
		} else {
			stream.Pass(stream.DonePosition+1, tx.Now)
		}
		if err := outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: head.Delivery.ID, State: state}}); err != nil {
			return err
		}
		return outbox.SaveStreams(ctx, tx, []*webhook.Stream{stream})
	}))
}

// sync records a further event of a tenant and returns its id.
func (w *world) sync(id billing.TenantID) billing.EventID {
	w.t.Helper()
	synced, err := w.Provisioning.TenantSync(w.ctx, id)
	w.ok(err)
	return synced.EventID
}

// queue is what waits for a tenant, each as the number of its event, with ! if
// it goes back in time.
func (w *world) queue(id billing.TenantID) string {
	w.t.Helper()
	var waiting []string
	var position int64
	for {
		next, err := outbox.QueuedAt(w.ctx, w.Read(), id, position)
		w.ok(err)
		if next == nil {
			return strings.Join(waiting, " ")
		}
		text := fmt.Sprint(next.Sequence)
		if next.Delivery.Forced {
			text += "!"
		}
		waiting, position = append(waiting, text), next.Delivery.Position+1
	}
}

// TestResend queues single events again, and refuses what would do harm.
func TestResend(t *testing.T) {
	each(t, func(w *world) {
		tenant := *w.subscribe("basic-monthly", "acme").TenantID
		first := w.events(tenant)[0].ID
		second1 := w.sync(tenant)
		resend := func(id billing.EventID, force bool) error {
			return second(w.Delivery.WebhookEventResend(w.ctx, id, force))
		}
		w.untouched("refusals", func() {
			w.refused("one that waits", resend(first, true), "NOT_ALLOWED id")
			w.refused("none", resend(99, false), "NOT_FOUND id")
		})
		w.deliver(tenant, webhook.DeliveryExhausted)
		w.refused("behind a newer one that waits", resend(first, false), "NOT_ALLOWED id")
		w.same("the queue", w.queue(tenant), "2")
		w.deliver(tenant, webhook.DeliveryExhausted)
		w.ok(resend(first, false)) // nothing newer was delivered
		w.same("the queue", w.queue(tenant), "1")
		w.refused("again", resend(first, false), "NOT_ALLOWED id")
		w.ok(resend(second1, false))
		w.same("the queue", w.queue(tenant), "1 2")
		w.deliver(tenant, webhook.DeliveryExhausted)
		w.refused("behind a newer one that was queued again", resend(first, false), "NOT_ALLOWED id")
		w.deliver(tenant, webhook.DeliveryDelivered)
		w.refused("back in time", resend(first, false), "NOT_ALLOWED id")
		w.ok(resend(first, true))
		w.ok(resend(second1, false)) // the newest can always be sent
		w.same("the queue", w.queue(tenant), "1! 2")
		logged, err := w.Delivery.WebhookEventResend(w.ctx, w.sync(tenant), false)
		w.refused("just recorded", err, "NOT_ALLOWED id")
		w.same("nothing", logged, (*log.LoggedEvent)(nil))
		w.same("audited", w.text(`SELECT count(*) FROM audit_entry WHERE action = 'webhookEventResend'`), "4")
	})
}

// TestResendTest refuses to send a test again.
func TestResendTest(t *testing.T) {
	each(t, func(w *world) {
		w.ok(w.store.Write(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			return outbox.InsertTest(ctx, tx, &webhook.Event{Type: webhook.EventType, PlatformID: w.platform.ID, Body: "{}"},
				&webhook.Attempt{Outcome: webhook.AttemptFailed, URL: "https://x.example", RequestHeaders: []byte("{}"), StartedAt: tx.Now})
		}))
		w.refused("a test", second(w.Delivery.WebhookEventResend(w.ctx, 1, true)), "NOT_ALLOWED id")
		w.same("none of them in bulk", w.resendMany("", true, true).Count, 0)
	})
}

func (w *world) resendMany(filter string, latest, dryRun bool) (many struct {
	Count int
	Job   billing.JobID
},
) {
	w.t.Helper()
	found, err := w.Delivery.WebhookEventsResend(w.ctx, filter, latest, dryRun)
	w.ok(err)
	if many.Count = found.Count; found.Job != nil {
		many.Job = found.Job.ID
	}
	return many
}

// TestResendMany queues the newest event of each tenant again that matches, or
// all of them, and passes over what would go back in time.
func TestResendMany(t *testing.T) {
	each(t, func(w *world) {
		setBatches(w.Service, 3)
		tenants := w.crowd("basic-monthly", 8)
		for i, id := range tenants {
			w.sync(id)
			w.deliver(id, webhook.DeliveryExhausted)
			w.deliver(id, webhook.DeliveryExhausted)
			if i == 0 {
				w.sync(id) // waits, and is newer
			}
			if i == 1 {
				w.sync(id)
				w.deliver(id, webhook.DeliveryDelivered)
			}
		}
		w.same("counted", w.resendMany("state:exhausted", false, true).Count, 16)
		w.same("counted by tenant", w.resendMany("state:exhausted", true, true), w.resendMany("state:exhausted platform:app", true, true))
		w.same("no job", w.text(`SELECT count(*) FROM job`), "0")
		many := w.resendMany("state:exhausted", true, false)
		w.same("how many", many.Count, 8)
		w.sync(tenants[7])
		w.deliver(tenants[7], webhook.DeliveryExhausted) // later: not part of it
		w.runJobs()
		w.same("the job", w.job(many.Job), "done 8/8")
		w.same("passed over", w.text(`SELECT error FROM job`), "Passed over: 2 events would have taken tenants back in time.")
		for i, want := range []string{"3", "", "2", "2", "2", "2", "2", "2"} {
			w.same(fmt.Sprintf("the queue of %d", i), w.queue(tenants[i]), want)
		}
		all := w.resendMany("state:exhausted", false, false)
		w.runJobs()
		w.same("all of them", w.job(all.Job), fmt.Sprintf("done %d/%d", all.Count, all.Count))
		w.same("the queue of the last", w.queue(tenants[7]), "2 3")
		w.refused("a filter that is none", second(w.Delivery.WebhookEventsResend(w.ctx, "state:odd", true, true)), "INVALID filter")
		w.refused("a filter that cannot be read", second(w.Delivery.WebhookEventsResend(w.ctx, `"`, true, true)), "INVALID filter")
		w.same("audited", w.text(`SELECT count(*) FROM audit_entry WHERE action = 'webhookEventsResend' AND subject_type = 'Job'`), "2")
	})
}

// TestKilledResend kills process after process in the middle of a resend (kill
// -9). In the end every event was queued again once.
func TestKilledResend(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		tenants := w.crowd("basic-monthly", 40)
		for _, id := range tenants {
			w.deliver(id, webhook.DeliveryExhausted)
		}
		many := w.resendMany("state:exhausted", true, false)
		for _, batches := range []int{3, 7, 5} {
			w.damage(`UPDATE job SET claimed_until = 0`) // the clock of the others stands still
			killed(t, db.URL, batches)
		}
		w.damage(`UPDATE job SET claimed_until = 0`)
		setBatches(w.Service, 16)
		w.runJobs()
		w.same("the job", w.job(many.Job), "done 40/40")
		for _, id := range tenants {
			w.same("what waits", w.queue(id), "1")
			w.same("its deliveries", w.text(`SELECT count(*) FROM webhook_delivery WHERE tenant_id = $1`, int64(id)), "2")
		}
	})
}

// TestResendPace rests after each batch for as long as its events take at the
// rate there is.
func TestResendPace(t *testing.T) {
	each(t, func(w *world) {
		for _, id := range w.crowd("basic-monthly", 4) {
			w.deliver(id, webhook.DeliveryExhausted)
		}
		w.resendMany("state:exhausted", true, false)
		ran, err := w.Jobs.Run(w.ctx)
		w.same("a batch", []any{ran, err, w.job(1)}, []any{true, error(nil), "running 4/4"})
		rest := w.text(`SELECT claimed_until FROM job`)
		w.same("rest", rest, fmt.Sprint(w.clock.Now().UnixMilli()+8))
		ran, err = w.Jobs.Run(w.ctx)
		w.same("it rests", []any{ran, err}, []any{false, error(nil)})
	})
}

// TestProvisioningStatus says whether an application knows the newest state.
func TestProvisioningStatus(t *testing.T) {
	each(t, func(w *world) {
		setBatches(w.Service, 2)
		var rows []billing.Tenant
		for _, id := range slices.Sorted(slices.Values(w.crowd("basic-monthly", 4))) {
			tenant, err := store.Tenants.Get(w.ctx, w.Read(), id)
			w.ok(err)
			rows = append(rows, *tenant)
		}
		status := func() string {
			w.t.Helper()
			all, err := w.Provisioning.Status(w.ctx, rows)
			w.ok(err)
			var parts []string
			for _, t := range rows {
				s := all[t.ID]
				parts = append(parts, fmt.Sprintf("%d/%d %t", s.DeliveredSequence, s.DesiredSequence, s.InSync))
			}
			return strings.Join(parts, ", ")
		}
		w.same("nothing delivered", status(), "0/1 false, 0/1 false, 0/1 false, 0/1 false")
		for _, t := range rows {
			w.deliver(t.ID, webhook.DeliveryDelivered)
		}
		w.same("all delivered", status(), "1/1 true, 1/1 true, 1/1 true, 1/1 true")
		w.addFeature(w.product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.same("a job covers them", status(), "1/1 false, 1/1 false, 1/1 false, 1/1 false")
		_, err := w.Jobs.Run(w.ctx)
		w.ok(err)
		w.deliver(rows[0].ID, webhook.DeliveryDelivered)
		w.same("half of them", status(), "2/2 true, 1/2 false, 1/1 false, 1/1 false")
		w.runJobs()
		w.deliver(rows[1].ID, webhook.DeliveryDelivered)
		w.deliver(rows[2].ID, webhook.DeliveryExhausted)
		w.same("in the end", status(), "2/2 true, 2/2 true, 1/2 false, 1/2 false")
		silent := w.tenant(w.Subscriptions.TenantCreate(w.ctx, func(t *billing.Tenant) error {
			t.Code, t.AccountID, t.PlatformID = "silent", rows[0].AccountID, rows[0].PlatformID
			return nil
		}, nil, nil))
		rows = []billing.Tenant{*silent}
		w.same("nothing to tell", status(), "0/0 true")
	})
}

// TestTenantSync sends the state as it is, changed or not.
func TestTenantSync(t *testing.T) {
	each(t, func(w *world) {
		tenant := *w.subscribe("basic-monthly", "acme").TenantID
		w.sync(tenant)
		events := w.events(tenant)
		w.same("the same again", events[1].Body, events[0].Body)
		w.told(tenant, "subscription.created", "tenant.sync")
		w.refused("no tenant", second(w.Provisioning.TenantSync(w.ctx, 99)), "NOT_FOUND id")
		w.damage(`UPDATE platform SET provisioning_enabled = $1`, false)
		w.same("nothing to send", w.sync(tenant), billing.EventID(0))
	})
}
