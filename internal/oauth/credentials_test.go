package oauth

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
)

func basic(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }

func TestBasicAuthentication(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	// Given credentials may have characters that made-up ones never have.
	odd := access.Credentials{ID: "an id+1", Secret: "50% of a:secret & more+"}
	r.createClientAs(odd, billing.StandardRead)
	const form = "grant_type=client_credentials&scope=standard:read"
	inForm := "&client_id=" + a.ClientID + "&client_secret=" + a.secret
	right := basic(a.ClientID + ":" + a.secret)
	for name, test := range map[string]struct {
		header, body string
		status       int
		code         string
	}{
		"right":                         {right, form, 200, ""},
		"scheme in small letters":       {"basic" + right[5:], form, 200, ""},
		"more blanks":                   {"Basic   " + right[6:], form, 200, ""},
		"form-encoded":                  {basic(url.QueryEscape(odd.ID) + ":" + url.QueryEscape(odd.Secret)), form, 200, ""},
		"raw, with a malformed %":       {basic(odd.ID + ":" + odd.Secret), form, 200, ""},
		"empty form fields beside":      {right, form + "&client_id=&client_secret=", 200, ""},
		"wrong secret":                  {right[:len(right)-8] + "AAAAAAAA", form, 401, "invalid_client"},
		"malformed % in secret":         {basic(a.ClientID + ":%zz"), form, 401, "invalid_client"},
		"malformed % in id":             {basic("%:x"), form, 401, "invalid_client"},
		"unknown":                       {basic("nobody:" + a.secret), form, 401, "invalid_client"},
		"bad base64":                    {"Basic !!!", form, 401, "invalid_client"},
		"no colon":                      {basic(a.ClientID), form, 401, "invalid_client"},
		"no id":                         {basic(":" + a.secret), form, 401, "invalid_client"},
		"no secret":                     {basic(a.ClientID + ":"), form, 401, "invalid_client"},
		"nothing":                       {"Basic", form, 401, "invalid_client"},
		"both":                          {right, form + inForm, 400, "invalid_request"},
		"form secret beside":            {right, form + "&client_secret=" + a.secret, 400, "invalid_request"},
		"form id beside, equal":         {right, form + "&client_id=" + a.ClientID, 400, "invalid_request"},
		"form id beside, different":     {right, form + "&client_id=other", 400, "invalid_request"},
		"grant type before both":        {right, "scope=standard:read" + inForm, 400, "unsupported_grant_type"},
		"other scheme, form right":      {"Bearer abc", form + inForm, 200, ""},
		"other scheme alone":            {"Bearer abc", form, 401, "invalid_client"},
		"empty header":                  {"", form, 401, "invalid_client"},
		"malformed but form is right":   {"Basic !!!", form + inForm, 400, "invalid_request"},
		"scope is checked as with form": {right, "grant_type=client_credentials&scope=admin:read", 400, "invalid_scope"},
	} {
		t.Run(name, func(t *testing.T) {
			req := tokenRequest(test.body)
			req.Header.Set("Authorization", test.header)
			w := r.do(req)
			if test.status == http.StatusOK {
				tokenIn(t, w)
			} else {
				wantFailure(t, w, test.status, test.code)
			}
		})
	}
	req := tokenRequest(form)
	req.Header["Authorization"] = []string{right, right}
	wantFailure(t, r.do(req), 400, "invalid_request")
}
