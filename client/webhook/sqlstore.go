package webhook

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
)

// SQLStore is a Store in a table of your own database, SQLite (3.35 or newer) or
// PostgreSQL, shared by all your processes. Your function runs inside its
// transaction, which it gets with Tx: what it writes there is committed together
// with the number, or not at all.
//
// On SQLite the function must write through Tx, because no other connection can
// write at that time.
type SQLStore struct {
	db    *sql.DB
	table string
}

// DefaultTable is the name of the table of an SQLStore.
const DefaultTable = "tenantry_tenant"

var tableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$`)

// NewSQLStore makes a store in a table, DefaultTable if the name is empty, and
// creates the table if it is missing.
func NewSQLStore(ctx context.Context, db *sql.DB, table string) (*SQLStore, error) {
	if db == nil {
		return nil, errors.New("webhook: a database is needed")
	}
	if table == "" {
		table = DefaultTable
	}
	if !tableName.MatchString(table) {
		return nil, fmt.Errorf("webhook: %q is no name for a table: use letters, digits and underscores", table)
	}
	s := &SQLStore{db, table}
	_, err := db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS `+table+` (tenant_id BIGINT NOT NULL PRIMARY KEY, sequence BIGINT NOT NULL)`)
	if err != nil {
		// Another process may have made it at the same moment, or this one may
		// only use it.
		if _, look := db.ExecContext(ctx, `SELECT tenant_id, sequence FROM `+table+` WHERE tenant_id = 0`); look != nil {
			return nil, fmt.Errorf("webhook: the table %s cannot be made: %w", table, err)
		}
	}
	return s, nil
}

type txInContext struct{}

// Tx is the transaction that an SQLStore runs your function in; nil outside of
// one. Do not commit it or roll it back.
func Tx(ctx context.Context) *sql.Tx {
	tx, _ := ctx.Value(txInContext{}).(*sql.Tx)
	return tx
}

// Update is that of Store.
func (s *SQLStore) Update(ctx context.Context, tenant int64, change func(context.Context, int64) (int64, error)) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("webhook: begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // without effect after a commit
	// Writing the row locks it, also when it is new, and shows its latest state.
	var last int64
	err = tx.QueryRowContext(ctx, `INSERT INTO `+s.table+` AS known (tenant_id, sequence) VALUES ($1, 0)
		ON CONFLICT (tenant_id) DO UPDATE SET sequence = known.sequence RETURNING sequence`, tenant).Scan(&last)
	if err != nil {
		return fmt.Errorf("webhook: lock tenant %d: %w", tenant, err)
	}
	next, err := change(context.WithValue(ctx, txInContext{}, tx), last)
	if err != nil {
		return err
	}
	if next != last {
		if _, err := tx.ExecContext(ctx, `UPDATE `+s.table+` SET sequence = $1 WHERE tenant_id = $2`, next, tenant); err != nil {
			return fmt.Errorf("webhook: remember tenant %d: %w", tenant, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("webhook: commit: %w", err)
	}
	return nil
}
