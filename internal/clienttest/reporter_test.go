package clienttest

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/client"
	"github.com/tenantry/tenantry/client/webhook"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestFullReport is one of several parts, of which one has to be sent again, and finds
// what differs and what is missing.
func TestFullReport(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			r := startReporting(t, engine, webhook.NewMemoryStore(), 6)
			r.change("t2", 7)
			r.remove("t4")
			r.network.breakNext(statePath, nil, loseAnswer)
			reporter := r.reporter(func(i int) error {
				if sent := len(r.network.requests(statePath)); sent < (i-1)/2 {
					t.Errorf("%d parts were sent when tenant %d is asked for", sent, i)
				}
				return nil
			})
			reporter.MaxTenants = 2
			report := must[*webhook.Report](t)(reporter.Report(client.WithIdempotencyKey(t.Context(), "of another mutation")))
			if want := (client.DriftOutcomes{InSync: 4, Drifted: 1, Missing: 1}); report.Outcomes != want || report.Tenants != 5 || report.Requests != 3 {
				t.Errorf("the report is %+v", report)
			}
			checkDiffering(t, report.Differing)
			missing := must[[]client.Tenant](t)(r.client.Tenants(t.Context(), "platform:app drift:missing", 0))
			if len(missing) != 1 || missing[0].Code != "t4" {
				t.Errorf("the tenants that are missing are %+v", missing)
			}
			checkParts(t, r.network.requests(statePath), report.ID)
			if known := r.reports(t); len(known) != 1 || known[0].Report != report.ID || known[0].CompletedAt == nil {
				t.Errorf("the server knows of %+v", known)
			}
			again := must[*webhook.Report](t)(reporter.Report(t.Context()))
			if again.ID == report.ID || again.Outcomes != report.Outcomes {
				t.Errorf("the second report is %+v, after %+v", again, report)
			}
		})
	}
}

func checkDiffering(t *testing.T, differing []client.DifferingTenant) {
	t.Helper()
	if len(differing) != 1 || differing[0].Code != "t2" || differing[0].Outcome != client.DriftOutcomeDrifted {
		t.Fatalf("the tenants that differ are %+v", differing)
	}
	users := differing[0].Features
	if len(users) != 1 || users[0].Code != "users" || users[0].Kind != client.DriftKindWrongQuantity ||
		*users[0].Expected.Quantity != 5 || *users[0].Actual.Quantity != 7 {
		t.Errorf("the features that differ are %+v", users)
	}
}

// checkParts looks at three parts, of which the second was sent twice.
func checkParts(t *testing.T, parts []*http.Request, id string) {
	t.Helper()
	var keys, complete []string
	for _, part := range parts {
		query := part.URL.Query()
		if query.Get("report") != id || query.Get("platform") != "app" {
			t.Errorf("a part has the query %v", query)
		}
		keys, complete = append(keys, part.Header.Get("Idempotency-Key")), append(complete, query.Get("complete"))
	}
	if !slices.Equal(complete, []string{"", "", "", "true"}) {
		t.Fatalf("the parts are complete as in %q", complete)
	}
	if keys[1] != keys[2] || len(slices.Compact(slices.Clone(keys))) != 3 || keys[0] == "" || keys[0] == "of another mutation" {
		t.Errorf("the keys are %q", keys)
	}
}

// TestReportWithoutTenants completes a report all the same, after parts that are full.
func TestReportWithoutTenants(t *testing.T) {
	t.Parallel()
	r := startReporting(t, "sqlite", webhook.NewMemoryStore(), 2)
	reporter := r.reporter(nil)
	reporter.MaxBytes = 150 // one tenant
	report := must[*webhook.Report](t)(reporter.Report(t.Context()))
	if report.Outcomes != (client.DriftOutcomes{InSync: 2}) || report.Requests != 2 {
		t.Errorf("by bytes: %+v", report)
	}
	reporter.MaxBytes = 20
	if _, err := reporter.Report(t.Context()); err == nil || !strings.Contains(err.Error(), `tenant "t1"`) {
		t.Errorf("a tenant that is too large: %v", err)
	}
	reporter.MaxBytes = 0
	r.remove("t1")
	r.remove("t2")
	report = must[*webhook.Report](t)(reporter.Report(t.Context()))
	if report.Outcomes != (client.DriftOutcomes{Missing: 2}) || report.Requests != 1 || report.Tenants != 0 {
		t.Errorf("without tenants: %+v", report)
	}
}

