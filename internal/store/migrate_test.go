package store_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// empty returns a database without a schema.
func empty(t *testing.T, engine string) *storetest.Database {
	t.Helper()
	url := "sqlite:" + filepath.Join(t.TempDir(), "tenantry.db")
	if engine == "postgres" {
		url = storetest.Postgres(t)
	}
	return &storetest.Database{Engine: engine, URL: url, Clock: storetest.NewClock()}
}

func eachEmpty(t *testing.T, test func(t *testing.T, db *storetest.Database)) {
	for _, engine := range storetest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, empty(t, engine))
		})
	}
}

// TestMigratingAtOnce opens one empty database many times over, in this
// process and in others.
func TestMigratingAtOnce(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, db *storetest.Database) {
		var others []*actor
		for range 2 {
			others = append(others, start(t, "open", db.URL))
		}
		goroutines := 8
		if db.Engine == "postgres" {
			goroutines = 3 // who has to wait there asks once in a second
		}
		var group sync.WaitGroup
		for range goroutines {
			group.Go(func() {
				s, err := store.Open(context.Background(), store.Options{URL: db.URL, Now: db.Clock.Now})
				if err != nil {
					t.Error(err)
					return
				}
				if err := addOne(s); err != nil {
					t.Error(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		for _, other := range others {
			other.expect("open")
			other.finish()
		}
		same(t, "accounts", len(accountNames(t, db.Open(t))), goroutines)
		checkVersions(t, db)
	})
}

// TestOpenAgain opens a database that is up to date: nothing is run again.
func TestOpenAgain(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, db *storetest.Database) {
		before := schemaOf(t, db.Open(t))
		for range 2 {
			same(t, "the schema after opening it again", schemaOf(t, db.Open(t)), before)
		}
		checkVersions(t, db)
	})
}

// TestSkipMigrations opens an empty database and finds it empty still.
func TestSkipMigrations(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, db *storetest.Database) {
		s, err := store.Open(t.Context(), store.Options{URL: db.URL, Now: db.Clock.Now, SkipMigrations: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		tables := map[string]string{
			"sqlite":   `SELECT name FROM sqlite_schema`,
			"postgres": `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
		}
		same(t, "tables", got[[]string](t)(store.Rows(t.Context(), s.Queries(), tables[db.Engine])), []string(nil))
	})
}

// checkVersions finds every migration applied once.
func checkVersions(t *testing.T, db *storetest.Database) {
	t.Helper()
	applied := got[[]string](t)(store.Rows(t.Context(), db.Open(t).Queries(), `SELECT version_id FROM goose_db_version WHERE version_id > 0 ORDER BY id`))
	same(t, "migrations applied", len(applied), len(migrationNames(t, db.Engine)))
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			_, err := store.Exec(ctx, tx, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, $1)`, true)
			must(err)
		})
		_, err := store.Open(t.Context(), store.Options{URL: db.URL, Now: db.Clock.Now})
		if err == nil {
			t.Fatal("a database with version 99999 was opened")
		}
		for _, want := range []string{"99999", "newer tenantry", "backup"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not speak of %q", err, want)
			}
		}
	})
}

func TestBothEnginesHaveTheSameMigrations(t *testing.T) {
	t.Parallel()
	same(t, "the migrations of PostgreSQL", migrationNames(t, "postgres"), migrationNames(t, "sqlite"))
}

func migrationNames(t *testing.T, engine string) (names []string) {
	t.Helper()
	for _, folder := range []string{"migrations", filepath.Join("migrations", engine)} {
		files := got[[]string](t)(filepath.Glob(filepath.Join(folder, "*.sql")))
		for _, file := range files {
			names = append(names, filepath.Base(file))
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s has no migrations", engine)
	}
	return names
}
