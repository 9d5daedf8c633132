package outbox

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Named is a tenant and the number of an event, as an application names them.
type Named struct {
	Code     string
	Sequence int
}

// ToldTenant is what a tenant's application was told with the event that it names.
type ToldTenant struct {
	ID billing.TenantID
	drift.Told
}

var toldRows = db.Batch{
	Columns: []db.Column{{"platform_id", "BIGINT"}, {"code", "TEXT"}, {"sequence", "BIGINT"}},
	Statement: `SELECT new.code, tenant.id, COALESCE(webhook_stream.last_sequence, 0), COALESCE(webhook_stream.highest_sequence, 0), webhook_event.body,
			COALESCE(webhook_stream.done_position < webhook_stream.last_position, 1 = 0),
			CASE WHEN webhook_stream.highest_sequence > new.sequence THEN
				(SELECT min((SELECT min(webhook_delivery.updated_at) FROM webhook_delivery WHERE webhook_delivery.event_id = newer.id AND webhook_delivery.state = 'delivered'))
					FROM webhook_event AS newer WHERE newer.stream_id = webhook_stream.id AND newer.sequence > new.sequence) END
		FROM new JOIN tenant ON tenant.platform_id = new.platform_id AND tenant.code = new.code
		LEFT JOIN webhook_stream ON ` + OfTenant + ` = tenant.id AND webhook_stream.platform_id = tenant.platform_id
		LEFT JOIN webhook_event ON webhook_event.stream_id = webhook_stream.id AND webhook_event.sequence = new.sequence`,
}

// ToldWith returns what an application was told about tenants of a platform with the
// events that it names, by their codes. A tenant that does not exist is not in it.
func ToldWith(ctx context.Context, tx *store.Tx, platform billing.PlatformID, named []Named) (map[string]*ToldTenant, error) {
	found := make(map[string]*ToldTenant, len(named))
	err := toldRows.Run(ctx, tx, len(named), func(i int) []any {
		return []any{int64(platform), named[i].Code, named[i].Sequence}
	}, func(rows db.Row) error {
		var code string
		var body *string
		t := &ToldTenant{}
		if err := rows.Scan(&code, &t.ID, &t.Last, &t.Highest, &body, &t.Waits, column.OptionalMillis(&t.NewerAt)); err != nil {
			return err
		}
		found[code] = t
		if body == nil {
			t.Forgotten = true
			return nil
		}
		var err error
		t.Features, t.Forgotten, err = featuresIn(*body)
		return err
	})
	return found, err
}

// beforeFeatures is what precedes the tenant's features in a body. It is nowhere else:
// in a text, the quotes would be escaped.
const beforeFeatures = `"change":{"features":`

// featuresIn reads the tenant's features from a body, without the rest of it.
func featuresIn(body string) (features []drift.Feature, none bool, err error) {
	_, text, found := strings.Cut(body, beforeFeatures)
	if !found {
		return nil, true, nil
	}
	err = json.NewDecoder(strings.NewReader(text)).Decode(&features)
	return features, false, err
}

// Arrivals returns what became of events of tenants.
func Arrivals(ctx context.Context, tx *store.Tx, events []TenantSequence) (map[billing.TenantID]drift.Arrival, error) {
	found := make(map[billing.TenantID]drift.Arrival, len(events))
	err := arrivalRows.Run(ctx, tx, len(events), func(i int) []any {
		return []any{int64(events[i].TenantID), events[i].Sequence}
	}, func(rows db.Row) error {
		var id billing.TenantID
		var a drift.Arrival
		err := rows.Scan(&id, &a.Delivered, &a.GivenUp, column.OptionalMillis(&a.At))
		found[id] = a
		return err
	})
	return found, err
}

// The highest number that was ever delivered is known for longer than when it was.
var arrivalRows = db.Batch{
	Columns: []db.Column{{"tenant_id", "BIGINT"}, {"sequence", "BIGINT"}},
	Statement: `SELECT new.tenant_id, webhook_stream.highest_sequence >= new.sequence,
			webhook_stream.highest_sequence < new.sequence AND webhook_stream.done_position >= webhook_stream.last_position, (SELECT min((SELECT min(webhook_delivery.updated_at) FROM webhook_delivery WHERE webhook_delivery.event_id = webhook_event.id AND webhook_delivery.state = 'delivered'))
			FROM webhook_event WHERE webhook_event.stream_id = webhook_stream.id AND webhook_event.sequence >= new.sequence)
		FROM new JOIN webhook_stream ON ` + OfTenant + ` = new.tenant_id`,
}

