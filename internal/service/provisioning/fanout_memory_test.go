package provisioning_test

import (
	"runtime"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestMemory does a batch of what is due, and a batch of a job, with few and
// with many more to come: it takes the same memory. It is not parallel, because
// others would be counted along.
func TestMemory(t *testing.T) {
	for _, engine := range storetest.Engines {
		t.Run(engine, func(t *testing.T) {
			few, fewToTell := batchMemory(t, engine, 20)
			many, manyToTell := batchMemory(t, engine, 100)
			t.Logf("a batch of ten: %d KiB of 20, %d KiB of 100; of a job: %d KiB, %d KiB", few>>10, many>>10, fewToTell>>10, manyToTell>>10)
			if float64(many) > 1.5*float64(few) || float64(manyToTell) > 1.5*float64(fewToTell) {
				t.Error("the memory of a batch grows with the number that is due")
			}
		})
	}
}

// batchMemory returns how many bytes it takes to move ten subscriptions of n
// that something is due for, and to tell ten tenants of n.
func batchMemory(t *testing.T, engine string, n int) (due, job uint64) {
	t.Helper()
	w := servicetest.NewWorld(t, storetest.New(t, engine))
	servicetest.SetBatches(w.Service, 10)
	w.SubscribeMany("basic-monthly", n)
	w.Clock.Set(servicetest.Moment("2026-02-15 00:00"))
	run := func() {
		moved, _, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
		w.OK(err)
		w.Equal("moved", moved, 10)
	}
	run() // the first one prepares statements
	due = allocated(run)
	w.AddFeature(w.Product.ID, catalog.Feature{Code: "api", Name: "API", Kind: catalog.Boolean}, nil)
	tell := func() {
		ran, err := w.Jobs.Run(w.Ctx)
		w.OK(err)
		w.Equal("ran", ran, true)
	}
	tell()
	return due, allocated(tell)
}

func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
