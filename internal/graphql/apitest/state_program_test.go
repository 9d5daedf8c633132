package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// stateProgram reads {"id", "seq", "limits": {code: quantity}}.
const stateProgram = `{code: .id, sequence: .seq, features: [.limits | to_entries[] | {code: .key, quantity: .value}]}`

func (s *server) useStateProgram(t *testing.T, program string) string {
	t.Helper()
	return s.do(t, fmt.Sprintf(`mutation { workflowUpdate(id: 1, attributes: {recipe: {stateProgram: %q}}) { errors } }`, program)).text()
}

func TestStateProgram(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, stateFixture)
		s.useStateProgram(t, stateProgram)
		const acme, wrong = `{"id":"acme","seq":1,"limits":{"users":5}}`, `{"id":"acme","seq":1,"limits":{"users":4}}`
		outcome := func() string {
			return s.do(t, `{ tenant(id: 1) { drift { outcome } } }`).at("tenant.drift.outcome").text()
		}
		for _, body := range []string{acme + "\n", " [" + acme + "]"} {
			if status, got := s.state(t, "platform=cloud", body); status != http.StatusOK || !strings.Contains(got, `"outcomes":{"IN_SYNC":1}`) {
				t.Errorf("%s: %d %s", body, status, got)
			}
		}
		const standard = `{"code":"acme","sequence":1,"features":[]}`
		for _, c := range []struct {
			name, program, query, body string
			status                     int
			want                       string
		}{
			{"a runtime error", stateProgram, "platform=cloud", wrong + "\n" + `{"id":"b","seq":1,"limits":7}`, 400, "Line 2: stateProgram does not bring it into the standard form: the program fails: "},
			{"one in an array", stateProgram, "platform=cloud", "[" + wrong + `,{"id":"b","seq":1,"limits":7}]`, 400, "Tenant 2: stateProgram does not bring it into the standard form: the program fails: "},
			{"one in a full report", stateProgram, "platform=cloud&report=r&complete=true", wrong + "\n{}", 400, "Line 2: stateProgram "},
			{"no JSON", stateProgram, "platform=cloud", wrong + "\n{", 400, "Line 2 is no JSON that can be read"},
			{"twice", stateProgram, "platform=cloud", wrong + "\n" + wrong, 400, "twice: Line 1 after stateProgram and Line 2"},
			{"no output", "empty", "platform=cloud", standard, 400, "Line 1: stateProgram does not bring it into the standard form: the program yields no value"},
			{"two outputs", "., .", "platform=cloud", standard, 400, "more than one value"},
			{"another form", "{code, features}", "platform=cloud", standard, 400, `Line 1 after stateProgram: tenant \"acme\" has no sequence`},
			{"no object", ".code", "platform=cloud", standard, 400, "Line 1 after stateProgram is no tenant"},
			{"too long", "def f: f; f", "platform=cloud", standard, 400, "Line 1: stateProgram does not bring it into the standard form: the program "},
			{"another platform", stateProgram, "platform=none", wrong, 404, "There is no platform"},
		} {
			s.useStateProgram(t, c.program)
			if status, got := s.state(t, c.query, c.body); status != c.status || !strings.Contains(got, c.want) {
				t.Errorf("%s: %d %.300s, want %d %s", c.name, status, got, c.status, c.want)
			}
			if found := outcome(); found != "IN_SYNC" {
				t.Errorf("%s: the tenant is %s after a report that does not count", c.name, found)
			}
		}
		s.useStateProgram(t, stateProgram)
		key := func(r *http.Request) { r.Header.Set("Idempotency-Key", "k") }
		status, first := s.state(t, "platform=cloud", wrong, key)
		if want := `"features":[{"code":"users","kind":"WRONG_QUANTITY","expected":{"value":"","quantity":5},"actual":{"value":"","quantity":4}}]`; status != http.StatusOK || !strings.Contains(first, want) {
			t.Errorf("a difference: %d %s, want %s", status, first, want)
		}
		s.useStateProgram(t, "error")
		if status, again := s.state(t, "platform=cloud", wrong, key); status != http.StatusOK || again != first {
			t.Errorf("again, with another program: %d %s, want %s", status, again, first)
		}
		if got := s.do(t, `mutation { tenantStateReport(platformCode: "cloud", tenants: [{code: "acme", sequence: 1, features: [{code: "users", quantity: 5}]}]) { errors } }`).text(); outcome() != "IN_SYNC" {
			t.Errorf("the mutation, to which no program applies: %s", got)
		}
		s.useStateProgram(t, "")
		if status, got := s.state(t, "platform=cloud", standard); status != http.StatusOK || !strings.Contains(got, "DRIFTED") {
			t.Errorf("without a program: %d %s", status, got)
		}
	})
}

// TestStateProgramIsRead refuses a program that cannot be read, with the place.
func TestStateProgramIsRead(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, stateFixture)
		const document = `mutation { workflowUpdate(id: 1, attributes: {recipe: {stateProgram: "{code: .id,\n sequence }}"}}) { workflow { id } userErrors { field message } } }`
		if got := string(s.send(t, post(document, pairs(nil))).body); !strings.Contains(got, `"field":["recipe","stateProgram"]`) || !strings.Contains(got, "at line 2, column 12") {
			t.Errorf("a program that cannot be read: %s", got)
		}
	})
}

// TestStateProgramForMany takes seconds at most for the largest request.
func TestStateProgramForMany(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, stateFixture)
		s.useStateProgram(t, stateProgram)
		var body strings.Builder
		for n := range 10_000 {
			fmt.Fprintf(&body, `{"id":"t%d","seq":1,"limits":{"users":5,"storage":%d,"projects":3,"sso":null}}`+"\n", n, n)
		}
		began := time.Now()
		status, got := s.state(t, "platform=cloud", body.String())
		if status != http.StatusOK || !strings.Contains(got, `"outcomes":{"UNKNOWN_TENANT":10000}`) {
			t.Errorf("%d %.300s", status, got)
		}
		t.Logf("10,000 tenants with a program take %v", time.Since(began))
	})
}
