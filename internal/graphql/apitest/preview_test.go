package apitest

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// previewedOtherwise are answers that a preview gives differently from the mutation, by what their
// steps do.
var previewedOtherwise = []string{"testClockAdvance", "WebhookTest", "eventEndpointTest", "paymentMethodSetup"}

// TestEveryMutationAsPreview plays all scenarios, which have every mutation, and sends
// each request with mutations as a preview first: the answer is that of the mutation, and
// nothing in the database is another than before.
func TestEveryMutationAsPreview(t *testing.T) {
	t.Parallel()
	for _, script := range readScripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(script.path), ".txt"), func(t *testing.T) {
			each(t, func(t *testing.T, s *server) { script.preview(t, s) })
		})
	}
}

func (sc *script) preview(t *testing.T, s *server) {
	db := s.db.Connect(t)
	k := known{map[string]string{}, s.clock.Now}
	for _, step := range sc.steps {
		if strings.HasPrefix(strings.TrimSpace(step.document), "mutation") && step.headers["Tenantry-Preview"] == "" && step.headers["Tenantry-Expect-Tenants"] == "" {
			step.playAsPreview(t, s, db, known{maps.Clone(k.values), s.clock.Now})
		}
		got := step.play(t, s, k)
		if s.db.Engine == "postgres" {
			// Its ids skip those of rows that were taken back, and answers tell of ids.
			_ = differ("answer", mustParse(t, step.answer), got, k.same)
			continue
		}
		if differences := differ("answer", mustParse(t, step.answer), got, k.same); len(differences) > 0 {
			t.Fatalf("%s, after a preview:\n%s", step.title, strings.Join(differences, "\n"))
		}
	}
}

// playAsPreview sends the request of a step as a preview. Workers of the server write at
// any time: what has changed counts only if it does so every time.
func (st *step) playAsPreview(t *testing.T, s *server, db *sql.DB, k known) {
	t.Helper()
	if st.clock != 0 || st.status != 200 {
		return
	}
	r, err := st.request(k)
	if err != nil {
		t.Fatalf("%s: %v", st.title, err)
	}
	r = r.with("Tenantry-Preview", "true")
	var changed []string
	for range 5 {
		before := contents(t, db, s.db.Engine)
		a := s.send(t, r)
		after := contents(t, db, s.db.Engine)
		st.checkPreview(t, s.db.Engine, a, k)
		if changed = changedTables(before, after); len(changed) == 0 {
			return
		}
	}
	t.Errorf("%s: a preview changed %v", st.title, changed)
}

// checkPreview compares the answer to a preview with that of the mutation.
func (st *step) checkPreview(t *testing.T, engine string, a answer, k known) {
	t.Helper()
	var got struct {
		Data       json.RawMessage
		Errors     json.RawMessage
		Extensions struct {
			Impact *struct{ Tenants, Webhooks int }
		}
	}
	if err := json.Unmarshal(a.body, &got); err != nil {
		t.Fatalf("%s: %v in %s", st.title, err, a.body)
	}
	if strings.Contains(string(got.Errors), "GRAPHQL_VALIDATION_FAILED") || strings.Contains(string(got.Errors), "BAD_USER_INPUT") {
		return // it is not executed
	}
	if got.Extensions.Impact == nil && len(got.Data) > 0 {
		t.Errorf("%s: a preview without its impact: %s", st.title, a.body)
	}
	if st.headers["Idempotency-Key"] != "" || engine == "postgres" || slices.ContainsFunc(previewedOtherwise, func(name string) bool { return strings.Contains(st.document, name) }) {
		return
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(a.body, &whole); err != nil {
		t.Fatal(err)
	}
	delete(whole, "extensions")
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	copied := known{maps.Clone(k.values), k.now}
	if differences := differ("answer", mustParse(t, st.answer), mustParse(t, string(text)), copied.same); len(differences) > 0 {
		t.Errorf("%s: as a preview it answers\n%s", st.title, strings.Join(differences, "\n"))
	}
}

// TestPreviewsThatTakeTooLong are refused, and so is a guarded mutation: nobody knows how
// many tenants it would reach.
func TestPreviewsThatTakeTooLong(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := startWith(t, engine, func(p *app.Process) { p.Previews = 1 })
			create := post(`mutation { accountCreate(attributes: {name: "Acme"}) { account { name } } }`, "")
			for header, value := range map[string]string{"Tenantry-Preview": "true", "Tenantry-Expect-Tenants": "100"} {
				a := s.send(t, create.with(header, value))
				if a.status != 503 || !strings.Contains(string(a.body), "could not be found out within 15 seconds, and nothing was done") {
					t.Errorf("%s: %d %s", header, a.status, a.body)
				}
			}
			if names := s.names(t); names != "" {
				t.Errorf("there is %s", names)
			}
			s.do(t, `mutation { accountCreate(attributes: {name: "Acme"}) { account { name } } }`)
		})
	}
}

// contents is what is in every table, as a text of all rows.
func contents(t *testing.T, db *sql.DB, engine string) map[string]string {
	t.Helper()
	names, rows := `SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'`, ""
	if engine == "postgres" {
		names = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
	}
	found := map[string]string{}
	for _, name := range rowsOf(t, db, names) {
		rows = `SELECT * FROM "` + name + `"`
		if engine == "postgres" {
			rows = `SELECT one::text FROM "` + name + `" AS one`
		}
		all := rowsOf(t, db, rows)
		slices.Sort(all)
		found[name] = strings.Join(all, "\n")
	}
	return found
}

// rowsOf are the rows that a query finds, each as a text.
func rowsOf(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for n := range values {
			places[n] = &values[n]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		if text, only := values[0].(string); only && len(values) == 1 {
			all = append(all, text)
			continue
		}
		all = append(all, fmt.Sprint(values...))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func changedTables(before, after map[string]string) (changed []string) {
	for name, text := range after {
		if before[name] != text && name != "webhook_day" { // which are counted in the background

			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

func mustParse(t *testing.T, text string) tree {
	t.Helper()
	parsed, err := parseTree([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
