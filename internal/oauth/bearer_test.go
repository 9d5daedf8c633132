package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestAuthorizationHeader(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	token := r.token(a)
	const missing, invalid = "The access token is missing", "The access token is invalid"
	for name, test := range map[string]struct {
		header []string
		text   string // empty when let through
	}{
		"right":                {[]string{"Bearer " + token}, ""},
		"small letters":        {[]string{"bearer " + token}, ""},
		"capitals":             {[]string{"BEARER " + token}, ""},
		"more blanks":          {[]string{"Bearer   " + token}, ""},
		"none":                 {nil, missing},
		"empty":                {[]string{""}, missing},
		"scheme only":          {[]string{"Bearer"}, missing},
		"scheme and a blank":   {[]string{"Bearer "}, missing},
		"other scheme":         {[]string{basic("a:b")}, missing},
		"token only":           {[]string{token}, missing},
		"twice":                {[]string{"Bearer " + token, "Bearer " + token}, invalid},
		"two tokens":           {[]string{"Bearer " + token + " " + token}, invalid},
		"quoted":               {[]string{`Bearer "` + token + `"`}, invalid},
		"not a token":          {[]string{"Bearer abc"}, invalid},
		"dots":                 {[]string{"Bearer .."}, invalid},
		"one part more":        {[]string{"Bearer " + token + ".x"}, invalid},
		"signature cut":        {[]string{"Bearer " + token[:len(token)-4]}, invalid},
		"signature missing":    {[]string{"Bearer " + token[:strings.LastIndex(token, ".")+1]}, invalid},
		"padded":               {[]string{"Bearer " + token + "=="}, invalid},
		"too long to look at":  {[]string{"Bearer " + strings.Repeat("x", maxToken+1)}, invalid},
		"bytes":                {[]string{"Bearer \xff\x00"}, invalid},
		"claims of no JSON":    {[]string{"Bearer " + token[:strings.Index(token, ".")] + ".e30x.AAAA"}, invalid},
		"signature of another": {[]string{"Bearer " + swapSignature(token, r.token(a))}, invalid},
	} {
		t.Run(name, func(t *testing.T) {
			req := httptest.NewRequest(http.MethodPost, "/graphql", nil)
			if test.header != nil {
				req.Header["Authorization"] = test.header
			}
			if w := r.through(req); test.text == "" {
				wantPassed(t, w, a)
			} else {
				wantRefused(t, w, test.text)
			}
		})
	}
}

func swapSignature(token, other string) string {
	return token[:strings.LastIndex(token, ".")] + other[strings.LastIndex(other, "."):]
}

func TestTokenOutsideOfTheHeaderIsNotSeen(t *testing.T) {
	r := sqliteWorld(t).replica()
	token := r.token(r.createClient())
	req := httptest.NewRequest(http.MethodPost, "/graphql?access_token="+token, strings.NewReader("access_token="+token))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	wantRefused(t, r.through(req), "The access token is missing")
}

