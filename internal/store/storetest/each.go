package storetest

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
)

// Engines are the databases that Tenantry runs on.
var Engines = []string{"sqlite", "postgres"}

// Database is a database that belongs to one test, with the schema and without rows. Stores opened on it
// are stamped by Clock.
type Database struct {
	Engine string
	URL    string
	Clock  *Clock
}

// Each runs test on every engine, as parallel subtests "sqlite" and
// "postgres", each with a database of its own. Where PostgreSQL is not
// installed its subtest is skipped, or fails if it is required: see Postgres.
func Each(t *testing.T, test func(t *testing.T, db *Database)) {
	t.Helper()
	for _, engine := range Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, New(t, engine))
		})
	}
}

// New returns a database that goes away when t ends.
func New(t testing.TB, engine string) *Database {
	t.Helper()
	db := &Database{Engine: engine, Clock: NewClock()}
	switch engine {
	case "sqlite":
		db.URL = migratedSQLite(t)
	case "postgres":
		db.URL = migratedPostgres(t)
	default:
		t.Fatalf("there is no engine %q", engine)
	}
	return db
}

// Open opens a store on the database and closes it when t ends. It can be
// called again: stores on one database are like several processes.
func (db *Database) Open(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{URL: db.URL, Now: db.Clock.Now})
	if err != nil {
		t.Fatalf("open %s: %v", db.Engine, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close %s: %v", db.Engine, err)
		}
	})
	return s
}

// Connect opens the database past the store, and closes it when t ends.
func (db *Database) Connect(t testing.TB) *sql.DB {
	t.Helper()
	driver, address := "pgx", db.URL
	if db.Engine == "sqlite" {
		driver, address = "sqlite", "file:"+strings.TrimPrefix(db.URL, "sqlite:")+"?_pragma=busy_timeout(10000)"
	}
	opened, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}
