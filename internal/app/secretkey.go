package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// openBox returns the box that secrets are sealed in. The key comes from
// TENANTRY_SECRET_KEY; on SQLite without it, from a file beside the database.
func openBox(ctx context.Context, c *config, st *store.Store, say io.Writer) (*secret.Box, error) {
	key, from := c.secretKey, "TENANTRY_SECRET_KEY"
	if key == "" {
		path := filepath.Join(filepath.Dir(c.sqlitePath()), "secret.key")
		text, err := keyFile(ctx, st, path, say)
		if err != nil {
			return nil, err
		}
		key, from = text, path
	}
	box, err := secret.NewBox(key)
	if err != nil {
		return nil, usage("%s: %s", from, err)
	}
	return box, checkKey(ctx, st, box, from)
}

// keyFile returns the key in a file, making one for a new database. A database
// that has a key already is not helped by another one.
func keyFile(ctx context.Context, st *store.Store, path string, say io.Writer) (string, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, has, err := store.Setting(ctx, st.Queries(), store.KeyFingerprintSetting)
		if err != nil {
			return "", err
		}
		if has {
			return "", usage("the key file %s is missing, and the secrets in this database cannot be read without it; "+
				"put it back, or set TENANTRY_SECRET_KEY to the key that was used before", path)
		}
	}
	key, made, err := secret.KeyFile(path)
	if made && err == nil {
		fmt.Fprintf(say, "made a key for the secrets in the database: %s, readable by its owner only; back it up with the database\n", path)
	}
	return key, err
}

// checkKey refuses a key that is not the one this database was written with.
func checkKey(ctx context.Context, st *store.Store, box *secret.Box, from string) error {
	var known string
	err := st.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		known, err = store.InitSetting(ctx, tx, store.KeyFingerprintSetting, box.Fingerprint())
		return err
	})
	if err == nil && known != box.Fingerprint() {
		return usage("the secret key in %s is not the one this database was written with; "+
			"start with the TENANTRY_SECRET_KEY or key file that was used before", from)
	}
	return err
}
