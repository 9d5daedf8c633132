package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantry/tenantry/internal/store"
)

// restore puts a backup in the place of a SQLite database that is not there.
func restore(ctx context.Context, p Process, args []string) error {
	var c config
	f := newFlags(p, "restore")
	f.database(&c)
	arguments, err := f.parse(args, "FILE")
	if err != nil {
		return err
	}
	if err := c.finish(p.Env); err != nil {
		return err
	}
	if !c.isSQLite() {
		return errors.New("restore is for SQLite; for PostgreSQL make an empty database, put the backup of pg_dump into it " +
			"with pg_restore (or psql), and start tenantry with its address in --db")
	}
	version, err := store.Restore(ctx, arguments[0], c.sqlitePath())
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "restored %s to %s (schema version %d); put the key file (secret.key) of the same installation beside it, "+
		"unless TENANTRY_SECRET_KEY is set, and start the server\n", arguments[0], c.sqlitePath(), version)
	return nil
}
