package main

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

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
func measureImport(r *run) []result {
	n := r.subs / 20
	database, took := r.importInto("import", importCatalog+customers(n))
	say("%s customers with subscriptions in %.1f s, %.0f a second", thousands(n), took.Seconds(), float64(n)/took.Seconds())
	bare, _ := r.importInto("import_bare", importCatalog)
	against := r.copyImported(database, bare)
	each := func(d time.Duration) float64 { return milliseconds(d) / float64(n) }
	return []result{r.result("import, each", "ms", each(took), each(against)).atMost(importCeiling)}
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
func (r *run) importInto(name, lines string) (database string, took time.Duration) {
	database = r.create(name)
	r.with(database, func(st *store.Store) {
		src := must(transfer.Spool(strings.NewReader(lines)))
		defer func() { check(src.Close()) }()
		start := now()
		tagged(r.Context(), "server", func(ctx context.Context) {
			must(transfer.Import(operation.As(ctx, operation.Caller{Actor: "bench"}), st, operations(st), src, transfer.Options{MaxErrors: 10, Now: now}))
		})
		took = now().Sub(start)
	})
	return database, took
}

// copyImported writes the rows of the imported tables of one database to another, and
// returns how long the writing took.
func (r *run) copyImported(from, to string) (took time.Duration) {
	source, target := r.raw(from), r.raw(to)
	for _, table := range importedTables {
		columns, rows := rowsOf(r.Context(), source, table)
		start := now()
		for batch := range slices.Chunk(rows, bareBatch) {
			insertRows(r.Context(), target, table, columns, batch)
		}
		took += now().Sub(start)
	}
	return took
}

// bareBatch is how many rows are in a transaction, as many as an import has.
const bareBatch = 500

// rowsOf reads a table without its ids, which are given out anew.
func rowsOf(ctx context.Context, db *sql.DB, table string) (columns []string, rows [][]any) {
	found := must(db.QueryContext(ctx, "SELECT * FROM "+table+" ORDER BY id"))
	defer found.Close()
	columns = must(found.Columns())
	for found.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		check(found.Scan(into...))
		rows = append(rows, values[1:])
	}
	check(found.Err())
	return columns[1:], rows
}

func insertRows(ctx context.Context, db *sql.DB, table string, columns []string, rows [][]any) {
	placeholders := make([]string, len(columns))
	for i := range placeholders {
		placeholders[i] = fmt.Sprintf("$%d", i+1)
	}
	tx := must(db.BeginTx(ctx, nil))
	defer tx.Rollback() // it is over by then, if all went well
	insert := must(tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), strings.Join(placeholders, ", "))))
	for _, row := range rows {
		must(insert.ExecContext(ctx, row...))
	}
	check(tx.Commit())
}
