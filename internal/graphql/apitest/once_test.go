package apitest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

const conflict = "CONFLICT"

func keyed(key, document, variables string) request {
	return post(document, variables).with("Idempotency-Key", key)
}

// names lists the accounts there are.
func (s *server) names(t *testing.T) string {
	t.Helper()
	var names []string
	for _, account := range s.do(t, `{ accounts(limit: 1000) { name } }`).at("accounts").list() {
		names = append(names, account.at("name").text())
	}
	return strings.Join(names, " ")
}

func TestOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		create := `mutation ($name: String!) { accountCreate(attributes: {name: $name}) { account { id name updatedAt } errors userErrors { code } } }`
		first := keyed("a key", create, `{"name": "one"}`)
		made := s.done(t, s.send(t, first)).at("accountCreate.account")

		t.Run("the same request does nothing again", func(t *testing.T) {
			again := s.done(t, s.send(t, first)).at("accountCreate.account")
			if again.text() != made.text() {
				t.Errorf("got %s, want %s", again.text(), made.text())
			}
			// Blanks and the order of members do not make another request.
			same := first
			same.body = fmt.Sprintf("{ \"variables\" : {\"name\":\"one\"},\n \"operationName\": null, \"query\":%s}", asJSON(create))
			if again := s.done(t, s.send(t, same)).at("accountCreate.account"); again.text() != made.text() {
				t.Errorf("got %s, want %s", again.text(), made.text())
			}
		})
		t.Run("fields are as they are now", func(t *testing.T) {
			s.do(t, `mutation ($id: ID!) { accountUpdate(id: $id, attributes: {name: "two"}) { errors } }`, "id", made.at("id").text())
			if name := s.done(t, s.send(t, first)).at("accountCreate.account.name").text(); name != "two" {
				t.Errorf("the name is %q", name)
			}
		})
		t.Run("another request is a conflict", func(t *testing.T) {
			for name, other := range map[string]request{
				"variables": keyed("a key", create, `{"name": "three"}`),
				"document":  keyed("a key", create+" ", `{"name": "one"}`),
				"operation": {body: fmt.Sprintf(`{"query":%s,"variables":{"name":"one"},"operationName":""}`, asJSON("#\n"+create)), header: map[string]string{"Idempotency-Key": "a key"}},
			} {
				t.Run(name, func(t *testing.T) {
					want := expectation{status: 200, code: conflict, message: "another request"}
					want.check(t, s.send(t, other))
					want.status = 409
					want.check(t, s.send(t, other.with("Accept", mediaGraphQL)))
				})
			}
		})
		t.Run("another client has keys of its own", func(t *testing.T) {
			client := s.do(t, `mutation { apiClientCreate(attributes: {name: "Robot", scopes: ["standard:write"]}) { apiClient { clientId clientSecret } } }`).at("apiClientCreate.apiClient")
			other := grant{client.at("clientId").text(), client.at("clientSecret").text(), "standard:write"}
			s.done(t, s.send(t, keyed("a key", create, `{"name": "robot"}`).as(other)))
		})
		t.Run("a query ignores it", func(t *testing.T) {
			s.done(t, s.send(t, keyed("a key", `{ accounts { id } }`, "")))
		})
		if got := s.names(t); got != "two robot" {
			t.Errorf("the accounts are %q", got)
		}
		t.Run("a day later the key is free", func(t *testing.T) {
			s.advance(24*time.Hour - time.Millisecond)
			expectation{status: 200, code: conflict}.check(t, s.send(t, keyed("a key", create, `{"name": "late"}`)))
			s.advance(time.Millisecond)
			s.done(t, s.send(t, keyed("a key", create, `{"name": "late"}`)))
			s.done(t, s.send(t, keyed("a key", create, `{"name": "late"}`)))
			if got := s.names(t); got != "two robot late" {
				t.Errorf("the accounts are %q", got)
			}
		})
	})
}

