package log

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
)

// Backlog is how delivery stands as a whole.
type Backlog struct {
	// Waiting deliveries, those of them with a request under way, and those
	// that were given up.
	Waiting, InFlight, Exhausted int64
	// Streams that are not idle, and those whose head has failed.
	Streams, Failing int64
	// Oldest is when the oldest head was queued, nil if nothing waits.
	Oldest *time.Time
	// Breakers says by the code of each platform whether its breaker is open,
	// SecretsNeeded whether webhooks wait for secrets to be set again.
	Breakers, SecretsNeeded map[string]bool
}

// ReadBacklog returns how delivery stands. It reads the streams that are not
// idle and counts what was given up.
func ReadBacklog(ctx context.Context, q store.Queries) (*Backlog, error) {
	s := &Backlog{Breakers: map[string]bool{}, SecretsNeeded: map[string]bool{}}
	const text = `SELECT count(*), count(CASE WHEN webhook_stream.attempts > 0 THEN 1 END), count(webhook_stream.attempt_id),
			CAST(COALESCE(sum(webhook_stream.last_position - webhook_stream.done_position), 0) AS BIGINT), min(webhook_delivery.created_at),
			(SELECT count(*) FROM webhook_delivery WHERE state = 'exhausted')
		FROM webhook_stream LEFT JOIN webhook_delivery
			ON ` + outbox.Head + `
		WHERE webhook_stream.due_at IS NOT NULL`
	if _, err := q.One(ctx, text, nil, &s.Streams, &s.Failing, &s.InFlight, &s.Waiting, column.OptionalMillis(&s.Oldest), &s.Exhausted); err != nil {
		return nil, err
	}
	routes, err := outbox.AllRoutes(ctx, q)
	for i := range routes {
		r := &routes[i]
		s.Breakers[r.Platform.Code] = r.Endpoint.OpenUntil != nil
		s.SecretsNeeded[r.Platform.Code] = r.State() == webhook.EndpointSecretsNeeded
	}
	return s, err
}
