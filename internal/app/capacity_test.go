package app_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestBudgetsOfClients: a client that is over its own limit is told so and when
// to come back, others are not, and the metrics say who it was.
func TestBudgetsOfClients(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := child(t, known, "--data-dir", dir)
	token := s.firstToken(t)
	created := mustCommand(t, nil, "client", "create", "--data-dir", dir, "--name", "Greedy", "--scopes", "standard:read")
	id, secret := credentialsIn(t, created)
	greedy := tokenOf(t, s.url, id, secret, "standard:read")
	const document = "{ accounts { id } }"
	ask(t, s.url, greedy, document, nil).value(t, "data", "accounts")
	mustCommand(t, nil, "client", "limits", id, "--data-dir", dir, "--max-megabytes", "1")
	large := document + strings.Repeat(" ", 600<<10)
	eventually(t, patience, "it is over its limit", func() bool {
		r, err := graphqlRequest(s.url, greedy, large, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = -1 // in chunks: what is not announced counts too
		a, err := send(r)
		if err != nil {
			t.Fatal(err)
		}
		return a.status == http.StatusTooManyRequests
	})
	a := ask(t, s.url, greedy, document, nil)
	if after, err := strconv.Atoi(a.header.Get("Retry-After")); a.status != http.StatusTooManyRequests || err != nil || after < 1 || after > 60 {
		t.Errorf("%d with Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
	if !strings.HasPrefix(a.body, `{"errors":[{"message":"The API client has sent and got 1 MiB in the last minute, which is its limit. Try again in `) ||
		!strings.HasSuffix(a.body, `"extensions":{"code":"LIMIT_EXCEEDED"}}]}`) {
		t.Error(a.body)
	}
	ask(t, s.url, token, document, nil).value(t, "data", "accounts")
	metrics := get(t, s.url+"/metrics").body
	if !strings.Contains(metrics, `tenantry_client_refused_total{client="`+id+`",limit="bytes"} `) ||
		!strings.Contains(metrics, `tenantry_client_refused_total{client="`+firstID+`",limit="bytes"} 0`) {
		t.Error("the metrics do not say who was refused")
	}
	wrong := command(t, nil, "client", "limits", id, "--data-dir", dir, "--max-requests", "-1")
	if wrong.code != 2 || !strings.Contains(wrong.stderr, "--max-requests: A limit of an API client is from 1 to 1000000") {
		t.Errorf("exits with %d: %s", wrong.code, wrong.stderr)
	}
	if done := command(t, nil, "serve", "--client-max-requests", "-1"); done.code != 2 {
		t.Errorf("exits with %d: %s", done.code, done.stderr)
	}
}

// TestOverloadIsRefusedEarly: with one place, most of many requests at once are
// told to come back, those that were begun succeed, and tokens, health and the
// console go on.
func TestOverloadIsRefusedEarly(t *testing.T) {
	t.Parallel()
	s := child(t, known, "--data-dir", t.TempDir(), "--max-requests", "1", "--client-max-requests", "0")
	token := s.firstToken(t)
	for n := range 20 {
		mustCreateAccount(t, s.url, token, fmt.Sprint("overload-", n))
	}
	document := "{"
	for n := range 60 {
		document += fmt.Sprintf(" a%d: accounts { id name code createdAt billingContact { name } }", n)
	}
	document += " }"
	var mu sync.Mutex
	statuses := map[int]int{}
	var callers sync.WaitGroup
	for range 40 {
		callers.Go(func() {
			for range 3 {
				r, err := graphqlRequest(s.url, token, document, nil)
				if err != nil {
					t.Error(err)
					return
				}
				a, err := send(r)
				if err != nil {
					t.Error(err)
					return
				}
				if a.status == http.StatusServiceUnavailable && (a.header.Get("Retry-After") != "1" || !strings.Contains(a.body, `"UNAVAILABLE"`)) {
					t.Errorf("%v %s", a.header, a.body)
				}
				mu.Lock()
				statuses[a.status]++
				mu.Unlock()
			}
		})
	}
	for range 5 {
		tokenOf(t, s.url, firstID, firstSecret, "standard:read")
		for _, path := range []string{"/healthz", "/readyz", "/sign-in"} {
			if a := get(t, s.url+path); a.status != 200 {
				t.Errorf("%s answers %d", path, a.status)
			}
		}
	}
	callers.Wait()
	if statuses[200] == 0 || statuses[503] == 0 || len(statuses) != 2 {
		t.Errorf("answered %v", statuses)
	}
	if a := ask(t, s.url, token, document, nil); a.status != 200 {
		t.Errorf("afterwards it answers %d", a.status)
	}
}
