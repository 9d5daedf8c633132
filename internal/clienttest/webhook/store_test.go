package webhook

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/client/webhook"
)

// TestOldChangesAreDropped: what is older than the last is answered and not
// applied, an equal one is applied again, and a forced one is applied.
func TestOldChangesAreDropped(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store webhook.Store) {
		app := &application{}
		h := newHandler(t, store, app.apply)
		for _, r := range []request{
			{sequence: 1}, {sequence: 4}, {sequence: 3}, {sequence: 4}, {sequence: 2, forced: true},
			{sequence: 3}, {sequence: 5}, {sequence: 1, tenant: 8},
		} {
			if w := serve(h, r.build(t)); w.Code != http.StatusNoContent {
				t.Fatalf("%+v: %d %s", r, w.Code, w.Body)
			}
		}
		if want := []int64{1, 4, 4, 2, 5, 1}; !slices.Equal(app.applied, want) {
			t.Errorf("applied %v, not %v", app.applied, want)
		}
	})
}

// TestWhatFailedIsNotRemembered, so that the same change is applied when it
// comes again.
func TestWhatFailedIsNotRemembered(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store webhook.Store) {
		app := &application{fail: errors.New("not today")}
		h := newHandler(t, store, app.apply)
		if w := serve(h, request{sequence: 9}.build(t)); w.Code != http.StatusInternalServerError {
			t.Fatalf("%d", w.Code)
		}
		app.fail = nil
		for _, sequence := range []int{8, 9} {
			serve(h, request{sequence: sequence}.build(t))
		}
		if want := []int64{8, 9}; !slices.Equal(app.applied, want) {
			t.Errorf("applied %v, not %v", app.applied, want)
		}
	})
}

// TestOneAtATimePerTenant: many requests at once are applied one by one, never
// out of order, and none of the newest is lost.
func TestOneAtATimePerTenant(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store webhook.Store) {
		const tenants, changes = 3, 12
		var inside [tenants]atomic.Int32
		var last [tenants]int64
		h := newHandler(t, store, func(_ context.Context, change webhook.Change) error {
			i := change.Tenant.ID - 1
			if inside[i].Add(1) != 1 {
				t.Errorf("two changes of tenant %d at once", i)
			}
			defer inside[i].Add(-1)
			if change.Delivery.Sequence < last[i] {
				t.Errorf("tenant %d goes from %d back to %d", i, last[i], change.Delivery.Sequence)
			}
			last[i] = change.Delivery.Sequence
			return nil
		})
		var wait sync.WaitGroup
		for tenant := range tenants {
			for sequence := range changes {
				r := request{tenant: tenant + 1, sequence: sequence + 1}.build(t)
				wait.Go(func() {
					if w := serve(h, r); w.Code != http.StatusNoContent {
						t.Errorf("%d %s", w.Code, w.Body)
					}
				})
			}
		}
		wait.Wait()
		for i := range last {
			if last[i] != changes {
				t.Errorf("tenant %d ended at %d", i, last[i])
			}
		}
	})
}

// TestAnyOrder compares the handler with the rule, for any requests.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		app, want, last := &application{}, []int64(nil), int64(0)
		h := newHandler(t, webhook.NewMemoryStore(), app.apply)
		for range rapid.IntRange(0, 20).Draw(r, "requests") {
			one := request{sequence: rapid.IntRange(1, 6).Draw(r, "sequence"), forced: rapid.Bool().Draw(r, "forced")}
			serve(h, one.build(t))
			if sequence := int64(one.sequence); one.forced || sequence >= last {
				want, last = append(want, sequence), max(last, sequence)
			}
		}
		if !slices.Equal(app.applied, want) {
			r.Fatalf("applied %v, not %v", app.applied, want)
		}
	})
}

// TestTransaction: what the function writes is there if and only if the number
// is.
func TestTransaction(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, store webhook.Store, db *sql.DB) {
		if _, err := db.Exec(`CREATE TABLE seats (tenant TEXT, seats BIGINT)`); err != nil {
			t.Fatal(err)
		}
		var fail error
		h := newHandler(t, store, func(ctx context.Context, change webhook.Change) error {
			users, _ := change.Feature("users")
			if _, err := webhook.Tx(ctx).ExecContext(ctx, `INSERT INTO seats VALUES ($1, $2)`, change.Tenant.Code, *users.Quantity); err != nil {
				return err
			}
			return fail
		})
		count := func() (n, sequence int) {
			t.Helper()
			err := errors.Join(db.QueryRow(`SELECT count(*) FROM seats`).Scan(&n),
				db.QueryRow(`SELECT coalesce(max(sequence), 0) FROM tenantry_tenant`).Scan(&sequence))
			if err != nil {
				t.Fatal(err)
			}
			return n, sequence
		}
		fail = errors.New("too late")
		serve(h, request{sequence: 5}.build(t))
		if n, sequence := count(); n != 0 || sequence != 0 {
			t.Errorf("after a failure there are %d rows and the number is %d", n, sequence)
		}
		fail = nil
		serve(h, request{sequence: 5}.build(t))
		if n, sequence := count(); n != 1 || sequence != 5 {
			t.Errorf("after a success there are %d rows and the number is %d", n, sequence)
		}
		if webhook.Tx(t.Context()) != nil {
			t.Error("there is a transaction outside of the function")
		}
	})
}

// TestPanicsLeaveNothingLocked: the next request of the tenant gets through.
func TestPanicsLeaveNothingLocked(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store webhook.Store) {
		app, first := &application{}, true
		h := newHandler(t, store, func(ctx context.Context, change webhook.Change) error {
			if first {
				first = false
				panic("a mistake")
			}
			return app.apply(ctx, change)
		})
		func() {
			defer func() { _ = recover() }()
			serve(h, request{sequence: 1}.build(t))
		}()
		serve(h, request{sequence: 1}.build(t))
		if len(app.applied) != 1 {
			t.Errorf("applied %v", app.applied)
		}
	})
}

// TestStoreIsSharedAndKept: another store on the same table knows what the
// first knew, and one that cannot be made says so.
func TestStoreIsSharedAndKept(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, store webhook.Store, db *sql.DB) {
		app := &application{}
		serve(newHandler(t, store, app.apply), request{sequence: 5}.build(t))
		second, err := webhook.NewSQLStore(t.Context(), db, webhook.DefaultTable)
		if err != nil {
			t.Fatal(err)
		}
		serve(newHandler(t, second, app.apply), request{sequence: 4}.build(t))
		if !slices.Equal(app.applied, []int64{5}) {
			t.Errorf("applied %v", app.applied)
		}
		if _, err := webhook.NewSQLStore(t.Context(), db, "x; DROP TABLE y"); err == nil || !strings.Contains(err.Error(), "no name") {
			t.Errorf("a name that is none: %v", err)
		}
		if _, err := webhook.NewSQLStore(t.Context(), nil, ""); err == nil {
			t.Error("no database is accepted")
		}
	})
}
