package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testOpenAndClose(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	same(t, "Engine", s.Engine(), db.Engine)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	before := s.Statements()
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("A") })
	listed(t, s, store.Accounts, billing.Filter{})
	same(t, "statements for an insert and a list", s.Statements()-before, int64(2))

	closeWhileWriting(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("Close of a closed store: %v", err)
	}
	if err := s.Ping(t.Context()); err == nil {
		t.Error("a closed store answers Ping")
	}
	if _, err := store.Accounts.Count(t.Context(), s.Queries(), billing.Filter{}); err == nil {
		t.Error("a closed store answers queries")
	}
	if err := s.Write(t.Context(), func(context.Context, *store.Tx) error { return nil }); err == nil {
		t.Error("a closed store writes")
	}
	same(t, "accounts after opening it again", len(listed(t, db.Open(t), store.Accounts, billing.Filter{})), 2)
}

// closeWhileWriting shows that Close lets a transaction under way finish.
func closeWhileWriting(t *testing.T, s *store.Store) {
	t.Helper()
	started, closed, written := make(chan bool), make(chan bool), make(chan error)
	go func() {
		written <- s.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
			close(started)
			for range 1000 { // long enough for a Close that does not wait
				select {
				case <-closed:
					return errors.New("the store is closed already")
				default:
					runtime.Gosched()
				}
			}
			return store.Accounts.Insert(ctx, tx, &billing.Account{Name: "Last"})
		})
	}()
	<-started
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	close(closed)
	if err := <-written; err != nil {
		t.Errorf("a transaction that was under way when the store was closed: %v", err)
	}
}

func TestOpenRefusesWhatIsNoDatabase(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ url, want string }{
		{"", "must be sqlite:PATH or postgres://"},
		{"mysql://db", "must be sqlite:PATH or postgres://"},
		{"tenantry.db", "must be sqlite:PATH or postgres://"},
		{"sqlite:", "names no file"},
		{"sqlite::memory:", "names no file"},
		{"sqlite:" + filepath.Join(t.TempDir(), "dir") + "/", "cannot"},
		{"postgres://me:s3cret@127.0.0.1:1/db?connect_timeout=1", "cannot reach PostgreSQL"},
		{"postgres://me:s3cret@127.0.0.1:port/db", "not valid"},
	} {
		s, err := store.Open(t.Context(), store.Options{URL: one.url, Now: storetest.NewClock().Now})
		if err == nil {
			s.Close()
			t.Errorf("Open(%q) succeeded", one.url)
			continue
		}
		if !strings.Contains(err.Error(), one.want) {
			t.Errorf("Open(%q): %q does not say %q", one.url, err, one.want)
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Open(%q) shows the password: %v", one.url, err)
		}
	}
}

// TestSQLitePaths opens files whose names mean something in a URL.
func TestSQLitePaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "100%.db", "50%20.db", "what?.db", "#1.db", "a&b=c.db", "Ähre 🌾.db", "new/dir/x.db", "file:x.db", ":memory:"} {
		path := filepath.Join(t.TempDir(), name)
		db := storetest.Database{Engine: "sqlite", URL: "sqlite:" + path, Clock: storetest.NewClock()}
		s := db.Open(t)
		write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("A") })
		file := got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SELECT file FROM pragma_database_list WHERE name = 'main'"))
		same(t, "the file", file, []string{path})
	}
}

// TestSQLiteSettings asserts what durability and correctness rest on.
func TestSQLiteSettings(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "sqlite").Open(t)
	settings := map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000",
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for name, want := range settings {
			value, err := store.Rows(ctx, tx.Queries, "PRAGMA "+name)
			must(err)
			same(t, "the writer's "+name, value, []string{want})
		}
	})
	settings["query_only"] = "1"
	for name, want := range settings {
		same(t, "a reader's "+name, got[[]string](t)(store.Rows(t.Context(), s.Queries(), "PRAGMA "+name)), []string{want})
	}
	if _, err := store.Rows(t.Context(), s.Queries(), `SELECT "text in double quotes"`); err == nil {
		t.Error(`"x" in double quotes is a string and not a column that is missing`)
	}
}
