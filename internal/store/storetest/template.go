package storetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
)

const templateName = "tenantry_template"

// A template is a migrated database. Copying it is quicker than running every
// migration for every test.
var (
	postgresTemplate = sync.OnceValues(makePostgresTemplate)
	sqliteTemplate   = sync.OnceValues(makeSQLiteTemplate)
)

// migratedPostgres returns the URL of a new database that has the schema
// already. A server that is not ours gets no template, which nobody would
// remove from it: its databases are empty, and opening them migrates them.
func migratedPostgres(t testing.TB) string {
	t.Helper()
	if os.Getenv(serverEnv) != "" {
		return Postgres(t)
	}
	server := available(t)
	template, err := postgresTemplate()
	if err != nil {
		t.Fatalf("make the template database: %v", err)
	}
	return createDatabase(t, server.URL("postgres"), template)
}

// makePostgresTemplate returns the name of the template, and how it is copied.
func makePostgresTemplate() (string, error) {
	server, err := sharedServer()
	if err != nil {
		return "", err
	}
	admin, err := administrator(server.URL("postgres"))
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), databaseTimeout)
	defer cancel()
	if _, err := admin.ExecContext(ctx, "CREATE DATABASE "+templateName+" TEMPLATE template0"); err != nil {
		return "", err
	}
	// PostgreSQL copies no database that somebody is connected to.
	if err := migrate(server.URL(templateName)); err != nil {
		return "", err
	}
	var version int
	if err := admin.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		return "", err
	}
	if version < 150000 {
		return templateName, nil // it knows only one way, which is this one
	}
	// Files, where its usual way writes each page into the log too: this takes
	// two thirds of the time where nobody waits for a disk.
	return templateName + " STRATEGY file_copy", nil
}

// migratedSQLite returns the URL of a new file that has the schema already.
func migratedSQLite(t testing.TB) string {
	t.Helper()
	content, err := sqliteTemplate()
	if err != nil {
		t.Fatalf("make the template file: %v", err)
	}
	path := filepath.Join(sqliteDir(t), "tenantry.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + path
}

// sqliteDir makes a directory that goes away when t ends, or later if t is killed.
func sqliteDir(t testing.TB) string {
	t.Helper()
	s := &Server{} // only for its directory
	if err := s.makeDir(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.remove(); err != nil {
			t.Errorf("remove the database: %v", err)
		}
	})
	return s.dir
}

func makeSQLiteTemplate() ([]byte, error) {
	dir, err := os.MkdirTemp("", "tenantry-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tenantry.db")
	if err := migrate("sqlite:" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path) // all of it: closing moved its log into it
}

func migrate(url string) error {
	s, err := store.Open(context.Background(), store.Options{URL: url, Now: NewClock().Now})
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return s.Close()
}
