package drifts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store"
)

// A full report counts each tenant once, with what was said of it last, however often its
// requests are sent. A tenant of ours knows which report counted it. For one that a newer
// report has counted since, and for those that are only in the application, the codes of
// the request say whether it came before.

// uncount takes back that the full report counts a tenant, if it does.
func (w *work) uncount(before *drift.Tenant) {
	if w.full != nil && before.ReportID == w.full.ID {
		w.add(before.ReportOutcome, -1)
	}
}

// count counts a tenant in the full report, with the outcome that it had there.
func (w *work) count(t *drift.Tenant, outcome drift.Outcome) {
	if w.full == nil || t.ReportID > w.full.ID && w.again {
		return
	}
	w.add(outcome, 1)
	t.Count(w.full.ID, outcome)
}

func (w *work) add(outcome drift.Outcome, n int) {
	if w.full.Outcomes[outcome] += n; w.full.Outcomes[outcome] == 0 {
		delete(w.full.Outcomes, outcome)
	}
}

// findPart finds out whether the request is one of the full report that came before.
func (w *work) findPart(ctx context.Context, tx *store.Tx) (err error) {
	if len(w.report.States) == 0 {
		return nil
	}
	sum := sha256.New()
	for i := range w.report.States {
		sum.Write([]byte(w.report.States[i].Code + "\x00"))
	}
	w.part = hex.EncodeToString(sum.Sum(nil)[:16])
	w.unknown, w.again, err = store.DriftPart(ctx, tx, w.full.ID, w.part)
	return err
}

// countUnknown counts the tenants that are only in the application.
func (w *work) countUnknown(ctx context.Context, tx *store.Tx) error {
	unknown := w.outcome.Counts[drift.UnknownTenant]
	if w.part == "" || w.again && unknown == w.unknown {
		return nil
	}
	w.add(drift.UnknownTenant, unknown-w.unknown)
	return store.SaveDriftPart(ctx, tx, w.full.ID, w.part, unknown)
}
