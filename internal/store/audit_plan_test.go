package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
)

// auditPlans say how a page of the audit log is found: along a range of an
// index for each kind or subject, in order.
var auditPlans = []struct{ filter, sqlite, postgres string }{
	{"", "SEARCH audit_entry USING INTEGER PRIMARY KEY (rowid<?)", "Index Scan Backward using audit_entry_pkey"},
	{"rare", ofKind, "Index Only Scan Backward using audit_entry_kind; Index Cond: ((actor = audit_kind.actor) AND (action = audit_kind.action) AND (ROW(subject_type, id) >"},
	{`actor:"client rare"`, ofKind, "Index Only Scan Backward using audit_entry_kind"},
	{"action:rareDelete", ofKind, "Index Only Scan Backward using audit_entry_kind"},
	{"rare action:rareDelete", ofKind, "Index Only Scan Backward using audit_entry_kind"},
	{"rare at:<1970-01-01T10:00:00Z", "SEARCH audit_entry USING INDEX audit_entry_kind (actor=? AND action=? AND subject_type=? AND id>? AND id<?)", "audit_entry_kind"},
	{"many", ofKind + "; ! SCAN audit_entry", "Index Only Scan Backward using audit_entry_kind; Sort Key: ((SubPlan 1)) DESC"},
	{"77", "SEARCH audit_entry USING INDEX audit_entry_subject (subject_type=? AND subject_id=? AND id>? AND id<?)", "audit_entry_subject; (subject_type = audit_kind.subject_type) AND (ROW(subject_id, id) >"},
	{"subjectId:77", "SEARCH audit_entry USING COVERING INDEX audit_entry_subject (subject_type=? AND subject_id=? AND id>? AND id<?)", "Index Only Scan Backward using audit_entry_subject"},
	{"subjectType:Account subjectId:77 rare", "SEARCH audit_entry USING INDEX audit_entry_subject (subject_type=? AND subject_id=? AND id>? AND id<?)", "audit_entry_subject; (subject_type = audit_kind.subject_type) AND (ROW(subject_id, id) >"},
	{`actor:"client rare" subjectId:77`, "SEARCH audit_entry USING INDEX audit_entry_subject (subject_type=? AND subject_id=? AND id>? AND id<?)", "audit_entry_subject; (subject_type = audit_kind.subject_type) AND (ROW(subject_id, id) >"},
	{"zzz", ofCustomer, "Index Cond: ((subject_type = 'Contact'::text) AND (ROW(subject_id, id) >"},
	{"zzz update", ofCustomer, "Index Cond: ((subject_type = 'Account'::text) AND (ROW(subject_id, id) >"},
}

const ofCustomer = "SCAN account_search VIRTUAL TABLE; SEARCH audit_entry USING INDEX audit_entry_subject (subject_type=? AND subject_id=? AND id>? AND id<?); ! SCAN audit_entry"

const ofKind = "SEARCH audit_entry USING COVERING INDEX audit_entry_kind (actor=? AND action=? AND subject_type=? AND id>? AND id<?)"

// testAuditPlans looks at how both engines go about a log in which all but a few
// entries are of one kind, which is when PostgreSQL would guess wrong, and at
// what is counted by an index.
func testAuditPlans(t *testing.T, s *store.Store) {
	growAudit(t, s)
	for _, c := range auditPlans {
		p := plan{name: "audit " + c.filter, sqlite: c.sqlite, postgres: c.postgres + "; ! Seq Scan on audit_entry"}
		p.ask = func(ctx context.Context, q store.Queries) error {
			_, _, err := store.ListAudit(ctx, q, store.Page{Filter: filter(t, c.filter), Limit: 51, Backwards: true}, 0)
			return err
		}
		if problem := p.check(t, s); problem != "" {
			t.Error(problem)
		}
	}
	for text, index := range map[string]string{"rare": "audit_entry_kind", "action:rareDelete": "audit_entry_kind", "subjectId:77": "audit_entry_subject", "zzz": "audit_entry_subject"} {
		p := plan{name: "count " + text, sqlite: "INDEX " + index, postgres: index, ask: func(ctx context.Context, q store.Queries) error {
			_, err := store.CountAudit(ctx, q, filter(t, text))
			return err
		}}
		if problem := p.check(t, s); problem != "" {
			t.Error(problem)
		}
	}
}

// growAudit adds 60,000 entries of one program, and before them one of another
// and one of each of many.
func growAudit(t *testing.T, s *store.Store) {
	t.Helper()
	const insert = `INSERT INTO audit_entry (at, actor, action, subject_type, subject_id, detail, search) `
	series := `WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < $1) `
	if s.Engine() == "postgres" {
		series = `WITH series (n) AS (SELECT generate_series(1, CAST($1 AS BIGINT))) `
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Exec(ctx, tx, insert+`VALUES (1, 'client rare', 'rareDelete', 'Account', 77, '{}', 'raredelete|client rare|account|77')`)
		must(err)
		_, err = store.Exec(ctx, tx, insert+series+`SELECT 1, 'client many-' || n, 'tenantCreate', 'Tenant', n, '{}', 'tenantcreate|client many-' || n || '|tenant|' || n FROM series`, 100)
		must(err)
		_, err = store.Exec(ctx, tx, insert+series+`SELECT n * 1000, 'client robot', 'accountCreate', 'Account', n % 10000, '{}', 'accountcreate|client robot|account|' || n % 10000 FROM series`, 60_000)
		must(err)
	})
	analyze(t, s)
}
