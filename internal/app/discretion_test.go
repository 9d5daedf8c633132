package app_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// seen collects every secret and token that a test met, by what it was.
type seen map[string]string

// neverIn fails if one of them is in the text.
func (s seen) neverIn(t testing.TB, text string) {
	t.Helper()
	for what, secret := range s {
		if secret == "" {
			t.Errorf("%s is empty: nothing to look for", what)
			continue
		}
		forms := []string{secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret))}
		if i := strings.LastIndex(secret, "."); i > 0 {
			forms = append(forms, secret[i+1:]) // a token's signature alone
		}
		for _, form := range forms {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("%s is in the output: …%s", what, text[max(0, i-200):i])
			}
		}
	}
}

// useSecrets lets a server meet secrets in every place where they can be, right
// and wrong, and returns them all.
func useSecrets(t testing.TB, s *server, id, secret string) seen {
	t.Helper()
	met := seen{"the first secret": secret, "the first Basic header": basic(id, secret)}
	met["a token"] = tokenOf(t, s.url, id, secret, everyScope)
	byBasic := tokenRequest(t, s, "", http.Header{"Authorization": {"Basic " + basic(id, secret)}})
	met["a token by Basic"] = byBasic.text(t, "access_token")
	adminSecrets(t, s, met)
	wrongPlaces(t, s, met)
	return met
}

func basic(id, secret string) string {
	return base64.StdEncoding.EncodeToString([]byte(id + ":" + secret))
}

// tokenRequest asks for a token with more in the form or the header.
func tokenRequest(t testing.TB, s *server, more string, header http.Header) answer {
	t.Helper()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	body := "grant_type=client_credentials&scope=standard:read" + more
	return mustSend(t, http.MethodPost, s.url+"/oauth/token", strings.NewReader(body), header)
}

// adminSecrets makes clients, renews secrets and sets those of a platform.
func adminSecrets(t testing.TB, s *server, met seen) {
	t.Helper()
	const create = `mutation { apiClientCreate(attributes: {name: "a", scopes: ["standard:read"]}) { apiClient { id clientId clientSecret } } }`
	made := ask(t, s.url, met["a token"], create, nil)
	field := func(name string) string { return made.text(t, "data", "apiClientCreate", "apiClient", name) }
	met["a made secret"] = field("clientSecret")
	met["a made client's token"] = tokenOf(t, s.url, field("clientId"), field("clientSecret"), "standard:read")
	const renew = `mutation ($id: ID!) { apiClientSecretRenew(id: $id, overlapHours: 1) { clientSecret } }`
	renewed := ask(t, s.url, met["a token"], renew, map[string]any{"id": field("id")})
	met["a renewed secret"] = renewed.text(t, "data", "apiClientSecretRenew", "clientSecret")

	met["a webhook token"], met["a signature key"] = "webhook-token-0123456789", "signature-key-0123456789"
	const platform = `mutation ($token: String, $key: String) { platformCreate(attributes: {name: "Cloud", code: "cloud", webhookAuthToken: $token,
		plainSignatureHeader: "X-Signature", plainSignatureAlgorithm: SHA256, plainSignatureKey: $key}) { platform { id webhookSigningSecret } errors } }`
	variables := map[string]any{"token": met["a webhook token"], "key": met["a signature key"]}
	first := ask(t, s.url, met["a token"], platform, variables)
	met["a signing secret"] = first.text(t, "data", "platformCreate", "platform", "webhookSigningSecret")
	again := ask(t, s.url, met["a token"], platform, variables) // the code is taken
	if !strings.Contains(again.body, "cloud") {
		t.Errorf("a second platform is answered %s", again.body)
	}
}

// wrongPlaces sends secrets where they do not belong.
func wrongPlaces(t testing.TB, s *server, met seen) {
	t.Helper()
	token := met["a token"]
	met["a wrong secret"], met["a wrong token"] = "wrong-secret-0123456789", token[:len(token)-10]+"wrongwrong"
	expect := func(status int, a answer) {
		t.Helper()
		if a.status != status {
			t.Errorf("answered %d %s, want %d", a.status, a.body, status)
		}
	}
	expect(401, tokenRequest(t, s, "&client_id=nobody&client_secret="+met["a wrong secret"], nil))
	expect(401, tokenRequest(t, s, "", http.Header{"Authorization": {"Basic " + basic("nobody", met["a wrong secret"])}}))
	expect(400, tokenRequest(t, s, "&client_secret=%zz"+met["a wrong secret"], nil))
	expect(401, ask(t, s.url, met["a wrong token"], "{ accounts { id } }", nil))
	expect(401, get(t, s.url+"/graphql?access_token="+token))
	expect(405, get(t, s.url+"/oauth/token?client_secret="+met["the first secret"]))
	expect(404, get(t, s.url+"/nowhere?token="+token))
	bearer := http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Idempotency-Key": {"once"}}
	expect(400, mustSend(t, http.MethodPost, s.url+"/graphql", strings.NewReader(`{"query": "`+met["a signing secret"]), bearer))
	document := fmt.Sprintf(`{ accounts(filter: "nofield:%s") { id } }`, met["a webhook token"])
	expect(200, ask(t, s.url, token, document, nil))
	expect(200, ask(t, s.url, token, `{ `+met["a webhook token"]+` }`, nil))
	twice := http.Header{"Authorization": {"Bearer " + token, "Basic " + met["the first Basic header"]}}
	expect(401, mustSend(t, http.MethodPost, s.url+"/graphql", nil, twice))
	garbage := dial(t, s)
	garbage.write("GET /graphql HTTP/1.1\r\nHost: x\r\nAuthorization : Bearer %s\r\n\r\n", token)
	expect(400, garbage.read())
}

func TestSecretsAndTokensAreNeverWritten(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		t.Run("sqlite "+format, func(t *testing.T) {
			t.Parallel()
			s := inside(t, known, "--data-dir", t.TempDir(), "--log-format", format)
			met := useSecrets(t, s, firstID, firstSecret)
			s.stop(t)
			met.neverIn(t, s.stdout.String()+s.stderr.String())
		})
	}
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		s := child(t, env{"TENANTRY_DB": storetest.Postgres(t), "TENANTRY_SECRET_KEY": secretKey})
		id, secret := s.firstCredentials(t)
		met := useSecrets(t, s, id, secret)
		met["the secret key"] = secretKey
		s.stop(t)
		met.neverIn(t, s.stderr.String())
		delete(met, "the first secret") // standard output is the one place for it
		met.neverIn(t, s.stdout.String())
	})
}
