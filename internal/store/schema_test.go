package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// notCompared are the tables and indexes that are not the same on purpose: how
// each engine finds words, and what belongs to the engine or to the migrations.
var notCompared = []string{"account_search", "contact_search", "subscription_search", "tenant_search", "search_change",
	"account_pairs", "contact_pairs", "subscription_pairs", "tenant_pairs", "goose_db_version", "sqlite_sequence"}

// TestSchemasAreTheSame migrates both engines and compares all they have.
func TestSchemasAreTheSame(t *testing.T) {
	t.Parallel()
	schemas := map[string][]string{}
	for _, engine := range storetest.Engines {
		schemas[engine] = schemaOf(t, empty(t, engine).Open(t))
		if len(schemas[engine]) < 100 {
			t.Fatalf("%s has a schema of %d lines: the test does not see it", engine, len(schemas[engine]))
		}
	}
	for engine, other := range map[string]string{"sqlite": "postgres", "postgres": "sqlite"} {
		for _, line := range schemas[engine] {
			if !slices.Contains(schemas[other], line) {
				t.Errorf("only on %s: %s", engine, line)
			}
		}
	}
}

// schemaOf describes a schema in lines that read alike for both engines.
func schemaOf(t *testing.T, s *store.Store) (lines []string) {
	t.Helper()
	queries := sqliteSchema
	if s.Engine() == "postgres" {
		queries = postgresSchema
	}
	for what, query := range queries {
		for _, row := range got[[]string](t)(store.Rows(t.Context(), s.Queries(), query)) {
			table, rest, _ := strings.Cut(row, "|")
			name, _, _ := strings.Cut(rest, "|")
			excepted := func(n string) bool { return table == n || name == n || strings.HasPrefix(table, n+"_") }
			if !slices.ContainsFunc(notCompared, excepted) {
				lines = append(lines, fmt.Sprintf("%s %s", what, row))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// Types are compared as what both engines make of a Go type. SQLite keeps a
// boolean as an integer, so that an integer stands for both there and here.
var sqliteSchema = map[string]string{
	"column": `SELECT t.name, c.name,
			CASE c.type WHEN 'INTEGER' THEN 'integer' WHEN 'TEXT' THEN 'text' WHEN 'BLOB' THEN 'bytea' ELSE c.type END,
			CASE WHEN c."notnull" OR c.pk > 0 THEN 'required' ELSE 'optional' END, COALESCE(c.dflt_value, 'no default')
		FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c WHERE t.type = 'table' AND c.hidden <> 1`,
	"strict table": `SELECT l.name FROM pragma_table_list AS l WHERE l.schema = 'main' AND l.strict`,
	"primary key": `SELECT t.name, (SELECT group_concat(c.name, ',') FROM (SELECT name FROM pragma_table_info(t.name) WHERE pk > 0 ORDER BY pk) AS c) AS key
		FROM sqlite_schema AS t WHERE t.type = 'table' AND key IS NOT NULL`,
	// An index that a constraint made has no name of its own.
	"index": `SELECT t.name, CASE i.origin WHEN 'c' THEN i.name ELSE '' END, CASE WHEN i."unique" THEN 'unique' ELSE 'plain' END,
			CASE WHEN i.partial THEN 'partial' ELSE 'whole' END,
			(SELECT group_concat(c.name, ',') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno) AS c)
		FROM sqlite_schema AS t, pragma_index_list(t.name) AS i WHERE t.type = 'table' AND i.origin <> 'pk'`,
	// What refers to a delivery is checked on SQLite only: PostgreSQL would lock
	// the delivery for every attempt.
	"foreign key": `SELECT t.name, f."from", f."table", f."to", f.on_delete, f.on_update
		FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table' AND f."table" <> 'webhook_delivery'`,
	"counter": `SELECT 'counter', name, value FROM counter`,
}

var postgresSchema = map[string]string{
	"column": `SELECT table_name, column_name,
			CASE data_type WHEN 'bigint' THEN 'integer' WHEN 'boolean' THEN 'integer' ELSE data_type END,
			CASE is_nullable WHEN 'NO' THEN 'required' ELSE 'optional' END, COALESCE(replace(column_default, '::text', ''), 'no default')
		FROM information_schema.columns WHERE table_schema = 'public'`,
	"strict table": `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
	"primary key": `SELECT CAST(i.indrelid AS regclass), (SELECT string_agg(a.attname, ',' ORDER BY k.place)
			FROM unnest(CAST(i.indkey AS int2[])) WITH ORDINALITY AS k (number, place)
			JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number)
		FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE c.relnamespace = CAST('public' AS regnamespace) AND i.indisprimary`,
	"index": `SELECT CAST(i.indrelid AS regclass), CASE WHEN EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid AND contype = 'u') THEN '' ELSE c.relname END,
			CASE WHEN i.indisunique THEN 'unique' ELSE 'plain' END, CASE WHEN i.indpred IS NOT NULL THEN 'partial' ELSE 'whole' END,
			(SELECT string_agg(a.attname, ',' ORDER BY k.place)
			FROM unnest(CAST(i.indkey AS int2[])) WITH ORDINALITY AS k (number, place)
			JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number)
		FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE c.relnamespace = CAST('public' AS regnamespace) AND NOT i.indisprimary`,
	"foreign key": `SELECT CAST(f.conrelid AS regclass), a.attname, CAST(f.confrelid AS regclass), b.attname,
			CASE f.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'c' THEN 'CASCADE' ELSE CAST(f.confdeltype AS TEXT) END, CASE f.confupdtype WHEN 'a' THEN 'NO ACTION' ELSE CAST(f.confupdtype AS TEXT) END
		FROM pg_constraint AS f
		JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
		JOIN pg_attribute AS b ON b.attrelid = f.confrelid AND b.attnum = f.confkey[1]
		WHERE f.contype = 'f' AND array_length(f.conkey, 1) = 1`,
	"counter": `SELECT 'counter', name, value FROM counter`,
}
