package store_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testDeliveries(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b *billing.Tenant
	var events []webhook.Event
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		both := m.tenants(m.provisioningPlatform().ID, 2)
		a, b, events = both[0], both[1], nil
		m.tell(b)
		for range 4 {
			events = append(events, m.tell(a))
		}
	})
	at := func(position int64) *outbox.Queued {
		t.Helper()
		return got[*outbox.Queued](t)(outbox.QueuedAt(ctx, q, stream(t, s, a), position))
	}
	same(t, "QueuedAt", []any{at(2).Delivery.EventID, at(2).Sequence, at(2).Body}, []any{events[1].ID, 2, events[1].Body})
	if at(5) != nil {
		t.Error("something waits behind the last")
	}
	of := func(e webhook.Event) []webhook.Delivery {
		t.Helper()
		return got[[]webhook.Delivery](t)(outbox.DeliveriesOf(ctx, q, []billing.EventID{e.ID}))
	}
	first := of(events[0])[0]
	same(t, "a delivery", first, webhook.Delivery{
		ID: first.ID, EventID: events[0].ID, StreamID: stream(t, s, a).ID, Position: 1, Cause: webhook.CauseChange, State: webhook.DeliveryWaiting, Latest: true,
		CreatedAt: events[0].CreatedAt, UpdatedAt: events[0].CreatedAt,
	})

	before := func(when time.Time) int64 {
		t.Helper()
		return got[int64](t)(outbox.LastQueuedBefore(ctx, q, stream(t, s, a), when))
	}
	same(t, "LastQueuedBefore", []int64{before(events[0].CreatedAt), before(events[0].CreatedAt.Add(1))}, []int64{0, 0})
	same(t, "LastQueuedBefore a later time", before(events[0].CreatedAt.Add(time.Millisecond)), int64(4))
	later := db.Clock.Advance(time.Minute)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: first.ID, State: webhook.DeliveryDelivered}}))
		must(outbox.SetDeliveryBody(ctx, tx, of(events[3])[0].ID, ptr(hard)))
		n, err := outbox.Supersede(ctx, tx, first.StreamID, 1, 3, events[3].ID)
		must(err)
		same(t, "superseded", n, int64(1)) // the first is delivered
	})
	same(t, "an end", []any{of(events[0])[0].State, of(events[0])[0].UpdatedAt}, []any{webhook.DeliveryDelivered, later})
	same(t, "a superseded one", []any{of(events[1])[0].State, of(events[1])[0].SupersededBy}, []any{webhook.DeliverySuperseded, &events[3].ID})
	same(t, "one that is not", of(events[2])[0].State, webhook.DeliveryWaiting)
	same(t, "a body", of(events[3])[0].Body, ptr(hard))
	same(t, "the first that waits", at(1).Delivery.EventID, events[2].ID)

	resend := func(forced bool) (d *webhook.Delivery) {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			d = got[*webhook.Delivery](t)(outbox.AppendDelivery(ctx, tx, &events[0], forced))
		})
		return d
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(outbox.SetDeliveryBody(ctx, tx, first.ID, new(string))) })
	made := func() *string { t.Helper(); return got[*string](t)(outbox.MadeBody(ctx, q, events[0].ID)) }
	same(t, "a body that is still to be made", []any{of(events[0])[0].Body, made()}, []any{(*string)(nil), (*string)(nil)})
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(outbox.SetDeliveryBody(ctx, tx, first.ID, ptr("made"))) })
	same(t, "MadeBody", made(), ptr("made"))
	second := resend(true)
	same(t, "the body of a resend", second.Body, ptr("made"))
	same(t, "a resend", of(events[0]), []webhook.Delivery{{
		ID: first.ID, EventID: events[0].ID, StreamID: stream(t, s, a).ID, Position: 1, Cause: webhook.CauseChange, State: webhook.DeliveryDelivered,
		Body: ptr("made"), CreatedAt: events[0].CreatedAt, UpdatedAt: later,
	}, *second})
	same(t, "its place", []any{second.Position, second.Forced, second.Cause, second.Latest}, []any{int64(5), true, webhook.CauseResend, true})
	l := stream(t, s, a)
	same(t, "its stream", []any{l.LastPosition, l.NewestPosition, l.LastSequence}, []any{int64(5), int64(4), 4})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		l.Pass(5, tx.Now)
		must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{l}))
	})
	resend(false)
	same(t, "when an idle stream is due", stream(t, s, a).DueAt, ptr(db.Clock.Now()))
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		gone, err := outbox.AppendDelivery(ctx, tx, &webhook.Event{ID: events[0].ID, Subject: webhook.OfTenant(1 << 40), PlatformID: events[0].PlatformID}, false)
		must(err)
		if gone != nil {
			t.Error("queued in a stream that is not there")
		}
	})
}

