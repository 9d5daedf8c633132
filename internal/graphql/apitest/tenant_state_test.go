package apitest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// stateFixture is a tenant that was told that it has five users.
const stateFixture = `mutation {
  platformCreate(attributes: {code: "cloud", name: "Cloud", provisioningEnabled: true}) { errors }
  off: platformCreate(attributes: {code: "off", name: "Off", provisioningEnabled: true, driftPolicy: OFF}) { errors }
  silent: platformCreate(attributes: {code: "silent", name: "Silent"}) { errors }
  productCreate(attributes: {code: "crm", name: "CRM", platformCode: "cloud"}) { errors }
  featureCreate(productId: 1, attributes: {code: "users", name: "Users", kind: QUANTITY}) { errors }
  planCreate(attributes: {productId: 1, code: "pro", name: "Pro"}) { errors }
  priceListCreate(attributes: {planId: 1, code: "month", name: "Monthly", currencyId: "EUR", renewalTermMonths: 1, charges: [{code: "seats", name: "Seats", featureCode: "users", price: "2"}]}) { errors }
  accountCreate(attributes: {name: "Acme", code: "acme"}) { errors }
  subscriptionCreate(attributes: {accountId: 1, priceListCode: "month", tenantCode: "acme", quantities: [{code: "seats", quantity: 5}]}) { errors }
}`

// state posts a report, and returns the status and the answer.
func (s *server) state(t *testing.T, query, body string, with ...func(*http.Request)) (int, string) {
	t.Helper()
	made := s.newRequest(t, request{body: body})
	made.URL.Path, made.URL.RawQuery = "/tenants/state", query
	made.Header.Set("Content-Type", "application/x-ndjson")
	for _, change := range with {
		change(made)
	}
	response, err := s.http.Do(made)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) || !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		t.Errorf("the answer is no JSON: %s", text)
	}
	return response.StatusCode, strings.TrimSpace(string(text))
}

func TestTenantState(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, stateFixture)
		const acme, wrong = `{"code":"acme","sequence":1,"features":[{"code":"users","quantity":5}]}`, `{"code":"acme","sequence":1,"features":[]}`
		expect := func(query, body, want string) {
			t.Helper()
			if status, got := s.state(t, query, body); status != http.StatusOK || got != want {
				t.Errorf("%s: %d %s, want %s", query, status, got, want)
			}
		}
		expect("platform=cloud", acme+"\n\n", `{"report":null,"outcomes":{"IN_SYNC":1},"repaired":0,"tenants":[]}`)
		for _, name := range []string{"Tenantry-Preview", "Tenantry-Expect-Tenants"} {
			status, got := s.state(t, "platform=cloud", acme, func(r *http.Request) { r.Header.Set(name, "1") })
			if status != http.StatusBadRequest || !strings.Contains(got, "nothing was done") {
				t.Errorf("%s: %d %s", name, status, got)
			}
		}
		expect("platform=cloud", "["+wrong+`,{"code":"other","sequence":1,"features":[]}]`,
			`{"report":null,"outcomes":{"DRIFTED":1,"UNKNOWN_TENANT":1},"repaired":0,"tenants":[{"code":"acme","outcome":"DRIFTED","sequence":1,"persistent":false,"repaired":false,`+
				`"features":[{"code":"users","kind":"MISSING","expected":{"value":"","quantity":5},"actual":null}]},{"code":"other","outcome":"UNKNOWN_TENANT","sequence":1,"persistent":false,"repaired":false,"features":[]}]}`)
		expect("platform=cloud&report=one", acme, `{"report":{"id":"one","complete":false,"outcomes":{"IN_SYNC":1},"held":false},"outcomes":{"IN_SYNC":1},"repaired":0,"tenants":[]}`)
		expect("platform=cloud&report=one&complete=true", "", `{"report":{"id":"one","complete":true,"outcomes":{"IN_SYNC":1,"MISSING":0},"held":false},"outcomes":{"MISSING":0},"repaired":0,"tenants":[]}`)

		key := func(r *http.Request) { r.Header.Set("Idempotency-Key", "k") }
		_, first := s.state(t, "platform=cloud&report=two&complete=true", acme, key)
		if status, again := s.state(t, "platform=cloud&report=two&complete=true", acme, key); status != http.StatusOK || again != first {
			t.Errorf("again: %d %s, want %s", status, again, first)
		}
		if status, got := s.state(t, "platform=cloud", acme, key); status != http.StatusConflict {
			t.Errorf("the same key for another report: %d %s", status, got)
		}
	})
}

