package store_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testDeliveries(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b *billing.Tenant
	var events []billing.Event
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
		return got[*outbox.Queued](t)(outbox.QueuedAt(ctx, q, a.ID, position))
	}
	same(t, "QueuedAt", []any{at(2).Delivery.EventID, at(2).Sequence, at(2).Body}, []any{events[1].ID, 2, events[1].Body})
	if at(5) != nil {
		t.Error("something waits behind the last")
	}
	of := func(e billing.Event) []billing.Delivery {
		t.Helper()
		return got[[]billing.Delivery](t)(outbox.DeliveriesOf(ctx, q, []billing.EventID{e.ID}))
	}
	first := of(events[0])[0]
	same(t, "a delivery", first, billing.Delivery{
		ID: first.ID, EventID: events[0].ID, TenantID: a.ID, Position: 1, Cause: billing.CauseChange, State: billing.DeliveryWaiting, Latest: true,
		CreatedAt: events[0].CreatedAt, UpdatedAt: events[0].CreatedAt,
	})

	before := func(when time.Time) int64 {
		t.Helper()
		return got[int64](t)(outbox.LastQueuedBefore(ctx, q, a.ID, when))
	}
	same(t, "LastQueuedBefore", []int64{before(events[0].CreatedAt), before(events[0].CreatedAt.Add(1))}, []int64{0, 0})
	same(t, "LastQueuedBefore a later time", before(events[0].CreatedAt.Add(time.Millisecond)), int64(4))
	later := db.Clock.Advance(time.Minute)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: first.ID, State: billing.DeliveryDelivered}}))
		must(outbox.SetDeliveryBody(ctx, tx, of(events[3])[0].ID, ptr(hard)))
		n, err := outbox.Supersede(ctx, tx, a.ID, 1, 3, events[3].ID)
		must(err)
		same(t, "superseded", n, int64(1)) // the first is delivered
	})
	same(t, "an end", []any{of(events[0])[0].State, of(events[0])[0].UpdatedAt}, []any{billing.DeliveryDelivered, later})
	same(t, "a superseded one", []any{of(events[1])[0].State, of(events[1])[0].SupersededBy}, []any{billing.DeliverySuperseded, &events[3].ID})
	same(t, "one that is not", of(events[2])[0].State, billing.DeliveryWaiting)
	same(t, "a body", of(events[3])[0].Body, ptr(hard))
	same(t, "the first that waits", at(1).Delivery.EventID, events[2].ID)

	resend := func(forced bool) (d *billing.Delivery) {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			d = got[*billing.Delivery](t)(outbox.AppendDelivery(ctx, tx, &events[0], forced))
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
	same(t, "a resend", of(events[0]), []billing.Delivery{{
		ID: first.ID, EventID: events[0].ID, TenantID: a.ID, Position: 1, Cause: billing.CauseChange, State: billing.DeliveryDelivered,
		Body: ptr("made"), CreatedAt: events[0].CreatedAt, UpdatedAt: later,
	}, *second})
	same(t, "its place", []any{second.Position, second.Forced, second.Cause, second.Latest}, []any{int64(5), true, billing.CauseResend, true})
	l := stream(t, s, a)
	same(t, "its stream", []any{l.LastPosition, l.NewestPosition, l.LastSequence}, []any{int64(5), int64(4), 4})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		l.Pass(5, tx.Now)
		must(outbox.SaveStreams(ctx, tx, []*billing.Stream{l}))
	})
	resend(false)
	same(t, "when an idle stream is due", stream(t, s, a).DueAt, ptr(db.Clock.Now()))
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		gone, err := outbox.AppendDelivery(ctx, tx, &billing.Event{ID: events[0].ID, TenantID: 1 << 40}, false)
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
			ids = append(ids, got[[]billing.Delivery](t)(outbox.DeliveriesOf(ctx, tx.Queries, []billing.EventID{e.ID}))[0].ID)
		}
	})
	checkUnderWay(t, db, s, ids[0])
	var attempts []*billing.Attempt
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		attempts = nil
		first := got[billing.AttemptID](t)(outbox.ReserveAttempts(ctx, tx, len(ids)))
		same(t, "what is reserved next", got[billing.AttemptID](t)(outbox.ReserveAttempts(ctx, tx, 1)), first+billing.AttemptID(len(ids)))
		for i, id := range ids {
			a := &billing.Attempt{}
			fill(a, i+1)
			a.ID, a.DeliveryID, a.Number = first+billing.AttemptID(i), id, i+1
			if i == 1 || i == 69 {
				a.Address, a.Status, a.Error, a.ResponseHeaders, a.ResponseBody, a.Timings, a.FinishedAt = nil, nil, nil, nil, nil, nil, nil
			}
			attempts = append(attempts, a)
		}
		attempts[69].Outcome = billing.AttemptUnknown
		must(outbox.InsertAttempts(ctx, tx, attempts))
		must(outbox.InsertAttempts(ctx, tx, nil))
	})
	for i := range ids {
		same(t, "the attempts of a delivery", got[[]billing.Attempt](t)(outbox.AttemptsOf(ctx, q, ids[i:i+1])), []billing.Attempt{*attempts[i]})
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
	found := func() []billing.Attempt {
		t.Helper()
		all := got[[]billing.Attempt](t)(outbox.AttemptsOf(ctx, q, []billing.DeliveryID{id}))
		last := got[map[billing.EventID]*billing.Attempt](t)(outbox.LastAttempts(ctx, q, []billing.EventID{event}))[event]
		if len(all) == 0 {
			same(t, "the last attempt of none", last, (*billing.Attempt)(nil))
		} else {
			same(t, "the last attempt", *last, all[len(all)-1])
		}
		return all
	}
	same(t, "attempts before there are any", len(found()), 0)
	begun := db.Clock.Advance(time.Second)
	deliveries := got[[]billing.Delivery](t)(outbox.DeliveriesOf(ctx, q, []billing.EventID{event}))
	stream := got[map[billing.TenantID]*billing.Stream](t)(outbox.StreamsOf(ctx, q, []billing.TenantID{deliveries[0].TenantID}))[deliveries[0].TenantID]
	save := func() {
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(outbox.SaveStreams(ctx, tx, []*billing.Stream{stream})) })
	}
	stream.Tries = 2
	stream.Begin(77, begun, begun.Add(time.Minute))
	save()
	same(t, "a request under way", found(), []billing.Attempt{{
		ID: 77, DeliveryID: id, Number: 2, Outcome: billing.AttemptStarted, URL: "", RequestHeaders: []byte("{}"), StartedAt: begun,
	}})
	stream.Release(begun)
	stream.Tries = 0
	save()
	same(t, "attempts after it was not made", len(found()), 0)
}

