package log

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/db"
)

// eventPart is a SELECT over events that an index answers in the order of ids.
type eventPart struct {
	db.Select
	id      string // of the event
	created bool   // whether the event's own row is joined
	bounded bool   // whether ids are kept to their bounds already
}

// turn goes through the index from its other end, whatever it begins with.
func (p *eventPart) turn() {
	p.Key, p.Backwards = strings.ReplaceAll(p.Key, ", ", " DESC, "), true
}

// parts are the statements that answer a search. What is finished is found by
// the index of its state on each platform, what is under way or has failed by
// the streams, and everything else by walking along the events.
func (f *eventSearch) parts() []*eventPart {
	switch {
	case f.none:
		return nil
	case f.streams != nil:
		return []*eventPart{f.ofStreams()}
	case f.state == "" || f.state == webhook.StateDelivered:
		if f.platforms == nil {
			return []*eventPart{f.along(0)}
		}
		return f.each(f.platforms, f.along)
	case f.state == webhook.StateInFlight:
		return f.each(f.among(slices.Concat(f.ready, f.held)), f.heads)
	case f.state == webhook.StateRetryWait:
		return f.each(f.among(f.ready), f.heads)
	case f.state == webhook.StatePending:
		return f.each(f.among(f.ready), f.inState)
	case f.state == webhook.StateHeld:
		return f.each(f.among(f.held), f.inState)
	}
	return f.each(f.among(slices.Concat(f.ready, f.held)), f.inState)
}

func (f *eventSearch) each(ids []billing.PlatformID, part func(billing.PlatformID) *eventPart) []*eventPart {
	var parts []*eventPart
	for _, id := range ids {
		parts = append(parts, part(id))
	}
	return parts
}

// among are those platforms of a list that the filter wants.
func (f *eventSearch) among(ids []billing.PlatformID) []billing.PlatformID {
	if f.platforms == nil {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id billing.PlatformID) bool { return !slices.Contains(f.platforms, id) })
}

// withDelivery adds the delivery whose state is the event's.
const withDelivery = " JOIN webhook_delivery ON webhook_delivery.event_id = webhook_event.id AND webhook_delivery.latest"

// repairs says whether only events that repaired tenants are looked for, which have a
// table of their own. Those with another reason have no index.
func (f *eventSearch) repairs() bool { return f.reason == drift.RepairReason }

// along walks along the events, of one platform if it is not 0.
func (f *eventSearch) along(platform billing.PlatformID) *eventPart {
	p := &eventPart{Select: db.Select{From: "webhook_event", Key: "webhook_event.id"}, id: "webhook_event.id", created: true}
	of := "webhook_event.platform_id"
	if f.repairs() {
		p = &eventPart{Select: db.Select{From: "repair_event", Key: "repair_event.event_id"}, id: "repair_event.event_id"}
		of = "repair_event.platform_id"
	}
	switch {
	case platform == 0:
	case f.dialect.Name == "sqlite":
		// It does not compare rows by an index in which one column is the key
		// of the table, and has no better idea than this index anyway.
		p.Where(of+" = %s", int64(platform))
	default:
		f.within(p, of+", "+p.id, int64(platform))
	}
	if f.state != "" {
		// Not a join, which could begin with the deliveries and end with a sort.
		p.Conditions = append(p.Conditions, "(SELECT webhook_delivery.state FROM webhook_delivery WHERE webhook_delivery.event_id = "+p.id+" AND webhook_delivery.latest) = 'delivered'")
	}
	f.finish(p)
	return p
}

// within keeps to one range of an index on two columns, the second of which
// is the event's id. Rows are compared instead of the columns one by one: so
// nothing but that index can give the order, and the engines need not guess.
func (f *eventSearch) within(p *eventPart, columns string, first any) {
	before := f.before
	if before == 0 {
		before = math.MaxInt64
	}
	for _, edge := range []struct {
		op string
		id int64
	}{{">", f.after}, {"<", before}} {
		p.Args = append(p.Args, edge.id)
		p.Where(fmt.Sprintf("(%s) %s (%%s, $%d)", columns, edge.op, len(p.Args)), first)
	}
	p.Key, p.bounded = columns, true
}

