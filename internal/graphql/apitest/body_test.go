package apitest

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func body(text string) request { return request{body: text} }

// TestBody: what is not even a GraphQL request is answered with 400, whatever
// the caller accepts.
func TestBody(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	bad := func(message string) expectation { return expectation{status: 400, code: badInput, message: message} }
	good := expectation{status: 200, body: itIsMe}
	object := bad("The body must be a JSON object")
	table := map[string]exchange{
		"empty":               {body(""), object},
		"blank":               {body(" \n"), object},
		"no JSON":             {body("{ currentClient { name } }"), object},
		"null":                {body("null"), object},
		"a text":              {body(`"query"`), object},
		"a number":            {body("12"), object},
		"cut off":             {body(`{"query": "{ __typename }"`), object},
		"two objects":         {body(`{"query":"{ __typename }"}{}`), object},
		"something after it":  {body(`{"query":"{ __typename }"} x`), object},
		"a byte order mark":   {body("\ufeff" + `{"query":"{ __typename }"}`), object},
		"single quotes":       {body(`{'query': '{ __typename }'}`), object},
		"a trailing comma":    {body(`{"query": "{ __typename }",}`), object},
		"a batch":             {body(`[{"query":"{ __typename }"}]`), bad("one request at a time")},
		"an empty batch":      {body(` []`), bad("one request at a time")},
		"no query":            {body(`{}`), bad("no query")},
		"only variables":      {body(`{"variables":{}}`), bad("no query")},
		"an unknown field":    {body(`{"query":"{ __typename }","id":"1"}`), bad(`"id"`)},
		"another case":        {body(`{"Query":"{ __typename }"}`), bad(`"Query"`)},
		"a persisted query":   {body(`{"documentId":"sha256:abc","variables":{}}`), bad(`"documentId"`)},
		"query null":          {body(`{"query":null}`), bad("query must be a string")},
		"query a number":      {body(`{"query":1}`), bad("query must be a string")},
		"query a list":        {body(`{"query":["{ __typename }"]}`), bad("query must be a string")},
		"query an object":     {body(`{"query":{}}`), bad("query must be a string")},
		"query a truth":       {body(`{"query":true}`), bad("query must be a string")},
		"operationName 1":     {body(`{"query":"{ __typename }","operationName":1}`), bad("operationName must be a string or null")},
		"operationName []":    {body(`{"query":"{ __typename }","operationName":[]}`), bad("operationName must be a string or null")},
		"variables text":      {body(`{"query":"{ __typename }","variables":"{}"}`), bad("variables must be an object or null")},
		"variables list":      {body(`{"query":"{ __typename }","variables":[]}`), bad("variables must be an object or null")},
		"variables 0":         {body(`{"query":"{ __typename }","variables":0}`), bad("variables must be an object or null")},
		"variables false":     {body(`{"query":"{ __typename }","variables":false}`), bad("variables must be an object or null")},
		"extensions text":     {body(`{"query":"{ __typename }","extensions":"x"}`), bad("extensions must be an object or null")},
		"extensions list":     {body(`{"query":"{ __typename }","extensions":[{}]}`), bad("extensions must be an object or null")},
		"query twice":         {body(`{"query":"{ __typename }","query":"{ currentClient { clientId } }"}`), bad(`"query" is there twice`)},
		"a variable twice":    {body(`{"query":"{ __typename }","variables":{"a":1,"a":1}}`), bad(`"a" is there twice`)},
		"twice, deeper":       {body(`{"query":"{ __typename }","variables":{"a":[{"b":{"c":1,"\u0063":2}}]}}`), bad(`"c" is there twice`)},
		"the same, elsewhere": {body(`{"query":"{ currentClient { clientId } }","variables":{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":3}}}`), good},
		"nulls":               {body(`{"query":"{ currentClient { clientId } }","variables":null,"operationName":null,"extensions":null}`), good},
		"every field":         {body(`{"query":"query me { currentClient { clientId } }","variables":{},"operationName":"me","extensions":{"a":[1,{}]}}`), good},
		"blanks around":       {body("\r\n\t {\"query\" :\n\"{ currentClient { clientId } }\"} \n"), good},
		"escapes":             {body(`{"\u0071uery":"{ currentClient\u0020{ clientId } }"}`), good},

		"invalid UTF-8 in a variable": {body("{\"query\":\"{ __typename }\",\"variables\":{\"a\":\"\xff\"}}"), bad("UTF-8")},
		"invalid UTF-8 in a name":     {body("{\"query\":\"{ __typename }\",\"variables\":{\"\xc3\":1}}"), bad("UTF-8")},
		"invalid UTF-8 in a document": {body("{\"query\":\"{ __typename } #\xf0\x9f\"}"), bad("UTF-8")},
		"an encoded surrogate":        {body("{\"query\":\"{ __typename } # \xed\xa0\x80\"}"), bad("UTF-8")},
		"half a character":            {body(`{"query":"{ __typename }","variables":{"a":"\ud83d"}}`), bad(`\ud83d`)},
		"the other half":              {body(`{"query":"{ __typename }","variables":{"a":"\uDE00x"}}`), bad(`\uDE00`)},
		"halves in the wrong order":   {body(`{"query":"{ __typename }","variables":{"a":"\ude00\ud83d"}}`), bad(`\ude00`)},
		"both halves":                 {body(`{"query":"{ currentClient { clientId } }","variables":{"a":"\ud83d\ude00 \\ud83d"}}`), good},
		"half in a document":          {post(`{ accounts(filter: "\ud83d") { id } }`, ""), expectation{status: 200, code: unparsed}},
		"a half that is escaped":      {post(`{ accounts(filter: "\"\\ud83d\"") { id } }`, ""), expectation{status: 200, code: badInput, message: "backslash"}},
		"a half in a comment":         {post(`{ currentClient { clientId } } # "\ud83d"`, ""), good},
		"a half in a block":           {post(`{ currentClient { clientId } accounts(filter: """\ud83d""") { id } }`, ""), expectation{status: 200, body: `{"data":{"currentClient":{"clientId":"apitest"},"accounts":[]}}`}},
	}
	s.exchange(t, table)
	for name, row := range table {
		if row.status == 400 {
			t.Run(name+", as "+mediaGraphQL, func(t *testing.T) {
				row.media = mediaGraphQL
				row.check(t, s.send(t, row.request.with("Accept", mediaGraphQL)))
			})
		}
	}
}

