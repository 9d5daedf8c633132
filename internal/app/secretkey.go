package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// openBox returns the box that secrets are sealed in. The key comes from
// TENANTRY_SECRET_KEY; on SQLite without it, from a file beside the database.
func openBox(ctx context.Context, c *config, st *store.Store, say io.Writer) (*secret.Box, error) {
	key := c.secretKey
	if key == "" {
		if !c.isSQLite() {
			return nil, usage("PostgreSQL needs TENANTRY_SECRET_KEY: a random text of %d characters or more that all replicas share, "+
				"such as \"openssl rand -base64 32\" prints; keep it, secrets in the database cannot be read without it", secret.MinKey)
		}
		path := filepath.Join(filepath.Dir(c.sqlitePath()), "secret.key")
		text, made, err := secret.KeyFile(path)
		if err != nil {
			return nil, err
		}
		if made {
			fmt.Fprintf(say, "made a key for the secrets in the database: %s (back it up with the database)\n", path)
		}
		key = text
	}
	box, err := secret.NewBox(key)
	if err != nil {
		return nil, usage("%s", err)
	}
	return box, checkKey(ctx, st, box)
}

// checkKey refuses a key that is not the one this database was written with.
func checkKey(ctx context.Context, st *store.Store, box *secret.Box) error {
	var known string
	err := st.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		known, err = store.InitSetting(ctx, tx, "secret_key_fingerprint", box.Fingerprint())
		return err
	})
	if err == nil && known != box.Fingerprint() {
		return usage("the secret key is not the one this database was written with; " +
			"start with the TENANTRY_SECRET_KEY or key file that was used before")
	}
	return err
}