func testAttempts(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var ids []billing.DeliveryID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		ids = nil
		for _, tenant := range m.tenants(m.provisioningPlatform().ID, 70) { // more than one statement writes
			e := m.tell(tenant)
			ids = append(ids, got[[]webhook.Delivery](t)(outbox.DeliveriesOf(ctx, tx.Queries, []billing.EventID{e.ID}))[0].ID)
		}
	})
	checkUnderWay(t, db, s, ids[0])
	var attempts []*webhook.Attempt
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		attempts = nil
		first := got[billing.AttemptID](t)(outbox.ReserveAttempts(ctx, tx, len(ids)))
		same(t, "what is reserved next", got[billing.AttemptID](t)(outbox.ReserveAttempts(ctx, tx, 1)), first+billing.AttemptID(len(ids)))
		for i, id := range ids {
			a := &webhook.Attempt{}
			fill(a, i+1)
			a.ID, a.DeliveryID, a.Number = first+billing.AttemptID(i), id, i+1
			if i == 1 || i == 69 {
				a.Address, a.Status, a.Error, a.ResponseHeaders, a.ResponseBody, a.Timings, a.FinishedAt = nil, nil, nil, nil, nil, nil, nil
			}
			attempts = append(attempts, a)
		}
		attempts[69].Outcome = webhook.AttemptUnknown
		must(outbox.InsertAttempts(ctx, tx, attempts))
		must(outbox.InsertAttempts(ctx, tx, nil))
	})
	for i := range ids {
		same(t, "the attempts of a delivery", got[[]webhook.Attempt](t)(outbox.AttemptsOf(ctx, q, ids[i:i+1])), []webhook.Attempt{*attempts[i]})
	}
	sent := func(i int) bool {
		t.Helper()
		return got[bool](t)(outbox.WasSent(ctx, q, eventOf(t, s, ids[i])))
	}
	same(t, "WasSent with an address, without and unknown", []bool{sent(0), sent(1), sent(69)}, []bool{true, false, true})
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(outbox.SetDeliveryBody(ctx, tx, ids[69], new(string))) })
	same(t, "WasSent if a program was to make the body", sent(69), false)
}

// eventOf returns the event of a delivery.
func eventOf(t *testing.T, s *store.Store, id billing.DeliveryID) billing.EventID {
	t.Helper()
	rows := got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SELECT event_id FROM webhook_delivery WHERE id = "+itoa(int64(id))))
	event, err := strconv.ParseInt(rows[0], 10, 64)
	must(err)
	return billing.EventID(event)
}

// checkUnderWay leases the stream of a delivery to a request, which is then the
// one and the last attempt, and releases it.
func checkUnderWay(t *testing.T, db *storetest.Database, s *store.Store, id billing.DeliveryID) {
	t.Helper()
	ctx, q, event := t.Context(), s.Queries(), eventOf(t, s, id)
	found := func() []webhook.Attempt {
		t.Helper()
		all := got[[]webhook.Attempt](t)(outbox.AttemptsOf(ctx, q, []billing.DeliveryID{id}))
		last := got[map[billing.EventID]*webhook.Attempt](t)(outbox.LastAttempts(ctx, q, []billing.EventID{event}))[event]
		if len(all) == 0 {
			same(t, "the last attempt of none", last, (*webhook.Attempt)(nil))
		} else {
			same(t, "the last attempt", *last, all[len(all)-1])
		}
		return all
	}
	same(t, "attempts before there are any", len(found()), 0)
	begun := db.Clock.Advance(time.Second)
	deliveries := got[[]webhook.Delivery](t)(outbox.DeliveriesOf(ctx, q, []billing.EventID{event}))
	stream := got[map[billing.StreamID]*webhook.Stream](t)(outbox.Streams(ctx, q, []billing.StreamID{deliveries[0].StreamID}))[deliveries[0].StreamID]
	save := func() {
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{stream})) })
	}
	stream.Tries = 2
	stream.Begin(77, begun, begun.Add(time.Minute))
	save()
	same(t, "a request under way", found(), []webhook.Attempt{{
		ID: 77, DeliveryID: id, Number: 2, Outcome: webhook.AttemptStarted, URL: "", RequestHeaders: []byte("{}"), StartedAt: begun,
	}})
	stream.Release(begun)
	stream.Tries = 0
	save()
	same(t, "attempts after it was not made", len(found()), 0)
}

func testTestEvents(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var p, other billing.PlatformID
	var e webhook.Event
	var a webhook.Attempt
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, other = m.platform().ID, m.platform().ID
		for _, platform := range []billing.PlatformID{other, p} {
			e = webhook.Event{Type: webhook.EventType, PlatformID: platform, Reason: "test", Body: hard}
			fill(&a, 1)
			a.Outcome = webhook.AttemptFailed
			must(outbox.InsertTest(ctx, tx, &e, &a))
		}
	})
	ctx, q := t.Context(), s.Queries()
	of := func() []webhook.Delivery {
		return got[[]webhook.Delivery](t)(outbox.DeliveriesOf(ctx, q, []billing.EventID{e.ID}))
	}
	d := of()[0]
	same(t, "its delivery", []any{d.StreamID, d.State, d.Cause, d.Latest}, []any{billing.StreamID(0), webhook.DeliveryExhausted, webhook.CauseTest, true})
	same(t, "its attempt", got[[]webhook.Attempt](t)(outbox.AttemptsOf(ctx, q, []billing.DeliveryID{d.ID})), []webhook.Attempt{a})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(outbox.DeleteTestsOf(ctx, tx, p))
		must(store.Platforms.Delete(ctx, tx, &webhook.Platform{ID: p}))
	})
	same(t, "what is left", len(of()), 0)
	same(t, "workflows of a platform that is gone", len(got[[]webhook.Workflow](t)(store.WorkflowsOf(ctx, q, []billing.PlatformID{p}))), 0)
	same(t, "events of another platform", got[[]string](t)(store.Rows(ctx, q, "SELECT platform_id FROM webhook_event")), []string{itoa(int64(other))})
}
