package store

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// LeaseHolders returns the processes that have leases of lanes, and of each
// whether it lives. Those that hold no lock to prove it are left out.
func (s *Store) LeaseHolders(ctx context.Context) (map[int64]bool, error) {
	if s.attend == nil {
		return nil, nil
	}
	const text = `SELECT busy.holder, EXISTS (SELECT 1 FROM pg_locks WHERE pg_locks.locktype = 'advisory' AND pg_locks.granted
			AND pg_locks.classid = CAST(CAST($1 AS BIGINT) AS OID) AND pg_locks.objid = CAST(busy.holder AS OID) AND pg_locks.objsubid = 2
			AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
		FROM (SELECT DISTINCT holder FROM webhook_lane WHERE under_way AND holder <> 0) AS busy`
	holders := map[int64]bool{}
	err := s.Queries().each(ctx, text, []any{int64(presenceClass)}, func(rows scanner) error {
		var number int64
		var lives bool
		err := rows.Scan(&number, &lives)
		holders[number] = lives
		return err
	})
	return holders, err
}

// EndLeases ends the leases of processes that are dead, all leases if dead is
// nil, and returns how many those were. What was under way is found due at once,
// and its outcome is unknown. Lanes that somebody works on are left for another
// time, and so is a process that came back to life meanwhile; the others cannot
// before the transaction ends.
func EndLeases(ctx context.Context, tx *Tx, dead []int64, now time.Time) (int64, error) {
	whose := ``
	args := []any{now.UnixMilli()}
	if dead != nil {
		var err error
		if dead, err = keepDead(ctx, tx, dead); err != nil || len(dead) == 0 {
			return 0, err
		}
		whose = ` AND holder IN (SELECT value FROM json_each(CAST($2 AS TEXT)))`
		args = append(args, jsonList(dead))
	}
	var served []billing.PlatformID
	err := tx.each(ctx, `SELECT DISTINCT platform_id FROM webhook_lane WHERE under_way AND due_at > $1`+whose, args, scanInto(&served))
	if err != nil {
		return 0, err
	}
	ended, err := tx.exec(ctx, `UPDATE webhook_lane SET due_at = $1 WHERE tenant_id IN (
		SELECT tenant_id FROM webhook_lane WHERE under_way AND due_at > $1`+whose+` ORDER BY tenant_id`+tx.dialect.forUpdateSkip+`)`, args...)
	if err != nil {
		return 0, err
	}
	return ended, forgetHolds(ctx, tx, dead, served, now)
}

// keepDead takes the locks by which processes prove that they live, and returns
// those whose it got.
func keepDead(ctx context.Context, tx *Tx, numbers []int64) (dead []int64, err error) {
	if !tx.dialect.presence {
		return numbers, nil
	}
	const text = `SELECT CAST(value AS BIGINT) FROM json_each(CAST($1 AS TEXT)) WHERE pg_try_advisory_xact_lock($2, CAST(value AS INTEGER))`
	err = tx.each(ctx, text, []any{jsonList(numbers), int32(presenceClass)}, scanInto(&dead))
	return dead, err
}

// forgetHolds gives back the places that dead processes had, and lets an endpoint
// be probed that they may have been probing: one that they had places at, or
// that they served.
func forgetHolds(ctx context.Context, tx *Tx, dead []int64, served []billing.PlatformID, now time.Time) error {
	gone := func(h billing.Hold) bool {
		n, err := strconv.ParseInt(h.By, 10, 64)
		return dead == nil || err == nil && slices.Contains(dead, n)
	}
	ids, err := endpointsInUse(ctx, tx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		route, err := LockRoute(ctx, tx, id)
		if err != nil {
			return err
		}
		if route == nil {
			continue
		}
		endpoint := &route.Endpoint
		if dead != nil && !slices.ContainsFunc(endpoint.Holds, gone) && !slices.Contains(served, id) {
			continue
		}
		endpoint.Holds = slices.DeleteFunc(endpoint.Holds, gone)
		if until := endpoint.OpenUntil; until != nil && until.After(now) {
			endpoint.OpenUntil = &now
		}
		if err := SaveEndpoint(ctx, tx, endpoint); err != nil {
			return err
		}
	}
	return nil
}

// endpointsInUse returns the platforms whose endpoints keep places or are closed
// by their breaker.
func endpointsInUse(ctx context.Context, tx *Tx) (ids []billing.PlatformID, err error) {
	const text = `SELECT platform_id FROM webhook_endpoint WHERE holds <> '[]' OR open_until IS NOT NULL ORDER BY platform_id`
	err = tx.each(ctx, text, nil, scanInto(&ids))
	return ids, err
}
