package db

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// migrations are those for this engine.
func (d *DB) migrations() fs.FS {
	sub, err := fs.Sub(d.schema.Migrations, d.dialect.Name)
	if err != nil {
		panic(err) // the names of engines are valid
	}
	return sub
}

// migrate brings the schema up to date. The caller keeps others from doing so
// at the same time.
func (d *DB) migrate(ctx context.Context, db *sql.DB) error {
	dialects := map[string]goose.Dialect{"sqlite": goose.DialectSQLite3, "postgres": goose.DialectPostgres}
	provider, err := goose.NewProvider(dialects[d.dialect.Name], db, d.migrations())
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return cannotMigrate(fmt.Errorf("cannot read the schema version: %w", err))
	}
	sources := provider.ListSources()
	if newest := sources[len(sources)-1].Version; have > newest {
		return fmt.Errorf("the database has schema version %d, this tenantry knows versions up to %d: "+
			"it was written by a newer tenantry; start that one, or restore a backup", have, newest)
	}
	if _, err := provider.Up(ctx); err != nil {
		return cannotMigrate(err)
	}
	return nil
}
