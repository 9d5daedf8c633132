package delivery_test

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
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// deliver ends the head of a tenant's stream as the sender would.
func deliver(w *servicetest.World, id billing.TenantID, state string) {
	w.T.Helper()
	w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
		streams, err := outbox.StreamsOf(ctx, tx.Queries, []billing.TenantID{id})
		if err != nil {
			return err
		}
		stream := streams[id]
		head, err := outbox.QueuedAt(ctx, tx.Queries, stream, stream.Head())
		if err != nil {
			return err
		}
		if state == webhook.DeliveryDelivered {
			stream.Delivered(head.Sequence, tx.Now)
		} else {
			stream.Pass(stream.Head(), tx.Now)
		}
		if err := outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: head.Delivery.ID, State: state}}); err != nil {
			return err
		}
		return outbox.SaveStreams(ctx, tx, []*webhook.Stream{stream})
	}))
}

// sync records a further event of a tenant and returns its id.
func syncTenant(w *servicetest.World, id billing.TenantID) billing.EventID {
	w.T.Helper()
	synced, err := w.Provisioning.TenantSync(w.Ctx, id)
	w.OK(err)
	return synced.EventID
}

// queue is what waits for a tenant, each as the number of its event, with ! if
// it goes back in time.
func queue(w *servicetest.World, id billing.TenantID) string {
	w.T.Helper()
	streams, err := outbox.StreamsOf(w.Ctx, w.Read(), []billing.TenantID{id})
	w.OK(err)
	var waiting []string
	var position int64
	for {
		next, err := outbox.QueuedAt(w.Ctx, w.Read(), streams[id], position)
		w.OK(err)
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
	servicetest.Each(t, func(w *servicetest.World) {
		tenant := *w.Subscribe("basic-monthly", "acme").TenantID
		first := w.Events(tenant)[0].ID
		second1 := syncTenant(w, tenant)
		resend := func(id billing.EventID, force bool) error {
			return servicetest.ErrorOf(w.Delivery.WebhookEventResend(w.Ctx, id, force))
		}
		w.Unchanged("refusals", func() {
			w.Refused("one that waits", resend(first, true), "NOT_ALLOWED id")
			w.Refused("none", resend(99, false), "NOT_FOUND id")
		})
		deliver(w, tenant, webhook.DeliveryExhausted)
		w.Refused("behind a newer one that waits", resend(first, false), "NOT_ALLOWED id")
		w.Equal("the queue", queue(w, tenant), "2")
		deliver(w, tenant, webhook.DeliveryExhausted)
		w.OK(resend(first, false)) // nothing newer was delivered
		w.Equal("the queue", queue(w, tenant), "1")
		w.Refused("again", resend(first, false), "NOT_ALLOWED id")
		w.OK(resend(second1, false))
		w.Equal("the queue", queue(w, tenant), "1 2")
		deliver(w, tenant, webhook.DeliveryExhausted)
		w.Refused("behind a newer one that was queued again", resend(first, false), "NOT_ALLOWED id")
		deliver(w, tenant, webhook.DeliveryDelivered)
		w.Refused("back in time", resend(first, false), "NOT_ALLOWED id")
		w.OK(resend(first, true))
		w.OK(resend(second1, false)) // the newest can always be sent
		w.Equal("the queue", queue(w, tenant), "1! 2")
		logged, err := w.Delivery.WebhookEventResend(w.Ctx, syncTenant(w, tenant), false)
		w.Refused("just recorded", err, "NOT_ALLOWED id")
		w.Equal("nothing", logged, (*log.LoggedEvent)(nil))
		w.Equal("audited", w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'webhookEventResend'`), "4")
	})
}

// TestResendTest refuses to send a test again.
func TestResendTest(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
			return outbox.InsertTest(ctx, tx, &webhook.Event{Type: webhook.EventType, PlatformID: w.Platform.ID, Body: "{}"},
				&webhook.Attempt{Outcome: webhook.AttemptFailed, URL: "https://x.example", RequestHeaders: []byte("{}"), StartedAt: tx.Now})
		}))
		w.Refused("a test", servicetest.ErrorOf(w.Delivery.WebhookEventResend(w.Ctx, 1, true)), "NOT_ALLOWED id")
		w.Equal("none of them in bulk", resendMany(w, "", true, true).Count, 0)
	})
}

func resendMany(w *servicetest.World, filter string, latest, dryRun bool) (many struct {
	Count int
	Job   billing.JobID
},
) {
	w.T.Helper()
	found, err := w.Delivery.WebhookEventsResend(w.Ctx, filter, latest, dryRun)
	w.OK(err)
	if many.Count = found.Count; found.Job != nil {
		many.Job = found.Job.ID
	}
	return many
}

// TestResendMany queues the newest event of each tenant again that matches, or
// all of them, and passes over what would go back in time.
func TestResendMany(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		servicetest.SetBatches(w.Service, 3)
		tenants := w.SubscribeMany("basic-monthly", 8)
		for i, id := range tenants {
			syncTenant(w, id)
			deliver(w, id, webhook.DeliveryExhausted)
			deliver(w, id, webhook.DeliveryExhausted)
			if i == 0 {
				syncTenant(w, id) // waits, and is newer
			}
			if i == 1 {
				syncTenant(w, id)
				deliver(w, id, webhook.DeliveryDelivered)
			}
		}
		w.Equal("counted", resendMany(w, "state:exhausted", false, true).Count, 16)
		w.Equal("counted by tenant", resendMany(w, "state:exhausted", true, true), resendMany(w, "state:exhausted platform:app", true, true))
		w.Equal("no job", w.QueryText(`SELECT count(*) FROM job`), "0")
		many := resendMany(w, "state:exhausted", true, false)
		w.Equal("how many", many.Count, 8)
		syncTenant(w, tenants[7])
		deliver(w, tenants[7], webhook.DeliveryExhausted) // later: not part of it
		w.RunJobs()
		w.Equal("the job", w.Job(many.Job), "done 8/8")
		w.Equal("passed over", w.QueryText(`SELECT error FROM job`), "Passed over: 2 events would have taken tenants back in time.")
		for i, want := range []string{"3", "", "2", "2", "2", "2", "2", "2"} {
			w.Equal(fmt.Sprintf("the queue of %d", i), queue(w, tenants[i]), want)
		}
		all := resendMany(w, "state:exhausted", false, false)
		w.RunJobs()
		w.Equal("all of them", w.Job(all.Job), fmt.Sprintf("done %d/%d", all.Count, all.Count))
		w.Equal("the queue of the last", queue(w, tenants[7]), "2 3")
		w.Refused("a filter that is none", servicetest.ErrorOf(w.Delivery.WebhookEventsResend(w.Ctx, "state:odd", true, true)), "INVALID filter")
		w.Refused("a filter that cannot be read", servicetest.ErrorOf(w.Delivery.WebhookEventsResend(w.Ctx, `"`, true, true)), "INVALID filter")
		w.Equal("audited", w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'webhookEventsResend' AND subject_type = 'Job'`), "2")
	})
}

// TestKilledResend kills process after process in the middle of a resend (kill
// -9). In the end every event was queued again once.
func TestKilledResend(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := servicetest.NewWorld(t, db)
		tenants := w.SubscribeMany("basic-monthly", 40)
		for _, id := range tenants {
			deliver(w, id, webhook.DeliveryExhausted)
		}
		many := resendMany(w, "state:exhausted", true, false)
		for _, batches := range []int{3, 7, 5} {
			w.Damage(`UPDATE job SET claimed_until = 0`) // the clock of the others stands still
			servicetest.RunUntilKilled(t, db.URL, batches)
		}
		w.Damage(`UPDATE job SET claimed_until = 0`)
		servicetest.SetBatches(w.Service, 16)
		w.RunJobs()
		w.Equal("the job", w.Job(many.Job), "done 40/40")
		for _, id := range tenants {
			w.Equal("what waits", queue(w, id), "1")
			w.Equal("its deliveries", w.QueryText(`SELECT count(*) FROM webhook_delivery WHERE stream_id = (SELECT id FROM webhook_stream WHERE subject_id = $1)`, int64(id)), "2")
		}
	})
}

// TestResendPace rests after each batch for as long as its events take at the
// rate there is.
func TestResendPace(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		for _, id := range w.SubscribeMany("basic-monthly", 4) {
			deliver(w, id, webhook.DeliveryExhausted)
		}
		resendMany(w, "state:exhausted", true, false)
		ran, err := w.Jobs.Run(w.Ctx)
		w.Equal("a batch", []any{ran, err, w.Job(1)}, []any{true, error(nil), "running 4/4"})
		rest := w.QueryText(`SELECT claimed_until FROM job`)
		w.Equal("rest", rest, fmt.Sprint(w.Clock.Now().UnixMilli()+8))
		ran, err = w.Jobs.Run(w.Ctx)
		w.Equal("it rests", []any{ran, err}, []any{false, error(nil)})
	})
}

// TestProvisioningStatus says whether an application knows the newest state.
func TestProvisioningStatus(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		servicetest.SetBatches(w.Service, 2)
		var rows []billing.Tenant
		for _, id := range slices.Sorted(slices.Values(w.SubscribeMany("basic-monthly", 4))) {
			tenant, err := store.Tenants.Get(w.Ctx, w.Read(), id)
			w.OK(err)
			rows = append(rows, *tenant)
		}
		status := func() string {
			w.T.Helper()
			all, err := w.Provisioning.Status(w.Ctx, rows)
			w.OK(err)
			var parts []string
			for _, t := range rows {
				s := all[t.ID]
				parts = append(parts, fmt.Sprintf("%d/%d %t", s.DeliveredSequence, s.DesiredSequence, s.InSync))
			}
			return strings.Join(parts, ", ")
		}
		w.Equal("nothing delivered", status(), "0/1 false, 0/1 false, 0/1 false, 0/1 false")
		for _, t := range rows {
			deliver(w, t.ID, webhook.DeliveryDelivered)
		}
		w.Equal("all delivered", status(), "1/1 true, 1/1 true, 1/1 true, 1/1 true")
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		w.Equal("a job covers them", status(), "1/1 false, 1/1 false, 1/1 false, 1/1 false")
		_, err := w.Jobs.Run(w.Ctx)
		w.OK(err)
		deliver(w, rows[0].ID, webhook.DeliveryDelivered)
		w.Equal("half of them", status(), "2/2 true, 1/2 false, 1/1 false, 1/1 false")
		w.RunJobs()
		deliver(w, rows[1].ID, webhook.DeliveryDelivered)
		deliver(w, rows[2].ID, webhook.DeliveryExhausted)
		w.Equal("in the end", status(), "2/2 true, 2/2 true, 1/2 false, 1/2 false")
		silent := w.Tenant(w.Subscriptions.TenantCreate(w.Ctx, func(t *billing.Tenant) error {
			t.Code, t.AccountID, t.PlatformID = "silent", rows[0].AccountID, rows[0].PlatformID
			return nil
		}, nil, nil))
		rows = []billing.Tenant{*silent}
		w.Equal("nothing to tell", status(), "0/0 true")
	})
}

// TestTenantSync sends the state as it is, changed or not.
func TestTenantSync(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		tenant := *w.Subscribe("basic-monthly", "acme").TenantID
		syncTenant(w, tenant)
		events := w.Events(tenant)
		w.Equal("the same again", events[1].Body, events[0].Body)
		w.WasTold(tenant, "subscription.created", "tenant.sync")
		w.Refused("no tenant", servicetest.ErrorOf(w.Provisioning.TenantSync(w.Ctx, 99)), "NOT_FOUND id")
		w.Damage(`UPDATE platform SET provisioning_enabled = $1`, false)
		w.Equal("nothing to send", syncTenant(w, tenant), billing.EventID(0))
	})
}
