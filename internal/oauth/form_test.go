package oauth

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
)

func TestContentTypes(t *testing.T) {
	r := sqliteWorld(t).replica()
	body := r.createClient().form().Encode()
	for contentType, good := range map[string]bool{
		"application/x-www-form-urlencoded":                true,
		"application/x-www-form-urlencoded; charset=UTF-8": true,
		"application/x-www-form-urlencoded;":               true,
		"application/x-www-form-urlencoded; charset":       true,
		"Application/X-WWW-Form-URLencoded":                true,
		"application/json":                                 false,
		"text/plain":                                       false,
		"application/x-www-form-urlencodedx":               false,
		"multipart/form-data":                              false, // no boundary
		"multipart/mixed; boundary=x":                      false,
		"; charset=utf-8":                                  false,
		"":                                                 false,
	} {
		t.Run(contentType, func(t *testing.T) {
			req := tokenRequest(body)
			req.Header.Set("Content-Type", contentType)
			w := r.do(req)
			if good && w.Code != http.StatusOK {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if !good {
				wantFailure(t, w, 400, "invalid_request")
			}
		})
	}
	req := tokenRequest(body)
	req.Header.Del("Content-Type")
	wantFailure(t, r.do(req), 400, "invalid_request")
}

func TestEncodedBodies(t *testing.T) {
	r := sqliteWorld(t).replica()
	good := r.createClient().form().Encode()
	for name, test := range map[string]struct {
		body string
		code string // empty for success
	}{
		"plain":                       {good, ""},
		"other parameters":            {good + "&resource=x&audience=y&resource=z", ""},
		"empty pairs":                 {"&&" + good + "&", ""},
		"semicolon in another":        {good + "&note=a;b", ""},
		"name encoded":                {strings.Replace(good, "scope=", "%73cope=", 1), ""},
		"encoded name is the same":    {good + "&%73cope=standard:read", "invalid_request"},
		"bad percent in value":        {good + "&x=%zz", "invalid_request"},
		"bad percent in name":         {good + "&%=1", "invalid_request"},
		"percent cut off":             {good + "&x=%4", "invalid_request"},
		"parameter without =":         {good + "&scope", "invalid_request"}, // given twice
		"empty body":                  {"", "unsupported_grant_type"},
		"JSON under a form's name":    {`{"grant_type":"client_credentials"}`, "unsupported_grant_type"},
		"bytes that are not anything": {"\x00\xff\xfe=&=\x01", "unsupported_grant_type"},
	} {
		t.Run(name, func(t *testing.T) {
			w := r.do(tokenRequest(test.body))
			if test.code == "" {
				tokenIn(t, w)
			} else {
				wantFailure(t, w, 400, test.code)
			}
		})
	}
}

func TestBodySize(t *testing.T) {
	r := sqliteWorld(t).replica()
	good := r.createClient().form().Encode() + "&pad="
	full := good + strings.Repeat("x", maxBody-len(good))
	tokenIn(t, r.do(tokenRequest(full)))

	wantFailure(t, r.do(tokenRequest(full+"x")), 413, "invalid_request")

	unknownLength := tokenRequest("")
	unknownLength.Body, unknownLength.ContentLength = io.NopCloser(strings.NewReader(full+"x")), -1
	wantFailure(t, r.do(unknownLength), 413, "invalid_request")

	broken := tokenRequest("")
	broken.Body = io.NopCloser(iotest.ErrReader(errors.New("connection lost")))
	wantFailure(t, r.do(broken), 400, "invalid_request")
}

func TestMultipartForms(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	send := func(write func(*multipart.Writer)) *httptest.ResponseRecorder {
		var body bytes.Buffer
		m := multipart.NewWriter(&body)
		for name, values := range a.form() {
			for _, value := range values {
				m.WriteField(name, value)
			}
		}
		write(m)
		req := tokenRequest(body.String())
		req.Header.Set("Content-Type", m.FormDataContentType())
		return r.do(req)
	}
	tokenIn(t, send(func(m *multipart.Writer) { m.Close() }))
	tokenIn(t, send(func(m *multipart.Writer) {
		file, _ := m.CreateFormFile("scope", "scope.txt") // a file is no parameter
		io.WriteString(file, "admin:read")
		m.Close()
	}))
	for _, name := range []string{"grant_type", "scope", "client_id", "client_secret"} {
		w := send(func(m *multipart.Writer) { m.WriteField(name, a.form().Get(name)); m.Close() })
		if text := wantFailure(t, w, 400, "invalid_request"); !strings.Contains(text, name) {
			t.Errorf("the description does not name %s: %s", name, text)
		}
	}
	wantFailure(t, send(func(*multipart.Writer) {}), 400, "invalid_request") // no end

	for name, body := range map[string]string{
		"empty":          "",
		"not multipart":  a.form().Encode(),
		"broken headers": "--x\r\nContent-Disposition\r\n\r\n\r\n--x--\r\n",
	} {
		req := tokenRequest(body)
		req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		w := r.do(req)
		t.Log(name)
		wantFailure(t, w, 400, "invalid_request")
	}
}
