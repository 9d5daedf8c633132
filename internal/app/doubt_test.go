package app_test

import (
	"database/sql"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestUnavailableSaysWhatWasDone: a mutation that the database fails says whether
// something was changed, and whether it can be sent again.
func TestUnavailableSaysWhatWasDone(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "postgres")
	raw, err := sql.Open("pgx", db.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	run := func(text string) {
		t.Helper()
		if _, err := raw.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	run(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = 300', current_database()); END $$`)
	s := inside(t, known.with(env{"TENANTRY_DB": db.URL, "TENANTRY_SECRET_KEY": secretKey}))
	token := s.firstToken(t)
	run(`CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`)
	run(`CREATE CONSTRAINT TRIGGER break_off AFTER INSERT ON account DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.code = 'broken') EXECUTE FUNCTION break_off()`)

	create := func(code string) string {
		return `accountCreate(attributes: {name: "A", code: "` + code + `"}) { account { id contacts { id } } errors }`
	}
	for name, c := range map[string]struct{ document, key, locked, says string }{
		"a query":                 {document: `{ accounts { id } }`, locked: "account", says: "at the moment; try again ("},
		"before anything is sent": {document: "mutation {" + create("waits") + "}", locked: "account", says: "nothing was changed, try again ("},
		"one of several":          {document: "mutation { a: " + create("one") + " b: " + create("two") + "}", locked: "account", says: "other mutations of the request may have been"},
		"at the commit":           {document: "mutation {" + create("broken") + "}", says: "nobody knows whether this was done"},
		"with a key":              {document: "mutation {" + create("broken") + "}", key: "once", says: "send it again with the same Idempotency-Key"},
		"behind the commit":       {document: "mutation {" + create("done") + "}", locked: "contact", says: "do not send the mutation again"},
	} {
		t.Run(name, func(t *testing.T) {
			tx, err := raw.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback() //nolint:errcheck // it only locks
			if c.locked != "" {
				if _, err := tx.ExecContext(t.Context(), `LOCK TABLE `+c.locked); err != nil {
					t.Fatal(err)
				}
			}
			r, err := graphqlRequest(s.url, token, c.document, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.key != "" {
				r.Header.Set("Idempotency-Key", c.key)
			}
			a, err := send(r)
			if err != nil {
				t.Fatal(err)
			}
			if a.status != 503 || !strings.Contains(a.body, c.says) || !strings.Contains(a.body, `"UNAVAILABLE"`) {
				t.Errorf("answered %d %s, want %q", a.status, a.body, c.says)
			}
		})
	}
	if codes := accountCodes(t, s.url, token); len(codes) != 1 || !codes["done"] {
		t.Errorf("the accounts are %v", codes)
	}
}
