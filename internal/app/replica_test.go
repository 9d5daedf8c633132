package app_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestReplicasThatStartAtOnce(t *testing.T) {
	t.Parallel()
	e := env{
		"TENANTRY_DB": storetest.Postgres(t), "TENANTRY_SECRET_KEY": secretKey,
		"TENANTRY_BASE_URL": "https://billing.example.com",
	}
	one, two := launch(t, e), launch(t, e)
	one.awaitListening(t)
	two.awaitListening(t)

	both := func() string { return one.stdout.String() + two.stdout.String() }
	eventually(t, patience, "one prints credentials", func() bool { return printedCredentials.MatchString(both()) })
	id, secret := credentialsIn(t, both())
	var clients int
	if err := openDB(t, e).QueryRow("SELECT count(*) FROM api_client").Scan(&clients); err != nil || clients != 1 {
		t.Errorf("%d API clients (%v)", clients, err)
	}
	if keys := get(t, one.url+"/oauth/jwks"); keys.status != 200 || keys.body != get(t, two.url+"/oauth/jwks").body {
		t.Errorf("the public keys differ: %s", keys.body)
	}

	for _, pair := range [][2]*server{{one, two}, {two, one}} {
		token := tokenOf(t, pair[0].url, id, secret, everyScope)
		mustCreateAccount(t, pair[1].url, token, "by-"+pair[0].address)
		if !accountCodes(t, pair[0].url, token)["by-"+pair[0].address] {
			t.Error("an account made through one is not at the other")
		}
	}
	deletedEverywhere(t, one, two, tokenOf(t, one.url, id, secret, everyScope))
	if one.stop(t) != 0 || two.stop(t) != 0 {
		t.Errorf("they exit with %d and %d", one.code, two.code)
	}
	if n := strings.Count(both(), "client secret"); n != 1 {
		t.Errorf("%d first clients:\n%s", n, both())
	}
}

// deletedEverywhere makes a client through one replica, uses it at the other,
// deletes it through the first, and waits for the other to refuse it.
func deletedEverywhere(t *testing.T, one, two *server, admin string) {
	t.Helper()
	made := ask(t, one.url, admin, `mutation { apiClientCreate(attributes: {name: "a", scopes: ["standard:read"]}) { apiClient { id clientId clientSecret } } }`, nil)
	path := []string{"data", "apiClientCreate", "apiClient"}
	field := func(name string) string { return made.text(t, append(path, name)...) }
	token := tokenOf(t, two.url, field("clientId"), field("clientSecret"), "standard:read")
	for _, s := range []*server{one, two} {
		if refused(t, s.url, token) {
			t.Fatal("a good token is refused")
		}
	}
	gone := ask(t, one.url, admin, `mutation ($id: ID!) { apiClientDelete(id: $id) { apiClient { id } } }`, map[string]any{"id": field("id")})
	gone.text(t, "data", "apiClientDelete", "apiClient", "id")
	if !refused(t, one.url, token) {
		t.Error("the replica that deleted the client still takes its token")
	}
	withinASecond(t, "the other replica refuses the token", func() bool { return refused(t, two.url, token) })
	if a := tokenAnswer(t, two.url, field("clientId"), field("clientSecret"), "standard:read"); a.status != 401 {
		t.Errorf("the other replica answers the deleted client's secret with %d", a.status)
	}
}
