package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

var scopes = strings.Fields(allScopes)

// neededScope says which scope a field needs. It is written down here once
// more, so that a directive that is missing in the schema is found.
func neededScope(operation ast.Operation, field string) string {
	kind, verb := "standard", "read"
	if strings.HasPrefix(field, "apiClient") || strings.HasPrefix(field, "auditEntr") || strings.HasPrefix(field, "platformSigningSecret") {
		kind = "admin"
	}
	if operation == ast.Mutation {
		verb = "write"
	}
	return kind + ":" + verb
}

// call is a document that asks for a field with as little as it needs.
func call(operation ast.Operation, field *ast.FieldDefinition) string {
	var arguments []string
	for _, argument := range field.Arguments {
		switch {
		case argument.Type.Name() == "ID" && (argument.Type.NonNull || argument.Name == "id"):
			arguments = append(arguments, argument.Name+": 999999999")
		case argument.Type.NonNull:
			arguments = append(arguments, argument.Name+": "+smallest(argument.Type))
		}
	}
	given := ""
	if len(arguments) > 0 {
		given = "(" + strings.Join(arguments, ", ") + ")"
	}
	selection := " { __typename }"
	if field.Type.Name() == "JSON" {
		selection = ""
	}
	return fmt.Sprintf("%s { %s%s%s }", operation, field.Name, given, selection)
}

// smallest is a value of a type, as small as it can be.
func smallest(of *ast.Type) string {
	switch {
	case of.Elem != nil:
		return "[]"
	case of.Name() == "String":
		return `"nothing"`
	case of.Name() == "Boolean":
		return "true"
	case of.Name() == "ISO8601Date":
		return `"2026-01-31"`
	case of.Name() == "ISO8601DateTime":
		return `"2026-01-31T00:00:00Z"`
	default:
		return "{}"
	}
}

// TestScopes: every field of Query and Mutation needs one scope and no other.
func TestScopes(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	for operation, fields := range served(t) {
		for _, field := range fields {
			if field.Name == "currentClient" {
				continue
			}
			t.Run(field.Name, func(t *testing.T) {
				needed := neededScope(operation, field.Name)
				others := slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return scope == needed })
				r := post(call(operation, field), "")
				a := s.send(t, r.as(grant{firstID, firstSecret, strings.Join(others, " ")}))
				expectation{status: 200, code: "FORBIDDEN", message: "The field " + field.Name + " needs the scope " + needed}.check(t, a)
				if path := fmt.Sprintf(`"path":[%q]`, field.Name); !strings.Contains(string(a.body), path) {
					t.Errorf("no %s in %s", path, a.body)
				}
				a = s.send(t, r.as(grant{firstID, firstSecret, needed}))
				if a.code() != "" && a.code() != "BAD_USER_INPUT" { // there is no such subscription to preview
					t.Errorf("with %s alone: %s", needed, a.body)
				}
			})
		}
	}
}

// TestNoScope: who one is and what the schema is, anybody may ask.
func TestNoScope(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	for _, scope := range scopes {
		for _, document := range []string{
			"{ __typename }", "mutation { __typename }", "{ currentClient { name scopes } }",
			`{ __schema { queryType { name } } __type(name: "Account") { fields { name } } }`,
		} {
			s.done(t, s.send(t, post(document, "").as(grant{firstID, firstSecret, scope})))
		}
	}
}

// TestScopesOfOneRequest: what is allowed is answered, what is not is null.
func TestScopesOfOneRequest(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	a := s.send(t, post(`{ me: currentClient { scopes } account(id: 1) { id } client: apiClient(id: 1) { name } }`, "").as(grant{firstID, firstSecret, "admin:read"}))
	expectation{status: 200, code: "FORBIDDEN", body: `{"data":{"me":{"scopes":["admin:read"]},"account":null,"client":{"name":"First client"}},` +
		`"errors":[{"message":"The field account needs the scope standard:read, which the access token does not have.",` +
		`"path":["account"],"locations":[{"line":1,"column":32}],"extensions":{"code":"FORBIDDEN"}}]}`}.check(t, a)

	// Of several mutations those that are allowed are done.
	a = s.send(t, post(`mutation { a: accountCreate(attributes: {name: "A"}) { errors } b: apiClientDelete(id: 1) { errors } c: accountCreate(attributes: {name: "C"}) { errors } }`, "").
		as(grant{firstID, firstSecret, "standard:write"}))
	expectation{status: 200, code: "FORBIDDEN", message: "admin:write"}.check(t, a)
	if got := s.do(t, `{ accounts { name } apiClients { name } }`).text(); got != `{"accounts":[{"name":"A"},{"name":"C"}],"apiClients":[{"name":"First client"}]}` {
		t.Error(got)
	}
}

// TestNestedScope: the signing secret needs a scope wherever it is asked for,
// and only it is left out.
func TestNestedScope(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	s.do(t, `mutation { platformCreate(attributes: {code: "p", name: "P"}) { errors } productCreate(attributes: {code: "a", name: "A", platformCode: "p"}) { errors } }`)
	for _, document := range []string{
		`{ platforms { code s: webhookSigningSecret } }`,
		`{ platformsConnection { nodes { webhookSigningSecret } } }`,
		`{ products { platform { ...f } } } fragment f on Platform { code ... on Platform { webhookSigningSecret } }`,
		`mutation { platformUpdate(id: 1, attributes: {}) { platform { webhookSigningSecret } } }`,
	} {
		a := s.send(t, post(document, "").as(grant{firstID, firstSecret, "standard:read standard:write"}))
		expectation{status: 200, code: "FORBIDDEN", message: "admin:read"}.check(t, a)
		if strings.Contains(string(a.body), "whsec_") {
			t.Errorf("the secret is shown: %s", a.body)
		}
		if a := s.send(t, post(document, "")); a.code() != "" || !strings.Contains(string(a.body), "whsec_") {
			t.Errorf("the secret is not shown: %s", a.body)
		}
	}
}
