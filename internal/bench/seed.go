package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/tenantry/tenantry/internal/store"
)

const (
	statementRows   = 100
	transactionRows = 100_000
)

// seedSQLite inserts accounts by statements of many rows. The search table is
// told of them at the end.
func seedSQLite(r *run, database string, n int) {
	db := must(rawSQLite(database))
	all := newCompanies(n)
	for i := 0; i < n; i += transactionRows {
		seedTransaction(r.Context(), db, all, i, min(i+transactionRows, n))
		sayShare(min(i+transactionRows, n), n)
	}
	check(db.Close())
	r.maintain(database)
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
func (r *run) maintain(database string) {
	r.with(database, func(st *store.Store) { check(st.Maintain(r.Context())) })
}

func seedTransaction(ctx context.Context, db *sql.DB, all *companies, from, to int) {
	tx := must(db.BeginTx(ctx, nil))
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	for i := from; i < to; i += statementRows {
		rows := min(statementRows, to-i)
		args := make([]any, 0, rows*len(accountColumns))
		for j := range rows {
			args = append(args, all.row(i+j)...)
		}
		must(tx.ExecContext(ctx, insertText(rows), args...))
	}
	check(tx.Commit())
}

func insertText(rows int) string {
	row := "(" + strings.Repeat("?, ", len(accountColumns)-1) + "?)"
	return fmt.Sprintf("INSERT INTO account (%s) VALUES %s",
		strings.Join(accountColumns, ", "), strings.Repeat(row+", ", rows-1)+row)
}

// seedPostgres copies accounts in. Then it does what autovacuum would do a
// little later, in the middle of a measurement. Until then the indexes of words
// may put off all their work: in large portions it takes a fraction of the time.
func seedPostgres(r *run, database string, n int) {
	db := must(rawPostgres(database))
	defer db.Close()
	db.SetMaxOpenConns(1) // which keeps what SET says
	r.execute(db,
		"ALTER INDEX account_search SET (gin_pending_list_limit = 1048576)",
		"ALTER INDEX account_pairs SET (gin_pending_list_limit = 1048576)")
	conn := must(db.Conn(r.Context()))
	check(conn.Raw(func(driver any) error {
		all := newCompanies(n)
		i := 0
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(r.Context(), pgx.Identifier{"account"}, accountColumns, pgx.CopyFromFunc(func() ([]any, error) {
			if i == n {
				return nil, nil
			}
			if i++; i%transactionRows == 0 {
				sayShare(i, n)
			}
			return all.row(i - 1), nil
		}))
		return err
	}))
	check(conn.Close())
	r.execute(db,
		"ALTER INDEX account_search SET (gin_pending_list_limit = 256)",
		"ALTER INDEX account_pairs SET (gin_pending_list_limit = 1024)",
		"SET maintenance_work_mem = '512MB'",
		"VACUUM (ANALYZE) account")
}

func sayShare(done, n int) {
	if n > transactionRows {
		say("  %d %%", 100*done/n)
	}
}
