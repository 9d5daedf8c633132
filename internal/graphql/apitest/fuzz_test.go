package apitest

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/app/apptest"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// raw is the method of a request whose body is sent as it is, and not made of
// a document and variables.
const raw = "RAW"

// FuzzGraphQL: whatever a caller with a good token sends is answered in order,
// soon, and is never the server's fault.
func FuzzGraphQL(f *testing.F) {
	handler, log := newHandler(f)
	for _, script := range readScripts(f) {
		for _, step := range script.steps {
			document := placeholder.ReplaceAllString(step.document, "1")
			variables := placeholder.ReplaceAllString(step.variables, "1")
			f.Add("POST", "", "application/json", "", document, variables)
		}
		f.Add("GET", mediaGraphQL, "", "", `{ accounts { id } }`, `{}`)
		f.Add("POST", mediaGraphQL, "application/json; charset=utf-8", script.path, script.steps[0].document, `{}`)
	}
	for _, body := range []string{
		"", "null", "[]", `{"query":1}`, `{"query":"{`, `{"query":"{ a }","variables":{"a":[{"b":{}}]},"operationName":"x","extensions":{}}`,
		"{\"query\":\"\xff\"}", `{"query":"\ud800"}`,
	} {
		f.Add(raw, "*/*", "application/json", "", body, "")
	}
	for document, variables := range map[string]string{
		introspection: "", deep(16): "null", deepFragments(16): "", spreads(20): "{}",
		`query a($a: Int = 1e3, $b: [ID!] = [1, "2"]) { accounts(limit: $a) { id } ...f @skip(if: true) } fragment f on Query { __type(name: "Account") { fields { name } } }`:   `{"a": 99999999999, "b": "x"}`,
		`mutation ($a: PriceListAttributes!) { priceListCreate(attributes: $a) { priceList { charges { price priceListChargeTiers { starts price } } } userErrors { field } } }`: `{"a": {"planId": 1e3, "charges": [{"price": 1.5e-7, "priceListChargeTiers": [{"starts": null}]}]}}`,
	} {
		f.Add("POST", "application/json;q=0.5, application/*", "application/json", "key", document, variables)
	}
	f.Fuzz(func(t *testing.T, method, accept, contentType, key, document, variables string) {
		before := len(log.String())
		r := &http.Request{Method: method, URL: &url.URL{Path: "/graphql"}, Header: http.Header{}, Body: http.NoBody}
		switch method {
		case http.MethodGet:
			r.URL.RawQuery = url.Values{"query": {document}, "variables": {variables}}.Encode()
		case raw:
			r.Method, r.Body = http.MethodPost, readCloser{strings.NewReader(document)}
		default:
			r.Body = readCloser{strings.NewReader(post(document, variables).body)}
		}
		for name, value := range map[string]string{"Accept": accept, "Content-Type": contentType, "Idempotency-Key": key} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		principal := oauth.Principal{ClientID: firstID, Name: "Fuzz", Scopes: billing.Scopes}
		recorder := httptest.NewRecorder()
		began := time.Now()
		handler.ServeHTTP(recorder, r.WithContext(oauth.WithPrincipal(t.Context(), principal)))
		a := answer{recorder.Code, recorder.Header(), recorder.Body.Bytes()}
		if problem := a.problem(); problem != "" {
			t.Errorf("%s: %d %s", problem, a.status, a.body)
		}
		if a.status >= 500 || strings.Contains(string(a.body), `"INTERNAL"`) {
			t.Errorf("the server is at fault: %d %s", a.status, a.body)
		}
		if logged := log.String()[before:]; logged != "" {
			t.Errorf("the server logged: %s", logged)
		}
		if took := time.Since(began); took > patience {
			t.Errorf("it took %s", took)
		}
	})
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// newHandler is the door without the server around it: a panic ends the test.
func newHandler(f *testing.F) (http.Handler, *apptest.Log) {
	f.Helper()
	box, err := secret.NewBox(strings.Repeat("k", secret.MinKey))
	if err != nil {
		f.Fatal(err)
	}
	log := &apptest.Log{}
	db := storetest.New(f, "sqlite")
	return graphql.NewHandler(service.New(db.Open(f), box, nil), graphql.MaxAnswer, slog.New(slog.NewJSONHandler(log, nil))), log
}
