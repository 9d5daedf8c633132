package log

import (
	"context"
	"fmt"
	"math"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/search"
)

const (
	// ManyTenants is up to how many tenants that share a word have their events
	// looked up one tenant at a time. What more of them share is soon found
	// without.
	ManyTenants = 1000
	// aFewEvents are looked at in less time than many tenants are looked up.
	aFewEvents = 500
	// mostPassed is how many events may be passed on the way to where a page
	// begins: a tenant's are found by their numbers, not by their ids.
	mostPassed = 50_000
)

// ofCrowd returns the first events of tenants that share a word, of which there
// are more than a few. It is not done if there are too many of them.
func (f *eventSearch) ofCrowd(ctx context.Context, q store.Queries, limit int) (ids []billing.EventID, done bool, err error) {
	few := *f
	if _, err := few.stopAfter(ctx, q, int64(aFewEvents+limit)); err != nil {
		return nil, false, err
	}
	if ids, err = few.ids(ctx, q, limit); err != nil || len(ids) == limit {
		return ids, true, err
	}
	streams, err := f.crowd(ctx, q)
	if err != nil || streams == nil {
		return nil, false, err
	}
	found, err := f.crowdEvents().Merge(ctx, q, streams, f.bounds(), limit, f.backwards)
	ids = make([]billing.EventID, len(found))
	for i, id := range found {
		ids[i] = billing.EventID(id)
	}
	return ids, true, err
}

// crowd returns the streams of the tenants that have the words, nil if there are too
// many or too many of their events would be passed.
func (f *eventSearch) crowd(ctx context.Context, q store.Queries) ([]int64, error) {
	streams, err := f.named(ctx, q, ManyTenants)
	if err != nil || streams == nil {
		return nil, err
	}
	far, err := f.passes(ctx, q, streams)
	if far || err != nil {
		return nil, err
	}
	return streams, nil
}

// passes says whether more than mostPassed events of streams may be in front of
// where the search begins.
func (f *eventSearch) passes(ctx context.Context, q store.Queries, streams []int64) (bool, error) {
	var first, last int64
	if _, err := q.One(ctx, `SELECT COALESCE((SELECT min(id) FROM webhook_event), 0), COALESCE((SELECT max(id) FROM webhook_event), 0)`, nil, &first, &last); err != nil {
		return false, err
	}
	in := f.bounds()
	if f.backwards && last-in.High < mostPassed || !f.backwards && in.Low-first < mostPassed {
		return false, nil
	}
	const text = `SELECT COALESCE(sum(last_sequence), 0) FROM webhook_stream WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	recorded, err := q.Number(ctx, text, db.JSONList(streams))
	return recorded > mostPassed, err
}

// bounds are the ids between which the events are.
func (f *eventSearch) bounds() search.Bounds {
	if f.before == 0 {
		return search.Bounds{Low: f.after, High: math.MaxInt64}
	}
	return search.Bounds{Low: f.after, High: f.before}
}

// crowdEvents are the events of streams, each stream's in the order of their
// numbers.
func (f *eventSearch) crowdEvents() *search.Ranges {
	s := &search.Ranges{
		From: "json_each(%s) AS wanted JOIN webhook_stream ON webhook_stream.id = wanted.value", Number: "webhook_stream.id", Table: "webhook_event",
		Columns: []string{"stream_id"}, Keys: []string{"webhook_stream.id"}, Order: "sequence",
	}
	for _, t := range f.from {
		s.Rest.Where(search.Likely("webhook_event.created_at >= %s"), t.UnixMilli())
	}
	for _, t := range f.to {
		s.Rest.Where(search.Likely("webhook_event.created_at < %s"), t.UnixMilli())
	}
	if f.types != nil {
		s.Rest.Conditions = append(s.Rest.Conditions, f.ofTypes())
	}
	if f.reason != "" {
		s.Rest.Where("webhook_event.reason = %s", f.reason)
	}
	if f.platforms != nil {
		s.Rest.Args = append(s.Rest.Args, db.JSONList(f.platforms))
		s.From += fmt.Sprintf(" AND webhook_stream.platform_id IN (SELECT value FROM json_each(CAST($%d AS TEXT)))", len(s.Rest.Args))
	}
	return s
}
