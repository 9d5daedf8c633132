package store_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

const logSize = 120_000

// growLog fills the log: platform 1 is ready and has 4,000 tenants with all but
// the last of their events delivered, platform 2 has no address and as many
// that wait, and some streams fail or are busy.
func growLog(t *testing.T, s *store.Store) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		for range 2 {
			m.provisioningPlatform()
		}
		account := m.account("A").ID
		series := `WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < $1) `
		for _, step := range []struct {
			text string
			args []any
		}{
			{`UPDATE platform SET webhook_url = 'https://x.example' WHERE id = 1`, nil},
			{`INSERT INTO tenant (platform_id, account_id, code, name, created_at, updated_at, search) ` + series +
				`SELECT 1 + n % 2, $2, 't' || n, 'Tenant ' || n, 0, 0, 'tenant ' || n FROM series`, []any{8000, int64(account)}},
			{`INSERT INTO webhook_event (type, stream_id, platform_id, sequence, reason, body, created_at) ` + series +
				`SELECT 'TenantProvisioningChange', 100001 + n % 8000, 1 + (1 + n % 8000) % 2, 1 + n / 8000, 'x', '{}', n * 1000 FROM series`, []any{logSize}},
			{`INSERT INTO webhook_delivery (event_id, platform_id, stream_id, position, cause, forced, state, latest, created_at, updated_at)
				SELECT id, platform_id, stream_id, sequence, 'change', $1, CASE WHEN platform_id = 2 OR sequence > 14 THEN 'waiting' WHEN id % 1000 = 7 THEN 'exhausted' ELSE 'delivered' END,
					$2, created_at, created_at FROM webhook_event`, []any{false, true}},
			{`INSERT INTO repair_event (event_id, platform_id, repair) SELECT id, platform_id, 'null' FROM webhook_event WHERE id % 5 = 3`, nil},
			{`INSERT INTO webhook_stream (id, subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, due_at, attempt_id, attempts, tries, delivered_sequence, highest_sequence)
				SELECT 100000 + id, 'TENANT', id, platform_id, 16, 16, 16, CASE WHEN platform_id = 2 THEN 0 ELSE 14 END, 0, CASE WHEN id % 500 < 4 THEN 1 END, CASE WHEN id % 500 = 5 OR id % 500 = 4 THEN 1 ELSE 0 END, 0, 0, 0 FROM tenant`, nil},
		} {
			text := step.text
			if s.Engine() == "postgres" {
				text = strings.Replace(text, "SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < $1", "SELECT generate_series(1, CAST($1 AS BIGINT))", 1)
				text = strings.Replace(text, "WITH RECURSIVE", "WITH", 1)
			}
			_, err := store.Exec(ctx, tx, text, step.args...)
			must(err)
		}
	})
	analyze(t, s)
}

// logPlans say how a page of the log is found. Each reads about as much as it
// returns: along an index in order, and never by sorting what could be many.
var logPlans = []struct{ filter, sqlite, postgres string }{
	{"", "SEARCH webhook_event USING INTEGER PRIMARY KEY (rowid>?); ! ORDER BY", "Index Only Scan using webhook_event_pkey"},
	{"platform:1", "SEARCH webhook_event USING COVERING INDEX webhook_event_platform (platform_id=? AND id>?); ! ORDER BY", "using webhook_event_platform"},
	{"tenant:t77", "SEARCH webhook_event USING COVERING INDEX webhook_event_sequence (stream_id=?)", "webhook_event_sequence"},
	{"state:delivered", "SEARCH webhook_event USING INTEGER PRIMARY KEY (rowid>?); SEARCH webhook_delivery USING INDEX webhook_delivery_event; ! ORDER BY", "webhook_event_pkey; SubPlan"},
	{"state:exhausted", "SEARCH webhook_delivery USING INDEX webhook_delivery_open (platform_id=? AND (state,event_id)>(?,?) AND (state,event_id)<(?,?)); ! ORDER BY", "Index Scan using webhook_delivery_open"},
	{"state:pending", "SEARCH webhook_delivery USING INDEX webhook_delivery_open (platform_id=? AND (state,event_id)>(?,?) AND (state,event_id)<(?,?)); SEARCH webhook_stream USING INTEGER PRIMARY KEY; ! ORDER BY", "Index Scan using webhook_delivery_open; webhook_stream_pkey"},
	{"state:held", "SEARCH webhook_delivery USING INDEX webhook_delivery_open; ! ORDER BY", "Index Scan using webhook_delivery_open"},
	{"state:in_flight", "SEARCH webhook_stream USING INDEX webhook_stream_busy (platform_id=?); SEARCH webhook_delivery USING INDEX webhook_delivery_position", "webhook_stream_busy; webhook_delivery_position"},
	{"state:retry_wait", "SEARCH webhook_stream USING INDEX webhook_stream_failing (platform_id=?); SEARCH webhook_delivery USING INDEX webhook_delivery_position", "webhook_stream_failing; webhook_delivery_position"},
	{`"tenant 7"`, "SEARCH webhook_event USING INTEGER PRIMARY KEY (rowid>?); SEARCH tenant USING INTEGER PRIMARY KEY (rowid=?); ! ORDER BY", "webhook_event_pkey; SubPlan; Index Scan using tenant_pkey; ! Seq Scan on tenant"},
	{"created:1970-01-01T20:00:00Z", "SEARCH webhook_event USING INTEGER PRIMARY KEY (rowid>? AND rowid<?); ! ORDER BY", "webhook_event_pkey"},
	{"reason:drift.repair", "SEARCH repair_event USING INTEGER PRIMARY KEY (rowid>?); ! ORDER BY", "Index Only Scan using repair_event_pkey"},
	{"reason:drift.repair platform:1", "SEARCH repair_event USING COVERING INDEX repair_event_platform (platform_id=? AND event_id>?); ! ORDER BY", "using repair_event_platform"},
	{"reason:feature.added", "SEARCH webhook_event USING INTEGER PRIMARY KEY (rowid>?); ! ORDER BY", "webhook_event_pkey"},
	{"reason:feature.added state:delivered", "SEARCH webhook_event USING INTEGER PRIMARY KEY (rowid>?); SEARCH webhook_delivery USING INDEX webhook_delivery_event; ! ORDER BY", "webhook_event_pkey; SubPlan"},
	{"reason:feature.added state:exhausted", "webhook_delivery_open; SEARCH told USING INTEGER PRIMARY KEY (rowid=?); ! ORDER BY", "webhook_delivery_open; SubPlan; Index Scan using webhook_event_pkey"},
	{"reason:drift.repair state:delivered", "SEARCH repair_event USING INTEGER PRIMARY KEY (rowid>?); SEARCH webhook_delivery USING INDEX webhook_delivery_event; ! ORDER BY", "repair_event_pkey; SubPlan"},
	{"reason:drift.repair state:exhausted", "webhook_delivery_open; SEARCH told USING INTEGER PRIMARY KEY (rowid=?); ! ORDER BY", "webhook_delivery_open; SubPlan; Index Scan using webhook_event_pkey"},
	{"reason:drift.repair state:held", "webhook_delivery_open; SEARCH told USING INTEGER PRIMARY KEY (rowid=?); ! ORDER BY", "webhook_delivery_open; SubPlan; Index Scan using webhook_event_pkey"},
	{"reason:drift.repair state:retry_wait", "SEARCH webhook_stream USING INDEX webhook_stream_failing (platform_id=?); SEARCH told USING INTEGER PRIMARY KEY (rowid=?)", "webhook_stream_failing; SubPlan; Index Scan using webhook_event_pkey"},
	{"state:exhausted created:<1970-01-01T10:00:00Z", "webhook_delivery_open; SEARCH webhook_event USING INTEGER PRIMARY KEY (rowid=?); ! ORDER BY", "webhook_delivery_open; Index Scan using webhook_event_pkey"},
}