// TestForgedTokens changes one thing of a good token at a time.
func TestForgedTokens(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	now := r.now()
	ours := r.keys.signing(now)
	foreign, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const invalid, expired = "The access token is invalid", "The access token expired"
	for name, test := range map[string]struct {
		text string
		edit func(*jwt.Token, jwt.MapClaims, *any)
	}{
		"nothing":            {"", func(*jwt.Token, jwt.MapClaims, *any) {}},
		"other key":          {invalid, func(_ *jwt.Token, _ jwt.MapClaims, key *any) { *key = foreign }},
		"unknown key id":     {invalid, func(t *jwt.Token, _ jwt.MapClaims, _ *any) { t.Header["kid"] = "x" }},
		"no key id":          {invalid, func(t *jwt.Token, _ jwt.MapClaims, _ *any) { delete(t.Header, "kid") }},
		"key id a number":    {invalid, func(t *jwt.Token, _ jwt.MapClaims, _ *any) { t.Header["kid"] = 1 }},
		"typ JWT":            {invalid, func(t *jwt.Token, _ jwt.MapClaims, _ *any) { t.Header["typ"] = "JWT" }},
		"no typ":             {invalid, func(t *jwt.Token, _ jwt.MapClaims, _ *any) { delete(t.Header, "typ") }},
		"other issuer":       {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { c["iss"] = "https://example.org" }},
		"no issuer":          {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { delete(c, "iss") }},
		"other audience":     {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { c["aud"] = "https://example.org" }},
		"no audience":        {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { delete(c, "aud") }},
		"no expiry":          {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { delete(c, "exp") }},
		"expiry a text":      {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { c["exp"] = "tomorrow" }},
		"no client":          {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { delete(c, "client_id") }},
		"other subject":      {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { c["sub"] = "x" }},
		"no scope":           {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { delete(c, "scope") }},
		"id without number":  {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { c["jti"] = "x.y" }},
		"id without dot":     {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { c["jti"] = "1" }},
		"expired":            {expired, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { c["exp"] = now.Unix() - 1 }},
		"expired, not ours":  {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { c["exp"], c["iss"] = now.Unix()-1, "x" }},
		"expired, no client": {invalid, func(_ *jwt.Token, c jwt.MapClaims, _ *any) { c["exp"] = now.Unix() - 1; delete(c, "sub") }},
		"expired, other key": {invalid, func(_ *jwt.Token, c jwt.MapClaims, key *any) { c["exp"] = now.Unix() - 1; *key = foreign }},
		"no signature": {invalid, func(t *jwt.Token, _ jwt.MapClaims, key *any) {
			t.Method, t.Header["alg"], *key = jwt.SigningMethodNone, "none", jwt.UnsafeAllowNoneSignatureType
		}},
		"the public key as a password": {invalid, func(t *jwt.Token, _ jwt.MapClaims, key *any) {
			t.Method, t.Header["alg"], *key = jwt.SigningMethodHS256, "HS256", []byte(ours.public.X)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			claims := jwt.MapClaims{
				"iss": baseURL, "aud": baseURL, "sub": a.ClientID, "client_id": a.ClientID,
				"iat": now.Unix(), "exp": now.Unix() + 60, "scope": "standard:read", "jti": "1.abc",
			}
			token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
			token.Header["typ"], token.Header["kid"] = "at+jwt", ours.id
			var key any = ours.private
			test.edit(token, claims, &key)
			signed, err := token.SignedString(key)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time it could be remembered
				if w := r.present(signed); test.text == "" {
					wantPassed(t, w, a)
				} else {
					wantRefused(t, w, test.text)
				}
			}
		})
	}
}

func TestTokenExpiresExactlyAtItsTime(t *testing.T) {
	for name, seenBefore := range map[string]bool{"remembered": true, "new": false} {
		t.Run(name, func(t *testing.T) {
			r := sqliteWorld(t).replica()
			a := r.createClient()
			token := r.token(a)
			if seenBefore {
				wantPassed(t, r.present(token), a)
			}
			_, claims := parts(t, token)
			end := time.Unix(int64(claims["exp"].(float64)), 0)
			r.world.clock.pass(end.Sub(r.now()) - time.Nanosecond)
			if seenBefore {
				wantPassed(t, r.present(token), a)
			}
			r.world.clock.pass(time.Nanosecond)
			wantRefused(t, r.present(token), "The access token expired")
			wantRefused(t, r.present(token), "The access token expired")
		})
	}
}

func TestRevokedTokens(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	first := r.token(a)
	wantPassed(t, r.present(first), a) // now it is remembered

	a = r.renewSecret(a, 0, false)
	wantPassed(t, r.present(first), a)

	a = r.renewSecret(a, 0, true)
	wantRefused(t, r.present(first), "The access token was revoked")
	second := r.token(a)
	wantPassed(t, r.present(second), a)

	r.deleteClient(a)
	wantRefused(t, r.present(second), "The access token was revoked")
	wantRefused(t, r.present(first), "The access token was revoked")
}

func TestTokenKeepsItsScopes(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	token := r.token(a)
	_, err := r.service.Access.ClientUpdate(t.Context(), a.ID, func(c *billing.Client) error {
		c.Scopes = []string{billing.AdminRead}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPassed(t, r.present(token), a)
	wantFailure(t, r.ask(a), 400, "invalid_scope")
}
