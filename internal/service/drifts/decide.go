package drifts

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// decide finds out which tenants of the request are to be repaired and which cannot
// be, and keeps what came of all.
func (w *work) decide(ctx context.Context, tx *store.Tx) error {
	delivered, err := w.repairsDelivered(ctx, tx)
	if err != nil {
		return err
	}
	var save, send []*drift.Tenant
	for _, j := range w.rows {
		if j.row == nil {
			continue
		}
		save = append(save, j.row)
		switch j.judgement.Decide(repaired(j.row, delivered), j.state.Sequence, j.state.LookedAt(tx.Now)) {
		case drift.Send:
			if w.full == nil && w.repairs() {
				send = append(send, j.row)
			}
		case drift.Persists:
			if err := alarm(ctx, tx, j.row); err != nil {
				return err
			}
		}
	}
	if err := w.repair(ctx, tx, send); err != nil {
		return err
	}
	for _, j := range w.rows {
		row := j.row
		if row == nil {
			row = &drift.Tenant{Outcome: drift.UnknownTenant, Sequence: j.state.Sequence}
		}
		w.show(j.state.Code, row)
	}
	return store.SaveDrift(ctx, tx, save)
}

// repairsDelivered returns when the events arrived that were sent to repair tenants
// which differ as before.
func (w *work) repairsDelivered(ctx context.Context, tx *store.Tx) (map[billing.TenantID]time.Time, error) {
	var sent []*drift.Tenant
	for _, j := range w.rows {
		if j.row != nil && j.row.RepairSequence > j.state.Sequence && j.row.RepairDigest == j.row.Digest {
			sent = append(sent, j.row)
		}
	}
	return deliveredAt(ctx, tx, sent)
}

func deliveredAt(ctx context.Context, tx *store.Tx, rows []*drift.Tenant) (map[billing.TenantID]time.Time, error) {
	events := make([]outbox.TenantSequence, len(rows))
	for i, row := range rows {
		events[i] = outbox.TenantSequence{TenantID: row.TenantID, Sequence: row.RepairSequence}
	}
	return outbox.DeliveredAt(ctx, tx, events)
}

func repaired(row *drift.Tenant, delivered map[billing.TenantID]time.Time) drift.Repaired {
	r := drift.Repaired{Digest: row.RepairDigest, Sequence: row.RepairSequence}
	if at, was := delivered[row.TenantID]; was {
		r.DeliveredAt = &at
	}
	return r
}

// alarm notes that a difference is still there after its repair. Once it is known, it
// is not told again.
func alarm(ctx context.Context, tx *store.Tx, row *drift.Tenant) error {
	if row.Persistent {
		return nil
	}
	row.Persistent = true
	return operation.Audit(ctx, tx, "driftPersists", "tenant", int64(row.TenantID), map[string]billing.Change{
		"driftOutcome":   {From: operation.MustJSON(nil), To: operation.MustJSON(row.Outcome)},
		"repairSequence": {From: operation.MustJSON(nil), To: operation.MustJSON(row.RepairSequence)},
	})
}

// repair tells tenants their state again, as many as there is room for.
func (w *work) repair(ctx context.Context, tx *store.Tx, rows []*drift.Tenant) error {
	done, err := sendRepairs(ctx, tx, rows[:min(len(rows), w.room)])
	w.room -= len(done)
	w.outcome.Repaired += len(done)
	return err
}

// sendRepairs records an event for each of those tenants of one platform, whose turn the
// caller has. It returns those that are told; the caller keeps them.
func sendRepairs(ctx context.Context, tx *store.Tx, rows []*drift.Tenant) (done []*drift.Tenant, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	// In the order in which everybody locks several streams.
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *drift.Tenant) int { return cmp.Compare(a.TenantID, b.TenantID) })
	ids := make([]billing.TenantID, len(rows))
	for i, row := range rows {
		ids[i] = row.TenantID
	}
	numbers, err := provisioning.RecordNumbered(ctx, tx, ids, drift.RepairReason)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if number := numbers[row.TenantID]; number > 0 {
			row.Repair(number, tx.Now)
			done = append(done, row)
		}
	}
	if len(done) == 0 {
		return nil, nil
	}
	return done, store.NoteRepairs(ctx, tx, done[0].PlatformID, len(done))
}
