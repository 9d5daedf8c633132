package storetest

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// orphanEnv makes this test binary play the process that is killed.
const orphanEnv = "TENANTRY_TEST_ORPHAN"

func TestMain(m *testing.M) {
	if os.Getenv(orphanEnv) != "" {
		orphan()
	}
	Main(m)
}

func open(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func mustExec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func count(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var n int
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestPostgresGivesAnEmptyDatabaseAndDropsIt(t *testing.T) {
	Postgres(t) // skips here, and not only in the subtest
	var url string
	t.Run("use", func(t *testing.T) {
		url = Postgres(t)
		db := open(t, url)
		if n := count(t, db, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"); n != 0 {
			t.Errorf("a new database has %d tables, want 0", n)
		}
		mustExec(t, db, "CREATE TABLE fruit (name TEXT NOT NULL)")
		mustExec(t, db, "INSERT INTO fruit VALUES ('Ähre')")
		if n := count(t, db, "SELECT count(*) FROM fruit WHERE length(name) = 4"); n != 1 {
			t.Error("a name of four letters is not four letters long: the encoding is not UTF8")
		}
	})
	var refused *pgconn.PgError
	if err := open(t, url).Ping(); !errors.As(err, &refused) || refused.Code != "3D000" {
		t.Errorf("connecting after the test gave %v, want that the database does not exist", err)
	}
}

func TestPostgresDropsADatabaseThatIsStillInUse(t *testing.T) {
	Postgres(t) // skips here, and not only in the subtest
	var db *sql.DB
	t.Run("use", func(t *testing.T) {
		var err error
		if db, err = sql.Open("pgx", Postgres(t)); err != nil {
			t.Fatal(err)
		}
		mustExec(t, db, "SELECT 1")
	})
	db.Close()
}

func TestPostgresGivesEachTestItsOwnDatabase(t *testing.T) {
	if one, two := Postgres(t), Postgres(t); one == two {
		t.Errorf("both calls returned %s", one)
	}
}

func TestServerRecoversFromKill(t *testing.T) {
	server := PostgresServer(t, Durable())
	db := open(t, server.URL("postgres"))
	if got := settingOf(t, db, "fsync"); got != "on" {
		t.Errorf("fsync of a durable server is %s, want on", got)
	}
	mustExec(t, db, "CREATE TABLE fruit (name TEXT NOT NULL)")
	mustExec(t, db, "INSERT INTO fruit VALUES ('apple')")

	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, server.URL("postgres")).Ping(); err == nil {
		t.Fatal("the server answers after Kill")
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(server.fullLog(t), "not properly shut down") {
		t.Error("the log does not tell of a crash: Kill was an orderly stop")
	}
	if n := count(t, open(t, server.URL("postgres")), "SELECT count(*) FROM fruit"); n != 1 {
		t.Errorf("%d rows after the crash, want 1", n)
	}
}

func TestServerStopsAndStarts(t *testing.T) {
	server := PostgresServer(t)
	if got := settingOf(t, open(t, server.URL("postgres")), "fsync"); got != "off" {
		t.Errorf("fsync is %s, want off", got)
	}
	for _, step := range []func() error{server.Stop, server.Stop, server.Kill, server.Start, server.Start} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := open(t, server.URL("postgres")).Ping(); err != nil {
		t.Errorf("after Stop and Start: %v", err)
	}
	if strings.Contains(server.fullLog(t), "not properly shut down") {
		t.Error("the log tells of a crash: Stop was not orderly")
	}
}

func TestStartFailureShowsTheLog(t *testing.T) {
	server := PostgresServer(t)
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	server.settings = []string{"shared_buffers=none"}
	err := server.Start()
	if err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Errorf("starting with a bad setting gave %v, want an error that shows the log", err)
	}
}

func settingOf(t *testing.T, db *sql.DB, name string) string {
	t.Helper()
	var value string
	if err := db.QueryRow("SELECT setting FROM pg_settings WHERE name = $1", name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func (s *Server) fullLog(t *testing.T) string {
	t.Helper()
	log, err := os.ReadFile(s.logPath())
	if err != nil {
		t.Fatal(err)
	}
	return string(log)
}

// recorder stands in for a test that unavailable ends.
type recorder struct {
	testing.TB
	skipped, failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Skip(...any)           { r.skipped = true; runtime.Goexit() }
func (r *recorder) Fatal(...any)          { r.failed = true; runtime.Goexit() }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; runtime.Goexit() }

func TestUnavailable(t *testing.T) {
	for _, c := range []struct {
		name, require   string
		err             error
		skipped, failed bool
	}{
		{"not installed", "", errNotInstalled, true, false},
		{"not installed but required", "1", errNotInstalled, false, true},
		{"broken", "", errors.New("broken"), false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(requireEnv, c.require)
			r := &recorder{TB: t}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				unavailable(r, c.err)
			}()
			<-ended
			if r.skipped != c.skipped || r.failed != c.failed {
				t.Errorf("skipped %v, failed %v", r.skipped, r.failed)
			}
		})
	}
}

func TestFindPrograms(t *testing.T) {
	half, whole := t.TempDir(), t.TempDir()
	for _, path := range []string{
		filepath.Join(half, "initdb"), filepath.Join(whole, "initdb"), filepath.Join(whole, "postgres"),
	} {
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := findPrograms([]string{half, whole}); got != whole || err != nil {
		t.Errorf("got %s, %v; want the directory that has both programs", got, err)
	}
	if _, err := findPrograms([]string{half}); !errors.Is(err, errNotInstalled) {
		t.Errorf("got %v, want errNotInstalled", err)
	}
}

func TestNewestFirst(t *testing.T) {
	got := newestFirst([]string{"/usr/lib/postgresql/9.6/bin", "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/17/bin"})
	want := []string{"/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/9.6/bin"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestWithDatabase(t *testing.T) {
	got, err := withDatabase("postgres://u:p@localhost:5432/postgres?sslmode=disable", "x")
	if want := "postgres://u:p@localhost:5432/x?sslmode=disable"; got != want || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for _, bad := range []string{"mysql://localhost/x", "localhost", "postgres://u:%zz@h/x"} {
		if got, err := withDatabase(bad, "x"); err == nil {
			t.Errorf("%q gave %s, want an error", bad, got)
		} else if strings.Contains(err.Error(), "%zz") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}
