package outbox

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// LeaseHolders returns the processes that have leases of streams, and of each
// whether it lives. Those that hold no lock to prove it are left out.
func LeaseHolders(ctx context.Context, s *store.Store) (map[int64]bool, error) {
	if s.Engine() == "sqlite" {
		return nil, nil
	}
	const text = `SELECT DISTINCT holder FROM webhook_stream WHERE under_way AND holder <> 0`
	var numbers []int64
	if err := s.Queries().Each(ctx, text, nil, column.Collect(&numbers)); err != nil {
		return nil, err
	}
	return s.Alive(ctx, numbers)
}

// EndLeases ends the leases of processes that are dead, all leases if dead is
// nil, and returns how many those were. What was under way is found due at once,
// and its outcome is unknown. Streams that somebody works on are left for another
// time, and so is a process that came back to life meanwhile; the others cannot
// before the transaction ends.
func EndLeases(ctx context.Context, tx *store.Tx, dead []int64, now time.Time) (int64, error) {
	whose := ``
	args := []any{now.UnixMilli()}
	if dead != nil {
		var err error
		if dead, err = tx.KeepDead(ctx, dead); err != nil || len(dead) == 0 {
			return 0, err
		}
		whose = ` AND holder IN (SELECT value FROM json_each(CAST($2 AS TEXT)))`
		args = append(args, db.JSONList(dead))
	}
	var served []billing.PlatformID
	err := tx.Each(ctx, `SELECT DISTINCT platform_id FROM webhook_stream WHERE under_way AND due_at > $1`+whose, args, column.Collect(&served))
	if err != nil {
		return 0, err
	}
	ended, err := tx.Exec(ctx, `UPDATE webhook_stream SET due_at = $1 WHERE id IN (
		SELECT id FROM webhook_stream WHERE under_way AND due_at > $1`+whose+` ORDER BY id`+tx.Dialect.ForUpdateSkip+`)`, args...)
	if err != nil {
		return 0, err
	}
	return ended, probeAgain(ctx, tx, dead == nil, served, now)
}

// probeAgain lets endpoints be probed at once that dead processes may have been
// probing: all, or those they served.
func probeAgain(ctx context.Context, tx *store.Tx, all bool, served []billing.PlatformID, now time.Time) error {
	text, args := `UPDATE webhook_endpoint SET open_until = $1 WHERE open_until > $1`, []any{now.UnixMilli()}
	if !all {
		text += ` AND platform_id IN (SELECT value FROM json_each(CAST($2 AS TEXT)))`
		args = append(args, db.JSONList(served))
	}
	_, err := tx.Exec(ctx, text, args...)
	return err
}
