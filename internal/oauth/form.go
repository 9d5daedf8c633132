package oauth

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const maxBody = 64 << 10

// form is the parameters of a token request. A parameter without a value is
// the same as none (RFC 6749 §3.2).
type form struct {
	grantType, scope, clientID, clientSecret string

	repeated string   // a parameter that is given more than once
	given    []string // the names of all so far
}

// add takes a parameter, if it is one of ours.
func (f *form) add(name, value string) {
	field := map[string]*string{"grant_type": &f.grantType, "scope": &f.scope, "client_id": &f.clientID, "client_secret": &f.clientSecret}[name]
	if field == nil {
		return
	}
	if slices.Contains(f.given, name) {
		f.repeated = cmp.Or(f.repeated, name)
	}
	f.given, *field = append(f.given, name), value
}

// readForm reads the parameters in the body of a request, and only there:
// addresses with secrets in them end up in logs.
func readForm(w http.ResponseWriter, r *http.Request) (form, *failure) {
	if r.Method != http.MethodPost {
		return form{}, notPost
	}
	kind, boundary := formKind(r.Header.Get("Content-Type"))
	if kind == notAForm {
		return form{}, notForm
	}
	body, fail := readBody(w, r)
	if fail != nil {
		return form{}, fail
	}
	var f form
	if kind == multipartForm {
		fail = f.readParts(body, boundary)
	} else {
		fail = f.readEncoded(string(body))
	}
	if fail == nil && f.repeated != "" {
		fail = invalidRequest("The parameter " + f.repeated + " is given more than once.")
	}
	return f, fail
}

const (
	notAForm = iota
	encodedForm
	multipartForm
)

func formKind(contentType string) (kind int, boundary string) {
	const encoded = "application/x-www-form-urlencoded"
	if contentType == encoded { // as nearly everybody sends it
		return encodedForm, ""
	}
	media, params, err := mime.ParseMediaType(contentType)
	switch {
	case media == encoded: // whatever its parameters are
		return encodedForm, ""
	case err == nil && media == "multipart/form-data" && params["boundary"] != "":
		return multipartForm, params["boundary"]
	}
	return notAForm, ""
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *failure) {
	if r.ContentLength > maxBody {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, tooLarge
	}
	if err != nil {
		return nil, cutOff
	}
	return body, nil
}

// readEncoded reads application/x-www-form-urlencoded.
func (f *form) readEncoded(body string) *failure {
	for pair := range strings.SplitSeq(body, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil {
			return badPercent
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return badPercent
		}
		f.add(name, value)
	}
	return nil
}

// readParts reads multipart/form-data. Files are no parameters.
func (f *form) readParts(body []byte, boundary string) *failure {
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return badParts
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return badParts
		}
		if part.FileName() == "" {
			f.add(part.FormName(), string(value))
		}
	}
}