// TestReportIsNotCompletedAfterAnError, so nothing counts as missing.
func TestReportIsNotCompletedAfterAnError(t *testing.T) {
	t.Parallel()
	r := startReporting(t, "sqlite", webhook.NewMemoryStore(), 4)
	broken := errors.New("the database is away")
	reporter := r.reporter(func(i int) error {
		if i == 3 {
			return broken
		}
		return nil
	})
	reporter.MaxTenants = 2
	if report, err := reporter.Report(t.Context()); !errors.Is(err, broken) || report != nil {
		t.Errorf("the report is %+v, %v", report, err)
	}
	parts := r.network.requests(statePath)
	if len(parts) != 1 || parts[0].URL.Query().Has("complete") {
		t.Errorf("%d parts were sent", len(parts))
	}
	if known := r.reports(t); len(known) != 1 || known[0].CompletedAt != nil || known[0].Outcomes.Missing != 0 {
		t.Errorf("the server knows of %+v", known)
	}
	ctx, cancel := context.WithCancel(t.Context())
	reporter = r.reporter(func(int) error { cancel(); return nil })
	if _, err := reporter.Report(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a report that is canceled: %v", err)
	}
}

// TestReportOutlivesItsToken, which the server refuses from the middle of the report on.
func TestReportOutlivesItsToken(t *testing.T) {
	t.Parallel()
	r := startReporting(t, "sqlite", webhook.NewMemoryStore(), 4)
	tokens := len(r.network.requests(tokenPath))
	reporter := r.reporter(func(i int) error {
		if i == 3 {
			r.clock.Advance(3 * time.Hour)
		}
		return nil
	})
	reporter.MaxTenants = 2
	report := must[*webhook.Report](t)(reporter.Report(t.Context()))
	if report.Outcomes != (client.DriftOutcomes{InSync: 4}) {
		t.Errorf("the report is %+v", report)
	}
	if got := len(r.network.requests(tokenPath)) - tokens; got != 1 {
		t.Errorf("%d tokens were fetched", got)
	}
}

// TestReportOfSomeTenants says nothing of the others.
func TestReportOfSomeTenants(t *testing.T) {
	t.Parallel()
	r := startReporting(t, "sqlite", webhook.NewMemoryStore(), 3)
	r.change("t2", 7)
	reporter := r.reporter(nil)
	reporter.MaxTenants = 1
	report := must[*webhook.Report](t)(reporter.ReportTenants(t.Context(), r.state("t1"), r.state("t2"), webhook.TenantState{Code: "other"}))
	if want := (client.DriftOutcomes{InSync: 1, Drifted: 1, UnknownTenant: 1}); report.Outcomes != want || report.ID != "" || len(report.Differing) != 2 {
		t.Errorf("the report is %+v", report)
	}
	if known := r.reports(t); len(known) != 0 {
		t.Errorf("it counts as full: %+v", known)
	}
	if none := must[*webhook.Report](t)(reporter.ReportTenants(t.Context())); none.Requests != 0 {
		t.Errorf("a report of no tenants is %+v", none)
	}
	reporter.Platform = "nowhere"
	var failed client.Errors
	if _, err := reporter.Report(t.Context()); !errors.As(err, &failed) || !strings.Contains(err.Error(), `"nowhere"`) {
		t.Errorf("of a platform that is not there: %v", err)
	}
}

// TestWebhookWhileReporting: one that arrives while the reporter looks at the tenant is
// applied afterwards, so sequence and features stay together.
func TestWebhookWhileReporting(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) webhook.Store{
		"memory": func(*testing.T) webhook.Store { return webhook.NewMemoryStore() },
		"sqlite": func(t *testing.T) webhook.Store {
			db := must[*sql.DB](t)(sql.Open("sqlite", filepath.Join(t.TempDir(), "app.db")+"?_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)"))
			t.Cleanup(func() { db.Close() })
			return must[*webhook.SQLStore](t)(webhook.NewSQLStore(t.Context(), db, ""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startReporting(t, "sqlite", open(t), 1)
			looked := 0
			reporter := &webhook.Reporter{
				Client: r.client, Platform: "app", Now: r.clock.Now, Sequences: r.store,
				Tenants: codesAlone(r),
				Features: func(ctx context.Context, tenant webhook.TenantState) ([]webhook.Feature, error) {
					if looked++; looked == 1 {
						r.changeMeanwhile(t)
					}
					if _, isSQL := r.store.(*webhook.SQLStore); isSQL != (webhook.Tx(ctx) != nil) {
						t.Error("it is not in the transaction of the store")
					}
					return r.state(tenant.Code).Features, nil
				},
			}
			report := must[*webhook.Report](t)(reporter.Report(t.Context()))
			if o := report.Outcomes; o.Drifted != 0 || o.InSync+o.Behind != 1 {
				t.Errorf("the report is %+v", report)
			}
			eventually(t, "the webhook is applied", func() bool { return r.state("t1").Sequence == 2 && r.delivered(t) })
			report = must[*webhook.Report](t)(reporter.Report(t.Context()))
			if report.Outcomes != (client.DriftOutcomes{InSync: 1}) {
				t.Errorf("the second report is %+v", report)
			}
		})
	}
}

