package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/transfer"
)

// importedTables are what an import of customers writes, those that others refer
// to first.
var importedTables = []string{"account", "contact", "tenant", "subscription", "subscription_change", "audit_entry"}

const importCatalog = `{"type":"platform","code":"app","name":"The App","provisioningEnabled":true}
{"type":"product","code":"crm","name":"CRM","platform":"app"}
{"type":"feature","product":"crm","code":"users","name":"Users","kind":"QUANTITY"}
{"type":"plan","product":"crm","code":"pro","name":"Pro"}
{"type":"planFeature","product":"crm","plan":"pro","feature":"users","value":"5"}
{"type":"priceList","code":"monthly","product":"crm","plan":"pro","name":"Monthly","currencyId":"EUR"}
{"type":"charge","priceList":"monthly","code":"seats","name":"Seats","feature":"users","price":"5"}
`

// measureImport compares importing customers, each an account with a contact, a
// tenant and a subscription, with all its checks, against writing the same rows
// one by one without looking at them, as many in a transaction.
func measureImport(ctx context.Context, b *bench, e *engine) ([]result, error) {
	n := b.subs / 20
	database, took, err := importInto(ctx, e, "import", importCatalog+customers(n))
	if err != nil {
		return nil, err
	}
	say("%s customers with subscriptions in %.1f s, %.0f a second", thousands(n), took.Seconds(), float64(n)/took.Seconds())
	bare, _, err := importInto(ctx, e, "import_bare", importCatalog)
	if err != nil {
		return nil, err
	}
	against, err := copyImported(ctx, e, database, bare)
	if err != nil {
		return nil, err
	}
	each := func(d time.Duration) float64 { return milliseconds(d) / float64(n) }
	return []result{newResult("import, each", e.name, "ms", each(took), each(against)).atMost(importCeiling)}, nil
}

// importCeiling is what reading, checking everything and keeping the index of
// words may cost beside the rows themselves, which on SQLite are written without
// that index and without waiting for the disk.
const importCeiling = 8

// customers are the lines of so many customers.
func customers(n int) string {
	names := newCompanies(max(n, fewAccounts))
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `{"type":"account","code":"C-%d","name":%q,"billingDay":%d,"currencyId":"EUR"}`+"\n", i, names.name(i), 1+i%28)
		fmt.Fprintf(&out, `{"type":"contact","account":"C-%d","firstName":"Ann","lastName":"Miller","email":"ann%d@example.com","billing":true}`+"\n", i, i)
		fmt.Fprintf(&out, `{"type":"tenant","platform":"app","code":"t-%d","account":"C-%d"}`+"\n", i, i)
		fmt.Fprintf(&out, `{"type":"subscription","code":"S-%d","account":"C-%d","tenant":"t-%d","priceList":"monthly","startDate":"2026-01-%02d","quantities":{"users":%d}}`+"\n",
			i, i, i, 1+i%28, 1+i%300)
	}
	return out.String()
}

// importInto imports lines into a new database.
func importInto(ctx context.Context, e *engine, name, lines string) (database string, took time.Duration, err error) {
	if database, err = e.create(ctx, name); err != nil {
		return "", 0, err
	}
	st, err := store.Open(ctx, store.Options{URL: database, Now: now})
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	box, err := secret.NewBox(secretKey)
	if err != nil {
		return "", 0, err
	}
	src, err := transfer.Spool(bytes.NewReader([]byte(lines)))
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	start := now()
	tagged(ctx, "server", func(ctx context.Context) {
		_, err = transfer.Import(operation.As(ctx, operation.Caller{Actor: "bench"}), st, service.New(st, box, nil), src, transfer.Options{MaxErrors: 10, Now: now})
	})
	return database, now().Sub(start), err
}

// copyImported writes the rows of the imported tables of one database to another, and
// returns how long the writing took.
func copyImported(ctx context.Context, e *engine, from, to string) (took time.Duration, err error) {
	source, err := e.raw(from)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := e.raw(to)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	for _, table := range importedTables {
		columns, rows, err := rowsOf(ctx, source, table)
		if err != nil {
			return 0, err
		}
		start := now()
		for first := 0; first < len(rows); first += bareBatch {
			if err := insertRows(ctx, target, table, columns, rows[first:min(first+bareBatch, len(rows))]); err != nil {
				return 0, fmt.Errorf("copy %s: %w", table, err)
			}
		}
		took += now().Sub(start)
	}
	return took, nil
}

// bareBatch is how many rows are in a transaction, as many as an import has.
const bareBatch = 500

// rowsOf reads a table without its ids, which are given out anew.
func rowsOf(ctx context.Context, db *sql.DB, table string) (columns []string, rows [][]any, err error) {
	found, err := db.QueryContext(ctx, "SELECT * FROM "+table+" ORDER BY id")
	if err != nil {
		return nil, nil, err
	}
	defer found.Close()
	if columns, err = found.Columns(); err != nil {
		return nil, nil, err
	}
	for found.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := found.Scan(into...); err != nil {
			return nil, nil, err
		}
		rows = append(rows, values[1:])
	}
	return columns[1:], rows, found.Err()
}

func insertRows(ctx context.Context, db *sql.DB, table string, columns []string, rows [][]any) error {
	placeholders := make([]string, len(columns))
	for i := range placeholders {
		placeholders[i] = fmt.Sprintf("$%d", i+1)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // it is over by then, if all went well
	insert, err := tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), strings.Join(placeholders, ", ")))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
