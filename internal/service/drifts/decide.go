package drifts

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// decide finds out which tenants of the request are to be repaired and which cannot
// be, and keeps what came of all.
func (w *work) decide(ctx context.Context, tx *store.Tx) error {
	arrived, err := w.arrivals(ctx, tx)
	if err != nil {
		return err
	}
	var save, send []*drift.Tenant
	for i := range w.rows {
		j := &w.rows[i]
		if j.row == nil {
			continue
		}
		if save = append(save, j.row); j.overtaken {
			continue
		}
		switch j.judgement.Decide(repaired(j.row, arrived), j.state.Sequence, j.state.LookedAt(tx.Now)) {
		case drift.Send:
			if j.row.Queue(w.cause()); w.turn != nil && w.full == nil {
				send = append(send, j.row)
			}
		case drift.Persists:
			if err := alarm(ctx, tx, j.row); err != nil {
				return err
			}
		}
	}
	if err := w.repairNow(ctx, tx, send); err != nil {
		return err
	}
	for i := range w.rows {
		w.show(&w.rows[i])
	}
	return store.SaveDrift(ctx, tx, save)
}

// cause is what tenants of the request wait to be repaired for. Those of a full report
// wait until it is complete, and then only if it is believed.
func (w *work) cause() drift.Cause {
	switch {
	case w.full != nil:
		return drift.Cause(w.full.ID)
	case w.turn != nil:
		return drift.SomeReport
	}
	return drift.NoCause
}

// repairNow tells tenants of a report of some tenants their state again, unless others
// wait already. What there is no room for waits.
func (w *work) repairNow(ctx context.Context, tx *store.Tx, rows []*drift.Tenant) error {
	if len(rows) == 0 || w.turn.NextAt != nil {
		return nil
	}
	done, err := w.turn.send(ctx, tx, rows)
	if err != nil {
		return err
	}
	w.repaired, w.outcome.Repaired = done, len(done)
	return w.turn.end(ctx, tx, len(rows) > len(done))
}

// arrivals returns what became of the events that were sent to repair tenants which
// differ as before.
func (w *work) arrivals(ctx context.Context, tx *store.Tx) (map[billing.TenantID]drift.Arrival, error) {
	var sent []*drift.Tenant
	for i := range w.rows {
		if j := &w.rows[i]; j.row != nil && !j.overtaken && j.row.RepairSequence > j.state.Sequence && j.row.RepairDigest == j.row.Digest {
			sent = append(sent, j.row)
		}
	}
	return arrivalsOf(ctx, tx, sent)
}

func arrivalsOf(ctx context.Context, tx *store.Tx, rows []*drift.Tenant) (map[billing.TenantID]drift.Arrival, error) {
	events := make([]outbox.TenantSequence, len(rows))
	for i, row := range rows {
		events[i] = outbox.TenantSequence{TenantID: row.TenantID, Sequence: row.RepairSequence}
	}
	return outbox.Arrivals(ctx, tx, events)
}

func repaired(row *drift.Tenant, arrived map[billing.TenantID]drift.Arrival) drift.Repaired {
	return drift.Repaired{Digest: row.RepairDigest, Sequence: row.RepairSequence, Arrival: arrived[row.TenantID]}
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
