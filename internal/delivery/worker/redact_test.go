package worker

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSecretsAreHiddenInEveryForm(t *testing.T) {
	const secret = `s3cr/t+"key" <of>&the=Üser 42`
	quoted, _ := json.Marshal(secret)
	forms := map[string]string{
		"as it is": secret, "in capitals": strings.ToUpper(secret[:20]) + secret[20:], "query": url.QueryEscape(secret), "path": url.PathEscape(secret),
		"JSON": string(quoted), "HTML": html.EscapeString(secret), "hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"several": secret + " and " + secret + secret,
	}
	for _, before := range []string{"", "u", "us", "user:"} {
		forms["base64 behind "+before] = base64.StdEncoding.EncodeToString([]byte(before + secret + "!"))
		forms["base64url behind "+before] = base64.URLEncoding.EncodeToString([]byte(before + secret))
	}
	r := newRedactor([]string{secret})
	for name, form := range forms {
		shown := r.hide("<" + form + ">")
		if !strings.Contains(shown, "(hidden)") || len(shown) > len("<user(hidden) and (hidden)user>")+8 {
			t.Errorf("%s: %q is shown as %q", name, form, shown)
		}
	}
	if text := "nothing of the kind"; r.hide(text) != text {
		t.Errorf("%q is shown as %q", text, r.hide(text))
	}
}

func TestPasswordsInAuthorizationAreHidden(t *testing.T) {
	r := newRedactor([]string{"Bearer abcdefgh-12345", "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:open sesame")), "pw1",
		"sid=abcdef123456; csrf=zyxwvu98", "Token token=\"99red-balloons\""})
	for text, want := range map[string]string{
		`{"token": "abcdefgh-12345"}`:              `{"token": "(hidden)"}`,
		"authorization: bearer ABCDEFGH-12345":     "authorization: (hidden)",
		`user "ann" with "open sesame" is unknown`: `user "ann" with "(hidden)" is unknown`,
		"login ann:open sesame":                    "login (hidden)",
		`{"cookies": {"sid": "abcdef123456"}}`:     `{"cookies": {"sid": "(hidden)"}}`,
		"unknown token 99red-balloons":             "unknown token (hidden)",
		"pw1, PW1 and pw2":                         "(hidden), (hidden) and pw2",
		strings.Repeat("-", 500) + "abcdefg":       strings.Repeat("-", 500) + "(hidden)",
	} {
		if got := r.hide(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	h := r.header(http.Header{"X-Echo": {"abcdefgh-12345", "fine"}, "X-Abcdefgh-12345": {"1"}})
	if got := fmt.Sprint(h); got != "map[X-(hidden):[1] X-Echo:[(hidden) fine]]" {
		t.Error(got)
	}
}

func TestNoBodyGrowsByHiding(t *testing.T) {
	r := newRedactor([]string{"x"})
	if shown, cut := r.body(strings.Repeat("xy", 8<<10)); len(shown) > maxShown || !cut || strings.Contains(shown, "x") {
		t.Errorf("%d bytes, cut %v", len(shown), cut)
	}
}

func TestNothingOfASecretIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{8,40}`).Draw(t, "secret")
		text := rapid.String().Draw(t, "before") + secret + rapid.String().Draw(t, "after")
		if shown := newRedactor([]string{secret}).hide(text); strings.Contains(shown, secret) && !strings.Contains("(hidden)", secret) {
			t.Fatalf("%q is shown as %q", text, shown)
		}
	})
}
