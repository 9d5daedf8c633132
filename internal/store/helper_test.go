package store_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// write runs do in a transaction that must succeed. do says what went wrong by
// a panic: it may run on another goroutine, where t.Fatal must not be called.
func write(t testing.TB, s *store.Store, do func(ctx context.Context, tx *store.Tx)) {
	t.Helper()
	if err := attempt(t, s, do); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// attempt is write for a transaction that may fail: the first panic with an
// error in do is what Write would have returned.
func attempt(t testing.TB, s *store.Store, do func(ctx context.Context, tx *store.Tx)) error {
	t.Helper()
	return s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		defer func() {
			if p := recover(); p != nil {
				var isError bool
				if err, isError = p.(error); !isError {
					panic(p)
				}
			}
		}()
		do(ctx, tx)
		return nil
	})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// got returns a value that must come without an error, in a test.
func got[T any](t testing.TB) func(value T, err error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func ptr[T any](v T) *T { return &v }

// filter reads a filter as a user writes it.
func filter(t testing.TB, text string) billing.Filter {
	t.Helper()
	f, err := billing.ParseFilter(text)
	if err != nil {
		t.Fatalf("filter %q: %v", text, err)
	}
	return f
}

// listed returns the rows that match a filter, at most 1,000.
func listed[T any, K ~int64](t testing.TB, s *store.Store, table *store.Table[T, K], f billing.Filter) []T {
	t.Helper()
	rows, err := table.List(t.Context(), s.Queries(), store.Page{Filter: f, Limit: 1000})
	if err != nil {
		t.Fatalf("list %+v: %v", f, err)
	}
	return rows
}

func accountNames(t testing.TB, s *store.Store) (names []string) {
	t.Helper()
	for _, a := range listed(t, s, store.Accounts, billing.Filter{}) {
		names = append(names, a.Name)
	}
	return names
}

// checkWaits shows that second waits for the transaction of first to end. On
// SQLite, where nothing is written side by side, they only have to succeed.
func checkWaits(t *testing.T, s *store.Store, what string, first, second func(ctx context.Context, tx *store.Tx)) {
	t.Helper()
	if s.Engine() == "sqlite" {
		write(t, s, first)
		write(t, s, second)
		return
	}
	held, goOn := make(chan bool, 1), make(chan bool)
	firstDone, secondDone := make(chan error, 1), make(chan error, 1)
	go func() {
		firstDone <- attempt(t, s, func(ctx context.Context, tx *store.Tx) {
			first(ctx, tx)
			held <- true
			<-goOn
		})
	}()
	select {
	case <-held:
	case err := <-firstDone:
		t.Fatalf("%s: %v", what, err)
	}
	go func() { secondDone <- attempt(t, s, second) }()
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	for got[[]string](t)(store.Rows(t.Context(), s.Queries(), waiting))[0] == "0" {
		select {
		case err := <-secondDone:
			close(goOn)
			t.Fatalf("%s: the second transaction did not wait (%v)", what, err)
		default:
			runtime.Gosched()
		}
	}
	close(goOn)
	if err := errors.Join(<-firstDone, <-secondDone); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}
