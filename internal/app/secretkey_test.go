package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// refusedStart starts the real program and returns what it says when it
// refuses to run.
func refusedStart(t testing.TB, code int, e env, args ...string) string {
	t.Helper()
	done := run(t, e, serveArgs(args)...)
	if done.code != code || done.stdout != "" || strings.Contains(done.stderr, "listening on") {
		t.Errorf("exits with %d, prints %q and says %q; want exit code %d", done.code, done.stdout, done.stderr, code)
	}
	return done.stderr
}

func TestAWrongSecretKeyIsRefused(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e env) {
		inside(t, known.with(e)).stop(t)
		said := refusedStart(t, 2, e.with(env{"TENANTRY_SECRET_KEY": "another key that is long enough"}))
		for _, want := range []string{"TENANTRY_SECRET_KEY is not the one this database was written with", "used before"} {
			if !strings.Contains(said, want) {
				t.Errorf("says %q, want %q in it", said, want)
			}
		}
		if strings.Contains(said, "another key") {
			t.Errorf("shows the key: %q", said)
		}
		right := inside(t, e)
		right.firstToken(t)
	})
}

func TestPostgreSQLNeedsASecretKey(t *testing.T) {
	t.Parallel()
	e := env{"TENANTRY_DB": storetest.Postgres(t)}
	said := refusedStart(t, 2, e)
	for _, want := range []string{"PostgreSQL needs TENANTRY_SECRET_KEY", "openssl rand -base64 32"} {
		if !strings.Contains(said, want) {
			t.Errorf("says %q, want %q in it", said, want)
		}
	}
	var n int
	if err := openDB(t, e).QueryRow("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tables were made before it refused (%v)", n, err)
	}
}

// A database that was restored without its key must not get another one, which
// would look like the right one ever after.
func TestALostKeyFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := filepath.Join(dir, "secret.key")
	inside(t, known, "--data-dir", dir).stop(t)
	if err := os.Rename(key, key+".away"); err != nil {
		t.Fatal(err)
	}
	said := command(t, nil, serveArgs([]string{"--data-dir", dir})...)
	if said.code != 2 || !strings.Contains(said.stderr, "the key file "+key+" is missing") || !strings.Contains(said.stderr, "TENANTRY_SECRET_KEY") {
		t.Errorf("exits with %d and says %q", said.code, said.stderr)
	}
	if _, err := os.Stat(key); err == nil {
		t.Error("a new key file was made")
	}
	text, err := os.ReadFile(key + ".away")
	if err != nil {
		t.Fatal(err)
	}
	inside(t, env{"TENANTRY_SECRET_KEY": string(text)}, "--data-dir", dir).firstToken(t)
}

func TestABadKeyFileIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := filepath.Join(dir, "secret.key")
	for _, text := range []string{"", "short\n"} {
		if err := os.WriteFile(key, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		done := command(t, nil, serveArgs([]string{"--data-dir", dir})...)
		if done.code != 2 || !strings.Contains(done.stderr, key+": the secret key is too short") {
			t.Errorf("exits with %d and says %q", done.code, done.stderr)
		}
	}
}
