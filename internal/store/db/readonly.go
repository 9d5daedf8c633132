package db

import (
	"context"
	"errors"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"
)

// errReadOnly is what a Store answers that was opened to be looked at.
var errReadOnly = errors.New("the database was opened to be read only")

type refusingWriter struct{}

func (refusingWriter) write(context.Context, func(context.Context, *Tx) error) error {
	return errReadOnly
}

// lookAtSQLite opens a SQLite file beside a server, if one runs, without
// changing anything: neither the schema nor the journal mode, nor the files that
// there are.
func (d *DB) lookAtSQLite(ctx context.Context, path string) error {
	path, err := behindLinks(path)
	if err != nil {
		return err
	}
	d.dialect, d.path, d.write = sqliteDialect, path, refusingWriter{}
	query := "mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(10000)&_dqs=0"
	if _, err := os.Stat(path + "-wal"); errors.Is(err, os.ErrNotExist) {
		// Nobody has it open. To read it in WAL mode would leave two new files.
		query += "&immutable=1"
	}
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query}
	db, err := openSQLiteAt(ctx, path, address, readers)
	if err != nil {
		return err
	}
	d.read = db
	d.onClose(db.Close)
	prepared := newPreparedRunner(db, &d.count)
	d.onClose(prepared.close)
	d.reader = prepared
	return nil
}

// lookAtPostgres connects to PostgreSQL in transactions that cannot write, with
// the settings that others have too. A pooler takes no settings; there it is
// only that nothing writes.
func (d *DB) lookAtPostgres(ctx context.Context, config *pgx.ConnConfig) error {
	d.write = refusingWriter{}
	if !d.pooled {
		config.RuntimeParams["default_transaction_read_only"] = "on"
	}
	db := d.openPool(config, readers, "")
	if err := db.PingContext(ctx); err != nil {
		return cannotReachPostgres(config, err)
	}
	d.read, d.reader = db, plainRunner{pool: db, count: &d.count}
	return nil
}
