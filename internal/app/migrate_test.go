package app_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// onEachEngine runs test with variables that name an empty database.
func onEachEngine(t *testing.T, test func(t *testing.T, e env)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, env{"TENANTRY_DB": "sqlite:" + filepath.Join(t.TempDir(), "tenantry.db"), "TENANTRY_SECRET_KEY": secretKey})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, env{"TENANTRY_DB": storetest.Postgres(t), "TENANTRY_SECRET_KEY": secretKey})
	})
}

// openDB opens the database that the variables name, past all rules.
func openDB(t testing.TB, e env) *sql.DB {
	t.Helper()
	driver, address := "pgx", e["TENANTRY_DB"]
	if path, isSQLite := strings.CutPrefix(address, "sqlite:"); isSQLite {
		driver, address = "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)" // a server may be writing
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestMigrateTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e env) {
		for range 2 {
			if said := mustCommand(t, e, "migrate"); said != "the database is up to date\n" {
				t.Errorf("prints %q", said)
			}
		}
		var n int
		if err := openDB(t, e).QueryRow("SELECT count(*) FROM api_client").Scan(&n); err != nil || n != 0 {
			t.Errorf("%d API clients (%v): migrate makes none", n, err)
		}
	})
}

func TestADatabaseOfANewerVersionIsRefused(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e env) {
		mustCommand(t, e, "migrate")
		if _, err := openDB(t, e).Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)"); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"migrate"}, {"client", "list"}} {
			done := command(t, e, args...)
			if done.code != 1 || !strings.Contains(done.stderr, "9999") || !strings.Contains(done.stderr, "written by a newer tenantry") {
				t.Errorf("%q exits with %d and says %q", args, done.code, done.stderr)
			}
		}
	})
}

// A command in the wrong directory must not make a database there and work on
// that.
func TestCommandsDoNotMakeADatabase(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "wrong")
	file := filepath.Join(t.TempDir(), "copy.db")
	for _, args := range [][]string{
		{"client", "list"}, {"client", "create", "--name", "a"}, {"client", "delete", "a"}, {"client", "renew-secret", "a"}, {"backup", file},
	} {
		said := mustFail(t, nil, append(args, "--data-dir", dir)...)
		for _, want := range []string{filepath.Join(dir, "tenantry.db"), "--data-dir", "--db", "tenantry migrate"} {
			if !strings.Contains(said, want) {
				t.Errorf("%q says %q, want %q in it", args, said, want)
			}
		}
	}
	for _, path := range []string{dir, file} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}
