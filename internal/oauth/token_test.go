package oauth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestTokenRequestsAreAnsweredAsTheTableSays(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	gone := r.createClient()
	r.deleteClient(gone)

	// Each case changes a good request. A nil value takes a parameter away.
	type edit map[string][]string
	cases := map[string]struct {
		edit   edit
		status int
		code   string
		says   string
	}{
		"grant_type missing":            {edit{"grant_type": nil}, 400, "unsupported_grant_type", "grant_type=client_credentials"},
		"grant_type empty":              {edit{"grant_type": {""}}, 400, "unsupported_grant_type", "missing"},
		"grant_type password":           {edit{"grant_type": {"password"}}, 400, "unsupported_grant_type", "client_credentials"},
		"grant_type in capitals":        {edit{"grant_type": {"CLIENT_CREDENTIALS"}}, 400, "unsupported_grant_type", ""},
		"grant_type with a blank":       {edit{"grant_type": {"client_credentials "}}, 400, "unsupported_grant_type", ""},
		"grant_type twice":              {edit{"grant_type": {"client_credentials", "client_credentials"}}, 400, "invalid_request", "grant_type"},
		"scope twice, different":        {edit{"scope": {"standard:read", "standard:write"}}, 400, "invalid_request", "scope"},
		"scope twice, equal":            {edit{"scope": {"standard:read", "standard:read"}}, 400, "invalid_request", "scope"},
		"scope twice, one empty":        {edit{"scope": {"", "standard:read"}}, 400, "invalid_request", "scope"},
		"client_id twice":               {edit{"client_id": {a.ClientID, a.ClientID}}, 400, "invalid_request", "client_id"},
		"client_secret twice":           {edit{"client_secret": {a.secret, a.secret}}, 400, "invalid_request", "client_secret"},
		"repeated before grant type":    {edit{"grant_type": {"password"}, "scope": {"a", "b"}}, 400, "invalid_request", "scope"},
		"client_id missing":             {edit{"client_id": nil}, 401, "invalid_client", "missing"},
		"client_id empty":               {edit{"client_id": {""}}, 401, "invalid_client", "missing"},
		"client_id unknown":             {edit{"client_id": {"nobody"}}, 401, "invalid_client", "wrong"},
		"client_id not UTF-8":           {edit{"client_id": {"\xff\x00"}}, 401, "invalid_client", "wrong"},
		"client_secret missing":         {edit{"client_secret": nil}, 401, "invalid_client", "missing"},
		"client_secret empty":           {edit{"client_secret": {""}}, 401, "invalid_client", "missing"},
		"client_secret wrong":           {edit{"client_secret": {"x" + a.secret}}, 401, "invalid_client", "wrong"},
		"client_secret of another case": {edit{"client_secret": {strings.ToUpper(a.secret)}}, 401, "invalid_client", "wrong"},
		"client deleted":                {edit{"client_id": {gone.ClientID}, "client_secret": {gone.secret}}, 401, "invalid_client", "deleted"},
		"no client authentication":      {edit{"client_id": nil, "client_secret": nil}, 401, "invalid_client", "HTTP Basic"},
		"grant type before client":      {edit{"grant_type": {"password"}, "client_secret": {"x"}}, 400, "unsupported_grant_type", ""},
		"client before scope":           {edit{"scope": {"nothing"}, "client_secret": {"x"}}, 401, "invalid_client", ""},
		"scope missing":                 {edit{"scope": nil}, 400, "invalid_scope", "missing"},
		"scope empty":                   {edit{"scope": {""}}, 400, "invalid_scope", "missing"},
		"scope blank":                   {edit{"scope": {" "}}, 400, "invalid_scope", "malformed"},
		"scope with two blanks":         {edit{"scope": {"standard:read  standard:write"}}, 400, "invalid_scope", "malformed"},
		"scope with a blank at its end": {edit{"scope": {"standard:read "}}, 400, "invalid_scope", "malformed"},
		"scope with a tab":              {edit{"scope": {"standard:read\tstandard:write"}}, 400, "invalid_scope", "malformed"},
		"scope with a quote":            {edit{"scope": {`standard:"read"`}}, 400, "invalid_scope", "malformed"},
		"scope with a backslash":        {edit{"scope": {`standard:\read`}}, 400, "invalid_scope", "malformed"},
		"scope not ASCII":               {edit{"scope": {"standárd:read"}}, 400, "invalid_scope", "malformed"},
		"scope with a comma":            {edit{"scope": {"standard:read,standard:write"}}, 400, "invalid_scope", "no scope standard:read,standard:write."},
		"scope unknown":                 {edit{"scope": {"standard:read everything"}}, 400, "invalid_scope", "no scope everything."},
		"scope with markup":             {edit{"scope": {"<b>&amp;"}}, 400, "invalid_scope", "no scope <b>&amp;."},
		"scope very long":               {edit{"scope": {strings.Repeat("x", 500)}}, 400, "invalid_scope", "no scope xxx"},
		"scope in capitals":             {edit{"scope": {"STANDARD:READ"}}, 400, "invalid_scope", "no scope STANDARD:READ."},
		"scope not assigned":            {edit{"scope": {"standard:read admin:write"}}, 400, "invalid_scope", "scope admin:write is not assigned"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			form := a.form()
			for key, values := range test.edit {
				form[key] = values
			}
			description := wantFailure(t, r.do(tokenRequest(form.Encode())), test.status, test.code)
			if !strings.Contains(description, test.says) {
				t.Errorf("the description does not say %q: %s", test.says, description)
			}
		})
	}
}

