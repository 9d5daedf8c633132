package apitest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// expectation is what a request is answered with. A text that is empty is not
// looked at, except for code: without one the answer must be a success.
type expectation struct {
	status  int
	media   string
	code    string
	message string // a part of the first error's
	body    string // all of it
	header  map[string]string
}

func (want expectation) check(t *testing.T, a answer) {
	t.Helper()
	media, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	if a.status != want.status || want.media != "" && media != want.media || a.code() != want.code ||
		!strings.Contains(a.message(), want.message) || want.body != "" && string(a.body) != want.body {
		t.Errorf("want %+v\ngot %d %s: %.1000s", want, a.status, media, a.body)
	}
	for name, value := range want.header {
		if a.header.Get(name) != value {
			t.Errorf("%s is %q, want %q", name, a.header.Get(name), value)
		}
	}
}

type exchange struct {
	request
	expectation
}

func (s *server) exchange(t *testing.T, table map[string]exchange) {
	t.Helper()
	for name, row := range table {
		t.Run(name, func(t *testing.T) { row.check(t, s.send(t, row.request)) })
	}
}

const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"

	whoami   = `{ currentClient { clientId } }`
	itIsMe   = `{"data":{"currentClient":{"clientId":"apitest"}}}`
	badInput = "BAD_USER_INPUT"
	unparsed = "GRAPHQL_PARSE_FAILED"
	invalid  = "GRAPHQL_VALIDATION_FAILED"
	tooMuch  = "LIMIT_EXCEEDED"
)

func get(parameters ...string) request {
	query := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		query.Add(parameters[i], parameters[i+1])
	}
	return request{method: http.MethodGet, query: query.Encode()}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	refused := expectation{status: 405, code: badInput, header: map[string]string{"Allow": "GET, POST"}}
	table := map[string]exchange{
		"POST": {post(whoami, ""), expectation{status: 200, media: mediaJSON, body: itIsMe, header: map[string]string{"Cache-Control": "no-store"}}},
		"GET":  {get("query", whoami), expectation{status: 200, media: mediaJSON, body: itIsMe}},
		"GET a mutation": {get("query", `mutation { accountCreate(attributes: {name: "X"}) { errors } }`), expectation{
			status: 405, code: badInput, message: "POST", header: map[string]string{"Allow": "POST"},
		}},
		"GET the mutation of two operations": {get("operationName", "b", "query", `query a { __typename } mutation b { accountDelete(id: 1) { errors } }`), expectation{
			status: 405, code: badInput,
		}},
		"GET the query of two operations": {get("operationName", "a", "query", `query a { __typename } mutation b { accountDelete(id: 1) { errors } }`), expectation{
			status: 200, body: `{"data":{"__typename":"Query"}}`,
		}},
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"} {
		r := post(whoami, "")
		r.method = method
		table[method] = exchange{r, refused}
	}
	s.exchange(t, table)
	if got := s.do(t, `{ accounts { name } }`).at("accounts").list(); len(got) > 0 {
		t.Errorf("a refused mutation was done: %v", got)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	response, err := s.http.Do(s.newRequest(t, request{method: http.MethodHead, query: "query=" + url.QueryEscape(whoami)}))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "GET, POST" {
		t.Errorf("%d with Allow: %q", response.StatusCode, response.Header.Get("Allow"))
	}
}

func TestContentType(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	good := expectation{status: 200, body: itIsMe}
	bad := expectation{status: 415, code: badInput}
	table := map[string]exchange{}
	for media, want := range map[string]expectation{
		"application/json":                         good,
		"Application/JSON":                         good,
		"application/json; charset=utf-8":          good,
		`application/json;charset="UTF-8"`:         good,
		"application/json; charset=utf-8; other=1": good,
		"application/json; charset=iso-8859-1":     bad,
		"application/json; charset=utf-16":         bad,
		"application/json; charset":                bad,
		"application/graphql":                      bad,
		"application/graphql-response+json":        bad,
		"text/plain":                               bad,
		"application/x-www-form-urlencoded":        bad,
		"multipart/form-data; boundary=x":          bad,
		"json":                                     bad,
		"":                                         bad,
	} {
		table[media] = exchange{post(whoami, "").with("Content-Type", media), want}
	}
	table["GET needs none"] = exchange{get("query", whoami).with("Content-Type", ""), good}
	s.exchange(t, table)
}

func TestAccept(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	for accept, media := range map[string]string{
		"":                                  mediaJSON,
		"*/*":                               mediaJSON,
		"application/*":                     mediaJSON,
		"application/json":                  mediaJSON,
		"application/json; charset=utf-8":   mediaJSON,
		"APPLICATION/JSON":                  mediaJSON,
		"application/graphql-response+json": mediaGraphQL,
		"application/graphql-response+json; charset=utf-8, application/json; charset=utf-8": mediaGraphQL,
		"application/json, application/graphql-response+json":                               mediaJSON,
		"application/json;q=0.5, application/graphql-response+json":                         mediaGraphQL,
		"application/json;q=0.9, application/graphql-response+json;q=0.8":                   mediaJSON,
		"application/graphql-response+json;q=0.9, application/json;q=0.8":                   mediaGraphQL,
		"text/html, application/xhtml+xml, */*;q=0.1":                                       mediaJSON,
		"application/json;q=0, application/graphql-response+json;q=0.001":                   mediaGraphQL,
		"application/graphql-response+json;q=0, */*":                                        mediaJSON,
		"application/json;q=0, */*":                                                         mediaGraphQL,
		"application/json;q=0, application/*;q=0.2":                                         mediaGraphQL,
		"*/*, application/graphql-response+json;q=0.5":                                      mediaJSON,
		"text/*, application/json":                                                          mediaJSON,
		", ,application/json,":                                                              mediaJSON,
		"multipart/mixed;deferSpec=20220824, application/json":                              mediaJSON,
		"application/json;q=nonsense":                                                       mediaJSON,

		"text/html":                        "",
		"text/*":                           "",
		"application/xml":                  "",
		"application/json;q=0":             "",
		"*/*;q=0":                          "",
		"application/json;q=0, */*;q=0":    "",
		"nonsense":                         "",
		"multipart/mixed;deferSpec=202208": "",
	} {
		t.Run(accept, func(t *testing.T) {
			r := post(whoami, "").with("Accept", accept)
			bad := post("{ nothing }", "").with("Accept", accept)
			switch media {
			case "":
				expectation{status: 406, media: mediaJSON, code: badInput}.check(t, s.send(t, r))
			case mediaJSON:
				expectation{status: 200, media: media, body: itIsMe}.check(t, s.send(t, r))
				expectation{status: 200, media: media, code: invalid}.check(t, s.send(t, bad))
			case mediaGraphQL:
				expectation{status: 200, media: media, body: itIsMe}.check(t, s.send(t, r))
				expectation{status: 400, media: media, code: invalid}.check(t, s.send(t, bad))
			}
		})
	}
}

// TestVary: a cache must know that the answer depends on who asks, and how.
func TestVary(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	if vary := s.send(t, get("query", whoami)).header.Get("Vary"); !strings.Contains(vary, "Accept") || !strings.Contains(vary, "Authorization") {
		t.Errorf("Vary is %q", vary)
	}
}
