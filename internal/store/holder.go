package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// LeaseHolders returns the processes that have leases of streams, and of each
// whether it lives. Those that hold no lock to prove it are left out.
func (s *Store) LeaseHolders(ctx context.Context) (map[int64]bool, error) {
	if s.attend == nil {
		return nil, nil
	}
	const text = `SELECT busy.holder, EXISTS (SELECT 1 FROM pg_locks WHERE pg_locks.locktype = 'advisory' AND pg_locks.granted
			AND pg_locks.classid = CAST(CAST($1 AS BIGINT) AS OID) AND pg_locks.objid = CAST(busy.holder AS OID) AND pg_locks.objsubid = 2
			AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
		FROM (SELECT DISTINCT holder FROM webhook_stream WHERE under_way AND holder <> 0) AS busy`
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
// and its outcome is unknown. Streams that somebody works on are left for another
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
	err := tx.each(ctx, `SELECT DISTINCT platform_id FROM webhook_stream WHERE under_way AND due_at > $1`+whose, args, scanInto(&served))
	if err != nil {
		return 0, err
	}
	ended, err := tx.exec(ctx, `UPDATE webhook_stream SET due_at = $1 WHERE tenant_id IN (
		SELECT tenant_id FROM webhook_stream WHERE under_way AND due_at > $1`+whose+` ORDER BY tenant_id`+tx.dialect.forUpdateSkip+`)`, args...)
	if err != nil {
		return 0, err
	}
	return ended, probeAgain(ctx, tx, dead == nil, served, now)
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

// probeAgain lets endpoints be probed at once that dead processes may have been
// probing: all, or those they served.
func probeAgain(ctx context.Context, tx *Tx, all bool, served []billing.PlatformID, now time.Time) error {
	text, args := `UPDATE webhook_endpoint SET open_until = $1 WHERE open_until > $1`, []any{now.UnixMilli()}
	if !all {
		text += ` AND platform_id IN (SELECT value FROM json_each(CAST($2 AS TEXT)))`
		args = append(args, jsonList(served))
	}
	_, err := tx.exec(ctx, text, args...)
	return err
}
