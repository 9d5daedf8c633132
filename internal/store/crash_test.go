package store_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestKilledProcess kills a process that writes from several goroutines. All
// it said was written is there, and the database is whole.
func TestKilledProcess(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		var answered []billing.AccountID
		for range 3 {
			child := start(t, "write", db.URL)
			child.expect("open")
			for n := 0; ; n++ {
				if n == 100 {
					child.kill()
				}
				line := child.line()
				if line == "" {
					break
				}
				id, err := strconv.ParseInt(line, 10, 64)
				if err != nil {
					t.Fatalf("the writing process says %q", line)
				}
				answered = append(answered, billing.AccountID(id))
			}
			_ = child.cmd.Wait() // it was killed: the error is no news
		}
		if len(answered) < 300 {
			t.Fatalf("the writing processes ended by themselves after %d accounts", len(answered))
		}
		s := db.Open(t)
		checkHas(t, s, answered)
		if db.Engine == "sqlite" {
			checkIntegrity(t, s)
		}
		write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("Next") })
	})
}

// TestCrashedServer kills PostgreSQL itself while it is written to.
func TestCrashedServer(t *testing.T) {
	t.Parallel()
	server := storetest.PostgresServer(t, storetest.Durable())
	db := storetest.Database{Engine: "postgres", URL: server.URL("postgres"), Clock: storetest.NewClock()}
	s := db.Open(t)
	w := startWriters(s, 8)
	w.await(t, 200)
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	answered := w.abandon()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	checkHas(t, db.Open(t), answered)

	// The store that lived through the crash finds its way back.
	failures := 0
	for {
		_, err := addAccount(s)
		if err == nil {
			break
		}
		if failures++; failures == 16 {
			t.Fatalf("the store does not recover: %v", err)
		}
	}
	t.Logf("%d requests failed after the server was back", failures)
}
