package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testBackup(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	path := filepath.Join(t.TempDir(), "it's a backup.db")
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("Kept") })
	err := s.Backup(t.Context(), path)
	if db.Engine == "postgres" {
		if err == nil || !strings.Contains(err.Error(), "pg_dump") {
			t.Errorf("a backup of PostgreSQL: %v, want to hear of pg_dump", err)
		}
		return
	}
	if err != nil {
		t.Fatalf("Backup: %v", err)
	}
	if err := s.Backup(t.Context(), path); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a backup over another: %v, want that it exists", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup is for its owner alone: %v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.part")); left != nil {
		t.Errorf("half a backup is left: %v", left)
	}
	if err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "no", "folder.db")); err == nil {
		t.Error("a backup into a folder that is not there succeeded")
	}
	copied := storetest.Database{Engine: "sqlite", URL: "sqlite:" + path, Clock: db.Clock}
	same(t, "the copy's account, by a word", len(listed(t, copied.Open(t), store.Accounts, filter(t, "kept"))), 1)
}

// TestBackupWhileWriting copies a database that several goroutines write to:
// the copy is whole and has all that was answered before it began.
func TestBackupWhileWriting(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "sqlite")
	s := db.Open(t)
	w := startWriters(s, 4)
	defer w.stop(t)
	for range 3 {
		before := w.await(t, 20)
		path := filepath.Join(t.TempDir(), "backup.db")
		if err := s.Backup(t.Context(), path); err != nil {
			t.Fatalf("Backup: %v", err)
		}
		copied := storetest.Database{Engine: "sqlite", URL: "sqlite:" + path, Clock: db.Clock}
		c := copied.Open(t)
		checkIntegrity(t, c)
		checkHas(t, c, before)
	}
}

// checkIntegrity has SQLite look for damage, in its search tables too.
func checkIntegrity(t *testing.T, s *store.Store) {
	t.Helper()
	same(t, "PRAGMA integrity_check", got[[]string](t)(store.Rows(t.Context(), s.Queries(), "PRAGMA integrity_check")), []string{"ok"})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, table := range []string{"account_search", "contact_search", "tenant_search", "subscription_search"} {
			// Rank 1 also compares the index with the rows it is about.
			_, err := store.Exec(ctx, tx, "INSERT INTO "+table+" ("+table+", rank) VALUES ('integrity-check', 1)")
			must(err)
		}
	})
}

// checkHas finds the accounts with these ids.
func checkHas(t *testing.T, s *store.Store, ids []billing.AccountID) {
	t.Helper()
	for len(ids) > 0 {
		some := ids[:min(1000, len(ids))]
		ids = ids[len(some):]
		found := got[[]billing.Account](t)(store.Accounts.ByIDs(t.Context(), s.Queries(), some))
		if len(found) != len(some) {
			t.Errorf("of %d accounts that were answered, %d are there", len(some), len(found))
		}
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "sqlite")
	s := db.Open(t)
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("Kept") })
	dir := t.TempDir()
	backup, path := filepath.Join(dir, "it's a backup.db"), filepath.Join(dir, "new", "tenantry.db")
	must(s.Backup(t.Context(), backup))
	restored := func(path string) []string {
		t.Helper()
		r := storetest.Database{Engine: "sqlite", URL: "sqlite:" + path, Clock: db.Clock}
		return accountNames(t, r.Open(t))
	}
	refused := func(what, backup, path string, words ...string) {
		t.Helper()
		_, err := store.Restore(t.Context(), backup, path)
		if err == nil {
			t.Errorf("%s was restored", what)
			return
		}
		for _, word := range words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q does not speak of %s", what, err, word)
			}
		}
	}
	version, err := store.Restore(t.Context(), backup, path)
	_, known, _ := s.SchemaVersions(t.Context())
	if err != nil || version != known {
		t.Fatalf("Restore: version %d, %v", version, err)
	}
	same(t, "the accounts", restored(path), []string{"Kept"})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the database is for its owner alone: %v, %v", info, err)
	}
	refused("a backup over a database", backup, path, path, "move")

	// Parts of a database that was moved away by half.
	alone := filepath.Join(dir, "alone.db")
	must(os.WriteFile(alone+"-wal", []byte("x"), 0o600))
	refused("a backup beside a journal", backup, alone, "alone.db-wal")
	must(os.Remove(alone + "-wal"))

	served := storetest.Database{Engine: "sqlite", URL: "sqlite:" + filepath.Join(dir, "served.db"), Clock: db.Clock}
	server, err := store.Open(t.Context(), store.Options{URL: served.URL, Now: db.Clock.Now, Exclusive: true})
	must(err)
	refused("a backup under a server", backup, filepath.Join(dir, "served.db"), "another tenantry server")
	must(server.Close())

	// A copy of the files of a live database has its last changes in -wal.
	live := filepath.Join(dir, "live.db")
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(strings.TrimPrefix(db.URL, "sqlite:") + end)
		must(err)
		must(os.WriteFile(live+end, text, 0o600))
	}
	if _, err := store.Restore(t.Context(), live, alone); err != nil {
		t.Fatal(err)
	}
	same(t, "the accounts of the copy", restored(alone), []string{"Kept"})
	link, linked := filepath.Join(t.TempDir(), "latest.db"), filepath.Join(dir, "linked.db")
	must(os.Symlink(live, link))
	if _, err := store.Restore(t.Context(), link, linked); err != nil {
		t.Fatal(err)
	}
	same(t, "the accounts of what a link leads to", restored(linked), []string{"Kept"})

	text, err := os.ReadFile(backup)
	must(err)
	copy(text[len(text)/2:], strings.Repeat("damage", 2000))
	damaged, other := filepath.Join(dir, "damaged.db"), filepath.Join(dir, "other.db")
	must(os.WriteFile(damaged, text, 0o600))
	refused("a damaged backup", damaged, other, "damaged")
	refused("what is not there", filepath.Join(dir, "none.db"), other, "none.db")
	must(os.WriteFile(damaged, []byte("not a database, but long enough to look like one"), 0o600))
	refused("a text", damaged, other, "not a SQLite database")
	if _, err := os.Stat(other); err == nil {
		t.Error("something was restored")
	}
}