// MarkMissing notes of the tenants with live subscriptions that a full report does not
// name that they are missing, and returns how many those are. A tenant is missed only
// if the application had time to act on an event that gives it features: the newest
// that was delivered before a time. One that the application saw after it began to report
// is not missed. It looks at tenants in a range of ids.
func MarkMissing(ctx context.Context, tx *store.Tx, r *drift.FullReport, digest string, before time.Time, ids store.TenantRange) (int64, error) {
	// Each event is looked up along an index: PostgreSQL would join all deliveries.
	const which = ` FROM webhook_event WHERE webhook_event.stream_id = webhook_stream.id
			AND (SELECT min(webhook_delivery.updated_at) FROM webhook_delivery WHERE webhook_delivery.event_id = webhook_event.id AND webhook_delivery.state = 'delivered') < CAST($5 AS BIGINT)
		ORDER BY webhook_event.sequence DESC LIMIT 1`
	const told, known = `SELECT webhook_event.body` + which, `SELECT webhook_event.sequence` + which
	// Events that another database told have left nothing but their number. What a tenant was told is
	// looked up last, and only for those that the report does not name: SQLite would do it first.
	const text = `INSERT INTO tenant_drift (tenant_id, platform_id, outcome, sequence, checked_at, since, differences, digest, repair_digest, repair_sequence, persistent,
			report_id, report_outcome, turn_at, queued_by)
		SELECT tenant.id, tenant.platform_id, 'MISSING', 0, CAST($3 AS BIGINT), CAST($3 AS BIGINT), '[]', CAST($4 AS TEXT), '', 0, 1 = 0, CAST($2 AS BIGINT), 'MISSING',
			CAST($3 AS BIGINT), CAST($2 AS BIGINT)
		FROM tenant JOIN webhook_stream ON ` + OfTenant + ` = tenant.id AND webhook_stream.platform_id = tenant.platform_id
		LEFT JOIN tenant_drift ON tenant_drift.tenant_id = tenant.id
		WHERE tenant.platform_id = CAST($1 AS BIGINT) AND tenant.id > CAST($6 AS BIGINT) AND tenant.id <= CAST($7 AS BIGINT) AND COALESCE(tenant_drift.report_id, 0) < CAST($2 AS BIGINT) AND webhook_stream.highest_sequence > 0
			AND (tenant_drift.tenant_id IS NULL OR tenant_drift.outcome = 'MISSING' OR tenant_drift.checked_at <= CAST($8 AS BIGINT))
			AND EXISTS (SELECT 1 FROM subscription WHERE subscription.tenant_id = tenant.id AND subscription.state IN ('TRIAL', 'ACTIVE'))
			AND CASE WHEN COALESCE(tenant_drift.report_id, 0) < CAST($2 AS BIGINT)
				THEN NOT EXISTS (SELECT 1 FROM webhook_event AS renamed WHERE renamed.stream_id = webhook_stream.id AND renamed.reason = 'tenant.changed'
					AND renamed.sequence > COALESCE((` + known + `), 0)) AND COALESCE((` + told + `), CASE WHEN webhook_stream.delivered_at IS NULL THEN '' ELSE '"change":{"features":[]' END) NOT LIKE '%"change":{"features":[]%' ELSE 1 = 0 END
		ORDER BY tenant.id
		ON CONFLICT (tenant_id) DO UPDATE SET outcome = excluded.outcome, sequence = 0, checked_at = excluded.checked_at,
			since = CASE WHEN tenant_drift.outcome = excluded.outcome THEN tenant_drift.since ELSE excluded.since END,
			differences = excluded.differences, digest = excluded.digest,
			persistent = tenant_drift.persistent AND tenant_drift.digest = excluded.digest, report_id = excluded.report_id, report_outcome = excluded.report_outcome,
			turn_at = CASE WHEN tenant_drift.digest = excluded.digest THEN tenant_drift.turn_at ELSE excluded.turn_at END,
			queued_by = CASE WHEN tenant_drift.queued_by = -2 THEN -2 WHEN tenant_drift.repair_digest = excluded.digest THEN 0 ELSE excluded.queued_by END
		WHERE tenant_drift.report_id < excluded.report_id`
	return tx.Exec(ctx, text, int64(r.PlatformID), int64(r.ID), tx.Now.UnixMilli(), digest, before.UnixMilli(), int64(ids.After), int64(ids.Last), r.BegunAt.UnixMilli())
}
