package apitest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

var scopes = strings.Fields(allScopes)

// areaScopes are what resources need by the area of package service that describes
// them: customers standard:read to read accounts, and standard:write to change them.
// They are decided here once more, so that a directive that is missing in the schema
// is found.
var areaScopes = map[string]string{
	"customers": "standard", "catalogs": "standard", "subscriptions": "standard", "invoicing": "billing", "mailing": "billing", "access": "admin",
}

var resourceName = regexp.MustCompile(`Name: "(\w+)", Words: `)

// resourceScopes are what the resources of all areas need, by their names.
func resourceScopes(t *testing.T) map[string]string {
	t.Helper()
	scopes := map[string]string{}
	for area, scope := range areaScopes {
		files, err := filepath.Glob("../../service/" + area + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("the area %s has no files: %v", area, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range resourceName.FindAllSubmatch(text, -1) {
				scopes[string(found[1])] = scope
			}
		}
	}
	return scopes
}

// mutationScopes are the mutations that do more than create, change or delete a
// resource of an area, by the scope they need. A new one is not added without
// deciding.
var mutationScopes = map[string]string{
	"standard:write": `platformCreate platformUpdate platformDelete platformEndpointResume workflowUpdate subscriptionCreate subscriptionUpdate
		subscriptionCancel subscriptionReinstate
		subscriptionQuantityUpdate subscriptionPlanChange subscriptionScheduledChangeCancel subscriptionSetAutoRenew
		subscriptionTrialExtend subscriptionTrialConvert subscriptionTenantUpdate tenantMetricsUpdate tenantSync tenantStateReport
		driftRepair testClockAdvance webhookEventResend webhookEventsResend`,
	"billing:write": `emailSend accountInvoice invoiceCreate invoiceUpdate invoiceIssue invoiceDelete invoiceCredit invoiceVoid invoiceWriteOff
		invoiceDunningHold invoiceCollect paymentCollectionSettle paymentRefund paymentMethodCreate paymentMethodSetup
		paymentMethodMakeDefault paymentMethodDelete creditNoteApplyToInvoices paymentCreate paymentApplyToInvoices
		paymentUnapplyFromInvoices invoiceItemCreate invoiceItemUpdate invoiceItemDelete`,
	"platform:write": `platformWebhookTest platformSigningSecretRotate eventEndpointCreate eventEndpointUpdate eventEndpointDelete eventEndpointResume
		eventEndpointSigningSecretRotate eventEndpointTest`,
	"admin:write": `apiClientSecretRenew`,
}

// attributeScopes are the attributes that need a scope of their own, as a
// mutation that is given nothing else.
var attributeScopes = map[string]struct{ scope, mutation string }{
	"PlatformAttributes.webhookUrl":              {"platform:write", `platformUpdate(id: 9, attributes: {webhookUrl: null})`},
	"PlatformAttributes.webhookAuthToken":        {"platform:write", `platformUpdate(id: 9, attributes: {webhookAuthToken: ""})`},
	"PlatformAttributes.plainSignatureHeader":    {"platform:write", `platformUpdate(id: 9, attributes: {plainSignatureHeader: null})`},
	"PlatformAttributes.plainSignatureAlgorithm": {"platform:write", `platformUpdate(id: 9, attributes: {plainSignatureAlgorithm: SHA1})`},
	"PlatformAttributes.plainSignatureKey":       {"platform:write", `platformUpdate(id: 9, attributes: {plainSignatureKey: "k"})`},
	"WorkflowRecipeAttributes.url":               {"platform:write", `workflowUpdate(id: 9, attributes: {recipe: {url: "https://example.com"}})`},
	"WorkflowRecipeAttributes.payloadProgram":    {"platform:write", `workflowUpdate(id: 9, attributes: {recipe: {payloadProgram: "."}})`},
	"WorkflowRecipeAttributes.stateProgram":      {"platform:write", `workflowUpdate(id: 9, attributes: {recipe: {stateProgram: "."}})`},
	"WorkflowRecipeAttributes.headers":           {"platform:write", `workflowUpdate(id: 9, attributes: {recipe: {headers: {a: "b"}}})`},
}

// argumentScopes are the arguments that need a scope besides that of their field, as
// a mutation that is given them.
var argumentScopes = map[string]struct{ scope, mutation string }{
	"subscriptionCreate.invoiceImmediately":         {"billing:write", `subscriptionCreate(attributes: {accountId: 9}, invoiceImmediately: %s)`},
	"subscriptionCancel.invoiceImmediately":         {"billing:write", `subscriptionCancel(ids: [9], invoiceImmediately: %s)`},
	"subscriptionReinstate.invoiceImmediately":      {"billing:write", `subscriptionReinstate(ids: [9], invoiceImmediately: %s)`},
	"subscriptionQuantityUpdate.invoiceImmediately": {"billing:write", `subscriptionQuantityUpdate(subscriptionId: 9, quantities: [], invoiceImmediately: %s)`},
	"subscriptionPlanChange.invoiceImmediately":     {"billing:write", `subscriptionPlanChange(id: 9, priceListId: 9, invoiceImmediately: %s)`},
	"subscriptionTrialConvert.invoiceImmediately":   {"billing:write", `subscriptionTrialConvert(subscriptionId: 9, invoiceImmediately: %s)`},
}

// neededScope says which scope a field needs, empty if nobody has decided.
func neededScope(resources map[string]string, operation ast.Operation, field string) string {
	if operation == ast.Mutation {
		for scope, fields := range mutationScopes {
			if slices.Contains(strings.Fields(fields), field) {
				return scope
			}
		}
		for _, verb := range []string{"Create", "Update", "Delete"} {
			if name, does := strings.CutSuffix(field, verb); does && resources[name] != "" {
				return resources[name] + ":write"
			}
		}
		return ""
	}
	if field == "invoicePreview" { // what something will cost is for whoever sells it
		return "standard:read"
	}
	for _, prefix := range []string{"invoice", "creditNote", "payment", "pendingItem", "billingEvents", "documentsVerify", "accruedItems", "email"} {
		if strings.HasPrefix(field, prefix) {
			return "billing:read"
		}
	}
	if strings.HasPrefix(field, "auditEntr") {
		return "admin:read"
	}
	for name, scope := range resources {
		if scope != "standard" && strings.HasPrefix(field, name[:len(name)-1]) { // entit of entities
			return scope + ":read"
		}
	}
	return "standard:read"
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
	case of.Name() == "PaymentProvider":
		return "TEST"
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
	s, resources := start(t, "sqlite"), resourceScopes(t)
	for operation, fields := range served(t) {
		for _, field := range fields {
			if field.Name == "currentClient" {
				continue
			}
			t.Run(field.Name, func(t *testing.T) {
				needed := neededScope(resources, operation, field.Name)
				if needed == "" {
					t.Fatalf("which scope does %s need? Name it in mutationScopes, or its area in areaScopes.", field.Name)
				}
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

// TestScopesOfArguments: having somebody billed at once needs a scope of its own, and
// writing down that nobody should be does not.
func TestScopesOfArguments(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	for operation, fields := range served(t) {
		for _, field := range fields {
			for _, argument := range field.Arguments {
				name := field.Name + "." + argument.Name
				if _, known := argumentScopes[name]; argument.Directives.ForName("scope") != nil && (!known || operation != ast.Mutation) {
					t.Errorf("%s has a scope: name it in argumentScopes; those of queries are not looked at", name)
				}
			}
		}
	}
	for name, a := range argumentScopes {
		field, argument, _ := strings.Cut(name, ".")
		as := func(value, variables, scopes string) answer {
			document := "mutation { " + fmt.Sprintf(a.mutation, value) + " { userErrors { code } } }"
			if value == "$v" {
				document = strings.Replace(document, "mutation", "mutation ($v: Boolean)", 1)
			}
			return s.send(t, post(document, variables).as(grant{firstID, firstSecret, scopes}))
		}
		for _, given := range [][2]string{{"true", ""}, {"$v", `{"v": true}`}} {
			expectation{status: 200, code: "FORBIDDEN", message: "The argument " + argument + " of " + field + " needs the scope " + a.scope}.check(t, as(given[0], given[1], "standard:write"))
			expectation{status: 200, code: "FORBIDDEN", message: "The field " + field + " needs the scope standard:write"}.check(t, as(given[0], given[1], a.scope))
			if got := as(given[0], given[1], "standard:write "+a.scope); got.code() != "" {
				t.Errorf("%s with both scopes: %s", name, got.body)
			}
		}
		for _, given := range [][2]string{{"false", ""}, {"null", ""}, {"$v", `{"v": false}`}, {"$v", `{"v": null}`}, {"$v", ""}} {
			if got := as(given[0], given[1], "standard:write"); got.code() != "" {
				t.Errorf("%s that is %s %s: %s", name, given[0], given[1], got.body)
			}
		}
	}
}

// TestScopesOfAttributes: what says where webhooks go and what they carry needs
// a scope of its own, however it is written, and what is named only does not.
func TestScopesOfAttributes(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	api, err := schema.Served()
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range api.Types {
		for _, field := range definition.Fields {
			if name := definition.Name + "." + field.Name; definition.Kind == ast.InputObject && field.Directives.ForName("scope") != nil {
				if _, known := attributeScopes[name]; !known {
					t.Errorf("%s has a scope: name it in attributeScopes", name)
				}
			}
		}
	}
	as := func(document, variables string, scopes ...string) answer {
		return s.send(t, post(document, variables).as(grant{firstID, firstSecret, strings.Join(scopes, " ")}))
	}
	for name, a := range attributeScopes {
		document := "mutation { " + a.mutation + " { userErrors { code } } }"
		_, attribute, _ := strings.Cut(name, ".")
		others := slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return scope == a.scope })
		expectation{status: 200, code: "FORBIDDEN", message: "The attribute " + attribute + " of " + strings.SplitN(a.mutation, "(", 2)[0] + " needs the scope " + a.scope}.check(t, as(document, "", others...))
		if got := as(document, "", a.scope); got.code() != "" || !strings.Contains(string(got.body), "NOT_FOUND") {
			t.Errorf("%s with %s alone: %s", name, a.scope, got.body)
		}
	}
	// In variables, beside others, and in one that is used in part.
	const update = `mutation ($a: PlatformAttributes!) { platformUpdate(id: 9, attributes: $a) { userErrors { code } } }`
	const part = `mutation ($u: String) { platformUpdate(id: 9, attributes: {name: "N", webhookUrl: $u}) { userErrors { code } } }`
	for _, c := range []struct{ document, variables, scopes, refused string }{
		{update, `{"a": {"webhookUrl": "https://example.com"}}`, "standard:write", "platform:write"},
		{update, `{"a": {"webhookUrl": "https://example.com"}}`, "platform:write", ""},
		{update, `{"a": {"webhookUrl": "https://example.com", "name": "N"}}`, "platform:write", "standard:write"},
		{update, `{"a": {"webhookUrl": null, "name": "N"}}`, "standard:write", "platform:write"},
		{update, `{"a": {"webhookUrl": null, "name": "N"}}`, "standard:write platform:write", ""},
		{update, `{"a": {"name": "N", "code": "c", "provisioningEnabled": true}}`, "standard:write", ""},
		{update, `{"a": {}}`, "platform:write", "standard:write"},
		{part, `{"u": "https://example.com"}`, "standard:write", "platform:write"},
		{part, `{"u": "https://example.com"}`, "platform:write", "standard:write"},
	} {
		got := as(c.document, c.variables, strings.Fields(c.scopes)...)
		if c.refused == "" {
			if got.code() != "" {
				t.Errorf("%s with %s: %s", c.variables, c.scopes, got.body)
			}
			continue
		}
		expectation{status: 200, code: "FORBIDDEN", message: "needs the scope " + c.refused}.check(t, got)
	}
	// A create that says where webhooks go takes both, and leaves nothing behind without.
	const create = `mutation { platformCreate(attributes: {code: "p", name: "P", webhookUrl: "http://127.0.0.1:9"}) { errors } }`
	for _, scope := range []string{"standard:write", "platform:write"} {
		expectation{status: 200, code: "FORBIDDEN", message: "needs the scope"}.check(t, as(create, "", scope))
	}
	if got := s.do(t, `{ platforms { code } }`).text(); got != `{"platforms":[]}` {
		t.Error(got)
	}
	if got := as(create, "", "standard:write", "platform:write"); got.code() != "" {
		t.Errorf("with both: %s", got.body)
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
