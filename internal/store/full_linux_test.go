package store_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestFullFileSystem fills a real file system, makes room and goes on.
func TestFullFileSystem(t *testing.T) {
	t.Parallel()
	dir := smallFileSystem(t)
	makeRoom := reserve(t, dir)
	leaveRoom := reserve(t, dir)
	db := storetest.Database{Engine: "sqlite", URL: "sqlite:" + filepath.Join(dir, "tenantry.db"), Clock: storetest.NewClock()}
	s := db.Open(t)
	var answered []billing.AccountID
	fill := func() (err error) {
		for err == nil {
			err = s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error { return large(ctx, tx, 2) })
			if err == nil {
				var id billing.AccountID
				if id, err = addAccount(s); err == nil {
					answered = append(answered, id)
				}
			}
		}
		return err
	}
	for range 3 { // it is full, and stays so
		if err := fill(); !store.IsFull(err) {
			t.Fatalf("filling the file system: %v, want that it is full", err)
		}
		checkHas(t, s, answered)
		same(t, "PRAGMA integrity_check", got[[]string](t)(store.Rows(t.Context(), s.Queries(), "PRAGMA integrity_check")), []string{"ok"})
	}
	makeRoom()
	before := len(answered)
	if err := fill(); !store.IsFull(err) {
		t.Fatalf("filling the file system again: %v", err)
	}
	if len(answered) == before {
		t.Error("there was room again, and nothing was written")
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing a database on a full disk: %v", err)
	}
	leaveRoom() // to open a database takes some
	again := db.Open(t)
	checkIntegrity(t, again)
	checkHas(t, again, answered)
}

// reserve takes up room until what it returns is called.
func reserve(t *testing.T, dir string) (release func()) {
	t.Helper()
	file, err := os.CreateTemp(dir, "reserve")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(file.Name()); err != nil {
			t.Error(err)
		}
	}
}

// smallFileSystem mounts six megabytes of memory.
func smallFileSystem(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system: skipped")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tenantry-test", dir, "tmpfs", 0, "size=6m"); err != nil {
		t.Skipf("cannot mount a small file system: %v: skipped", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}