func TestTokenAnswerHasExactlyFourFields(t *testing.T) {
	r := sqliteWorld(t).replica()
	w := r.ask(r.createClient())
	wantTokenHeaders(t, w)
	created := r.now().Unix()
	pattern := `^\{"access_token":"[\w-]+\.[\w-]+\.[\w-]+","token_type":"Bearer","expires_in":7200,"created_at":(\d+)\}$`
	match := regexp.MustCompile(pattern).FindStringSubmatch(w.Body.String())
	if w.Code != http.StatusOK || match == nil {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	var at int64
	if err := json.Unmarshal([]byte(match[1]), &at); err != nil || at != created {
		t.Errorf("created_at is %s, want %d", match[1], created)
	}
}

func TestLifetimeIsTheClients(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	for _, seconds := range []int{1, 60, billing.MaxTokenSeconds} {
		_, err := r.service.Access.ClientUpdate(t.Context(), a.ID, func(c *billing.Client) error {
			c.AccessTokenExpiresIn = seconds
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		_, claims := parts(t, r.token(a))
		if got := int(claims["exp"].(float64) - claims["iat"].(float64)); got != seconds {
			t.Errorf("the token lives %d seconds, want %d", got, seconds)
		}
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
		req := tokenRequest(a.form().Encode())
		req.Method = method
		w := r.do(req)
		wantFailure(t, w, http.StatusMethodNotAllowed, "invalid_request")
		if w.Header().Get("Allow") != "POST" {
			t.Errorf("%s: Allow is %q", method, w.Header().Get("Allow"))
		}
	}
}

func TestQueryStringIsIgnored(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	good := a.form().Encode()

	req := tokenRequest("")
	req.URL.RawQuery = good
	wantFailure(t, r.do(req), 400, "unsupported_grant_type")

	req = tokenRequest("grant_type=client_credentials&scope=standard:read")
	req.URL.RawQuery = good
	wantFailure(t, r.do(req), 401, "invalid_client")

	req = tokenRequest(good) // nor does it count as giving them twice
	req.URL.RawQuery = good + "&%zz"
	if w := r.do(req); w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestScopesAreGrantedAsAskedFor(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient(billing.Scopes...)
	for asked, granted := range map[string]string{
		"standard:read":                                  "standard:read",
		"standard:write standard:read":                   "standard:write standard:read",
		"admin:read admin:read standard:read":            "admin:read standard:read",
		"standard:read admin:write standard:read":        "standard:read admin:write",
		strings.Repeat("admin:read ", 99) + "admin:read": "admin:read",
	} {
		form := a.form()
		form.Set("scope", asked)
		w := r.do(tokenRequest(form.Encode()))
		_, claims := parts(t, tokenIn(t, w))
		if claims["scope"] != granted {
			t.Errorf("asked for %q, got %q, want %q", asked, claims["scope"], granted)
		}
	}
}

func TestRenewedSecretOverlapsWithTheOldOne(t *testing.T) {
	r := sqliteWorld(t).replica()
	old := r.createClient()
	renewed := r.renewSecret(old, 2, false)
	for name, a := range map[string]app{"old": old, "new": renewed} {
		if w := r.ask(a); w.Code != http.StatusOK {
			t.Errorf("%s secret: %d %s", name, w.Code, w.Body)
		}
	}
	r.world.clock.pass(2*time.Hour - time.Millisecond)
	if w := r.ask(old); w.Code != http.StatusOK {
		t.Errorf("old secret just before its end: %d %s", w.Code, w.Body)
	}
	r.world.clock.pass(time.Millisecond)
	wantFailure(t, r.ask(old), 401, "invalid_client")
	if w := r.ask(renewed); w.Code != http.StatusOK {
		t.Errorf("new secret: %d %s", w.Code, w.Body)
	}

	last := r.renewSecret(renewed, 0, false)
	wantFailure(t, r.ask(renewed), 401, "invalid_client")
	if w := r.ask(last); w.Code != http.StatusOK {
		t.Errorf("newest secret: %d %s", w.Code, w.Body)
	}
}

func TestNothingSecretIsLogged(t *testing.T) {
	w := sqliteWorld(t)
	r := w.replica()
	a := r.createClient()
	token := r.token(a)
	r.present(token)
	form := url.Values{"client_secret": {a.secret}, "client_id": {"x"}, "grant_type": {"client_credentials"}}
	r.do(tokenRequest(form.Encode()))
	r.store.Close()
	w.clock.pass(time.Second)
	r.ask(a)
	r.present(token)
	log := w.log.String()
	if !strings.Contains(log, "cannot read from the database") {
		t.Fatalf("the log is not what this test is about: %s", log)
	}
	for _, hidden := range []string{a.secret, token, token[len(token)-40:]} {
		if strings.Contains(log, hidden) {
			t.Errorf("the log has a secret: %s", log)
		}
	}
}

func tokenIn(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var answer map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	token, _ := answer["access_token"].(string)
	if token == "" {
		t.Fatalf("no token: %d %s", w.Code, w.Body)
	}
	return token
}
