package jobs_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestKilledFanOut kills process after process in the middle of a job (kill
// -9). When the claim of the dead one has run out, the job goes on where it
// was, and in the end every tenant has been told once.
func TestKilledFanOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := servicetest.NewWorld(t, db)
		tenants := w.SubscribeMany("basic-monthly", 40)
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		for _, batches := range []int{3, 7, 5} {
			w.Damage(`UPDATE job SET claimed_until = 0`) // the clock of the others stands still
			servicetest.RunUntilKilled(t, db.URL, batches)
		}
		w.Damage(`UPDATE job SET claimed_until = 0`) // how a claim runs out is in TestClaim
		servicetest.SetBatches(w.Service, 16)
		w.RunJobs()
		w.Equal("the job", w.Job(1), "done 40/40")
		for _, id := range tenants {
			w.WasTold(id, "subscription.created", "feature.added")
		}
	})
}

// TestClaim leaves a job to its worker until the claim runs out.
func TestClaim(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.SubscribeMany("basic-monthly", 1)
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		until := w.Clock.Now().Add(jobs.Claim)
		w.Damage(`UPDATE job SET state = 'running', claim = 'somebody', claimed_until = $1`, until.UnixMilli())
		ran, err := w.Jobs.Run(w.Ctx)
		w.Equal("while it is another's", []any{ran, err}, []any{false, error(nil)})
		w.Clock.Set(until)
		w.RunJobs()
		w.Equal("afterwards", w.Job(1), "done 1/1")
	})
}

// TestFailingJob lets a job rest that failed for a reason outside of it, and
// tries it again later.
func TestFailingJob(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		clock := w.NewClock("2026-01-15 12:00")
		w.Subscriptions.AdvanceWait = 0
		_, _, err := w.Subscriptions.TestClockAdvance(w.Ctx, clock.ID, servicetest.Moment("2026-02-01 00:00"))
		w.OK(err)
		w.Damage(`INSERT INTO setting (name, value) VALUES ('time_zone', 'Mars/Olympus')`)
		ran, err := w.Jobs.Run(w.Ctx)
		w.Equal("it failed", []any{ran, err != nil}, []any{true, true})
		ran, err = w.Jobs.Run(w.Ctx)
		w.Equal("it rests", []any{ran, err}, []any{false, error(nil)})
		w.OK(w.Calendar.SetTimeZone(w.Ctx, "UTC")) // which can be mended while it is wrong
		w.Clock.Advance(5 * time.Second)
		w.RunJobs()
		w.Equal("the job", w.Job(1), "done 0/0")
	})
}

// TestLostClaim lets a worker that was so slow that another took its job over
// do nothing more.
func TestLostClaim(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		tenants := w.SubscribeMany("basic-monthly", 2)
		w.AddFeature(w.Product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
		job, err := store.Jobs.Get(w.Ctx, w.Read(), 1)
		w.OK(err)
		job.Claim = "the slow one"
		w.Damage(`UPDATE job SET state = 'running', claim = 'the quick one'`)
		w.OK(w.Provisioning.RunFanOut(w.Ctx, job))
		w.Equal("the job", w.Job(1), "running 0/0")
		w.Equal("what was told", w.Reasons(tenants[0]), []string{"subscription.created"})
	})
}

// TestKilledAdvance kills processes that move a clock on. The rest of the way is
// gone by another, and every step was done once.
func TestKilledAdvance(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := servicetest.NewWorld(t, db)
		clock := w.NewClock("2026-01-15 12:00")
		w.AccountOn("acme", &clock.ID)
		s := w.Subscribe("basic-monthly", "acme")
		w.Subscribe("basic-monthly", "acme", servicetest.Starting("2026-02-01"))
		w.Subscriptions.AdvanceWait = 0
		_, job, err := w.Subscriptions.TestClockAdvance(w.Ctx, clock.ID, servicetest.Moment("2027-01-20 00:00"))
		w.OK(err)
		w.Equal("the job", job.FinishedAt == nil, true)
		for _, days := range []int{4, 3} {
			w.Damage(`UPDATE job SET claimed_until = 0`)
			servicetest.RunUntilKilled(t, db.URL, days)
		}
		w.Damage(`UPDATE job SET claimed_until = 0`) // how a claim runs out is in TestClaim
		w.RunJobs()
		w.Equal("the job", w.Job(1), "done 24/24")
		w.Equal("the clock", w.QueryText(`SELECT now FROM test_clock`), servicetest.Itoa(billing.AccountID(servicetest.Moment("2027-01-20 00:00").UnixMilli())))
		w.Equal("the steps", w.QueryText(`SELECT count(*) FROM subscription_change WHERE actor = 'job 1 for client 1'`), "24")
		w.Equal("the distinct steps", w.QueryText(`SELECT count(*) FROM (SELECT DISTINCT subscription_id, effective_at, kind FROM subscription_change WHERE actor LIKE 'job%') AS steps`), "24")
		w.InSync(*s.TenantID)
		w.Equal("events", len(w.Events(*s.TenantID)), 26)
	})
}
