package service_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestKilledFanOut kills process after process in the middle of a job (kill
// -9). When the claim of the dead one has run out, the job goes on where it
// was, and in the end every tenant has been told once.
func TestKilledFanOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		tenants := w.crowd("basic-monthly", 40)
		w.addFeature(w.product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		for _, batches := range []int{3, 7, 5} {
			w.damage(`UPDATE job SET claimed_until = 0`) // the clock of the others stands still
			killed(t, db.URL, batches)
		}
		w.damage(`UPDATE job SET claimed_until = 0`) // how a claim runs out is in TestClaim
		setBatches(w.Service, 16)
		w.runJobs()
		w.same("the job", w.job(1), "done 40/40")
		for _, id := range tenants {
			w.told(id, "subscription.created", "feature.added")
		}
	})
}

// TestClaim leaves a job to its worker until the claim runs out.
func TestClaim(t *testing.T) {
	each(t, func(w *world) {
		w.crowd("basic-monthly", 1)
		w.addFeature(w.product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		until := w.clock.Now().Add(jobs.Claim)
		w.damage(`UPDATE job SET state = 'running', claim = 'somebody', claimed_until = $1`, until.UnixMilli())
		ran, err := w.Jobs.Run(w.ctx)
		w.same("while it is another's", []any{ran, err}, []any{false, error(nil)})
		w.clock.Set(until)
		w.runJobs()
		w.same("afterwards", w.job(1), "done 1/1")
	})
}

// TestFailingJob lets a job rest that failed for a reason outside of it, and
// tries it again later.
func TestFailingJob(t *testing.T) {
	each(t, func(w *world) {
		clock := w.newClock("2026-01-15 12:00")
		w.Subscriptions.AdvanceWait = 0
		_, _, err := w.Subscriptions.TestClockAdvance(w.ctx, clock.ID, moment("2026-02-01 00:00"))
		w.ok(err)
		w.damage(`INSERT INTO setting (name, value) VALUES ('time_zone', 'Mars/Olympus')`)
		ran, err := w.Jobs.Run(w.ctx)
		w.same("it failed", []any{ran, err != nil}, []any{true, true})
		ran, err = w.Jobs.Run(w.ctx)
		w.same("it rests", []any{ran, err}, []any{false, error(nil)})
		w.ok(w.Calendar.SetTimeZone(w.ctx, "UTC")) // which can be mended while it is wrong
		w.clock.Advance(5 * time.Second)
		w.runJobs()
		w.same("the job", w.job(1), "done 0/0")
	})
}

// TestLostClaim lets a worker that was so slow that another took its job over
// do nothing more.
func TestLostClaim(t *testing.T) {
	each(t, func(w *world) {
		tenants := w.crowd("basic-monthly", 2)
		w.addFeature(w.product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		job, err := store.Jobs.Get(w.ctx, w.Read(), 1)
		w.ok(err)
		job.Claim = "the slow one"
		w.damage(`UPDATE job SET state = 'running', claim = 'the quick one'`)
		w.ok(w.Provisioning.RunFanOut(w.ctx, job))
		w.same("the job", w.job(1), "running 0/0")
		w.same("what was told", w.reasons(tenants[0]), []string{"subscription.created"})
	})
}

// TestKilledAdvance kills processes that move a clock on. The rest of the way is
// gone by another, and every step was done once.
func TestKilledAdvance(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		clock := w.newClock("2026-01-15 12:00")
		w.accountOn("acme", &clock.ID)
		s := w.subscribe("basic-monthly", "acme")
		w.subscribe("basic-monthly", "acme", starting("2026-02-01"))
		w.Subscriptions.AdvanceWait = 0
		_, job, err := w.Subscriptions.TestClockAdvance(w.ctx, clock.ID, moment("2027-01-20 00:00"))
		w.ok(err)
		w.same("the job", job.FinishedAt == nil, true)
		for _, days := range []int{4, 3} {
			w.damage(`UPDATE job SET claimed_until = 0`)
			killed(t, db.URL, days)
		}
		w.damage(`UPDATE job SET claimed_until = 0`) // how a claim runs out is in TestClaim
		w.runJobs()
		w.same("the job", w.job(1), "done 24/24")
		w.same("the clock", w.text(`SELECT now FROM test_clock`), itoa(billing.AccountID(moment("2027-01-20 00:00").UnixMilli())))
		w.same("the steps", w.text(`SELECT count(*) FROM subscription_change WHERE actor = 'job 1 for client 1'`), "24")
		w.same("the distinct steps", w.text(`SELECT count(*) FROM (SELECT DISTINCT subscription_id, effective_at, kind FROM subscription_change WHERE actor LIKE 'job%') AS steps`), "24")
		w.inStep(*s.TenantID)
		w.same("events", len(w.events(*s.TenantID)), 26)
	})
}
