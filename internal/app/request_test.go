package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// answer is what a server answered.
type answer struct {
	status int
	header http.Header
	body   string
}

// value reads the body as JSON and walks down the keys.
func (a answer) value(t testing.TB, keys ...string) any {
	t.Helper()
	value, err := a.find(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// text is value for a string.
func (a answer) text(t testing.TB, keys ...string) string {
	t.Helper()
	text, ok := a.value(t, keys...).(string)
	if !ok || text == "" {
		t.Fatalf("no text at %v in %d %s", keys, a.status, a.body)
	}
	return text
}

func (a answer) find(keys ...string) (any, error) {
	var value any
	if err := json.Unmarshal([]byte(a.body), &value); err != nil {
		return nil, fmt.Errorf("not JSON: %d %q: %w", a.status, a.body, err)
	}
	for _, key := range keys {
		object, _ := value.(map[string]any)
		if value = object[key]; value == nil {
			return nil, fmt.Errorf("nothing at %v in %d %s", keys, a.status, a.body)
		}
	}
	return value, nil
}

// send sends a request. It is safe to use on any goroutine.
func send(r *http.Request) (answer, error) {
	client := http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body)}, err
}

// mustSend is send for a request that must be answered.
func mustSend(t testing.TB, method, address string, body io.Reader, header http.Header) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	a, err := send(r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func get(t testing.TB, address string) answer {
	t.Helper()
	return mustSend(t, http.MethodGet, address, nil, nil)
}

// tokenAnswer asks for a token.
func tokenAnswer(t testing.TB, server, id, secret, scope string) answer {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}, "scope": {scope}}
	return mustSend(t, http.MethodPost, server+"/oauth/token", strings.NewReader(form.Encode()),
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
}

const everyScope = "standard:read standard:write billing:read billing:write platform:write admin:read admin:write"

// tokenOf gets a token.
func tokenOf(t testing.TB, server, id, secret, scope string) string {
	t.Helper()
	return tokenAnswer(t, server, id, secret, scope).text(t, "access_token")
}

// firstToken gets a token for the client of a server started with known.
func (s *server) firstToken(t testing.TB) string {
	t.Helper()
	return tokenOf(t, s.url, firstID, firstSecret, everyScope)
}

// graphqlRequest makes a request with a document and its variables.
func graphqlRequest(server, token, document string, variables map[string]any) (*http.Request, error) {
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, server+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	return r, nil
}

// ask runs a GraphQL document.
func ask(t testing.TB, server, token, document string, variables map[string]any) answer {
	t.Helper()
	r, err := graphqlRequest(server, token, document, variables)
	if err != nil {
		t.Fatal(err)
	}
	a, err := send(r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const createAccount = `mutation ($code: String!) { accountCreate(attributes: {name: "Acme", code: $code}) { account { id code } errors } }`

// accountCreate makes an account and returns nil if the server said that it
// did. It is safe to use on any goroutine.
func accountCreate(server, token, code string) error {
	r, err := graphqlRequest(server, token, createAccount, map[string]any{"code": code})
	if err != nil {
		return err
	}
	a, err := send(r)
	if err != nil {
		return err
	}
	got, err := a.find("data", "accountCreate", "account", "code")
	if err == nil && got != code {
		err = errors.New("another account: " + a.body)
	}
	return err
}

func mustCreateAccount(t testing.TB, server, token, code string) {
	t.Helper()
	if err := accountCreate(server, token, code); err != nil {
		t.Fatal(err)
	}
}

// accountCodes returns the codes of all accounts.
func accountCodes(t testing.TB, server, token string) map[string]bool {
	t.Helper()
	codes := map[string]bool{}
	const document = `query ($after: String) { accountsConnection(first: 1000, after: $after) { nodes { code } pageInfo { hasNextPage endCursor } } }`
	variables := map[string]any{}
	for {
		a := ask(t, server, token, document, variables)
		nodes, _ := a.value(t, "data", "accountsConnection", "nodes").([]any)
		for _, node := range nodes {
			codes[node.(map[string]any)["code"].(string)] = true
		}
		page, _ := a.value(t, "data", "accountsConnection", "pageInfo").(map[string]any)
		if page["hasNextPage"] != true {
			return codes
		}
		variables["after"] = page["endCursor"]
	}
}
