package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestABackupOfALiveServerHoldsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	dir, restored := t.TempDir(), t.TempDir()
	s := inside(t, known, "--data-dir", dir)
	token := s.firstToken(t)
	for i := range 20 {
		mustCreateAccount(t, s.url, token, fmt.Sprintf("before-%d", i))
	}

	var stop atomic.Bool
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for i := 0; !stop.Load(); i++ {
				if err := accountCreate(s.url, token, fmt.Sprintf("during-%d-%d", w, i)); err != nil {
					t.Errorf("a write beside the backup: %v", err)
					return
				}
			}
		})
	}
	file := filepath.Join(restored, "a backup")
	said := mustCommand(t, nil, "backup", "--data-dir", dir, file)
	stop.Store(true)
	writers.Wait()
	if !strings.Contains(said, "wrote "+file) || !strings.Contains(said, "secret.key") {
		t.Errorf("prints %q", said)
	}
	checkWhole(t, file)

	key, err := os.ReadFile(filepath.Join(dir, "secret.key"))
	if err == nil {
		err = os.WriteFile(filepath.Join(restored, "secret.key"), key, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if said := mustCommand(t, nil, "restore", "--data-dir", restored, file); !strings.Contains(said, "restored "+file) || !strings.Contains(said, "secret.key") {
		t.Errorf("prints %q", said)
	}
	for what, args := range map[string][]string{
		"move": {"restore", "--data-dir", restored, file}, "another tenantry server": {"restore", "--data-dir", dir, file},
		"pg_restore": {"restore", "--db", "postgres://h/x", file}, "no-backup": {"restore", "--data-dir", t.TempDir(), filepath.Join(restored, "no-backup")},
	} {
		if done := command(t, nil, args...); done.code != 1 || !strings.Contains(done.stderr, what) {
			t.Errorf("%v exits with %d and says %q, not %q", args, done.code, done.stderr, what)
		}
	}
	copied := inside(t, nil, "--data-dir", restored)
	if copied.stdout.String() != "" {
		t.Errorf("the copy is taken for a new installation: %s", copied.stdout)
	}
	codes := accountCodes(t, copied.url, copied.firstToken(t))
	for i := range 20 {
		if code := fmt.Sprintf("before-%d", i); !codes[code] {
			t.Errorf("%s is not in the backup", code)
		}
	}
	mustCreateAccount(t, copied.url, copied.firstToken(t), "after")
}

// checkWhole looks at a copy: its rows, its mode, and nothing beside it.
func checkWhole(t *testing.T, file string) {
	t.Helper()
	var verdict string
	if err := openDB(t, env{"TENANTRY_DB": "sqlite:" + file}).QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("the integrity check says %q, %v", verdict, err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the backup: %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(file + ".part"); err == nil {
		t.Error("half a backup is left beside it")
	}
}

func TestABackupOverwritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustCommand(t, nil, "migrate", "--data-dir", dir)
	file := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := mustFail(t, nil, "backup", "--data-dir", dir, file); !strings.Contains(said, file+" exists already") {
		t.Errorf("says %q", said)
	}
	if text, err := os.ReadFile(file); string(text) != "precious" || err != nil {
		t.Errorf("the file now has %q, %v", text, err)
	}
	if said := mustFail(t, nil, "backup", "--data-dir", dir, filepath.Join(dir, "no", "where")); !strings.Contains(said, "cannot write the backup") {
		t.Errorf("says %q", said)
	}
}

// The copy made before an upgrade must not be upgraded, and the database that
// is copied even less: its server still runs.
func TestABackupLeavesTheSchemaAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := env{"TENANTRY_DB": "sqlite:" + filepath.Join(dir, "old.db")}
	if _, err := openDB(t, old).Exec("CREATE TABLE old (x TEXT)"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "copy.db")
	mustCommand(t, old, "backup", file)
	for _, address := range []string{old["TENANTRY_DB"], "sqlite:" + file} {
		var tables string
		err := openDB(t, env{"TENANTRY_DB": address}).QueryRow("SELECT group_concat(name) FROM sqlite_master").Scan(&tables)
		if err != nil || tables != "old" {
			t.Errorf("%s has the tables %s, %v", address, tables, err)
		}
	}
}

func TestABackupOfPostgreSQLSaysWhatToUse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "copy")
	said := mustFail(t, env{"TENANTRY_DB": storetest.Postgres(t)}, "backup", file)
	if !strings.Contains(said, "pg_dump") {
		t.Errorf("says %q", said)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was made")
	}
}