func TestOnceRefused(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation { accountCreate(attributes: {name: "first", code: "taken"}) { errors } }`)
		r := keyed("k", `mutation { accountCreate(attributes: {name: "second", code: "taken"}) { account { id } errors userErrors { code field message } } }`, "")
		refused := s.send(t, r)
		if !strings.Contains(string(refused.body), `"TAKEN"`) {
			t.Fatalf("not refused: %s", refused.body)
		}
		// The retry hears the same, although the code is free now.
		s.do(t, `mutation { accountUpdate(id: 1, attributes: {code: null}) { errors } }`)
		if again := s.send(t, r); string(again.body) != string(refused.body) {
			t.Errorf("got %s\nwant %s", again.body, refused.body)
		}
		if got := s.names(t); got != "first" {
			t.Errorf("the accounts are %q", got)
		}
		// What was not even tried can be tried again.
		forbidden := keyed("f", `mutation { accountCreate(attributes: {name: "third"}) { errors } }`, "")
		expectation{status: 200, code: "FORBIDDEN"}.check(t, s.send(t, forbidden.as(grant{firstID, firstSecret, "admin:write"})))
		s.done(t, s.send(t, forbidden))
		s.done(t, s.send(t, forbidden))
		if got := s.names(t); got != "first third" {
			t.Errorf("the accounts are %q", got)
		}
	})
}

func TestOnceSecrets(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		create := keyed("c", `mutation { apiClientCreate(attributes: {name: "R", scopes: ["standard:read"]}) { apiClient { id clientId clientSecret } } }`, "")
		made := s.done(t, s.send(t, create)).at("apiClientCreate.apiClient")
		again := s.done(t, s.send(t, create)).at("apiClientCreate.apiClient")
		if made.at("clientSecret").text() == "" || again.at("clientSecret").value != nil || again.at("clientId").text() != made.at("clientId").text() {
			t.Errorf("first %s, then %s", made.text(), again.text())
		}
		renew := keyed("r", `mutation ($id: ID!) { apiClientSecretRenew(id: $id) { apiClient { id clientSecret } clientId clientSecret } }`, `{"id": `+made.at("id").text()+`}`)
		fresh := s.done(t, s.send(t, renew)).at("apiClientSecretRenew")
		replayed := s.done(t, s.send(t, renew)).at("apiClientSecretRenew")
		if replayed.at("clientSecret").value != nil || replayed.at("apiClient.clientSecret").value != nil || replayed.at("clientId").text() != made.at("clientId").text() {
			t.Errorf("the secret is shown twice: %s", replayed.text())
		}
		g := grant{made.at("clientId").text(), made.at("clientSecret").text(), "standard:read"}
		if _, err := s.token(g); err == nil {
			t.Error("the old secret is still good")
		}
		if g.secret = fresh.at("clientSecret").text(); g.secret == "" {
			t.Fatal("there is no new secret")
		}
		if _, err := s.token(g); err != nil {
			t.Errorf("the new secret is not good: %v", err)
		}
	})
}

func TestOnceDeleted(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation {
			accountCreate(attributes: {name: "A", code: "a", billingContact: {firstName: "B"}}) { errors }
			platformCreate(attributes: {code: "p", name: "P", webhookUrl: "https://p.example/", webhookAuthToken: "t", plainSignatureHeader: "X-S", plainSignatureKey: "k"}) { errors }
			apiClientCreate(attributes: {name: "R", scopes: ["admin:read"]}) { errors }
			productCreate(attributes: {code: "c", name: "C"}) { errors }
			planCreate(attributes: {productId: 1, name: "Plan"}) { errors }
			priceListCreate(attributes: {planId: 1, code: "l", name: "L", currencyId: "EUR", charges: [{code: "x", name: "X", pricingModel: TIERED, priceListChargeTiers: [{starts: 1, price: "1"}]}]}) { errors }
		}`)
		for name, document := range map[string]string{
			"account":  `mutation { accountDelete(id: 1) { account { id name code billingContactId contacts { id } createdAt } errors } }`,
			"platform": `mutation { platformDelete(id: 1) { platform { id code webhookUrl endpointState webhookAuthTokenSet plainSignatureKeySet plainSignatureAlgorithm products { id } updatedAt } errors } }`,
			"client":   `mutation { apiClientDelete(id: 2) { apiClient { id name clientId clientSecret scopes accessTokenExpiresIn createdAt } errors } }`,
			"charge":   `mutation { priceListChargeDelete(id: 1) { priceListCharge { id code price priceListChargeTiers { starts price } priceList { code } } errors } }`,
		} {
			t.Run(name, func(t *testing.T) {
				r := keyed("delete "+name, document, "")
				deleted := s.send(t, r)
				s.done(t, deleted)
				if again := s.send(t, r); string(again.body) != string(deleted.body) {
					t.Errorf("got %s\nwant %s", again.body, deleted.body)
				}
			})
		}
		// A secret that was deleted with its platform is not known any more.
		r := keyed("s", `mutation { platformCreate(attributes: {code: "q", name: "Q"}) { platform { id webhookSigningSecret } } }`, "")
		if made, again := s.send(t, r), s.send(t, r); string(made.body) != string(again.body) {
			t.Errorf("got %s\nwant %s", again.body, made.body)
		}
		gone := keyed("g", `mutation { platformDelete(id: 2) { platform { webhookSigningSecret } } }`, "")
		s.done(t, s.send(t, gone))
		if a := s.send(t, gone); string(a.body) != `{"data":{"platformDelete":{"platform":{"webhookSigningSecret":null}}}}` {
			t.Errorf("got %s", a.body)
		}
	})
}

func TestOnceAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		r := keyed("same", `mutation { a: accountCreate(attributes: {name: "a"}) { account { id } } b: accountCreate(attributes: {name: "b"}) { account { id } } }`, "")
		if _, err := s.token(first); err != nil {
			t.Fatal(err)
		}
		answers := make([]answer, 20)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = s.send(t, r) })
		}
		all.Wait()
		outcome := ""
		for _, a := range answers {
			switch {
			case a.code() == conflict:
				if a.header.Get("Retry-After") != "1" || a.status != 200 {
					t.Errorf("a conflict with status %d and Retry-After %q", a.status, a.header.Get("Retry-After"))
				}
			case outcome == "":
				outcome = string(a.body)
			case string(a.body) != outcome:
				t.Errorf("two outcomes: %s and %s", a.body, outcome)
			}
		}
		if outcome == "" {
			t.Error("nobody got the outcome")
		}
		if got := s.names(t); got != "a b" {
			t.Errorf("the accounts are %q", got)
		}
	})
}

func TestOnceKeys(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		document := `mutation { accountCreate(attributes: {name: "x"}) { errors } }`
		for name, row := range map[string]struct {
			key  string
			good bool
		}{
			"255 characters":      {strings.Repeat("k", 255), true},
			"256 characters":      {strings.Repeat("k", 256), false},
			"255 others":          {strings.Repeat("ü", 255), true},
			"256 others":          {strings.Repeat("ü", 256), false},
			"blanks inside":       {"a b c", true},
			"quotes":              {`"8e03978e-40d5-43dd-bc93-6894a57f9324"`, true},
			"no UTF-8":            {"\xff", false},
			"a tab":               {"a\tb", false},
			"percent and SQL":     {`%_'; --`, true},
			"the widest of all":   {strings.Repeat("😀", 255), true},
			"a key of one letter": {"k", true},
		} {
			t.Run(name, func(t *testing.T) {
				before := s.names(t)
				r := keyed(row.key, document, "")
				if !row.good {
					expectation{status: 200, code: badInput, message: "Idempotency-Key"}.check(t, s.send(t, r))
					expectation{status: 400, code: badInput}.check(t, s.send(t, r.with("Accept", mediaGraphQL)))
				} else {
					s.done(t, s.send(t, r))
					s.done(t, s.send(t, r))
					before = strings.TrimSpace(before + " x")
				}
				if after := s.names(t); after != before {
					t.Errorf("the accounts are %q, want %q", after, before)
				}
			})
		}
		for name, values := range map[string][]string{"empty": {""}, "two": {"a", "b"}, "twice": {"a", "a"}} {
			t.Run(name, func(t *testing.T) {
				made := s.newRequest(t, post(document, ""))
				made.Header["Idempotency-Key"] = values
				response, err := s.http.Do(made)
				if err != nil {
					t.Fatal(err)
				}
				if text := readAll(t, response); !strings.Contains(text, badInput) {
					t.Errorf("got %d: %s", response.StatusCode, text)
				}
			})
		}
	})
}