// kept is the state that the database has for one that people see.
func kept(state webhook.DeliveryState) string {
	if finished(state) {
		return strings.ToLower(string(state))
	}
	return webhook.DeliveryWaiting
}

// stageCondition says in SQL what Delivery.Stage says in Go of a delivery that
// waits, but for the endpoint's state.
func stageCondition(state webhook.DeliveryState) string {
	switch state {
	case webhook.StateInFlight:
		return outbox.Head + " AND webhook_stream.under_way"
	case webhook.StateRetryWait:
		return outbox.Head + " AND NOT webhook_stream.under_way AND webhook_stream.attempts > 0"
	case webhook.StateHeld:
		return "NOT (" + outbox.Head + " AND webhook_stream.under_way)"
	}
	return "NOT (" + outbox.Head + " AND (webhook_stream.under_way OR webhook_stream.attempts > 0))"
}

// finished says whether a state is an end.
func finished(state webhook.DeliveryState) bool {
	return slices.Contains([]webhook.DeliveryState{
		webhook.StateDelivered, webhook.StateExhausted, webhook.StateSuperseded, webhook.StateCanceled,
	}, state)
}

// inState walks along what is not delivered on a platform.
func (f *eventSearch) inState(platform billing.PlatformID) *eventPart {
	p := &eventPart{Select: db.Select{From: "webhook_delivery"}, id: "webhook_delivery.event_id"}
	p.Where("webhook_delivery.platform_id = %s", int64(platform))
	f.within(p, "webhook_delivery.state, webhook_delivery.event_id", kept(f.state))
	// Literally, for both engines to see that the index has it all.
	p.Conditions = append(p.Conditions, "webhook_delivery.state <> 'delivered'", "webhook_delivery.latest")
	if !finished(f.state) {
		p.From += " JOIN webhook_stream ON webhook_stream.id = webhook_delivery.stream_id"
		p.Conditions = append(p.Conditions, stageCondition(f.state))
	}
	f.finish(p)
	return p
}

// heads looks at the next delivery of streams that are busy or failing.
func (f *eventSearch) heads(platform billing.PlatformID) *eventPart {
	p := &eventPart{
		Select: db.Select{From: "webhook_stream JOIN webhook_delivery ON " + outbox.Head, Key: "webhook_delivery.event_id"},
		id:     "webhook_delivery.event_id",
	}
	p.Where("webhook_stream.platform_id = %s", int64(platform))
	p.Conditions = append(p.Conditions, "webhook_delivery.state = 'waiting'", stageCondition(f.state))
	f.finish(p)
	return p
}

// ofStreams looks at all events of some streams. Those of one are in the order
// of their numbers, which is that of ids.
func (f *eventSearch) ofStreams() *eventPart {
	p := &eventPart{Select: db.Select{From: "webhook_event", Key: "webhook_event.id"}, id: "webhook_event.id", created: true}
	if len(f.streams) == 1 {
		p.Where("webhook_event.stream_id = %s", f.streams[0])
		p.Key = "webhook_event.sequence"
	} else {
		p.WhereIn("webhook_event.stream_id", db.JSONList(f.streams))
	}
	if f.platforms != nil {
		p.WhereIn("webhook_event.platform_id", db.JSONList(f.platforms))
	}
	f.stage(p)
	f.finish(p)
	return p
}

