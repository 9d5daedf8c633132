package drifts

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// turn is the right to repair tenants of a platform, which one transaction has at a
// time.
type turn struct {
	platform *webhook.Platform
	store.RepairTurn
	// room is how many tenants can be repaired now.
	room int
}

func takeTurn(ctx context.Context, tx *store.Tx, p *webhook.Platform) (*turn, error) {
	taken, err := store.TakeRepairTurn(ctx, tx, p.ID, tx.Now.Add(-time.Minute))
	return &turn{platform: p, RepairTurn: taken, room: max(0, p.DriftRepairsPerMinute-taken.Repaired)}, err
}

// send records an event for each of those tenants, as many as there is room for. It
// returns those that are told; the caller keeps all of them.
func (t *turn) send(ctx context.Context, tx *store.Tx, rows []*drift.Tenant) (done []*drift.Tenant, err error) {
	rows = rows[:min(len(rows), t.room)]
	if len(rows) == 0 {
		return nil, nil
	}
	// In the order in which everybody locks several streams.
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *drift.Tenant) int { return cmp.Compare(a.TenantID, b.TenantID) })
	recorded, err := provisioning.RecordNumbered(ctx, tx, idsOf(rows), drift.RepairReason)
	if err != nil {
		return nil, err
	}
	var repairs []outbox.Repair
	for _, row := range rows {
		if event := recorded[row.TenantID]; event.Sequence > 0 {
			row.Repair(event.Sequence, tx.Now)
			repairs = append(repairs, outbox.Repair{EventID: event.ID, PlatformID: t.platform.ID, For: row.LastRepair})
			done = append(done, row)
		}
	}
	if len(done) == 0 {
		return nil, nil
	}
	if err := outbox.KeepRepairs(ctx, tx, repairs); err != nil {
		return nil, err
	}
	t.room -= len(done)
	if t.FirstAt == nil {
		t.FirstAt = &tx.Now
	}
	return done, store.NoteRepairs(ctx, tx, t.platform.ID, len(done))
}

func idsOf(rows []*drift.Tenant) []billing.TenantID {
	ids := make([]billing.TenantID, len(rows))
	for i, row := range rows {
		ids[i] = row.TenantID
	}
	return ids
}

// end writes when the tenants that wait go on: as soon as there is room again.
func (t *turn) end(ctx context.Context, tx *store.Tx, waits bool) error {
	before := t.NextAt
	t.NextAt = nil
	switch {
	case waits && t.room > 0:
		t.NextAt = &tx.Now
	case waits:
		next := tx.Now.Add(time.Minute)
		if t.FirstAt != nil {
			next = t.FirstAt.Add(time.Minute)
		}
		t.NextAt = &next
	case before == nil && t.AskedAt == nil:
		return nil // as it was
	}
	return store.SaveRepairTurn(ctx, tx, t.platform.ID, t.RepairTurn)
}
