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
// tenant.
type judged struct {
	state     *drift.State
	judgement drift.Judgement
	row       *drift.Tenant
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
	ids := make([]billing.TenantID, 0, len(told))
	for _, t := range told {
		ids = append(ids, t.ID)
	}
	known, err := store.DriftOf(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	for i := range states {
		state := &states[i]
		t := told[state.Code]
		if t == nil {
			w.count(drift.UnknownTenant, nil)
			w.rows = append(w.rows, &judged{state: state, judgement: drift.Judgement{Outcome: drift.UnknownTenant}})
			continue
		}
		j := &judged{state: state, judgement: drift.Judge(state, &t.Told, tx.Now), row: known[t.ID]}
		w.count(j.judgement.Outcome, j.row)
		if j.row == nil {
			j.row = &drift.Tenant{TenantID: t.ID, PlatformID: w.platform.ID}
		}
		j.row.Note(&j.judgement, state.Sequence, state.LookedAt(tx.Now))
		if w.full != nil {
			j.row.ReportID = w.full.ID
		}
		w.rows = append(w.rows, j)
	}
	return nil
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
