package store_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// empty returns a database without a schema.
func empty(t *testing.T, engine string) *storetest.Database {
	t.Helper()
	if engine == "sqlite" {
		return storetest.New(t, engine)
	}
	return &storetest.Database{Engine: engine, URL: storetest.Postgres(t), Clock: storetest.NewClock()}
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

// TestMigratingSearch migrates a database that has rows from before the index
// knew long pieces of words, from before it knew those of four letters, and from
// before it knew those of one and two: they are found by it, and can be changed.
func TestMigratingSearch(t *testing.T) {
	t.Parallel()
	for _, version := range []int64{2, 7, 13} {
		eachEmpty(t, func(t *testing.T, db *storetest.Database) { testMigratingSearch(t, db, version) })
	}
}

func testMigratingSearch(t *testing.T, db *storetest.Database, version int64) {
	old := migrateTo(t, db, version)
	texts := []string{
		`INSERT INTO account (id, name, billing_day, created_at, updated_at, search) VALUES (1, 'Ashenberg', 1, 0, 0, 'ashenberg'), (2, 'Zoé', 1, 0, 0, 'zoé')`,
		`INSERT INTO contact (id, account_id, first_name, created_at, updated_at, search) VALUES (1, 1, 'Marsh', 0, 0, 'marsh')`,
	}
	if db.Engine == "sqlite" && version >= 3 {
		texts = append(texts, `DELETE FROM search_change`) // what is left to tell is never committed
	}
	for _, text := range texts {
		if _, err := old.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	s := db.Open(t)
	check := func(word, want string) {
		t.Helper()
		checkFilter(t, s, store.Accounts, word, want, func(a *billing.Account) string { return a.Name })
	}
	check("ash", "Ashenberg")
	check("ashe", "Ashenberg")
	check("shenber", "Ashenberg")
	check("zoé", "Zoé")
	check("z", "Zoé")
	check("é", "Zoé")
	check("be", "Ashenberg")
	check("q", "")
	checkFilter(t, s, store.Contacts, "rs", "Marsh", func(c *billing.Contact) string { return c.FirstName })
	checkFilter(t, s, store.Contacts, "marsh", "Marsh", func(c *billing.Contact) string { return c.FirstName })
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		a := got[*billing.Account](t)(store.Accounts.Lock(ctx, tx, 1))
		a.Name = "Lindenfeld"
		must(store.Accounts.Update(ctx, tx, a))
		must(store.Accounts.Delete(ctx, tx, &billing.Account{ID: 2}))
	})
	check("shenber", "")
	check("be", "")
	check("g", "")
	check("l", "Lindenfeld")
	check("nf", "Lindenfeld")
	check("z", "")
	check("lindenfeld", "Lindenfeld")
	check("zoé", "")
	if db.Engine == "sqlite" {
		checkIntegrity(t, s)
	}
}

// TestMigratingTimes migrates a database that has rows from before indexes knew
// their times.
func TestMigratingTimes(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, db *storetest.Database) {
		old := migrateTo(t, db, 14)
		const text = `INSERT INTO account (id, name, billing_day, created_at, updated_at, search)
			VALUES (1, 'One', 1, 0, 90000000, 'one'), (2, 'Two', 1, 90000000, 90000000, 'two'), (3, 'Three', 1, 90000000, 180000000, 'three')`
		if _, err := old.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		s := db.Open(t)
		for _, c := range [][2]string{{"created:1970-01-01", "One"}, {"created:1970-01-02", "Two Three"}, {"updated:1970-01-02", "One Two"}, {"updated:1970-01-03", "Three"}} {
			checkFilter(t, s, store.Accounts, c[0], c[1], func(a *billing.Account) string { return a.Name })
		}
		checkLastChanges(t, s)
	})
}

