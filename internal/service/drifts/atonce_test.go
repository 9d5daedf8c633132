package drifts_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestManyAtOnce reports the same tenants from several servers, in any order, in reports
// of some tenants and in parts of full ones: each is told its state once.
func TestManyAtOnce(t *testing.T) {
	each(t, func(w *world) {
		var codes []string
		for i := range 30 {
			codes = append(codes, fmt.Sprintf("t%d", i))
		}
		w.subscribe(codes...)
		w.deliver()
		w.policy(drift.Repair, 1000)
		for round := range 3 {
			var group sync.WaitGroup
			for n := range 4 {
				other := &world{servicetest.Join(w.T, w.DB)}
				states := wrong(codes...)
				rand.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
				group.Go(func() {
					r := drifts.Report{PlatformCode: "app", States: states}
					if n%2 == 1 {
						name := fmt.Sprint(round, n)
						r.Name = &name
					}
					if _, err := other.Drifts.TenantStateReport(other.Ctx, r); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
		}
		w.Equal("repairs", w.repairs(), "30")
		w.Equal("tenants", w.QueryText(`SELECT count(DISTINCT stream_id) FROM webhook_event WHERE reason = 'drift.repair'`), "30")
		w.Equal("what is remembered", w.QueryText(`SELECT count(*) FROM tenant_drift WHERE repair_sequence = 2 AND repair_digest = digest`), "30")
	})
}

// TestReportWaits has a report wait for somebody who repairs a tenant in it, and then see
// what was sent.
func TestReportWaits(t *testing.T) {
	each(t, func(w *world) {
		id := *w.subscribe("a")[0].TenantID
		w.deliver()
		w.report(wrong("a")...)
		w.OK(servicetest.ErrorOf(w.Drifts.DriftRepair(w.Ctx, nil, []billing.TenantID{id})))
		var group sync.WaitGroup
		w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
			rows, err := store.LockDrift(ctx, tx, []billing.TenantID{id})
			if err != nil {
				return err
			}
			rows[id].Repair(3, tx.Now)
			if err := store.SaveDrift(ctx, tx, []*drift.Tenant{rows[id]}); err != nil {
				return err
			}
			group.Go(func() {
				if _, err := w.Drifts.TenantStateReport(w.Ctx, drifts.Report{PlatformCode: "app", States: wrong("a")}); err != nil {
					t.Error(err)
				}
			})
			for w.Store.Engine() == "postgres" && w.QueryText(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == "0" {
				runtime.Gosched()
			}
			return nil
		}))
		group.Wait()
		w.Equal("what is remembered", w.QueryText(`SELECT repair_sequence FROM tenant_drift`), "3")
	})
}

// TestDeleteMeanwhile deletes tenants while they are repaired.
func TestDeleteMeanwhile(t *testing.T) {
	each(t, func(w *world) {
		w.policy(drift.Repair, 1000)
		account := w.Account("owner")
		var ids []billing.TenantID
		var states []drift.State
		for i := range 20 {
			code := fmt.Sprintf("t%d", i)
			made := w.Tenant(w.Subscriptions.TenantCreate(w.Ctx, w.NewTenant(code, account.ID), new("app"), nil))
			ids, states = append(ids, made.ID), append(states, state(code, 0, basic(5)))
		}
		w.report(state("t0", 0, nil))
		other := &world{servicetest.Join(w.T, w.DB)}
		var group sync.WaitGroup
		group.Go(func() {
			for range 5 {
				if _, err := other.Drifts.TenantStateReport(other.Ctx, drifts.Report{PlatformCode: "app", States: states}); err != nil {
					t.Error(err)
				}
			}
		})
		for _, id := range ids {
			w.Tenant(w.Subscriptions.TenantDelete(w.Ctx, id))
		}
		group.Wait()
		w.Equal("what is kept of them", w.QueryText(`SELECT count(*) FROM tenant_drift`), "0")
		w.Clock.Advance(time.Hour)
		w.run()
	})
}
