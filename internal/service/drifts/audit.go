package drifts

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// audited are the outcomes that a full report is compared by with the one before.
var audited = []struct {
	outcome drift.Outcome
	field   string
}{{drift.Drifted, "drifted"}, {drift.Missing, "missing"}, {drift.Ahead, "ahead"}}

// audit writes down which tenants were repaired, and the end of a full report from which
// something new is known: the first one of a platform, one that a person has to look at,
// and one in which more or fewer tenants differ than in the one before. Others come all
// the time, and would hide what people look for.
func (w *work) audit(ctx context.Context, tx *store.Tx) error {
	changes := map[string]billing.Change{}
	if len(w.repaired) > 0 {
		changes["tenants"] = billing.Change{From: operation.MustJSON(nil), To: operation.MustJSON(idsOf(w.repaired))}
	}
	if w.full != nil && w.report.Complete {
		news, err := w.news(ctx, tx, changes)
		if err != nil {
			return err
		}
		if news {
			changes["held"] = billing.Change{From: operation.MustJSON(nil), To: operation.MustJSON(w.full.Held)}
		}
	}
	if len(changes) == 0 {
		return nil
	}
	changes["repaired"] = billing.Change{From: operation.MustJSON(nil), To: operation.MustJSON(w.outcome.Repaired)}
	if w.full != nil {
		changes["report"] = billing.Change{From: operation.MustJSON(nil), To: operation.MustJSON(w.full.Name)}
	}
	return operation.Audit(ctx, tx, "tenantStateReport", "platform", int64(w.platform.ID), changes)
}

// news notes how a full report differs from the one before it, and says whether it does.
func (w *work) news(ctx context.Context, tx *store.Tx, changes map[string]billing.Change) (bool, error) {
	reports, err := store.DriftReportsOf(ctx, tx.Queries, []billing.PlatformID{w.platform.ID}, drift.Recent)
	if err != nil {
		return false, err
	}
	before := drift.LastCompleted(reports[w.platform.ID], w.full.ID)
	first := before == nil
	if first {
		before = &drift.FullReport{}
	}
	news := first || w.full.Held && !before.Held
	for _, of := range audited {
		if was, is := before.Outcomes[of.outcome], w.full.Outcomes[of.outcome]; was != is {
			changes[of.field], news = billing.Change{From: operation.MustJSON(was), To: operation.MustJSON(is)}, true
		}
	}
	return news, nil
}
