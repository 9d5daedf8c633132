package console_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// multiply adds n customers to the demo: each an account with a contact, a
// tenant, a subscription like the first one, an event and an audit entry. It is
// the same text for both engines.
func (s *site) multiply(n int) {
	s.t.Helper()
	driver, address := "pgx", s.database
	if path, is := strings.CutPrefix(s.database, "sqlite:"); is {
		driver, address = "sqlite", "file:"+path+"?_pragma=synchronous(OFF)&_pragma=busy_timeout(900000)"
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	customers := customersLike(n)
	if driver == "pgx" {
		customers = withoutSearch(s, db, customers)
	}
	for _, text := range customers {
		if _, err := db.ExecContext(s.t.Context(), text); err != nil {
			s.t.Fatalf("%v: %s", err, text)
		}
	}
	if err := s.store.Maintain(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// withoutSearch wraps statements for PostgreSQL so that they fill tables whose
// search indexes are made anew at the end: to add a million texts to these piece
// by piece takes several times as long. Then it does what autovacuum would do a
// little later, in the middle of a measurement.
func withoutSearch(s *site, db *sql.DB, fill []string) []string {
	s.t.Helper()
	const text = `SELECT indexes.relname, pg_get_indexdef(indexes.oid), attstattarget FROM pg_class AS indexes
		JOIN pg_am ON pg_am.oid = relam AND amname = 'gin' JOIN pg_attribute ON attrelid = indexes.oid AND attnum = 1 ORDER BY 1`
	rows, err := db.QueryContext(s.t.Context(), text)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	var drop, restore []string
	for rows.Next() {
		var name, definition string
		var statistics int
		if err := rows.Scan(&name, &definition, &statistics); err != nil {
			s.t.Fatal(err)
		}
		drop = append(drop, "DROP INDEX "+name)
		restore = append(restore, definition, fmt.Sprintf("ALTER INDEX %s ALTER COLUMN 1 SET STATISTICS %d", name, statistics))
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return slices.Concat(drop, fill, []string{"SET maintenance_work_mem = '512MB'"}, restore, []string{"VACUUM (ANALYZE)"})
}

// customersLike are the statements that make n customers. They came in the course
// of a year, and every third was changed again up to half a year later.
func customersLike(n int) []string {
	created := fmt.Sprintf("1736942400000 + n * CAST(%d AS BIGINT)", int(365*24*time.Hour/time.Millisecond)/n)
	times := fmt.Sprintf("%s, %s + CASE n %% 3 WHEN 0 THEN n %% 179 * CAST(86400000 AS BIGINT) ELSE 0 END", created, created)
	numbers := fmt.Sprintf(` FROM (WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < %d) SELECT n FROM n) AS numbers`, n)
	return []string{
		`INSERT INTO account (id, name, code, billing_day, created_at, updated_at, search)
			SELECT 1000 + n, 'Customer ' || n, 'x-' || n, 1, ` + times + `, 'customer ' || n || '|x-' || n` + numbers,
		`INSERT INTO contact (account_id, first_name, email, created_at, updated_at, search)
			SELECT 1000 + n, 'Kim', 'kim-' || n || '@example.org', ` + times + `, 'kim||kim-' || n || '@example.org'` + numbers,
		`INSERT INTO tenant (id, platform_id, account_id, code, name, created_at, updated_at, search)
			SELECT 1000 + n, 1, 1000 + n, 't-' || n, 'Tenant ' || n, ` + times + `, 'tenant ' || n || '|t-' || n` + numbers,
		`INSERT INTO subscription (account_id, tenant_id, state, product_id, price_list_id, evergreen, renewal_term_months, start_date, end_date, term_start_date,
				anchor_day, charges, as_of, due_on, created_at, updated_at, search)
			SELECT 1000 + n, 1000 + n, CASE n % 4 WHEN 0 THEN 'CANCELED' WHEN 1 THEN 'EXPIRED' ELSE 'ACTIVE' END, product_id, price_list_id, evergreen,
				renewal_term_months, start_date, end_date, term_start_date, anchor_day, charges, as_of, CASE WHEN n % 4 > 1 THEN due_on ELSE NULL END,
				` + times + `, 'customer ' || n || '|t-' || n` + numbers + `, subscription WHERE subscription.id = 1`,
		`INSERT INTO webhook_stream (id, subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries, delivered_sequence, highest_sequence)
			SELECT 1000 + n, 'TENANT', 1000 + n, 1, 1, 1, 1, 1, 0, 0, 1, 1` + numbers,
		`INSERT INTO webhook_event (type, stream_id, platform_id, sequence, reason, body, created_at)
			SELECT type, 1000 + n, platform_id, 1, reason, body, created_at` + numbers + `, webhook_event WHERE webhook_event.id = 1`,
		`INSERT INTO webhook_delivery (event_id, platform_id, stream_id, position, cause, forced, state, latest, created_at, updated_at)
			SELECT id, platform_id, stream_id, 1, 'change', 1 < 0, CASE WHEN id % 20 = 7 THEN 'exhausted' ELSE 'delivered' END, 0 < 1, created_at, created_at
			FROM webhook_event WHERE stream_id > 1000`,
		// The server gives out ids of attempts by itself, beginning with 1.
		`INSERT INTO webhook_attempt (id, delivery_id, number, outcome, url, status, request_headers, truncated, started_at)
			SELECT 1000000 + id, id, 1, 'delivered', 'https://app.example.com', 200, '{}', 1 < 0, created_at FROM webhook_delivery WHERE stream_id > 1000`,
		`INSERT INTO audit_entry (at, actor, action, subject_type, subject_id, detail, search)
			VALUES (1736942400000, 'client x', 'accountDelete', 'Account', 1001, '{}', 'accountdelete|client x|account|1001')`,
		`INSERT INTO audit_entry (at, actor, action, subject_type, subject_id, detail, search)
			SELECT 1768478400000, 'client x', 'accountCreate', 'Account', 1000 + n, '{}', 'accountcreate|client x|account|' || (1000 + n)` + numbers,
	}
}