func TestGetParameters(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	bad := func(message string) expectation { return expectation{status: 400, code: badInput, message: message} }
	find := `query find($limit: Int) { apiClients(limit: $limit) { clientId } }`
	found := expectation{status: 200, body: `{"data":{"apiClients":[{"clientId":"apitest"}]}}`}
	raw := func(query string) request { return request{method: http.MethodGet, query: query} }
	s.exchange(t, map[string]exchange{
		"query":                  {get("query", whoami), expectation{status: 200, body: itIsMe}},
		"variables":              {get("query", find, "variables", `{"limit": 1}`, "operationName", "find", "extensions", `{}`), found},
		"empty ones":             {get("query", find, "variables", "", "operationName", "", "extensions", ""), found},
		"null variables":         {get("query", find, "variables", "null"), found},
		"nothing":                {raw(""), bad("no query")},
		"an empty query":         {get("query", ""), expectation{status: 200, code: invalid}},
		"variables a list":       {get("query", find, "variables", "[]"), bad("variables must be an object")},
		"variables no JSON":      {get("query", find, "variables", "{limit:1}"), bad("variables must be an object")},
		"a variable twice":       {get("query", find, "variables", `{"limit":1,"limit":2}`), bad("twice")},
		"a variable of no use":   {get("query", find, "variables", `{"limit":0}`), expectation{status: 200, code: badInput, message: "limit must be"}},
		"an unknown parameter":   {get("query", whoami, "token", "x"), bad(`"token"`)},
		"query twice":            {get("query", whoami, "query", "{ __typename }"), bad(`"query" is there twice`)},
		"variables twice":        {get("query", whoami, "variables", "{}", "variables", "{}"), bad(`"variables" is there twice`)},
		"a bad escape":           {raw("query=%7B+__typename+%7D%zz"), bad("address")},
		"a semicolon":            {raw("query=%7B+__typename+%7D;variables=x"), bad("address")},
		"invalid UTF-8":          {raw("query=" + url.QueryEscape("{ __typename } #\xff")), bad("UTF-8")},
		"invalid UTF-8 variable": {raw("query=" + url.QueryEscape(find) + "&variables=" + url.QueryEscape("{\"limit\":\"\xff\"}")), bad("UTF-8")},
		"half a character":       {get("query", find, "variables", `{"limit":"\ud83d"}`), bad(`\ud83d`)},
		"a body is not read":     {request{method: http.MethodGet, query: "query=" + url.QueryEscape(whoami), body: "{}"}, expectation{status: 200, body: itIsMe}},
	})
}

// TestPostIgnoresTheAddress: what stands there ends up in logs.
func TestPostIgnoresTheAddress(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	r := body(`{}`)
	r.query = "query=" + url.QueryEscape(whoami)
	expectation{status: 400, code: badInput, message: "no query"}.check(t, s.send(t, r))
}

// TestHalfClosed: a caller that has said all it has to say, and closed its side
// of the connection, is answered; one that hung up in the middle is told so,
// and nothing is done.
func TestHalfClosed(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	token, err := s.token(first)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		text := post(fmt.Sprintf(`mutation { accountCreate(attributes: {name: "n%d"}) { errors } }`, i), "").body
		a := s.raw(t, token, text, len(text))
		if want := `{"data":{"accountCreate":{"errors":null}}}`; a.StatusCode != 200 || !strings.HasSuffix(readAll(t, a), want) {
			t.Fatalf("a complete request was answered with %d", a.StatusCode)
		}
		cut := s.raw(t, token, text, len(text)+1)
		if text := readAll(t, cut); cut.StatusCode != 400 || !strings.Contains(text, "ended before it was complete") {
			t.Fatalf("a request that was cut off was answered with %d: %s", cut.StatusCode, text)
		}
	}
	if n := len(s.do(t, `{ accounts { id } }`).at("accounts").list()); n != 20 {
		t.Errorf("there are %d accounts, want 20", n)
	}
}

// raw sends a body that is said to have a length, and closes its side of the
// connection then.
func (s *server) raw(t *testing.T, token, body string, length int) *http.Response {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	_, err = fmt.Fprintf(connection, "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		token, length, body)
	if err != nil {
		t.Fatal(err)
	}
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func readAll(t *testing.T, r *http.Response) string {
	t.Helper()
	defer r.Body.Close()
	var text strings.Builder
	if _, err := bufio.NewReader(r.Body).WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
