package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/tenantry/tenantry/internal/store"
)

// migrate gives a new database its tables.
func migrate(ctx context.Context, database string) error {
	st, err := store.Open(ctx, store.Options{URL: database, Now: now})
	if err != nil {
		return err
	}
	return st.Close()
}

const (
	statementRows   = 100
	transactionRows = 100_000
)

// seedSQLite inserts accounts by statements of many rows. The search table is
// told of them at the end.
func seedSQLite(ctx context.Context, database string, n int) error {
	db, err := rawSQLite(database)
	if err != nil {
		return err
	}
	all := newCompanies(n)
	for i := 0; i < n && err == nil; i += transactionRows {
		err = seedTransaction(ctx, db, all, i, min(i+transactionRows, n))
		sayShare(min(i+transactionRows, n), n)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return maintain(ctx, database)
}

// rawSQLite opens a database past the store. What breaks here is made again, so
// nothing needs to reach the disk.
func rawSQLite(database string) (*sql.DB, error) {
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(strings.TrimPrefix(database, "sqlite:")), RawQuery: "_pragma=synchronous(OFF)"}
	db, err := sql.Open("sqlite", address.String())
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

func rawPostgres(database string) (*sql.DB, error) { return sql.Open("pgx", database) }

// maintain does what a server does for its database now and then.
func maintain(ctx context.Context, database string) error {
	st, err := store.Open(ctx, store.Options{URL: database, Now: now})
	if err != nil {
		return err
	}
	return errors.Join(st.Maintain(ctx), st.Close())
}

func seedTransaction(ctx context.Context, db *sql.DB, all *companies, from, to int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	for i := from; i < to; i += statementRows {
		rows := min(statementRows, to-i)
		args := make([]any, 0, rows*len(accountColumns))
		for j := range rows {
			args = append(args, all.row(i+j)...)
		}
		if _, err := tx.ExecContext(ctx, insertText(rows), args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func insertText(rows int) string {
	row := "(" + strings.Repeat("?, ", len(accountColumns)-1) + "?)"
	return fmt.Sprintf("INSERT INTO account (%s) VALUES %s",
		strings.Join(accountColumns, ", "), strings.Repeat(row+", ", rows-1)+row)
}

// seedPostgres copies accounts in. Then it does what autovacuum would do a
// little later, in the middle of a measurement. Until then the indexes of words
// may put off all their work: in large portions it takes a fraction of the time.
func seedPostgres(ctx context.Context, database string, n int) error {
	db, err := rawPostgres(database)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, index := range []string{"account_search", "account_pairs"} {
		if _, err := conn.ExecContext(ctx, "ALTER INDEX "+index+" SET (gin_pending_list_limit = 1048576)"); err != nil {
			return err
		}
	}
	err = conn.Raw(func(driver any) error {
		all := newCompanies(n)
		i := 0
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{"account"}, accountColumns, pgx.CopyFromFunc(func() ([]any, error) {
			if i == n {
				return nil, nil
			}
			if i++; i%transactionRows == 0 {
				sayShare(i, n)
			}
			return all.row(i - 1), nil
		}))
		return err
	})
	if err != nil {
		return err
	}
	for _, text := range []string{
		"ALTER INDEX account_search SET (gin_pending_list_limit = 256)",
		"ALTER INDEX account_pairs SET (gin_pending_list_limit = 1024)",
		"SET maintenance_work_mem = '512MB'",
		"VACUUM (ANALYZE) account",
	} {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

func sayShare(done, n int) {
	if n > transactionRows {
		say("  %d %%", 100*done/n)
	}
}
