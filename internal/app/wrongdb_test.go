package app_test

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// checkRefused wants a start to fail with one line that has all of the words.
func checkRefused(t *testing.T, e env, args []string, want ...string) {
	t.Helper()
	said := refusedStart(t, 1, e, args...)
	if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "tenantry: ") {
		t.Errorf("%v %q says %q, want one line", e, args, said)
	}
	for _, part := range want {
		if !strings.Contains(said, part) {
			t.Errorf("%v %q says %q, want %q in it", e, args, said, part)
		}
	}
	if strings.Contains(said, "hunter2") {
		t.Errorf("it shows the password: %q", said)
	}
}

func TestAWrongSQLiteDatabaseIsExplained(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "letter.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("This is a letter and no database. ", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, nil, []string{"--db", "sqlite:" + file}, file+" is not a SQLite database", "--db", "backup")
	checkRefused(t, nil, []string{"--db", "sqlite:" + dir}, dir+" is a directory", "--data-dir")
	checkRefused(t, nil, []string{"--data-dir", file}, "cannot make the data directory "+file, "not a directory", "--data-dir")
}

// guest is somebody whom PostgreSQL asks for a password, with no rights.
const guest = `
	CREATE ROLE guest LOGIN PASSWORD 'right';
	CREATE DATABASE shop;
	COPY (SELECT 'local all guest scram-sha-256' UNION ALL SELECT 'local all postgres trust' UNION ALL SELECT 'local all stranger reject') TO '%HBA%';
	SELECT pg_reload_conf();`

func TestAWrongPostgreSQLDatabaseIsExplained(t *testing.T) {
	t.Parallel()
	server := storetest.PostgresServer(t)
	admin, err := sql.Open("pgx", server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	var hba string
	if err := admin.QueryRow("SHOW hba_file").Scan(&hba); err != nil {
		t.Fatal(err)
	}
	for statement := range strings.SplitSeq(strings.ReplaceAll(guest, "%HBA%", hba), ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := admin.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	as := func(user, password, database string) env {
		u, err := url.Parse(server.URL(database))
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(user, password)
		return env{"TENANTRY_SECRET_KEY": secretKey, "TENANTRY_DB": u.String()}
	}
	eventually(t, patience, "PostgreSQL asks for passwords", func() bool {
		return strings.Contains(run(t, as("guest", "hunter2", "shop"), "migrate").stderr, "password")
	})
	checkRefused(t, as("guest", "hunter2", "shop"), nil, `refuses the password of the user "guest"`, "correct it in --db or TENANTRY_DB")
	checkRefused(t, as("stranger", "hunter2", "shop"), nil, `does not let the user "stranger" in`, "pg_hba.conf")
	checkRefused(t, as("postgres", "hunter2", "nothing"), nil, `has no database "nothing"`, "createdb nothing")
	checkRefused(t, as("guest", "right", "shop"), nil, "may not make tables", "GRANT")
	admin.Close()
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, as("postgres", "hunter2", "shop"), nil, "cannot reach PostgreSQL", "nothing listens there", "start PostgreSQL")
}

func TestAnAddressWithoutPostgreSQLIsExplained(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][]string{
		"postgres://me:hunter2@127.0.0.1:1/x":                 {"cannot reach PostgreSQL at 127.0.0.1:1", "nothing listens there"},
		"postgres://me:hunter2@nowhere.invalid/x":             {`the host "nowhere.invalid" is not known`, "--db"},
		"postgres://me:hunter2@127.0.0.1:1/x?sslmode=nothing": {"not valid", "sslmode is invalid", "postgres://USER"},
	} {
		checkRefused(t, env{"TENANTRY_SECRET_KEY": secretKey, "TENANTRY_DB": address}, nil, want...)
	}
}
