package storetest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// requirePgBouncer turns "not installed" from a skip into a failure, for CI.
const requirePgBouncer = "TENANTRY_TEST_REQUIRE_PGBOUNCER"

// PgBouncer starts a pooler in transaction mode before the database at target
// and returns the address of the same database behind it. It has few sessions,
// so that each transaction gets another one. It skips t if PgBouncer is not
// installed, or fails it if TENANTRY_TEST_REQUIRE_PGBOUNCER is 1.
func PgBouncer(t testing.TB, target string) string {
	t.Helper()
	program, err := pgbouncerProgram()
	if err != nil {
		if os.Getenv(requirePgBouncer) == "1" {
			t.Fatalf("PgBouncer is not installed, and %s=1 requires it", requirePgBouncer)
		}
		t.Skip("PgBouncer is not installed: skipped; install pgbouncer")
	}
	s := &Server{} // only for its directory, which PostgreSQL's user can use
	if s.owner, err = serverOwner(); err != nil {
		t.Fatal(err)
	}
	if err := s.makeDir(); err != nil {
		t.Fatal(err)
	}
	behind, err := url.Parse(target)
	if err != nil {
		t.Fatal("not a URL")
	}
	writePgBouncer(t, s, behind)
	cmd := exec.Command(program, filepath.Join(s.dir, "pgbouncer.ini"))
	cmd.Dir = s.dir
	confine(cmd, s.owner)
	running, err := spawn(cmd)
	if err != nil {
		t.Fatalf("start PgBouncer: %v", err)
	}
	t.Cleanup(func() {
		if err := killTree(running); err != nil {
			t.Errorf("stop PgBouncer: %v", err)
		}
		if err := s.remove(); err != nil {
			t.Errorf("remove PgBouncer: %v", err)
		}
	})
	query := behind.Query()
	query.Set("host", s.dir)
	query.Set("port", "6432")
	query.Set("sslmode", "disable")
	before := url.URL{Scheme: "postgres", User: behind.User, Path: behind.Path, RawQuery: query.Encode()}
	if err := awaitReady(running, before.String()+"&default_query_exec_mode=exec"); err != nil {
		t.Fatalf("PgBouncer did not start: %v\n%s", err, s.logTail())
	}
	return before.String()
}

// writePgBouncer writes its settings: it listens on a socket in its directory.
func writePgBouncer(t testing.TB, s *Server, behind *url.URL) {
	t.Helper()
	host, port := behind.Query().Get("host"), "5432"
	if behind.Hostname() != "" {
		host = behind.Hostname()
	}
	if behind.Port() != "" {
		port = behind.Port()
	}
	password, _ := behind.User.Password()
	files := map[string]string{
		"users.txt": fmt.Sprintf("%q %q\n", behind.User.Username(), password),
		"pgbouncer.ini": fmt.Sprintf(`[databases]
* = host=%s port=%s
[pgbouncer]
pool_mode = transaction
listen_addr =
listen_port = 6432
unix_socket_dir = %s
auth_type = trust
auth_file = users.txt
max_client_conn = 200
default_pool_size = 5
logfile = %s
`, host, port, s.dir, s.logPath()),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func pgbouncerProgram() (string, error) {
	if path, err := exec.LookPath("pgbouncer"); err == nil {
		return path, nil
	}
	return exec.LookPath("/usr/sbin/pgbouncer") // which is not on everybody's PATH
}
