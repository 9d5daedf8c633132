package drifts

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store"
)

// complete ends a full report: what it does not name is missing. Then it is known how
// much of it differs, and tenants are repaired unless that is too much to believe.
func (w *work) complete(ctx context.Context, tx *store.Tx) error {
	if err := sweep(ctx, tx, w.full, everyTenant); err != nil {
		return err
	}
	w.outcome.Counts[drift.Missing] = w.full.Outcomes[drift.Missing]
	w.full.CompletedAt = &tx.Now
	if err := store.ForgetDriftParts(ctx, tx, w.full.ID); err != nil {
		return err
	}
	if err := w.stillMissing(ctx, tx); err != nil {
		return err
	}
	w.full.Held = w.turn != nil && w.full.Outcomes.Suspicious()
	w.full.Repairing = w.turn != nil && !w.full.Held
	if err := store.SaveDriftReport(ctx, tx, w.full); err != nil || !w.full.Repairing || w.turn.NextAt != nil {
		return err // if others wait, these do too
	}
	done, err := w.turn.goOn(ctx, tx)
	w.repaired, w.outcome.Repaired = done, len(done)
	w.full.Repaired += len(done)
	return err
}

// missingStill locks rows, and leaves out those that somebody else has changed meanwhile.
func (w *work) missingStill(ctx context.Context, tx *store.Tx, rows []*drift.Tenant) (still []*drift.Tenant, err error) {
	locked, err := store.LockDrift(ctx, tx, idsOf(rows))
	for _, row := range rows {
		if now := locked[row.TenantID]; now != nil && now.Outcome == drift.Missing && now.ReportID == w.full.ID {
			still = append(still, now)
		}
	}
	return still, err
}

// stillMissing looks for tenants that are missing after they were told their state
// again. The application looked when it began to report, at the earliest.
func (w *work) stillMissing(ctx context.Context, tx *store.Tx) error {
	missing := drift.JudgeMissing()
	for after, more := billing.TenantID(0), true; more; {
		rows, err := store.StillMissing(ctx, tx.Queries, w.platform.ID, w.full.ID, after, batch)
		if err != nil || len(rows) == 0 {
			return err
		}
		more, after = len(rows) == batch, rows[len(rows)-1].TenantID
		if rows, err = w.missingStill(ctx, tx, rows); err != nil {
			return err
		}
		arrived, err := arrivalsOf(ctx, tx, rows)
		if err != nil {
			return err
		}
		var save []*drift.Tenant
		for _, row := range rows {
			switch missing.Decide(repaired(row, arrived), 0, w.full.BegunAt) {
			case drift.Send:
				row.Queue(w.cause())
			case drift.Persists:
				if err := alarm(ctx, tx, row); err != nil {
					return err
				}
			default:
				continue
			}
			save = append(save, row)
		}
		if err := store.SaveDrift(ctx, tx, save); err != nil {
			return err
		}
	}
	return nil
}
