package ui

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
)

// TokenField carries the one-time token of a form. Every form that is posted has
// it; see withTokens.
const TokenField = "once"

// MaxForm is how many bytes a form may have. It is far more than all fields of any
// form may hold, so that a field with too much in it is shown again with what was
// typed.
const MaxForm = 16 << 20

var postForm = regexp.MustCompile(`<form\b[^>]*\bmethod="post"[^>]*>`)

// withTokens puts the field for the one-time token into every form of a template
// that is posted, so that none can forget it.
func withTokens(text string) string {
	return postForm.ReplaceAllStringFunc(text, func(tag string) string {
		return tag + `<input type="hidden" name="` + TokenField + `" value="{{once}}" autocomplete="off">`
	})
}

// Token identifies the form of a request by its one-time token, and the values it
// was sent with. Neither the token nor the values can be derived from what is
// returned. Both are empty if the form has no token.
func Token(r *http.Request) (form, values string) {
	token := r.PostForm.Get(TokenField)
	if token == "" {
		return "", ""
	}
	typed := url.Values{}
	for name, values := range r.PostForm {
		if name != TokenField {
			typed[name] = values
		}
	}
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte(r.URL.RequestURI() + "\n" + typed.Encode())) // never fails
	key := sha256.Sum256([]byte(token))
	return hex.EncodeToString(key[:]), hex.EncodeToString(mac.Sum(nil))
}
