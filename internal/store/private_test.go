package store_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/store"
)

func TestNewDatabaseIsItsOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such file modes")
	}
	path := filepath.Join(t.TempDir(), "t.db")
	st, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, file := range []string{path, path + "-wal"} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", filepath.Base(file), info.Mode().Perm())
		}
	}
}
