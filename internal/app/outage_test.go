package app_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// quickly is how long an answer may take while the database is away.
const quickly = 10 * time.Second

func TestTheServerOutlivesAnOutageOfPostgreSQL(t *testing.T) {
	t.Parallel()
	database := storetest.PostgresServer(t)
	address, err := url.Parse(database.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("postgres", "hunter2") // the server trusts everybody
	e := known.with(env{"TENANTRY_DB": address.String(), "TENANTRY_SECRET_KEY": secretKey})
	s, other := inside(t, e), inside(t, e)
	token := s.firstToken(t)
	other.firstToken(t)
	mustCreateAccount(t, s.url, token, "before")
	if a := get(t, s.url+"/readyz"); a.status != 200 || a.text(t, "status") != "ready" {
		t.Fatalf("/readyz answers %d %s", a.status, a.body)
	}

	if err := database.Stop(); err != nil {
		t.Fatal(err)
	}
	duringOutage(t, s, token)
	if code := other.stop(t); code != 0 {
		t.Errorf("a server that is stopped meanwhile exits with %d:\n%s", code, other.stderr)
	}

	if err := database.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, "/readyz answers 200", func() bool { return get(t, s.url+"/readyz").status == 200 })
	eventually(t, patience, "writes work again", func() bool { return accountCreate(s.url, token, "after") == nil })
	codes := accountCodes(t, s.url, s.firstToken(t))
	if len(codes) != 2 || !codes["before"] || !codes["after"] {
		t.Errorf("the accounts are %v", codes)
	}
	s.stop(t)
	for _, line := range s.stderr.logLines(t) {
		if msg := line.text("msg"); (msg == "a request failed" || msg == "the database does not answer") && line.text("request_id") == "" {
			t.Errorf("no request id in %v", line)
		}
	}
	seen{"a token": token, "the secret": firstSecret, "the password": "hunter2", "a webhook token": "webhook-token-0123456789"}.neverIn(t, s.stderr.String())
}

// duringOutage checks that everything is answered, soon, and that what needs
// the database says that it is the server's fault.
func duringOutage(t *testing.T, s *server, token string) {
	t.Helper()
	timed := func(what string, ask func() answer) answer {
		t.Helper()
		start := time.Now()
		a := ask()
		if took := time.Since(start); took > quickly {
			t.Errorf("%s took %v", what, took)
		}
		if kind := a.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
			t.Errorf("%s is answered as %s: %s", what, kind, a.body)
		}
		a.value(t)
		return a
	}
	// What was read a moment ago may be used for half a second more: then a
	// GraphQL request gets as far as the database.
	const platform = `mutation { platformCreate(attributes: {name: "a", code: "a", webhookAuthToken: "webhook-token-0123456789"}) { platform { id } } }`
	if a := ask(t, s.url, token, platform, nil); a.status != 503 || !strings.Contains(a.body, `"UNAVAILABLE"`) || a.header.Get("Retry-After") == "" {
		t.Errorf("a write is answered %d %s", a.status, a.body)
	}
	for _, accept := range []string{"application/json", "*/*", "application/graphql-response+json"} {
		r, err := graphqlRequest(s.url, token, "{ accounts { id } }", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		if a, err := send(r); err != nil || a.status != 503 || a.header.Get("Retry-After") == "" {
			t.Errorf("who accepts %s is answered %d %s (%v)", accept, a.status, a.body, err)
		}
	}
	page := mustSend(t, http.MethodGet, s.url+"/accounts", nil, http.Header{"Cookie": {"tenantry_session=x"}})
	if page.status != 503 || page.header.Get("Retry-After") == "" || !strings.Contains(page.body, "The database does not answer") {
		t.Errorf("a page of the console answers %d %s", page.status, page.body)
	}
	var ready answer
	withinASecond(t, "/readyz answers 503", func() bool {
		ready = timed("/readyz", func() answer { return get(t, s.url+"/readyz") })
		return ready.status == 503
	})
	if ready.text(t, "status") != "the database does not answer" {
		t.Errorf("/readyz answers %d %s", ready.status, ready.body)
	}
	if a := timed("/healthz", func() answer { return get(t, s.url+"/healthz") }); a.status != 200 {
		t.Errorf("/healthz answers %d: the process does run", a.status)
	}
	withinASecond(t, "queries are answered 503", func() bool {
		return timed("a query", func() answer { return ask(t, s.url, token, "{ accounts { id } }", nil) }).status == 503
	})
	var refusal answer
	withinASecond(t, "tokens are answered 503", func() bool {
		refusal = timed("a token", func() answer { return tokenAnswer(t, s.url, firstID, firstSecret, "standard:read") })
		return refusal.status == 503
	})
	if refusal.text(t, "error") != "temporarily_unavailable" || refusal.header.Get("Retry-After") == "" {
		t.Errorf("the token endpoint answers %d %s", refusal.status, refusal.body)
	}
}
