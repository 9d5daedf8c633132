package drifts

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// judged is a tenant of a report with what came of it. Row is nil if there is no such
// tenant. Overtaken says that something newer is kept of it, which stays.
type judged struct {
	state     *drift.State
	id        billing.TenantID
	judgement drift.Judgement
	row       *drift.Tenant
	overtaken bool
}

// judge compares some tenants with what the application was told.
func (w *work) judge(ctx context.Context, tx *store.Tx, states []drift.State) error {
	named := make([]outbox.Named, len(states))
	for i := range states {
		named[i] = outbox.Named{Code: states[i].Code, Sequence: states[i].Sequence}
	}
	told, err := outbox.ToldWith(ctx, tx, w.platform.ID, named)
	if err != nil {
		return err
	}
	if err := loadCurrent(ctx, tx, states, told); err != nil {
		return err
	}
	for i := range states {
		j := judged{state: &states[i], judgement: drift.Judgement{Outcome: drift.UnknownTenant}}
		if t := told[j.state.Code]; t != nil {
			j.id, j.judgement = t.ID, drift.Judge(j.state, &t.Told, tx.Now)
		}
		w.rows = append(w.rows, j)
	}
	return nil
}

// note finds what is kept of the tenants that were judged, locks it for all of them in
// one order, and notes the judgements.
func (w *work) note(ctx context.Context, tx *store.Tx) error {
	var ids []billing.TenantID
	for i := range w.rows {
		if id := w.rows[i].id; id != 0 {
			ids = append(ids, id)
		}
	}
	known := map[billing.TenantID]*drift.Tenant{}
	if len(ids) > 0 {
		var err error
		if known, err = store.LockDrift(ctx, tx, ids); err != nil {
			return err
		}
	}
	for i := range w.rows {
		j := &w.rows[i]
		w.outcome.Counts[j.judgement.Outcome]++
		if j.id == 0 {
			continue
		}
		if j.row = known[j.id]; j.row == nil {
			j.row = &drift.Tenant{TenantID: j.id, PlatformID: w.platform.ID, New: true}
		}
		w.uncount(j.row)
		looked := j.state.LookedAt(tx.Now)
		if j.overtaken = j.row.Overtaken(looked); !j.overtaken {
			j.row.Note(&j.judgement, j.state.Sequence, looked)
		}
		w.count(j.row, j.judgement.Outcome)
	}
	return w.countUnknown(ctx, tx)
}

// loadCurrent reads what the tenants have now whose newest event is the one that the
// application names, and is forgotten.
func loadCurrent(ctx context.Context, tx *store.Tx, states []drift.State, told map[string]*outbox.ToldTenant) error {
	byID := map[billing.TenantID]*outbox.ToldTenant{}
	var ids []billing.TenantID
	for i := range states {
		if t := told[states[i].Code]; t != nil && t.Forgotten && states[i].Sequence > 0 && states[i].Sequence == t.Last {
			byID[t.ID], ids = t, append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	now, err := provisioning.LoadStates(ctx, tx, ids, nil)
	for _, state := range now {
		byID[state.Tenant.ID].Current = featuresOf(state)
	}
	return err
}

func featuresOf(state *webhook.ProvisioningState) (features []drift.Feature) {
	for _, f := range state.Features() {
		features = append(features, drift.Feature{Code: f.Code, Value: f.Value, Quantity: f.Quantity})
	}
	return features
}
