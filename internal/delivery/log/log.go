// Package log reads the webhook log: lists and counts of events by filters, what
// became of them, which of them to send again, and which have run their time.
//
// An event never changes; its state is derived from its latest delivery, its stream
// and the endpoint, as webhook.Delivery.Stage has it.
package log

import (
	"context"
	"errors"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// LoggedEvent is an event, without its body, with its latest delivery, whose
// state is the event's.
type LoggedEvent struct {
	webhook.Event
	Delivery webhook.Delivery
}

// ListEvents returns a page of the webhook log, in the order of ids or, going
// backwards, the newest first. With most filters it reads about as much as it
// returns; what ListEventsWithin bounds it looks for until the page is full.
func ListEvents(ctx context.Context, q store.Queries, p store.Page) ([]LoggedEvent, error) {
	events, _, err := ListEventsWithin(ctx, q, p, 0)
	return events, err
}

// ListEventsWithin is ListEvents that looks at about most events and no more, if
// most is not 0 and the filter has no index: what was delivered may be behind
// much that was not, and a word that very many tenants have may be in few events. It
// returns how far it looked: rest is the event to go on behind, 0 if there is
// nothing beyond.
func ListEventsWithin(ctx context.Context, q store.Queries, p store.Page, most int) (events []LoggedEvent, rest int64, err error) {
	search, err := searchEvents(ctx, q, p.Filter)
	if err != nil {
		return nil, 0, err
	}
	search.backwards = p.Backwards
	switch {
	case !p.Backwards:
		search.after = max(search.after, p.After)
	case p.After > 0 && (search.before == 0 || p.After < search.before):
		search.before = p.After
	}
	ids, rest, err := search.first(ctx, q, p.Limit, int64(most))
	if err != nil {
		return nil, 0, err
	}
	events, err = LoggedEvents(ctx, q, ids)
	if p.Backwards {
		slices.Reverse(events)
	}
	return events, rest, err
}

// first returns the first events that match, and how far it looked for them if
// it did not look everywhere.
func (f *eventSearch) first(ctx context.Context, q store.Queries, limit int, most int64) (ids []billing.EventID, rest int64, err error) {
	if !f.none && f.streams == nil && f.state == "" && len(f.words) > 0 {
		if ids, done, err := f.ofCrowd(ctx, q, limit); err != nil || done {
			return ids, 0, err
		}
	}
	if most > 0 && f.walks() {
		if rest, err = f.stopAfter(ctx, q, most); err != nil {
			return nil, 0, err
		}
	}
	ids, err = f.ids(ctx, q, limit)
	if len(ids) == limit {
		rest = 0
	}
	return ids, rest, err
}

// walks says whether events are looked at that do not match.
func (f *eventSearch) walks() bool {
	return !f.none && f.streams == nil && (len(f.words) > 0 || f.types != nil || f.reason != "" && !(f.repairs() && f.state == "") || f.state == webhook.StateDelivered)
}

// stopAfter narrows the search to the first so many ids, and returns the last of
// them if there is something beyond, 0 otherwise.
func (f *eventSearch) stopAfter(ctx context.Context, q store.Queries, most int64) (rest int64, err error) {
	var first, last int64
	if _, err := q.One(ctx, `SELECT COALESCE((SELECT min(id) FROM webhook_event), 0), COALESCE((SELECT max(id) FROM webhook_event), 0)`, nil, &first, &last); err != nil {
		return 0, err
	}
	low, high := max(f.after, first-1), last+1
	if f.before > 0 {
		high = min(high, f.before)
	}
	switch {
	case high-low-1 <= most:
		return 0, nil
	case f.backwards:
		f.after = high - most - 1
		return high - most, nil
	}
	f.before = low + most + 1
	return low + most, nil
}

// CountEvents returns how many events match the filter.
func CountEvents(ctx context.Context, q store.Queries, filter billing.Filter) (int, error) {
	search, err := searchEvents(ctx, q, filter)
	if err != nil {
		return 0, err
	}
	return search.count(ctx, q, "count(*)")
}

// ids returns the first events that match. Each part of the search has them in
// order.
func (f *eventSearch) ids(ctx context.Context, q store.Queries, limit int) ([]billing.EventID, error) {
	var ids []billing.EventID
	for _, part := range f.parts() {
		if f.backwards {
			part.turn()
		}
		part.Narrowed = true
		text := part.Page(q.Dialect, part.id, limit)
		err := q.Each(ctx, text, part.Args, func(rows db.Row) error {
			ids = append(ids, 0)
			return rows.Scan(&ids[len(ids)-1])
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(ids)
	if f.backwards {
		slices.Reverse(ids)
	}
	return ids[:min(len(ids), limit)], nil
}

// count adds a number up over all parts.
func (f *eventSearch) count(ctx context.Context, q store.Queries, what string) (int, error) {
	total := 0
	for _, part := range f.parts() {
		n, err := q.Number(ctx, "SELECT "+what+" FROM "+part.From+part.Clause(), part.Args...)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// LoggedEvents returns those events, in the order of ids.
func LoggedEvents(ctx context.Context, q store.Queries, ids []billing.EventID) ([]LoggedEvent, error) {
	const text = `SELECT webhook_event.id, webhook_event.type, COALESCE(webhook_stream.subject_kind, ''), COALESCE(webhook_stream.subject_id, 0), webhook_event.platform_id, webhook_event.sequence,
			webhook_event.reason, webhook_event.created_at, ` + outbox.DeliveryColumns + `
		FROM webhook_event JOIN webhook_delivery ON webhook_delivery.event_id = webhook_event.id AND webhook_delivery.latest
			LEFT JOIN webhook_stream ON webhook_stream.id = webhook_event.stream_id
		WHERE webhook_event.id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY webhook_event.id`
	found := make([]LoggedEvent, 0, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	err := q.Each(ctx, text, []any{db.JSONList(ids)}, func(rows db.Row) error {
		var e LoggedEvent
		err := rows.Scan(append([]any{
			&e.ID, &e.Type, &e.Subject.Kind, &e.Subject.ID, &e.PlatformID, &e.Sequence, &e.Reason, column.Millis(&e.CreatedAt),
		}, outbox.DeliveryFields(&e.Delivery)...)...)
		found = append(found, e)
		return errors.Join(err, store.Spend(ctx, store.Length(e.Delivery.Body)))
	})
	return found, err
}

// EventBody is the body of an event and that of the event of its tenant before
// it, nil if there is none.
type EventBody struct {
	Body     string
	Previous *string
}

// EventBodies returns the bodies of those events.
func EventBodies(ctx context.Context, q store.Queries, ids []billing.EventID) (map[billing.EventID]EventBody, error) {
	const text = `SELECT webhook_event.id, webhook_event.body, (SELECT previous.body FROM webhook_event AS previous
			WHERE previous.stream_id = webhook_event.stream_id AND previous.sequence < webhook_event.sequence ORDER BY previous.sequence DESC LIMIT 1)
		FROM webhook_event WHERE webhook_event.id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	found := make(map[billing.EventID]EventBody, len(ids))
	err := q.Each(ctx, text, []any{db.JSONList(ids)}, func(rows db.Row) error {
		var id billing.EventID
		var b EventBody
		err := rows.Scan(&id, &b.Body, &b.Previous)
		found[id] = b
		return errors.Join(err, store.Spend(ctx, len(b.Body)+store.Length(b.Previous)))
	})
	return found, err
}
