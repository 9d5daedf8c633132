package log

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Resend says which events are to be sent again: those that match a filter, up
// to an id so that later ones do not join, all or the newest of each tenant. Of
// business events it is always all: none tells what another does. Test events are
// never among them.
type Resend struct {
	Filter          billing.Filter
	UpTo            billing.EventID
	LatestPerTenant bool
}

func (r Resend) search(ctx context.Context, q store.Queries) (*eventSearch, error) {
	f, err := searchEvents(ctx, q, r.Filter)
	if err != nil {
		return nil, err
	}
	f.sent = true
	if f.before == 0 || int64(r.UpTo) < f.before {
		f.before = int64(r.UpTo) + 1
	}
	return f, nil
}

// Count returns how many events those are now.
func (r Resend) Count(ctx context.Context, q store.Queries) (int, error) {
	f, err := r.search(ctx, q)
	if err != nil {
		return 0, err
	}
	if r.LatestPerTenant {
		return f.count(ctx, q, "count(DISTINCT CASE webhook_event.type WHEN '"+webhook.EventType+"' THEN -webhook_event.stream_id ELSE webhook_event.id END)")
	}
	return f.count(ctx, q, "count(*)")
}

// Next returns the events behind one. It looks at limit of them at most; last
// is the last it looked at, 0 if there are no more.
func (r Resend) Next(ctx context.Context, q store.Queries, after billing.EventID, limit int) (events []LoggedEvent, last billing.EventID, err error) {
	f, err := r.search(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	f.after = max(f.after, int64(after))
	ids, err := f.ids(ctx, q, limit)
	if err != nil || len(ids) == 0 {
		return nil, 0, err
	}
	events, err = LoggedEvents(ctx, q, ids)
	if err == nil && r.LatestPerTenant {
		events, err = f.newest(ctx, q, events)
	}
	return events, ids[len(ids)-1], err
}

// newest keeps those events that no newer one of their tenant matches with.
func (f *eventSearch) newest(ctx context.Context, q store.Queries, events []LoggedEvent) ([]LoggedEvent, error) {
	of := *f
	of.streams = nil
	for _, e := range events {
		of.streams = append(of.streams, int64(e.Delivery.StreamID))
	}
	part := of.ofStreams()
	text := "SELECT webhook_event.stream_id, max(webhook_event.id) FROM " + part.From + part.Clause() + " GROUP BY webhook_event.stream_id"
	newest := make(map[billing.StreamID]billing.EventID, len(events))
	err := q.Each(ctx, text, part.Args, func(rows db.Row) error {
		var stream billing.StreamID
		var id billing.EventID
		err := rows.Scan(&stream, &id)
		newest[stream] = id
		return err
	})
	var kept []LoggedEvent
	for _, e := range events {
		if newest[e.Delivery.StreamID] == e.ID || !e.Subject.ToldStates() {
			kept = append(kept, e)
		}
	}
	return kept, err
}

// NewestEventID is the id of the event recorded last, 0 if there is none.
func NewestEventID(ctx context.Context, q store.Queries) (billing.EventID, error) {
	id, err := q.Number(ctx, `SELECT COALESCE(max(id), 0) FROM webhook_event`)
	return billing.EventID(id), err
}

// LockEvents returns those events as they are, and keeps them from being
// removed until the transaction ends. Their streams are locked already.
func LockEvents(ctx context.Context, tx *store.Tx, ids []billing.EventID) ([]LoggedEvent, error) {
	if tx.Dialect.ForUpdate != "" {
		text := `SELECT id FROM webhook_event WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY id` + tx.Dialect.ForUpdate
		var locked []billing.EventID
		if err := tx.Each(ctx, text, []any{db.JSONList(ids)}, column.Collect(&locked)); err != nil {
			return nil, err
		}
		ids = locked
	}
	return LoggedEvents(ctx, tx.Queries, ids)
}