// testCrowdPlan looks at how the events of some hundred tenants are found.
func testCrowdPlan(t *testing.T, s *store.Store) {
	for _, backwards := range []bool{false, true} {
		p := plan{
			name: "a word of some hundred tenants", sqlite: "SEARCH webhook_event USING COVERING INDEX webhook_event_sequence (stream_id=?); CORRELATED SCALAR SUBQUERY",
			postgres: "Index Scan" + map[bool]string{true: " Backward"}[backwards] + " using webhook_event_sequence; Sort Key: ((SubPlan; ! Seq Scan on webhook_event",
			ask: func(ctx context.Context, q store.Queries) error {
				_, _, err := log.ListEventsWithin(ctx, q, store.Page{Filter: words("77"), Limit: 51, After: logSize / 2, Backwards: backwards}, 5000)
				return err
			},
		}
		if problem := p.check(t, s); problem != "" {
			t.Error(problem)
		}
	}
}

// TestLogPlans looks at how both engines go about the log with 120,000 events.
func TestLogPlans(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		growLog(t, s)
		t.Run("of a crowd", func(t *testing.T) { testCrowdPlan(t, s) })
		for why, index := range map[log.Behind]string{
			log.BehindFailing: "webhook_stream_failing", log.BehindWaiting: "webhook_stream_due", log.BehindStopped: "webhook_stream_stopped",
		} {
			postgres := index + "; ! Seq Scan on webhook_stream"
			if why == log.BehindWaiting {
				postgres = "webhook_stream" // most streams wait here, so that any way finds them soon
			}
			behind := plan{name: "out of sync: " + string(why), sqlite: "SEARCH webhook_stream USING INDEX " + index, postgres: postgres, ask: func(ctx context.Context, q store.Queries) error {
				_, err := log.CountBehind(ctx, q, why, 1000)
				return err
			}}
			if problem := behind.check(t, s); problem != "" {
				t.Error(problem)
			}
		}
		givenUp := plan{name: "given up", sqlite: "SEARCH webhook_delivery USING INDEX webhook_delivery_open (platform_id=? AND state=?)",
			postgres: "webhook_delivery_open; ! Seq Scan on webhook_delivery", ask: func(ctx context.Context, q store.Queries) error {
				_, err := log.CountGivenUp(ctx, q, 101)
				return err
			}}
		if problem := givenUp.check(t, s); problem != "" {
			t.Error(problem)
		}
		for _, c := range logPlans {
			page := store.Page{Filter: filter(t, c.filter), Limit: 51, After: logSize / 2}
			ask := func(ctx context.Context, q store.Queries) error {
				_, err := log.ListEvents(ctx, q, page)
				return err
			}
			p := plan{name: "log " + c.filter, ask: ask, sqlite: c.sqlite, postgres: c.postgres + "; ! Seq Scan on webhook_event; ! Seq Scan on webhook_delivery; ! Seq Scan on webhook_stream"}
			if problem := p.check(t, s); problem != "" {
				t.Error(problem)
			}
			page.Backwards = true
			p.name += ", the newest first"
			p.sqlite = strings.NewReplacer("(rowid>?)", "(rowid<?)", "AND id>?", "AND id<?", "AND event_id>?)", "AND event_id<?)").Replace(p.sqlite)
			p.postgres = strings.NewReplacer("Index Only Scan using", "Index Only Scan Backward using", "Index Scan using webhook_delivery_open", "Index Scan Backward using webhook_delivery_open").Replace(p.postgres)
			if problem := p.check(t, s); problem != "" {
				t.Error(problem)
			}
		}
	})
}
