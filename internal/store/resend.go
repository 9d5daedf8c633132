package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Resend says which events are to be sent again: those that match a filter, up
// to an id so that later ones do not join, all or the newest of each tenant.
// Test events are never among them.
type Resend struct {
	Filter          billing.Filter
	UpTo            billing.EventID
	LatestPerTenant bool
}

func (r Resend) search(ctx context.Context, q Queries) (*eventSearch, error) {
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
func (r Resend) Count(ctx context.Context, q Queries) (int, error) {
	f, err := r.search(ctx, q)
	if err != nil {
		return 0, err
	}
	if r.LatestPerTenant {
		return f.count(ctx, q, "count(DISTINCT webhook_event.tenant_id)")
	}
	return f.count(ctx, q, "count(*)")
}

// Next returns the events behind one. It looks at limit of them at most; last
// is the last it looked at, 0 if there are no more.
func (r Resend) Next(ctx context.Context, q Queries, after billing.EventID, limit int) (events []LoggedEvent, last billing.EventID, err error) {
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
func (f *eventSearch) newest(ctx context.Context, q Queries, events []LoggedEvent) ([]LoggedEvent, error) {
	of := *f
	of.tenants = nil
	for _, e := range events {
		of.tenants = append(of.tenants, e.TenantID)
	}
	part := of.ofTenants()
	text := "SELECT webhook_event.tenant_id, max(webhook_event.id) FROM " + part.From + part.Clause() + " GROUP BY webhook_event.tenant_id"
	newest := make(map[billing.TenantID]billing.EventID, len(events))
	err := q.Each(ctx, text, part.Args, func(rows scanner) error {
		var tenant billing.TenantID
		var id billing.EventID
		err := rows.Scan(&tenant, &id)
		newest[tenant] = id
		return err
	})
	var kept []LoggedEvent
	for _, e := range events {
		if newest[e.TenantID] == e.ID {
			kept = append(kept, e)
		}
	}
	return kept, err
}

// NewestEventID is the id of the event recorded last, 0 if there is none.
func NewestEventID(ctx context.Context, q Queries) (billing.EventID, error) {
	id, err := q.Number(ctx, `SELECT COALESCE(max(id), 0) FROM webhook_event`)
	return billing.EventID(id), err
}

// LockEvents returns those events as they are, and keeps them from being
// removed until the transaction ends. Their streams are locked already.
func LockEvents(ctx context.Context, tx *Tx, ids []billing.EventID) ([]LoggedEvent, error) {
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

// WaitingResends returns, of each of those tenants, the highest number of what
// was queued again behind its newest event and still waits.
func WaitingResends(ctx context.Context, q Queries, ids []billing.TenantID) (map[billing.TenantID]int, error) {
	const text = `SELECT webhook_stream.tenant_id, max(webhook_event.sequence) FROM webhook_stream
			JOIN webhook_delivery ON webhook_delivery.tenant_id = webhook_stream.tenant_id AND webhook_delivery.position > webhook_stream.newest_position
			JOIN webhook_event ON webhook_event.id = webhook_delivery.event_id
		WHERE webhook_stream.tenant_id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND webhook_stream.last_position > webhook_stream.done_position
			AND webhook_delivery.state = 'waiting'
		GROUP BY webhook_stream.tenant_id`
	found := map[billing.TenantID]int{}
	err := q.Each(ctx, text, []any{db.JSONList(ids)}, func(rows scanner) error {
		var tenant billing.TenantID
		var sequence int
		err := rows.Scan(&tenant, &sequence)
		found[tenant] = sequence
		return err
	})
	return found, err
}
