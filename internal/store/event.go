package store

import (
	"context"
	"database/sql"

	"github.com/tenantry/tenantry/internal/billing"
)

// NextSequence gives out the next number of a tenant's events, if its platform
// provisions; 0 means that it does not. Until the transaction ends nobody else
// gets one, so numbers are in the order of commits and what is read after this
// stays true.
func NextSequence(ctx context.Context, tx *Tx, tenant billing.TenantID) (int, error) {
	n, err := tx.nextSequence(ctx, tenant)
	if err != nil || n > 0 || tx.dialect.forUpdate == "" {
		return n, err
	}
	// Whoever enables provisioning meanwhile has to wait for this transaction:
	// those it tells then are told of what happens here.
	const text = `SELECT platform.provisioning_enabled FROM platform JOIN tenant ON tenant.platform_id = platform.id
		WHERE tenant.id = $1 FOR SHARE OF platform`
	var enabled bool
	if _, err := tx.one(ctx, text, []any{int64(tenant)}, &enabled); err != nil || !enabled {
		return 0, err
	}
	return tx.nextSequence(ctx, tenant)
}

func (tx *Tx) nextSequence(ctx context.Context, tenant billing.TenantID) (int, error) {
	const text = `INSERT INTO webhook_lane (tenant_id, last_sequence)
		SELECT tenant.id, 1 FROM tenant JOIN platform ON platform.id = tenant.platform_id WHERE tenant.id = $1 AND platform.provisioning_enabled
		ON CONFLICT (tenant_id) DO UPDATE SET last_sequence = webhook_lane.last_sequence + 1 RETURNING webhook_lane.last_sequence`
	var n int
	_, err := tx.one(ctx, text, []any{int64(tenant)}, &n)
	return n, err
}

// InsertEvent records an event under a number from NextSequence.
func InsertEvent(ctx context.Context, tx *Tx, e *billing.Event) error {
	const text = `INSERT INTO webhook_event (type, tenant_id, platform_id, sequence, reason, body, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`
	e.CreatedAt = tx.Now
	_, err := tx.one(ctx, text, []any{e.Type, int64(e.TenantID), int64(e.PlatformID), e.Sequence, e.Reason, e.Body, millis(&e.CreatedAt)}, &e.ID)
	return err
}

const eventColumns = `id, type, tenant_id, platform_id, sequence, reason, body, created_at`

func scanEvent(rows *sql.Rows) (billing.Event, error) {
	var e billing.Event
	err := rows.Scan(&e.ID, &e.Type, &e.TenantID, &e.PlatformID, &e.Sequence, &e.Reason, &e.Body, millis(&e.CreatedAt))
	return e, err
}

// EventsOfTenant returns a tenant's events after a number, in order.
func EventsOfTenant(ctx context.Context, q Queries, id billing.TenantID, after, limit int) ([]billing.Event, error) {
	const text = `SELECT ` + eventColumns + ` FROM webhook_event WHERE tenant_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`
	var events []billing.Event
	err := q.each(ctx, text, []any{int64(id), after, limit}, func(rows *sql.Rows) error {
		e, err := scanEvent(rows)
		events = append(events, e)
		return err
	})
	return events, err
}

// LatestEvents returns the newest event of each of those tenants.
func LatestEvents(ctx context.Context, q Queries, ids []billing.TenantID) (map[billing.TenantID]billing.Event, error) {
	const text = `SELECT webhook_event.id, webhook_event.type, webhook_event.tenant_id, webhook_event.platform_id, webhook_event.sequence,
			webhook_event.reason, webhook_event.body, webhook_event.created_at
		FROM webhook_lane JOIN webhook_event ON webhook_event.tenant_id = webhook_lane.tenant_id AND webhook_event.sequence = webhook_lane.last_sequence
		WHERE webhook_lane.tenant_id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	events := map[billing.TenantID]billing.Event{}
	err := q.each(ctx, text, []any{jsonList(ids)}, func(rows *sql.Rows) error {
		e, err := scanEvent(rows)
		events[e.TenantID] = e
		return err
	})
	return events, err
}

// DeleteTenantsOf removes the tenants of an account with their events.
func DeleteTenantsOf(ctx context.Context, tx *Tx, id billing.AccountID) error {
	// In the order of ids, as everybody locks several lanes.
	lanes := `SELECT tenant_id FROM webhook_lane WHERE tenant_id IN (SELECT id FROM tenant WHERE account_id = $1) ORDER BY tenant_id` + tx.dialect.forUpdate
	if _, err := tx.tenantIDs(ctx, lanes, int64(id)); err != nil {
		return err
	}
	for _, text := range []string{
		`DELETE FROM webhook_event WHERE tenant_id IN (SELECT id FROM tenant WHERE account_id = $1)`,
		`DELETE FROM webhook_lane WHERE tenant_id IN (SELECT id FROM tenant WHERE account_id = $1)`,
		`DELETE FROM tenant WHERE account_id = $1`,
	} {
		if _, err := tx.exec(ctx, text, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// LockLane takes a tenant's place in line without an event, so that whatever
// else tells the tenant something waits until the transaction ends.
func LockLane(ctx context.Context, tx *Tx, tenant billing.TenantID) error {
	if tx.dialect.forUpdate == "" {
		return nil // there is one writer
	}
	const text = `INSERT INTO webhook_lane (tenant_id, last_sequence) VALUES ($1, 0)
		ON CONFLICT (tenant_id) DO UPDATE SET last_sequence = webhook_lane.last_sequence`
	_, err := tx.exec(ctx, text, int64(tenant))
	return err
}

// DeleteEventsOf removes the events of a tenant.
func DeleteEventsOf(ctx context.Context, tx *Tx, id billing.TenantID) error {
	if _, err := tx.exec(ctx, `DELETE FROM webhook_event WHERE tenant_id = $1`, int64(id)); err != nil {
		return err
	}
	_, err := tx.exec(ctx, `DELETE FROM webhook_lane WHERE tenant_id = $1`, int64(id))
	return err
}