// stage adds the state to a part that begins with events.
func (f *eventSearch) stage(p *eventPart) {
	if f.state == "" {
		return
	}
	p.From += withDelivery
	p.Where("webhook_delivery.state = %s", kept(f.state))
	if !finished(f.state) {
		p.From += " JOIN webhook_stream ON webhook_stream.id = webhook_event.stream_id"
		p.Conditions = append(p.Conditions, stageCondition(f.state))
	}
	switch f.state {
	case webhook.StateHeld:
		p.WhereIn("webhook_event.platform_id", db.JSONList(f.held))
	case webhook.StatePending, webhook.StateRetryWait:
		p.WhereIn("webhook_event.platform_id", db.JSONList(f.ready))
	}
}

// finish adds what all parts have in common.
func (f *eventSearch) finish(p *eventPart) {
	if f.after > 0 && !p.bounded {
		p.Where(p.id+" > %s", f.after)
	}
	if f.before > 0 && !p.bounded {
		p.Where(p.id+" < %s", f.before)
	}
	known := f.reason == "" || strings.HasPrefix(p.From, "repair_event")
	if !p.created && (len(f.from) > 0 || len(f.to) > 0 || len(f.words) > 0 || f.types != nil || f.sent) {
		p.From += " JOIN webhook_event ON webhook_event.id = " + p.id
	}
	switch {
	case known:
	case p.created:
		p.Where("webhook_event.reason = %s", f.reason)
	default:
		// Not a join, which PostgreSQL may begin with all events that have a rare reason.
		p.Where("(SELECT told.reason FROM webhook_event AS told WHERE told.id = "+p.id+") = %s", f.reason)
	}
	for _, t := range f.from {
		p.Where("webhook_event.created_at >= %s", t.UnixMilli())
	}
	for _, t := range f.to {
		p.Where("webhook_event.created_at < %s", t.UnixMilli())
	}
	for _, word := range f.words {
		// Not EXISTS, which PostgreSQL may turn into a join that reads all tenants.
		p.Where("(SELECT "+f.dialect.Position+"("+f.searchOf()+", CAST(%s AS TEXT)) FROM webhook_stream WHERE webhook_stream.id = webhook_event.stream_id) > 0", word)
	}
	if f.types != nil {
		p.Conditions = append(p.Conditions, f.ofTypes())
	}
	if f.sent {
		p.Conditions = append(p.Conditions, "webhook_event.stream_id IS NOT NULL")
	}
}

// bound turns times into ids, for a page to begin where its time does.
func (f *eventSearch) bound(ctx context.Context, q store.Queries) error {
	for _, t := range f.from {
		id, err := EventIDAt(ctx, q, t.Add(-store.OutOfOrder))
		if err != nil {
			return err
		}
		f.after = max(f.after, int64(id)-1)
	}
	for _, t := range f.to {
		id, err := EventIDAt(ctx, q, t.Add(store.OutOfOrder))
		if err != nil {
			return err
		}
		if id > 0 && (f.before == 0 || int64(id) < f.before) {
			f.before = int64(id)
		}
	}
	return nil
}

// EventIDAt returns an id below which events were recorded before a time and
// from which on not, 0 if all were recorded before. Events are as good as in
// order of time, so it is found in a few steps however many there are.
func EventIDAt(ctx context.Context, q store.Queries, t time.Time) (billing.EventID, error) {
	var low, high int64 // below low all is before, from high on nothing is
	if _, err := q.One(ctx, `SELECT COALESCE((SELECT min(id) FROM webhook_event), 0), COALESCE((SELECT max(id) FROM webhook_event), -1) + 1`, nil, &low, &high); err != nil {
		return 0, err
	}
	beyond := high
	for low < high {
		middle := low + (high-low)/2
		var id, created int64
		if _, err := q.One(ctx, `SELECT id, created_at FROM webhook_event WHERE id >= $1 ORDER BY id LIMIT 1`, []any{middle}, &id, &created); err != nil {
			return 0, err
		}
		if created >= t.UnixMilli() {
			high = middle
		} else {
			low = id + 1
		}
	}
	if low == beyond {
		return 0, nil
	}
	return billing.EventID(low), nil
}