// TestTenantStateRefuses sends what does not count, and then finds the tenant as it was.
func TestTenantStateRefuses(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, stateFixture)
		const acme, wrong = `{"code":"acme","sequence":1,"features":[{"code":"users","quantity":5}]}`, `{"code":"acme","sequence":1,"features":[]}`
		s.state(t, "platform=cloud&report=done&complete=true", acme)
		none := func(*http.Request) {}
		for _, c := range []struct {
			name, query, body string
			with              func(*http.Request)
			status            int
			want              string
		}{
			{"no token", "platform=cloud", wrong, func(r *http.Request) { r.Header.Del("Authorization") }, 401, "access token"},
			{"GET", "platform=cloud", "", func(r *http.Request) { r.Method = http.MethodGet }, 405, "POST"},
			{"no platform", "", wrong, none, 400, "platform=CODE"},
			{"another platform", "platform=none", wrong, none, 404, "There is no platform"},
			{"off", "platform=off", wrong, none, 409, "driftPolicy is OFF"},
			{"silent", "platform=silent", wrong, none, 409, "does not provision"},
			{"nothing", "platform=cloud", "", none, 400, "reports no tenant"},
			{"much of nothing", "platform=cloud", strings.Repeat(" ", 8<<20), none, 400, "reports no tenant"},
			{"many empty lines", "platform=cloud", strings.Repeat("\n", 8<<20), none, 400, "reports no tenant"},
			{"many zeros", "platform=cloud", strings.Repeat("\x00", 8<<20), none, 400, "Line 1 is no tenant"},
			{"many digits", "platform=cloud", strings.Repeat("0", 8<<20), none, 400, "Line 1 is no tenant"},
			{"many empty objects", "platform=cloud", strings.Repeat("{}\n", 1000), none, 400, "Line 1: tenant"},
			{"too much of nothing", "platform=cloud", strings.Repeat(" ", 8<<20+1), none, 413, "at most 8 MiB"},
			{"too many", "platform=cloud", strings.Repeat(wrong+"\n", 10_002), none, 413, "at most 10000"},
			{"twice", "platform=cloud", wrong + "\n" + wrong, none, 400, "twice: Line 1 and Line 2"},
			{"broken in the middle", "platform=cloud", wrong + "\n{\"code\":\"b\",\n" + `{"code":"c","sequence":1,"features":[]}`, none, 400, "Line 2 is no JSON that can be read"},
			{"broken in the middle of a full report", "platform=cloud&report=next&complete=true", wrong + "\n}\n", none, 400, "Line 2 is no tenant"},
			{"a sequence that is no number", "platform=cloud", `{"code":"acme","sequence":99999999999999999999,"features":[]}`, none, 400, "sequence cannot be"},
			{"cut off", "platform=cloud", wrong + "\n" + wrong[:20], none, 400, "Line 2"},
			{"a feature without code", "platform=cloud", wrong + "\n" + `{"code":"b","sequence":1,"features":[{"value":"x"}]}`, none, 400, `Line 2: feature 1 of tenant \"b\" has no code`},
			{"a negative number", "platform=cloud", `{"code":"acme","sequence":-1,"features":[]}`, none, 400, "is -1"},
			{"no text", "platform=cloud", "\xff\xfe", none, 400, "UTF-8"},
			{"neither true nor false", "platform=cloud&complete=perhaps", wrong, none, 400, "complete is true or false"},
			{"a report without a name", "platform=cloud&report=", wrong, none, 400, "must not be empty"},
			{"a report that is complete", "platform=cloud&report=done", wrong, none, 409, "was completed"},
		} {
			status, got := s.state(t, c.query, c.body, c.with)
			if status != c.status || !strings.Contains(got, c.want) {
				t.Errorf("%s: %d %.300s, want %d %s", c.name, status, got, c.status, c.want)
			}
		}
		token, err := s.token(grant{firstID, firstSecret, "standard:read"})
		if err != nil {
			t.Fatal(err)
		}
		status, got := s.state(t, "platform=cloud", wrong, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) })
		if status != http.StatusForbidden || !strings.Contains(got, "standard:write") {
			t.Errorf("to read is not to report: %d %s", status, got)
		}
		if found := s.do(t, `{ tenant(id: 1) { drift { outcome } } }`).at("tenant.drift.outcome").text(); found != "IN_SYNC" {
			t.Errorf("the tenant is %s after reports that do not count", found)
		}
		if status, got := s.state(t, "platform=cloud", `{"code":"acme","sequence":9007199254740000,"features":[]}`); status != http.StatusOK || !strings.Contains(got, `"outcomes":{"AHEAD":1},"repaired":0`) {
			t.Errorf("a sequence of the future: %d %s", status, got)
		}
	})
}
