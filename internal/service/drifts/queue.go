package drifts

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store"
)

// goOn repairs tenants that wait, those first that wait longest, and sees to it that the
// others go on when there is room again. It returns those that are told.
func (t *turn) goOn(ctx context.Context, tx *store.Tx) (done []*drift.Tenant, err error) {
	if platformToCompare(t.platform, "") != nil {
		t.AskedAt = nil
		return nil, t.end(ctx, tx, false)
	}
	causes, err := t.causes(ctx, tx)
	if err != nil {
		return nil, err
	}
	next, more, err := t.next(ctx, tx, causes)
	if err != nil {
		return nil, err
	}
	if done, err = t.sendNext(ctx, tx, causes, next); err != nil {
		return nil, err
	}
	if !more {
		t.AskedAt = nil
		if err := store.EndRepairsOf(ctx, tx, t.platform.ID); err != nil {
			return nil, err
		}
	}
	return done, t.end(ctx, tx, more)
}

// causes are what tenants of the platform may be repaired for.
func (t *turn) causes(ctx context.Context, tx *store.Tx) ([]drift.Cause, error) {
	causes := []drift.Cause{drift.Person}
	if t.platform.DriftPolicy != drift.Repair {
		return causes, nil
	}
	causes = append(causes, drift.SomeReport)
	reports, err := store.RepairingReports(ctx, tx.Queries, t.platform.ID)
	for _, id := range reports {
		causes = append(causes, drift.Cause(id))
	}
	return causes, err
}

// next are the tenants that have waited longest, as many as there is room for, and
// whether there are more.
func (t *turn) next(ctx context.Context, tx *store.Tx, causes []drift.Cause) (ids []billing.TenantID, more bool, err error) {
	var all []store.ToRepair
	for _, cause := range causes {
		found, err := store.RepairsFor(ctx, tx.Queries, t.platform.ID, cause, t.room+1)
		if err != nil {
			return nil, false, err
		}
		all = append(all, found...)
	}
	if t.AskedAt != nil {
		found, err := store.RepairsUntil(ctx, tx.Queries, t.platform.ID, *t.AskedAt, t.room+1)
		if err != nil {
			return nil, false, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b store.ToRepair) int {
		return cmp.Or(a.TurnAt.Compare(b.TurnAt), cmp.Compare(a.TenantID, b.TenantID))
	})
	for _, w := range slices.CompactFunc(all, func(a, b store.ToRepair) bool { return a.TenantID == b.TenantID }) {
		ids = append(ids, w.TenantID)
	}
	return ids[:min(len(ids), t.room)], len(ids) > t.room, nil
}

// sendNext repairs those of the tenants that still wait. One that is told nothing, because
// it is not provisioned, waits no more.
func (t *turn) sendNext(ctx context.Context, tx *store.Tx, causes []drift.Cause, ids []billing.TenantID) ([]*drift.Tenant, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	known, err := store.LockDrift(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	var rows []*drift.Tenant
	of := map[billing.TenantID]drift.Cause{}
	for _, id := range ids {
		row := known[id]
		if row == nil {
			continue
		}
		queued := row.QueuedBy != drift.NoCause && slices.Contains(causes, row.QueuedBy)
		if asked := t.AskedAt != nil && row.Untold() && !row.TurnAt.After(*t.AskedAt); queued || asked {
			rows, of[id] = append(rows, row), row.QueuedBy
		}
	}
	done, err := t.send(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		row.QueuedBy, row.TurnAt = drift.NoCause, tx.Now
	}
	repaired := map[drift.Cause]int{}
	for _, row := range done {
		repaired[of[row.TenantID]]++
	}
	for _, cause := range causes {
		if n := repaired[cause]; n > 0 && cause > 0 {
			if err := store.NoteRepairsOf(ctx, tx, billing.DriftReportID(cause), n); err != nil {
				return nil, err
			}
		}
	}
	return done, store.SaveDrift(ctx, tx, rows)
}
