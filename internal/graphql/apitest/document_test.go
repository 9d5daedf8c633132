package apitest

import (
	"fmt"
	"strings"
	"testing"
)

// TestDocuments: documents that do not parse or validate, and those that are
// only odd.
func TestDocuments(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	who := `"currentClient":{"clientId":"apitest"}`
	for name, row := range map[string]struct{ document, code, message, body string }{
		"empty":                  {``, invalid, "no operation", ""},
		"a comment":              {`# nothing`, invalid, "no operation", ""},
		"a fragment alone":       {`fragment f on Account { id }`, invalid, "no operation", ""},
		"a type":                 {`type T { id: ID }`, unparsed, "", ""},
		"cut off":                {`{ currentClient {`, unparsed, "", ""},
		"no braces":              {`currentClient`, unparsed, "", ""},
		"an empty selection":     {`{ }`, unparsed, "", ""},
		"an odd character":       {`{ currentClient ? }`, unparsed, "", ""},
		"a control character":    {"{ currentClient { clientId } \x07}", unparsed, "", ""},
		"a bad number":           {`{ accounts(limit: 01) { id } }`, unparsed, "", ""},
		"an unknown field":       {`{ colour }`, invalid, "colour", ""},
		"no selection":           {`{ currentClient }`, invalid, "currentClient", ""},
		"a selection of nothing": {`{ currentClient { clientId { x } } }`, invalid, "String", ""},
		"a subscription":         {`subscription { currentClient { clientId } }`, invalid, "subscription", ""},
		"an unknown directive":   {`{ currentClient @hidden { clientId } }`, invalid, "hidden", ""},
		"a fragment of itself":   {`{ currentClient { ...f } } fragment f on CurrentClient { ...f }`, invalid, "f", ""},
		"two without a name":     {`{ __typename } { __typename }`, invalid, "", ""},
		"which of two":           {`query a { __typename } query b { __typename }`, invalid, "operationName", ""},
		"fields in conflict":     {`{ a: currentClient { clientId } a: __typename }`, invalid, "a", ""},
		"in pieces":              {`{ currentClient { ... @defer { clientId } } }`, invalid, "defer", ""},
		"skipped":                {`{ currentClient { clientId name @skip(if: true) } a: __typename @include(if: false) }`, "", "", `{"data":{` + who + `}}`},
		"all skipped":            {`{ currentClient @skip(if: true) { clientId } }`, "", "", `{"data":{}}`},
		"an alias":               {`{ z: currentClient { y: clientId } }`, "", "", `{"data":{"z":{"y":"apitest"}}}`},
		"fields merged":          {`{ currentClient { clientId } currentClient { __typename clientId } }`, "", "", `{"data":{"currentClient":{"clientId":"apitest","__typename":"CurrentClient"}}}`},
		"a fragment":             {`{ ...q } fragment q on Query { currentClient { ... on CurrentClient { clientId } } }`, "", "", `{"data":{` + who + `}}`},
		"the order asked for":    {`{ b: __typename a: __typename }`, "", "", `{"data":{"b":"Query","a":"Query"}}`},
		"a byte order mark":      {"\ufeff" + whoami, "", "", itIsMe},
		"commas":                 {`{,,,currentClient,{,clientId,},}`, "", "", itIsMe},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.send(t, post(row.document, ""))
			expectation{status: 200, media: mediaJSON, code: row.code, message: row.message, body: row.body}.check(t, a)
			if row.code != "" && strings.Contains(string(a.body), `"data"`) {
				t.Errorf("nothing was executed, and there is data: %s", a.body)
			}
			status := 200
			if row.code != "" {
				status = 400
			}
			a = s.send(t, post(row.document, "").with("Accept", mediaGraphQL))
			expectation{status: status, media: mediaGraphQL, code: row.code, body: row.body}.check(t, a)
		})
	}
}

// TestErrorsHavePaths: an error of a field says which one, and the others are
// answered.
func TestErrorsHavePaths(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	a := s.send(t, post(`{ me: currentClient { clientId } none: account(id: "x") { id } }`, ""))
	want := `{"data":{"me":{"clientId":"apitest"},"none":null},"errors":[{"message":"id: An id is a whole number such as 12, not \"x\".",` +
		`"path":["none"],"locations":[{"line":1,"column":34}],"extensions":{"code":"BAD_USER_INPUT"}}]}`
	expectation{status: 200, code: badInput, body: want}.check(t, a)
	a = s.send(t, post(`mutation { a: accountCreate(attributes: {name: "A", billingContact: {accountId: "x"}}) { errors } b: featureCreate(productId: 1, attributes: {}, planIds: [1, -1]) { errors } }`, ""))
	want = `{"data":{"a":null,"b":null},"errors":[{"message":"attributes.billingContact.accountId: An id is a whole number such as 12, not \"x\".",` +
		`"path":["a"],"locations":[{"line":1,"column":12}],"extensions":{"code":"BAD_USER_INPUT"}},` +
		`{"message":"planIds.1: An id is a whole number such as 12, not \"-1\".",` +
		`"path":["b"],"locations":[{"line":1,"column":99}],"extensions":{"code":"BAD_USER_INPUT"}}]}`
	expectation{status: 200, code: badInput, body: want}.check(t, a)
}

// TestOperationName chooses.
func TestOperationName(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	named := func(name string) request {
		return body(fmt.Sprintf(`{"query": "query a { a: __typename } query b { b: __typename }", "operationName": %s}`, name))
	}
	s.exchange(t, map[string]exchange{
		"a":       {named(`"a"`), expectation{status: 200, body: `{"data":{"a":"Query"}}`}},
		"b":       {named(`"b"`), expectation{status: 200, body: `{"data":{"b":"Query"}}`}},
		"unknown": {named(`"c"`), expectation{status: 200, code: invalid, message: `"c"`}},
		"empty":   {named(`""`), expectation{status: 200, code: invalid, message: "operationName"}},
		"null":    {named(`null`), expectation{status: 200, code: invalid, message: "operationName"}},
	})
}
