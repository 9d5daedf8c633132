package outbox

import (
	"cmp"
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Route is all that says where and how the webhooks of a platform go, or those of an
// event endpoint, which stands for a platform then.
type Route struct {
	Platform webhook.Platform
	Workflow webhook.Workflow
	Endpoint webhook.Endpoint
	// ForEvents says that it is the route of an event endpoint.
	ForEvents bool
}

// State says whether webhooks can be sent.
func (r *Route) State() webhook.EndpointState {
	return r.Endpoint.State(r.Platform.WebhookURL, r.Workflow.Enabled, len(r.NeededSecrets()) > 0)
}

// NeededSecrets are the secrets that have to be given again before anything is
// sent.
func (r *Route) NeededSecrets() []webhook.NeededSecret {
	return webhook.NeededSecrets(&r.Platform, &r.Workflow)
}

const endpointColumns = `webhook_endpoint.platform_id, webhook_endpoint.paused_at, webhook_endpoint.pause_reason, webhook_endpoint.failures,
	webhook_endpoint.failed_tenants, webhook_endpoint.open_until, webhook_endpoint.open_delay, webhook_endpoint.latest_before, webhook_endpoint.version`

func endpointFields(e *webhook.Endpoint) []any {
	return []any{
		&e.PlatformID, column.OptionalMillis(&e.PausedAt), &e.PauseReason, &e.Failures,
		column.JSON(&e.FailedSubjects), column.OptionalMillis(&e.OpenUntil), column.Duration(&e.OpenDelay), column.Millis(&e.LatestBefore), &e.Version,
	}
}

// routes reads routes, with one more column that is only evaluated.
func routes(extra, suffix string, found *[]Route) (text string, scan func(db.Row) error) {
	platform, platformFields := store.Platforms.Projection(nil)
	workflow, workflowFields := store.Workflows.Projection(nil)
	text = `SELECT ` + platform + `, ` + workflow + `, ` + endpointColumns + `, platform.event_types IS NOT NULL, ` + extra + `
		FROM webhook_endpoint JOIN platform ON platform.id = webhook_endpoint.platform_id JOIN workflow ON workflow.platform_id = platform.id
		WHERE ` + suffix
	return text, func(rows db.Row) error {
		var r Route
		fields := append(append(platformFields(&r.Platform), workflowFields(&r.Workflow)...), endpointFields(&r.Endpoint)...)
		err := rows.Scan(append(fields, &r.ForEvents, new(any))...)
		*found = append(*found, r)
		return err
	}
}

// LockRoute returns how webhooks of a platform go, or nil if there is no such
// platform. Until the transaction ends nobody else sends or changes that.
func LockRoute(ctx context.Context, tx *store.Tx, id billing.PlatformID) (*Route, error) {
	route, _, err := LockRouteAndStreams(ctx, tx, id, nil)
	return route, err
}

// LockRouteAndStreams is LockRoute that also returns those of the streams that nobody
// else works on just now; they stay the caller's until the transaction ends.
func LockRouteAndStreams(ctx context.Context, tx *store.Tx, platform billing.PlatformID, ids []billing.StreamID) (*Route, map[billing.StreamID]*Locked, error) {
	if tx.Dialect.ForUpdate != "" {
		// Who waits for a row in a join gets what is in that row by then, and what
		// was in the others before. So the join is a statement of its own.
		const lock = `SELECT 1 FROM webhook_endpoint WHERE platform_id = CAST($1 AS BIGINT) FOR UPDATE`
		if err := tx.EachLater(ctx, lock, []any{int64(platform)}, func(row db.Row) error { return row.Scan(new(int)) }); err != nil {
			return nil, nil, err
		}
	}
	var found []Route
	// Without the cast SQLite compiles the statement anew at every use, because
	// a plan could depend on the value; so it is elsewhere where it matters.
	text, scan := routes(cmp.Or(tx.Dialect.KeepPlans, "NULL"), "webhook_endpoint.platform_id = CAST($1 AS BIGINT)", &found)
	ask := tx.Each
	if len(ids) > 0 {
		ask = tx.EachLater
	}
	if err := ask(ctx, text, []any{int64(platform)}, scan); err != nil {
		return nil, nil, err
	}
	streams, err := LockStreams(ctx, tx, ids)
	if err != nil || len(found) == 0 {
		return nil, nil, err
	}
	return &found[0], streams, nil
}

// RoutesOf returns how the webhooks of those platforms go.
func RoutesOf(ctx context.Context, q store.Queries, ids []billing.PlatformID) ([]Route, error) {
	var found []Route
	text, scan := routes("NULL", `webhook_endpoint.platform_id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY webhook_endpoint.platform_id`, &found)
	err := q.Each(ctx, text, []any{db.JSONList(ids)}, scan)
	return found, err
}

// SaveEndpoint writes what the sender knows about an endpoint.
func SaveEndpoint(ctx context.Context, tx *store.Tx, e *webhook.Endpoint) error {
	const text = `UPDATE webhook_endpoint SET paused_at = $2, pause_reason = $3, failures = $4, failed_tenants = $5, open_until = $6, open_delay = $7, latest_before = $8
		WHERE platform_id = $1`
	_, err := tx.Exec(ctx, text, int64(e.PlatformID), column.OptionalMillis(&e.PausedAt), e.PauseReason, e.Failures,
		column.JSON(orNone(e.FailedSubjects)), column.OptionalMillis(&e.OpenUntil), e.OpenDelay.Milliseconds(), column.Millis(&e.LatestBefore))
	return err
}

// orNone is a list that is empty if there is none.
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// DuePlatform is a platform that something waits on, since or until a time.
type DuePlatform struct {
	ID    billing.PlatformID
	DueAt time.Time
}

// DuePlatforms returns, for every platform that something waits on, when there
// is something to do next. It looks at one stream of each platform.
func DuePlatforms(ctx context.Context, q store.Queries) ([]DuePlatform, error) {
	const text = `SELECT id, due_at FROM (SELECT platform.id,
			(SELECT webhook_stream.due_at FROM webhook_stream WHERE webhook_stream.platform_id = platform.id AND webhook_stream.due_at IS NOT NULL
				ORDER BY webhook_stream.due_at LIMIT 1) AS due_at
		FROM platform) AS next WHERE due_at IS NOT NULL ORDER BY id`
	var found []DuePlatform
	err := q.Each(ctx, text, nil, func(rows db.Row) error {
		var p DuePlatform
		err := rows.Scan(&p.ID, column.Millis(&p.DueAt))
		found = append(found, p)
		return err
	})
	return found, err
}

// AllRoutes returns how the webhooks of all platforms go.
func AllRoutes(ctx context.Context, q store.Queries) ([]Route, error) {
	var found []Route
	text, scan := routes("NULL", `1 = 1 ORDER BY webhook_endpoint.platform_id`, &found)
	err := q.Each(ctx, text, nil, scan)
	return found, err
}