// TestMigratingAttempts migrates a database in which requests are under way:
// their lanes know them then, and no attempt is under way that no lane knows.
func TestMigratingAttempts(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, db *storetest.Database) {
		old := migrateTo(t, db, 7)
		for _, text := range []string{
			`INSERT INTO platform (id, code, name, provisioning_enabled, signing_secret_sealed, auth_token_sealed, plain_signature_key_sealed, webhook_url, created_at, updated_at, search)
				VALUES (1, 'p', 'P', 1 = 1, '', '', '', 'https://p.example', 0, 0, 'p')`,
			`INSERT INTO account (id, name, billing_day, created_at, updated_at, search) VALUES (1, 'A', 1, 0, 0, 'a')`,
			`INSERT INTO tenant (id, platform_id, account_id, code, name, created_at, updated_at, search) VALUES (1, 1, 1, 'a', 'A', 0, 0, 'a'), (2, 1, 1, 'b', 'B', 0, 0, 'b')`,
			`INSERT INTO webhook_lane (tenant_id, platform_id, last_sequence, last_position, newest_position, done_position, due_at, attempt_id, attempts, tries, delivered_sequence, highest_sequence)
				VALUES (1, 1, 1, 1, 1, 0, 90000, 8, 1, 2, 0, 0), (2, 1, 1, 1, 1, 0, 5, NULL, 0, 1, 0, 0)`,
			`INSERT INTO webhook_event (id, type, tenant_id, platform_id, sequence, reason, body, created_at)
				VALUES (1, 'T', 1, 1, 1, 'r', '{}', 0), (2, 'T', 2, 1, 1, 'r', '{}', 0)`,
			`INSERT INTO webhook_delivery (id, event_id, platform_id, tenant_id, position, cause, forced, state, latest, created_at, updated_at)
				VALUES (1, 1, 1, 1, 1, 'change', 1 = 0, 'waiting', 1 = 1, 0, 0), (2, 2, 1, 2, 1, 'change', 1 = 0, 'waiting', 1 = 1, 0, 0)`,
			`INSERT INTO webhook_attempt (id, delivery_id, number, outcome, url, request_headers, truncated, started_at)
				VALUES (7, 1, 1, 'failed', 'https://p.example', '{}', 1 = 0, 3000), (8, 1, 2, 'started', 'https://p.example', '{}', 1 = 0, 50000),
				(9, 2, 1, 'started', 'https://p.example', '{}', 1 = 0, 60000)`,
		} {
			if _, err := old.ExecContext(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		s := db.Open(t)
		type seen struct {
			id      billing.AttemptID
			number  int
			outcome string
			started int64
		}
		of := func(id billing.DeliveryID) (all []seen) {
			for _, a := range got[[]billing.Attempt](t)(store.AttemptsOf(t.Context(), s.Queries(), []billing.DeliveryID{id})) {
				all = append(all, seen{a.ID, a.Number, a.Outcome, a.StartedAt.UnixMilli()})
			}
			return all
		}
		same(t, "one under way", of(1), []seen{{7, 1, billing.AttemptFailed, 3000}, {8, 2, billing.AttemptStarted, 50000}})
		same(t, "one that no lane knows", of(2), []seen{{9, 1, billing.AttemptUnknown, 60000}})
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			same(t, "the next id", got[billing.AttemptID](t)(store.ReserveAttempts(ctx, tx, 1)), billing.AttemptID(10))
			claims := dueLanes(ctx, tx, 1, time.UnixMilli(50000), 10)
			same(t, "lanes that are due", len(claims), 1) // the other one's lease runs
		})
	})
}

// migrateTo brings an empty database to a schema of the past.
func migrateTo(t *testing.T, db *storetest.Database, version int64) *sql.DB {
	t.Helper()
	driver, address, dialect := "sqlite", strings.TrimPrefix(db.URL, "sqlite:"), goose.DialectSQLite3
	if db.Engine == "postgres" {
		driver, address, dialect = "pgx", db.URL, goose.DialectPostgres
	}
	conn, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	provider, err := goose.NewProvider(dialect, conn, os.DirFS(filepath.Join("migrations", db.Engine)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	return conn
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
	files, err := os.ReadDir(filepath.Join("migrations", engine))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		names = append(names, file.Name())
	}
	if len(names) == 0 {
		t.Fatalf("%s has no migrations", engine)
	}
	return names
}
