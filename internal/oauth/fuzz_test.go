package oauth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
)

// FuzzTokenForm sends anything: the answer is never a failure of the server,
// and always an answer of the token endpoint.
func FuzzTokenForm(f *testing.F) {
	r := sqliteWorld(f).replica()
	// Known to every process of a fuzzing run: they hand each other inputs.
	a := r.createClientAs(access.Credentials{ID: "fuzzed-client", Secret: "fuzzed-secret"}, billing.StandardRead)
	good := "grant_type=client_credentials&scope=standard:read"
	inForm := good + "&client_id=" + a.ClientID + "&client_secret=" + a.secret
	const encoded, parts = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"
	for _, seed := range [][3]string{
		{inForm, encoded, ""},
		{good, encoded, basic(a.ClientID + ":" + a.secret)},
		{good, encoded, basic("%zz:%")},
		{good + "&scope=%", encoded + "; charset=", "Basic !"},
		{inForm + "&client_id=", encoded, "Bearer x"},
		{`{"grant_type":"client_credentials"}`, "application/json", ""},
		{"--x\r\nContent-Disposition: form-data; name=\"scope\"\r\n\r\nadmin:read\r\n--x--\r\n", parts, ""},
		{"--x\r\nContent-Disposition: form-data; name=\"scope\"; filename=y\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=", parts, "Basic"},
		{"", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, body, contentType, authorization string) {
		req := httptest.NewRequest(http.MethodPost, "/oauth/token", strings.NewReader(body))
		req.Header["Content-Type"] = []string{contentType}
		req.Header["Authorization"] = []string{authorization}
		w := r.do(req)
		if w.Code != http.StatusOK {
			var answer struct {
				Error string `json:"error"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatalf("not JSON: %s", w.Body)
			}
			switch w.Code {
			case 400, 401, 413, 429:
				wantFailure(t, w, w.Code, answer.Error)
			default:
				t.Errorf("status %d", w.Code)
			}
			return
		}
		wantTokenHeaders(t, w)
		if !strings.Contains(body+authorization, a.secret) && !strings.HasPrefix(strings.ToLower(authorization), "basic ") && !strings.Contains(body, "%") {
			t.Errorf("a token without the secret: %q %q", body, authorization)
		}
		tokenIn(t, w)
	})
}
