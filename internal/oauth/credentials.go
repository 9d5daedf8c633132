package oauth

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// credentials are the id and secret that a caller gives. There are two
// readings where it is not certain how they were encoded.
type credentials struct{ id, secret string }

// credentialsOf returns how a caller authenticates: in the form, or with HTTP
// Basic. It does not say whether they are right. The first reading comes first.
func credentialsOf(h http.Header, f form) ([]credentials, *failure) {
	inForm := f.clientID != "" || f.clientSecret != ""
	text, basic, fail := basicOf(h)
	switch {
	case fail != nil:
		return nil, fail
	case basic && inForm:
		return nil, authenticatedTwice
	case basic:
		return readBasic(text)
	case f.clientID == "" || f.clientSecret == "":
		return nil, notAuthenticated
	}
	return []credentials{{f.clientID, f.clientSecret}}, nil
}

// basicOf returns the text after the word Basic. Other schemes are nothing to
// this endpoint: a caller may send its old token along.
func basicOf(h http.Header) (text string, basic bool, fail *failure) {
	fields := h["Authorization"]
	if len(fields) > 1 {
		return "", false, severalAuthorizations
	}
	if len(fields) == 0 {
		return "", false, nil
	}
	scheme, text, _ := strings.Cut(fields[0], " ")
	return strings.Trim(text, " "), strings.EqualFold(scheme, "Basic"), nil
}

// readBasic reads HTTP Basic. OAuth wants id and secret form-encoded before
// (RFC 6749 §2.3.1), but many callers leave that out.
func readBasic(text string) ([]credentials, *failure) {
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, badBasic
	}
	id, secret, colon := strings.Cut(string(decoded), ":")
	if !colon {
		return nil, badBasic
	}
	if id == "" || secret == "" {
		return nil, notAuthenticated
	}
	raw := credentials{id, secret}
	plainID, idErr := url.QueryUnescape(id)
	plainSecret, secretErr := url.QueryUnescape(secret)
	plain := credentials{plainID, plainSecret}
	if idErr != nil || secretErr != nil || plain == raw {
		return []credentials{raw}, nil
	}
	return []credentials{plain, raw}, nil
}
