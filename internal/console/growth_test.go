package console_test

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/storetest"
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
	const numbers = ` FROM (WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < %[1]d) SELECT n FROM n) AS numbers`
	for _, text := range []string{
		`INSERT INTO account (id, name, code, billing_day, created_at, updated_at, search)
			SELECT 1000 + n, 'Customer ' || n, 'x-' || n, 1, 1768478400000, 1768478400000, 'customer ' || n || '|x-' || n` + numbers,
		`INSERT INTO contact (account_id, first_name, email, created_at, updated_at, search)
			SELECT 1000 + n, 'Kim', 'kim-' || n || '@example.org', 1768478400000, 1768478400000, 'kim||kim-' || n || '@example.org'` + numbers,
		`INSERT INTO tenant (id, platform_id, account_id, code, name, created_at, updated_at, search)
			SELECT 1000 + n, 1, 1000 + n, 't-' || n, 'Tenant ' || n, 1768478400000, 1768478400000, 'tenant ' || n || '|t-' || n` + numbers,
		`INSERT INTO subscription (account_id, tenant_id, state, product_id, price_list_id, evergreen, renewal_term_months, start_date, end_date, term_start_date,
				anchor_day, charges, as_of, due_on, created_at, updated_at, search)
			SELECT 1000 + n, 1000 + n, CASE n %% 4 WHEN 0 THEN 'CANCELED' WHEN 1 THEN 'EXPIRED' ELSE 'ACTIVE' END, product_id, price_list_id, evergreen,
				renewal_term_months, start_date, end_date, term_start_date, anchor_day, charges, as_of, CASE WHEN n %% 4 > 1 THEN due_on ELSE NULL END,
				created_at, updated_at, 'customer ' || n || '|t-' || n` + numbers + `, subscription WHERE subscription.id = 1`,
		`INSERT INTO webhook_lane (tenant_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries, delivered_sequence, highest_sequence)
			SELECT 1000 + n, 1, 1, 1, 1, 1, 0, 0, 1, 1` + numbers,
		`INSERT INTO webhook_event (type, tenant_id, platform_id, sequence, reason, body, created_at)
			SELECT type, 1000 + n, platform_id, 1, reason, body, created_at` + numbers + `, webhook_event WHERE webhook_event.id = 1`,
		`INSERT INTO webhook_delivery (event_id, platform_id, tenant_id, position, cause, forced, state, latest, created_at, updated_at)
			SELECT id, platform_id, tenant_id, 1, 'change', 1 < 0, CASE WHEN id %% 1000 = 7 THEN 'exhausted' ELSE 'delivered' END, 0 < 1, created_at, created_at
			FROM webhook_event WHERE tenant_id > 1000 AND %[1]d > 0`,
		`INSERT INTO webhook_attempt (delivery_id, number, outcome, url, status, request_headers, truncated, started_at)
			SELECT id, 1, 'delivered', 'https://app.example.com', 200, '{}', 1 < 0, created_at FROM webhook_delivery WHERE tenant_id > 1000 AND %[1]d > 0`,
		`INSERT INTO audit_entry (at, actor, action, subject_type, subject_id, detail, search)
			SELECT 1768478400000, 'client x', 'accountCreate', 'Account', 1000 + n, '{}', 'accountcreate|client x|account|' || (1000 + n)` + numbers,
	} {
		if _, err := db.ExecContext(s.t.Context(), fmt.Sprintf(text, n)); err != nil {
			s.t.Fatalf("%v: %s", err, text)
		}
	}
	if driver == "pgx" {
		if _, err := db.ExecContext(s.t.Context(), "VACUUM (ANALYZE)"); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := s.store.Maintain(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// TestPagesDoNotGrow compares what pages take with many customers and with few.
// The two take turns, so that whatever else the machine does meets both alike.
// It says how many customers in TENANTRY_GROWTH.
func TestPagesDoNotGrow(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv("TENANTRY_GROWTH"))
	if err != nil {
		t.Skip("TENANTRY_GROWTH names no number of customers: skipped")
	}
	for _, engine := range storetest.Engines { // one after another
		small, large := open(t, engine), open(t, engine)
		for s, n := range map[*site]int{small: 1000, large: many} {
			s.fill()
			s.multiply(n)
		}
		few, lots := small.as(billing.Admin), large.as(billing.Admin)
		for _, path := range append(large.growingPages(), stoppingPages...) {
			before, after := compare(func() { few.wants(few.get(path), 200) }, func() { lots.wants(lots.get(path), 200) })
			ratio := float64(after) / float64(before)
			t.Logf("%-9s %6.1f ms %6.1f ms  ×%.1f  %s", engine, 1000*before.Seconds(), 1000*after.Seconds(), ratio, path)
			// A search that stops early has more to look through, up to its bound.
			if after > 50*time.Millisecond || ratio > 2 && after > 10*time.Millisecond && !slices.Contains(stoppingPages, path) {
				t.Errorf("%s on %s takes %v with %d customers and %v with 1000", path, engine, after, many, before)
			}
		}
	}
}

// growingPages is every page, and searches of all kinds.
func (s *site) growingPages() []string {
	return append(s.everyPage(), "/accounts?q=nordwind", "/subscriptions?q=nordwind", "/tenants?q=nordwind", "/contacts?q=nguyen", "/accounts?older=900",
		"/accounts/1077", "/tenants/1077", "/platforms/1", "/price-lists/3", "/events?q=nordwind", "/events?state=exhausted", "/events?q=tenant:t-77",
		"/events?q=platform:app&state=delivered", "/events?older=900", "/audit?q=subjectType:Account+subjectId:1077",
		"/audit?q=at:%3C2000-01-01+nobody", "/audit?q=nobody", "/audit?q=action:platformCreate", "/audit?q=1077", "/lookup/tenants?field=q&platform=1&q=nordwind")
}

// stoppingPages are searches that no index helps.
var stoppingPages = []string{"/audit?q=subjectId:%3C2", "/events?q=%22tenant+77%22"}

// compare returns the median times of two things that take turns. The first turn
// does not count.
func compare(one, other func()) (time.Duration, time.Duration) {
	var times [2][]time.Duration
	for turn := range 10 {
		for i, do := range []func(){one, other} {
			start := time.Now()
			do()
			if turn > 0 {
				times[i] = append(times[i], time.Since(start))
			}
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	return times[0][4], times[1][4]
}