// changeMeanwhile changes a tenant and waits until the webhook is at the door, where it
// has to stay.
func (r *reporting) changeMeanwhile(t *testing.T) {
	t.Helper()
	for len(r.arrived) > 0 {
		<-r.arrived
	}
	subscriptions := must[[]client.Subscription](t)(r.client.Subscriptions(t.Context(), "tenant:t1", 0))
	must[*client.Subscription](t)(r.client.SubscriptionQuantityUpdate(t.Context(), subscriptions[0].ID,
		[]client.QuantityAttributes{{Code: client.Some("users"), Quantity: client.Some(9)}}, nil))
	<-r.arrived
	deadline := time.After(100 * time.Millisecond) // in which it would have been applied
	for waiting := true; waiting; {
		select {
		case <-deadline:
			waiting = false
		case <-time.After(time.Millisecond):
			if r.state("t1").Sequence != 1 {
				t.Error("a webhook was applied while the reporter looked at its tenant")
				waiting = false
			}
		}
	}
}

// codesAlone yields tenants without what they have.
func codesAlone(r *reporting) func(context.Context) iter.Seq2[webhook.TenantState, error] {
	return func(context.Context) iter.Seq2[webhook.TenantState, error] {
		return func(yield func(webhook.TenantState, error) bool) {
			for _, state := range r.states() {
				if !yield(webhook.TenantState{Code: state.Code, ID: state.ID}, nil) {
					return
				}
			}
		}
	}
}

// TestReportWithSequences leaves out tenants that are gone, and ends with the errors of
// those that cannot be read.
func TestReportWithSequences(t *testing.T) {
	t.Parallel()
	r := startReporting(t, "sqlite", webhook.NewMemoryStore(), 2)
	broken := errors.New("the database is away")
	fail := webhook.ErrNoTenant
	reporter := &webhook.Reporter{
		Client: r.client, Platform: "app", Now: r.clock.Now, Sequences: r.store, Tenants: codesAlone(r),
		Features: func(_ context.Context, tenant webhook.TenantState) ([]webhook.Feature, error) {
			if tenant.Code == "t2" {
				return nil, fail
			}
			return r.state(tenant.Code).Features, nil
		},
	}
	report := must[*webhook.Report](t)(reporter.Report(t.Context()))
	if report.Outcomes != (client.DriftOutcomes{InSync: 1, Missing: 1}) {
		t.Errorf("the report is %+v", report)
	}
	fail = broken
	if _, err := reporter.Report(t.Context()); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if _, err := reporter.ReportTenants(t.Context(), webhook.TenantState{Code: "t1"}); err == nil || !strings.Contains(err.Error(), "no ID") {
		t.Errorf("a tenant without an id: %v", err)
	}
}

// TestReportsOnASchedule come again after one that failed, one at a time, until the
// context is over.
func TestReportsOnASchedule(t *testing.T) {
	t.Parallel()
	r := startReporting(t, "sqlite", webhook.NewMemoryStore(), 1)
	broken := errors.New("the database is away")
	ctx, cancel := context.WithCancel(t.Context())
	var reports, failures int
	var reporter *webhook.Reporter
	reporter = r.reporter(func(int) error {
		if _, err := reporter.Report(ctx); !errors.Is(err, webhook.ErrRunning) {
			t.Errorf("a report during another: %v", err)
		}
		if reports+failures == 1 {
			r.clock.Advance(10 * time.Minute) // which is how long it takes
			return broken
		}
		return nil
	})
	reporter.OnReport = func(report *webhook.Report, err error) {
		switch {
		case err == nil && report.Outcomes.InSync == 1:
			reports++
		case errors.Is(err, broken) && report == nil:
			failures++
		default:
			t.Errorf("it is told of %+v, %v", report, err)
		}
		if reports == 2 {
			cancel()
		}
	}
	p := &pauses{}
	reporter.Wait = p.wait
	reporter.Run(ctx, time.Hour)
	if reports != 2 || failures != 1 || len(p.all) != 3 {
		t.Fatalf("%d reports, %d failures and the pauses %v", reports, failures, p.all)
	}
	if p.all[0] > time.Minute || !near(p.all[1], time.Hour) || !near(p.all[2], 50*time.Minute) {
		t.Errorf("the pauses are %v", p.all)
	}
}

func near(d, want time.Duration) bool { return (d - want).Abs() <= 3*time.Minute }

func TestReportersThatCannotWork(t *testing.T) {
	t.Parallel()
	c := must[*client.Client](t)(client.New("https://billing.example.com", "a", "b"))
	features := func(context.Context, webhook.TenantState) ([]webhook.Feature, error) { return nil, nil }
	for name, r := range map[string]*webhook.Reporter{
		"no client":         {Platform: "app"},
		"no platform":       {Client: c},
		"no tenants":        {Client: c, Platform: "app"},
		"no features":       {Client: c, Platform: "app", Sequences: webhook.NewMemoryStore()},
		"no store":          {Client: c, Platform: "app", Features: features},
		"a negative number": {Client: c, Platform: "app", MaxTenants: -1},
	} {
		if _, err := r.Report(t.Context()); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
