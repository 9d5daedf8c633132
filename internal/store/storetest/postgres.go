// Package storetest opens real databases for tests. It is imported by tests only.
package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the "pgx" driver
)

const (
	// serverEnv names a running server to use instead of a temporary cluster.
	serverEnv = "TENANTRY_TEST_POSTGRES"
	// requireEnv turns "not installed" from a skip into a failure, for CI.
	requireEnv = "TENANTRY_TEST_REQUIRE_POSTGRES"

	notInstalled = "PostgreSQL is not installed: skipped; install postgresql or set " + serverEnv

	// databaseTimeout is generous because a busy machine starts many clusters at once.
	databaseTimeout = time.Minute
)

// shared is the one cluster of this test process, started on first use.
var shared struct {
	sync.Mutex
	server *Server
	err    error
}

// Postgres returns the URL of a new, empty database that is dropped when t
// ends. It skips t if PostgreSQL is not installed, or fails it if
// TENANTRY_TEST_REQUIRE_POSTGRES is 1.
func Postgres(t testing.TB) string {
	t.Helper()
	admin := os.Getenv(serverEnv)
	if admin == "" {
		admin = available(t).URL("postgres")
	}
	// template0 is empty on every server and nobody can be connected to it.
	return createDatabase(t, admin, "template0")
}

// createDatabase returns the URL of a copy of the template, which is dropped when
// t ends. Options can follow the name of the template.
func createDatabase(t testing.TB, admin, template string) string {
	t.Helper()
	name := "tenantry_test_" + strings.ToLower(rand.Text())
	target, err := withDatabase(admin, name)
	if err != nil {
		t.Fatalf("%s: %v", serverEnv, err)
	}
	if err := administer(admin, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatalf("create test database: %v", err)
	}
	t.Cleanup(func() {
		// FORCE, because a test that failed half way may have left connections open.
		if err := administer(admin, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop test database: %v", err)
		}
	})
	return target
}

// available returns the shared cluster, or ends t.
func available(t testing.TB) *Server {
	t.Helper()
	server, err := sharedServer()
	if err != nil {
		unavailable(t, err)
	}
	return server
}

// PostgresServer returns a running cluster that belongs to t alone, for tests
// that stop or crash the server. It is removed when t ends. It skips or fails
// like Postgres, and never uses TENANTRY_TEST_POSTGRES.
func PostgresServer(t testing.TB, options ...Option) *Server {
	t.Helper()
	server, err := newServer(options...)
	if err != nil {
		unavailable(t, err)
	}
	t.Cleanup(func() {
		if err := server.remove(); err != nil {
			t.Errorf("remove PostgreSQL server: %v", err)
		}
	})
	return server
}

// seldom is how far the heap of a test process grows before garbage is
// collected, in percent of what is in use. There is little in use, so that the
// usual 100 means to collect all the time: in the tests of the API, a twelfth of
// the CPU time went into that.
const seldom = 400

// Main runs the tests of a package, stops the shared cluster and exits. Call
// it from TestMain in every package that uses Postgres. Garbage is collected
// seldom, unless GOGC says how often.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(seldom)
	}
	code := m.Run()
	if err := stopShared(); err != nil {
		fmt.Fprintln(os.Stderr, "storetest: stop PostgreSQL:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// sharedServer remembers a failed start, so that a broken installation costs
// one attempt and not one per test.
func sharedServer() (*Server, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = newServer()
	}
	return shared.server, shared.err
}

func stopShared() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		return nil
	}
	err := errors.Join(dismissAdministrators(), shared.server.remove())
	shared.server = nil
	return err
}

// unavailable ends t: a missing installation is a skip unless it is required,
// anything else is a failure.
func unavailable(t testing.TB, err error) {
	t.Helper()
	switch {
	case !errors.Is(err, errNotInstalled):
		t.Fatal(err)
	case os.Getenv(requireEnv) == "1":
		t.Fatalf("PostgreSQL is not installed, and %s=1 requires it", requireEnv)
	default:
		t.Skip(notInstalled)
	}
}

// administrators are the connections that databases are made and dropped on, by
// address. They are kept, because each test would open two.
var administrators struct {
	sync.Mutex
	of map[string]*sql.DB
}

// administer runs one statement on a connection that is kept. It is no
// transaction, in which databases can be neither made nor dropped.
func administer(admin, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), databaseTimeout)
	defer cancel()
	db, err := administrator(admin)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statement)
	return err
}

func administrator(admin string) (*sql.DB, error) {
	administrators.Lock()
	defer administrators.Unlock()
	if db := administrators.of[admin]; db != nil {
		return db, nil
	}
	db, err := sql.Open("pgx", admin)
	if err != nil {
		return nil, err
	}
	if administrators.of == nil {
		administrators.of = map[string]*sql.DB{}
	}
	administrators.of[admin] = db
	return db, nil
}

func dismissAdministrators() (err error) {
	administrators.Lock()
	defer administrators.Unlock()
	for _, db := range administrators.of {
		err = errors.Join(err, db.Close())
	}
	administrators.of = nil
	return err
}

// execute runs one statement on a connection of its own.
func execute(target, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), databaseTimeout)
	defer cancel()
	db, err := sql.Open("pgx", target)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, statement)
	return err
}

// withDatabase returns the same server URL for another database.
func withDatabase(server, name string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", errors.New("not a URL") // the parse error would show the password
	}
	if u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", fmt.Errorf("want a postgres:// URL, got scheme %q", u.Scheme)
	}
	u.Path = "/" + name
	return u.String(), nil
}
