package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testInspection reads what the health of an installation rests on.
func testInspection(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	have, known, err := s.SchemaVersions(ctx)
	if err != nil || have != known || known < 1 {
		t.Errorf("SchemaVersions: %d of %d, %v", have, known, err)
	}
	shown := got[time.Time](t)(s.DatabaseTime(ctx))
	if apart := time.Since(shown).Abs(); apart > time.Minute {
		t.Errorf("the database's clock is off by %s", apart)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("A") })
	switch db.Engine {
	case "sqlite":
		same(t, "QuickCheck", got[[]string](t)(s.QuickCheck(ctx)), []string(nil))
		same(t, "WritesAhead", got[bool](t)(s.WritesAhead()), true)
	default:
		facts := got[*store.PostgresFacts](t)(s.PostgresFacts(ctx))
		if facts.Version < 100000 || facts.Connections < 1 || facts.Fsync == "" || facts.FullPageWrites == "" || facts.SynchronousCommit == "" {
			t.Errorf("PostgresFacts: %+v", facts)
		}
	}
	same(t, "LastWrite of nothing", got[time.Time](t)(store.LastWrite(ctx, q)).IsZero(), true)
	var platforms []billing.PlatformID
	var failed []billing.JobID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		platforms = append(platforms, m.platform().ID, m.platform().ID)
		must(store.AuditEntries.Insert(ctx, tx, &billing.AuditEntry{At: tx.Now, Actor: "a", Action: "b", SubjectType: "account", SubjectID: 1}))
		for _, state := range []string{billing.JobFailed, billing.JobDone, billing.JobFailed} {
			job := &billing.Job{Kind: "k", State: state, Params: []byte("{}")}
			must(store.Jobs.Insert(ctx, tx, job))
			if state == billing.JobFailed {
				failed = append([]billing.JobID{job.ID}, failed...)
			}
		}
	})
	same(t, "LastWrite", got[time.Time](t)(store.LastWrite(ctx, q)).Equal(db.Clock.Now()), true)
	var ids []billing.JobID
	for _, job := range got[[]billing.Job](t)(store.FailedJobs(ctx, q, 10)) {
		ids = append(ids, job.ID)
	}
	same(t, "FailedJobs", ids, failed)
	same(t, "FailedJobs with a limit", len(got[[]billing.Job](t)(store.FailedJobs(ctx, q, 1))), 1)
	var routed []billing.PlatformID
	for _, route := range got[[]outbox.Route](t)(outbox.AllRoutes(ctx, q)) {
		routed = append(routed, route.Platform.ID)
	}
	same(t, "AllRoutes", routed, platforms)
}

// testCountsOnPlatforms compares the counts of each platform with those of all.
func testCountsOnPlatforms(t *testing.T, db *storetest.Database) {
	w := newLogWorld(t, db)
	ctx, q := t.Context(), w.s.Queries()
	platforms := got[[]webhook.Platform](t)(store.Platforms.List(ctx, q, store.Page{Limit: 100}))
	sum := func(count func(billing.PlatformID) (int, error)) (total int) {
		for i := range platforms {
			total += got[int](t)(count(platforms[i].ID))
		}
		return total
	}
	for _, why := range []log.Behind{log.BehindWaiting, log.BehindFailing, log.BehindStopped} {
		all := got[int](t)(log.CountBehind(ctx, q, why, 1000))
		same(t, "CountBehindOn "+string(why), sum(func(id billing.PlatformID) (int, error) { return log.CountBehindOn(ctx, q, id, why, 1000) }), all)
	}
	all := got[int](t)(log.CountGivenUp(ctx, q, 1000))
	same(t, "CountGivenUpOn", sum(func(id billing.PlatformID) (int, error) { return log.CountGivenUpOn(ctx, q, id, 1000) }), all)
	same(t, "CountGivenUpOn with a limit", sum(func(id billing.PlatformID) (int, error) { return log.CountGivenUpOn(ctx, q, id, 1) }) <= len(platforms), true)
	if all < 2 {
		t.Errorf("%d events were given up, too few to tell anything", all)
	}
}
