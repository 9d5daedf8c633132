package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/pressly/goose/v3"
)

// migrations are those of all engines and those of this one.
func (d *DB) migrations() fs.FS { return migrations{d.schema.Migrations, d.dialect.Name} }

// migrations shows the files of a folder, and of the one for an engine in it, as
// one folder.
type migrations struct {
	files  fs.FS
	engine string
}

func (m migrations) Open(name string) (fs.File, error) {
	file, err := m.files.Open(path.Join(m.engine, name))
	if errors.Is(err, fs.ErrNotExist) {
		return m.files.Open(name)
	}
	return file, err
}

func (m migrations) Glob(pattern string) ([]string, error) {
	names, err := fs.Glob(m.files, pattern)
	if err != nil {
		return nil, err
	}
	own, err := fs.Glob(m.files, m.engine+"/"+pattern)
	for _, name := range own {
		names = append(names, path.Base(name))
	}
	slices.Sort(names)
	return names, err
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
