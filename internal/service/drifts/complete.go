package drifts

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// complete ends a full report: what it does not name is missing. Then it is known how
// much of it differs, and tenants are repaired unless that is too much to believe.
func (w *work) complete(ctx context.Context, tx *store.Tx) error {
	missing := drift.JudgeMissing()
	n, err := outbox.MarkMissing(ctx, tx, w.full, missing.Digest, w.full.BegunAt.Add(-drift.Grace))
	if err != nil {
		return err
	}
	w.outcome.Counts[drift.Missing] += int(n)
	w.full.Outcomes[drift.Missing] += int(n)
	w.full.CompletedAt = &tx.Now
	if err := store.ForgetDrift(ctx, tx, w.full); err != nil {
		return err
	}
	if err := w.stillMissing(ctx, tx, &missing); err != nil || !w.repairs() {
		return err
	}
	if w.full.Held = w.full.Outcomes.Suspicious(); w.full.Held || w.room == 0 {
		return nil
	}
	rows, err := store.ToRepair(ctx, tx.Queries, w.platform.ID, w.full.ID, w.room)
	if err != nil {
		return err
	}
	if err := w.repair(ctx, tx, rows); err != nil {
		return err
	}
	return store.SaveDrift(ctx, tx, rows)
}

// stillMissing looks for tenants that are missing after they were told their state
// again. The application looked when it began to report, at the earliest.
func (w *work) stillMissing(ctx context.Context, tx *store.Tx, missing *drift.Judgement) error {
	for after, more := billing.TenantID(0), true; more; {
		rows, err := store.StillMissing(ctx, tx.Queries, w.platform.ID, w.full.ID, after, batch)
		if err != nil || len(rows) == 0 {
			return err
		}
		more, after = len(rows) == batch, rows[len(rows)-1].TenantID
		delivered, err := deliveredAt(ctx, tx, rows)
		if err != nil {
			return err
		}
		var save []*drift.Tenant
		for _, row := range rows {
			if missing.Decide(repaired(row, delivered), 0, w.full.BegunAt) != drift.Persists {
				continue
			}
			save = append(save, row)
			if err := alarm(ctx, tx, row); err != nil {
				return err
			}
		}
		if err := store.SaveDrift(ctx, tx, save); err != nil {
			return err
		}
	}
	return nil
}
