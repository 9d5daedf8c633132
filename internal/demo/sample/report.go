package sample

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/tenantry/tenantry/client"
	"github.com/tenantry/tenantry/client/webhook"
)

// Reports say where the application reports what it has, and with which API client.
type Reports struct {
	URL, ClientID, ClientSecret string
}

const (
	// lookEvery is how often the application looks whether there is something to
	// report.
	lookEvery = 250 * time.Millisecond
	// unnoticed is how long a change by hand is not reported, so that it can be seen.
	unnoticed = 2 * time.Second
	// againAfter is when a tenant that was found is reported again, in case its
	// repair had to wait.
	againAfter = 10 * time.Second
	// quiet is how long no webhook must have come before all tenants are reported, and
	// fullEvery how often that is. Each such report is in the audit log.
	quiet     = 2 * time.Second
	fullEvery = 30 * time.Second
	// patience is how long a report may take. If Tenantry does not answer, the next one
	// comes soon.
	patience = 5 * time.Second
)

// Report reports what the application has until ctx ends. All tenants are reported now
// and then; one that was changed by hand soon, by itself: if more than 5 % of a full
// report differ, Tenantry leaves the repair to a person, and there are few tenants here.
func (a *App) Report(ctx context.Context) error {
	if a.Reports == nil {
		return nil
	}
	tenantry, err := client.New(a.Reports.URL, a.Reports.ClientID, a.Reports.ClientSecret, "standard:write")
	if err != nil {
		return err
	}
	var reporters []*reporter
	for platform := range a.Secrets {
		r := &reporter{App: a}
		r.to = &webhook.Reporter{Client: tenantry, Platform: platform, Tenants: r.all, Now: a.Now}
		reporters = append(reporters, r)
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		for _, r := range reporters {
			r.turn(ctx)
		}
	}
}

// reporter reports what the application has on a platform.
type reporter struct {
	*App
	to     *webhook.Reporter
	fullAt time.Time // the last full report
	lines  []line    // of the report that is under way
}

// line is a tenant in a report, and how far it was when it was looked at.
type line struct {
	webhook.TenantState
	tenant *tenant
	stage  stage
}

// turn reports what there is to report.
func (r *reporter) turn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if r.look(r.urgent); len(r.lines) > 0 {
		r.note(r.to.ReportTenants(ctx, r.states()...))
	}
	if r.lookAtAll(); len(r.lines) > 0 {
		r.note(r.to.Report(ctx))
	}
}

// urgent says whether a tenant was changed by hand, or repaired since. The caller holds
// mu.
func (r *reporter) urgent(t *tenant) bool {
	if t.hand == nil {
		return false
	}
	waited := r.Now().Sub(time.UnixMilli(t.hand.since))
	switch t.hand.Stage {
	case changed:
		return waited >= unnoticed
	case found:
		return waited >= againAfter
	}
	return t.hand.Stage == repaired
}

// lookAtAll looks at all tenants if it is time for a full report: not while webhooks come
// in or a tenant is on its way back.
func (r *reporter) lookAtAll() {
	due := r.Now().Sub(r.fullAt) >= fullEvery
	r.look(func(t *tenant) bool {
		due = due && !t.hand.busy() && r.Now().Sub(t.changedAt) >= quiet
		return true
	})
	if !due {
		r.lines = nil
	}
	if len(r.lines) > 0 {
		r.fullAt = r.Now()
	}
}

// look reads tenants as they are at this moment: what they have, and the webhook that they
// have it from. An application that is stopped reports nothing.
func (r *reporter) look(wanted func(*tenant) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = nil
	for is, t := range r.tenants {
		if r.stopped || is.platform != r.to.Platform || !wanted(t) {
			continue
		}
		l := line{webhook.TenantState{Code: t.code, Sequence: t.sequence, Features: t.features, At: r.Now()}, t, ""}
		if t.hand.busy() {
			t.hand.reporting, t.hand.by, l.stage = t.hand.Stage == changed, 0, t.hand.Stage
		}
		r.lines = append(r.lines, l)
	}
}

// states are the tenants of the report that is under way.
func (r *reporter) states() (states []webhook.TenantState) {
	for _, l := range r.lines {
		states = append(states, l.TenantState)
	}
	return states
}

func (r *reporter) all(context.Context) iter.Seq2[webhook.TenantState, error] {
	return func(yield func(webhook.TenantState, error) bool) {
		for _, l := range r.lines {
			if !yield(l.TenantState, nil) {
				return
			}
		}
	}
}

// note notes what came of a report.
func (r *reporter) note(report *webhook.Report, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.Now().UnixMilli()
	for _, l := range r.lines {
		if l.stage == "" {
			continue
		}
		if err != nil {
			l.tenant.hand.notReported(at, problemOf(err))
		} else {
			l.tenant.hand.reported(at, l.tenant.platform, l.stage, differing(report, l.Code))
		}
		if l.tenant.hand.Stage == l.stage {
			l.tenant.hand.since = at // it is tried again later
		}
		l.tenant.version = r.touch()
	}
}

// problemOf is why Tenantry did not take a report, empty if it did not say so.
func problemOf(err error) string {
	if said := (client.Errors)(nil); errors.As(err, &said) && len(said) > 0 {
		return said[0].Message
	}
	return ""
}

// differing is what Tenantry said of a tenant, nil if it is in sync.
func differing(report *webhook.Report, code string) *client.DifferingTenant {
	for i := range report.Differing {
		if report.Differing[i].Code == code {
			return &report.Differing[i]
		}
	}
	return nil
}
