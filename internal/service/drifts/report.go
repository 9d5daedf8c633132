package drifts

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Report is what an application says it has.
type Report struct {
	PlatformCode string
	// Name is the application's id of a full report, of which this is a part; nil if
	// it is about some tenants only.
	Name *string
	// Complete says that this is the last part, or with no name the only one.
	Complete bool
	States   []drift.State
}

// MostShown is how many tenants that are not in sync the outcome of a report names.
const MostShown = 100

// Outcome is what came of a report.
type Outcome struct {
	PlatformID billing.PlatformID
	// Full is the full report that it is a part of, as far as it has come; nil if there
	// is none.
	Full *drift.FullReport
	// Counts are those of the tenants in the request, and of those that were missing
	// when the report was completed.
	Counts drift.Counts
	// Differing are the first of them that are not in sync.
	Differing []Differing
	// Repaired is how many tenants were told their state again.
	Repaired int
}

// Differing is a tenant that is not in sync.
type Differing struct {
	Code       string
	Outcome    drift.Outcome
	Sequence   int
	Persistent bool
	// Repaired says that the request told the tenant its state again.
	Repaired    bool
	Differences []drift.Difference
	id          billing.TenantID // 0 if there is none
}

// TenantStateReport compares what an application has with what it was told. It counts
// whole or not at all.
func (s *Service) TenantStateReport(ctx context.Context, r Report) (*Outcome, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	var before *Outcome
	if r.Complete && operation.PreviewIn(ctx) == nil {
		var err error
		if before, err = s.sweepFirst(ctx, &r); err != nil {
			return nil, err
		}
	}
	done, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*Outcome, error) {
		return r.take(ctx, tx, before)
	})
	return done, err
}

// take carries out a request. Before is what came of its tenants, if they were compared
// already.
func (r *Report) take(ctx context.Context, tx *store.Tx, before *Outcome) (*Outcome, error) {
	p, err := store.Platforms.ByCode(ctx, tx.Queries, r.PlatformCode)
	if err == nil && p == nil {
		err = noPlatform(r.PlatformCode)
	}
	if err != nil {
		return nil, err
	}
	if err := platformToCompare(p, "platformCode"); err != nil {
		return nil, err
	}
	w := &work{platform: p, report: r, outcome: &Outcome{PlatformID: p.ID, Counts: drift.Counts{}}}
	if before != nil {
		w.outcome.Counts, w.outcome.Differing = maps.Clone(before.Counts), before.Differing
	}
	return w.outcome, w.run(ctx, tx)
}

func (r *Report) check() error {
	if r.PlatformCode == "" {
		return billing.Requiredf("platformCode", "The code of the platform is missing: say whose tenants these are.")
	}
	if r.Name != nil {
		if e := drift.CheckReportName("report", *r.Name); e != nil {
			return e
		}
	}
	if len(r.States) == 0 && !r.Complete {
		return billing.Requiredf("tenants", "The request reports no tenant.")
	}
	return drift.Check("tenants", r.States, func(i int) string { return fmt.Sprintf("Tenant %d", i+1) })
}

// work is one request, in its transaction.
type work struct {
	platform *webhook.Platform
	report   *Report
	outcome  *Outcome
	full     *drift.FullReport // nil if there is none
	// repaired are the tenants that were told their state again.
	repaired []*drift.Tenant
	// turn is there if the request repairs tenants: those of a full report are repaired
	// when it is complete, because then it is known how much of it differs.
	turn *turn
	rows []judged
	// part identifies the request among those of a full report. Again says that it came
	// before, with so many tenants that were only in the application.
	part    string
	again   bool
	unknown int
}

func (w *work) run(ctx context.Context, tx *store.Tx) (err error) {
	isFull := w.report.Name != nil || w.report.Complete
	// The turn comes before all that two requests could want at once.
	if w.platform.DriftPolicy == drift.Repair && (!isFull || w.report.Complete) {
		if w.turn, err = takeTurn(ctx, tx, w.platform); err != nil {
			return err
		}
	}
	if isFull {
		if err := w.begin(ctx, tx); err != nil {
			return err
		}
	}
	for first := 0; first < len(w.report.States); first += batch {
		if err := w.judge(ctx, tx, w.report.States[first:min(first+batch, len(w.report.States))]); err != nil {
			return err
		}
	}
	if err := w.note(ctx, tx); err != nil {
		return err
	}
	if err := w.decide(ctx, tx); err != nil {
		return err
	}
	if w.full != nil && w.report.Complete {
		if err := w.complete(ctx, tx); err != nil {
			return err
		}
	} else if w.full != nil {
		if err := store.SaveDriftReport(ctx, tx, w.full); err != nil {
			return err
		}
	}
	w.showRepaired()
	return w.audit(ctx, tx)
}

// begin finds the full report that the request is a part of.
func (w *work) begin(ctx context.Context, tx *store.Tx) (err error) {
	if w.report.Name == nil {
		only := secret.UUID()
		w.report.Name = &only
	}
	if w.full, err = store.LockDriftReport(ctx, tx, w.platform.ID, *w.report.Name, drift.Begun(w.report.States, tx.Now)); err != nil {
		return err
	}
	if e := w.full.Continue(tx.Now); e != nil {
		return e
	}
	w.outcome.Full = w.full
	if len(w.full.Outcomes) == 0 {
		if err := store.ForgetDriftReports(ctx, tx, w.platform.ID, tx.Now.Add(-drift.KeptFor)); err != nil {
			return err
		}
	}
	return w.findPart(ctx, tx)
}

// show names a tenant in the outcome of the request, unless it is in sync.
func (w *work) show(j *judged) {
	if j.judgement.Outcome == drift.InSync || len(w.outcome.Differing) == MostShown {
		return
	}
	d := Differing{Code: j.state.Code, Outcome: j.judgement.Outcome, Sequence: j.state.Sequence, Differences: j.judgement.Differences, id: j.id}
	if j.row != nil && !j.overtaken {
		d.Persistent, d.Differences = j.row.Persistent, j.row.Differences
	}
	w.outcome.Differing = append(w.outcome.Differing, d)
}

// showRepaired says of each tenant in the outcome whether it was told its state again.
func (w *work) showRepaired() {
	ids := idsOf(w.repaired)
	for n := range w.outcome.Differing {
		d := &w.outcome.Differing[n]
		d.Repaired = d.id != 0 && slices.Contains(ids, d.id)
	}
}
