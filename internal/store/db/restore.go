package db

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Restore puts a copy of a backup where a SQLite database is to be and returns
// its schema version. It refuses a backup that is damaged or not Tenantry's, and
// a path where there is a database, a part of one, or a server.
func Restore(ctx context.Context, schema Schema, backup, path string) (version int, err error) {
	if backup, err = behindLinks(backup); err != nil {
		return 0, err
	}
	if version, err = checkBackup(ctx, schema, backup); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, cannotMakeDir(filepath.Dir(path), err)
	}
	unlock, err := lockFile(ctx, path+".serve.lock", 0)
	if errors.Is(err, errLocked) {
		return 0, ErrSecondServer
	}
	if err != nil {
		return 0, cannotOpenSQLite(path, err)
	}
	defer unlock()
	if there := filesOf(path); len(there) > 0 {
		return 0, fmt.Errorf("nothing was restored, because there is a database: move %s away first, all of it together", strings.Join(there, ", "))
	}
	return version, copyBackup(ctx, backup, path)
}

// behindLinks returns the file that a path leads to. SQLite keeps the other parts
// of a database beside that and not beside a link.
func behindLinks(path string) (string, error) {
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", cannotOpenSQLite(path, err)
	}
	return file, nil
}

// filesOf returns the files of a SQLite database that there are. What was written
// last may be in the file that ends with -wal only; with another database it
// would damage it.
func filesOf(path string) (there []string) {
	for _, part := range []string{path, path + "-wal", path + "-shm", path + "-journal"} {
		if _, err := os.Lstat(part); err == nil {
			there = append(there, part)
		}
	}
	return there
}

// checkBackup returns the schema version of a backup that is whole.
func checkBackup(ctx context.Context, schema Schema, backup string) (version int, err error) {
	d, err := Open(ctx, Options{URL: "sqlite:" + backup, ReadOnly: true}, schema)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	have, known, err := d.SchemaVersions(ctx)
	switch {
	case errors.Is(err, ErrNoSchema):
		return 0, fmt.Errorf("%s is no backup of Tenantry: %w", backup, err)
	case err != nil:
		return 0, cannotOpenSQLite(backup, err)
	case have > known:
		return 0, fmt.Errorf("%s has schema version %d, this tenantry knows versions up to %d: restore it with the tenantry that wrote it, or a newer one", backup, have, known)
	}
	wrong, err := d.QuickCheck(ctx)
	if err != nil {
		return 0, cannotOpenSQLite(backup, err)
	}
	if len(wrong) > 0 {
		return 0, fmt.Errorf("%s is damaged: %s; use another backup", backup, strings.Join(wrong, "; "))
	}
	return have, nil
}

// copyBackup writes a copy that appears under its name when it is whole. What is
// in the backup's own -wal file, if it has one, is in the copy.
func copyBackup(ctx context.Context, backup, path string) error {
	query := "mode=ro&_pragma=busy_timeout(10000)"
	if len(filesOf(backup)) == 1 {
		query += "&immutable=1"
	}
	db, err := openSQLiteAt(ctx, backup, url.URL{Scheme: "file", Opaque: url.PathEscape(backup), RawQuery: query}, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := copySQLite(ctx, db, path); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}
