package webhook_test

import (
	"context"
	"database/sql"
	"net/http"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestTurnsOverlap keeps one turn from its end by holding the route. Requests
// that have arrived meanwhile are recorded all the same, and their lanes go on;
// not so if that would change what is known about the endpoint. In the end all
// is as if the turns had come one after another.
func TestTurnsOverlap(t *testing.T) {
	t.Parallel()
	for name, failures := range map[string]int{"all is well": 0, "one had failed": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const most, each = 20, 5
			w := newWorld(t, storetest.New(t, "postgres"), 2*most) // as many as are taken at once
			w.recipe(func(f *billing.Workflow) { f.MaxConcurrency, f.TimeoutSeconds = most, 3600 })
			for range each {
				for _, tenant := range w.tenants {
					w.tell(tenant)
				}
			}
			gate := make(chan struct{})
			w.receiver.answers(func(http.ResponseWriter, *request) { <-gate })
			w.start()
			w.await("all that may be is under way", func() bool { return len(w.receiver.got()) == most })
			w.setFailures(failures)
			release := w.holdRoute()
			for range most / 2 {
				gate <- struct{}{}
			}
			w.await("a turn waits for the route", func() bool { return w.waitsForLock() })
			close(gate)
			if failures == 0 {
				w.await("another one has gone on", func() bool { return len(w.receiver.got()) > 2*most })
			}
			release()
			w.settled()
			for _, tenant := range w.tenants {
				same(t, "what a tenant was told", w.receiver.sequences()[tenant], []int{1, 2, 3, 4, 5})
			}
			same(t, "requests", len(w.receiver.got()), each*2*most)
			same(t, "failures in a row", w.endpoint().Failures, 0)
		})
	}
}

// setFailures has the endpoint have failed so often in a row.
func (w *world) setFailures(n int) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx *store.Tx) error {
		route, err := store.LockRoute(ctx, tx, w.platform)
		if err != nil {
			return err
		}
		route.Endpoint.Failures = n
		return store.SaveEndpoint(ctx, tx, &route.Endpoint)
	})
}

// holdRoute locks the platform's route until release is called.
func (w *world) holdRoute() (release func()) {
	w.t.Helper()
	held, let, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- w.store.Write(w.t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := store.LockRoute(ctx, tx, w.platform)
			close(held)
			<-let
			return err
		})
	}()
	<-held
	return func() {
		close(let)
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	}
}

// waitsForLock says whether a transaction waits for another one.
func (w *world) waitsForLock() bool {
	w.t.Helper()
	db, err := sql.Open("pgx", w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	var n int
	const text = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	if err := db.QueryRowContext(w.t.Context(), text).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n > 0
}