func testTestEvents(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var p, other billing.PlatformID
	var e billing.Event
	var a billing.Attempt
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, other = m.platform().ID, m.platform().ID
		for _, platform := range []billing.PlatformID{other, p} {
			e = billing.Event{Type: billing.EventType, PlatformID: platform, Reason: "test", Body: hard}
			fill(&a, 1)
			a.Outcome = billing.AttemptFailed
			must(outbox.InsertTest(ctx, tx, &e, &a))
		}
	})
	ctx, q := t.Context(), s.Queries()
	of := func() []billing.Delivery {
		return got[[]billing.Delivery](t)(outbox.DeliveriesOf(ctx, q, []billing.EventID{e.ID}))
	}
	d := of()[0]
	same(t, "its delivery", []any{d.TenantID, d.State, d.Cause, d.Latest}, []any{billing.TenantID(0), billing.DeliveryExhausted, billing.CauseTest, true})
	same(t, "its attempt", got[[]billing.Attempt](t)(outbox.AttemptsOf(ctx, q, []billing.DeliveryID{d.ID})), []billing.Attempt{a})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(outbox.DeleteTestsOf(ctx, tx, p))
		must(store.Platforms.Delete(ctx, tx, &billing.Platform{ID: p}))
	})
	same(t, "what is left", len(of()), 0)
	same(t, "workflows of a platform that is gone", len(got[[]billing.Workflow](t)(store.WorkflowsOf(ctx, q, []billing.PlatformID{p}))), 0)
	same(t, "events of another platform", got[[]string](t)(store.Rows(ctx, q, "SELECT platform_id FROM webhook_event")), []string{itoa(int64(other))})
}
