package schema

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// resource is a thing with queries of its own.
type resource struct {
	name   string // of its type
	plural string // of its list
	single string // the arguments that find one
	writes string // which of create, update and delete it has
}

const (
	byID     = "id: ID!"
	byIDCode = "id: ID, code: String"
	crud     = "Create Update Delete"
	readOnly = ""
)

var resources = []resource{
	{"Account", "accounts", byIDCode, crud},
	{"Contact", "contacts", byIDCode, crud},
	{"Platform", "platforms", byIDCode, crud},
	{"EventEndpoint", "eventEndpoints", byIDCode, crud},
	{"Product", "products", byIDCode, crud},
	{"Feature", "features", "id: ID, code: String, productCode: String", crud},
	{"Plan", "plans", "id: ID, code: String, productCode: String", crud},
	{"PlanFeature", "planFeatures", byID, crud},
	{"PriceList", "priceLists", byIDCode, crud},
	{"PriceListCharge", "priceListCharges", "id: ID, code: String, priceListCode: String", crud},
	{"Entity", "entities", byIDCode, "Create Update"},
	{"TaxRate", "taxRates", byID, crud},
	{"DunningPolicy", "dunningPolicies", byID, crud},
	{"ApiClient", "apiClients", byID, crud},
	{"Invoice", "invoices", "id: ID, number: String", "Create Update Delete"},
	{"InvoiceItem", "invoiceItems", byID, crud},
	{"CreditNote", "creditNotes", "id: ID, number: String", readOnly},
	{"Payment", "payments", byID, "Create"},
	{"PaymentCollection", "paymentCollections", byID, readOnly},
	{"Email", "emails", byID, readOnly},
	{"EmailTemplate", "emailTemplates", byID, crud},
	{"AuditEntry", "auditEntries", byID, readOnly},
	{"Subscription", "subscriptions", byID, "Create Update"},
	{"Tenant", "tenants", "id: ID, code: String, platformCode: String", crud},
	{"Workflow", "workflows", byID, "Update"},
	{"WebhookEvent", "webhookEvents", byID, readOnly},
	{"Job", "jobs", byID, readOnly},
	{"TestClock", "testClocks", byID, "Create Delete"},
}

// eachNoun runs a test on every resource that the schema has.
func eachNoun(t *testing.T, test func(t *testing.T, schema *ast.Schema, n resource)) {
	t.Helper()
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for _, n := range resources {
			if schema.Types[n.name] != nil {
				t.Run(n.name, func(t *testing.T) { test(t, schema, n) })
			}
		}
	})
}

func TestEveryNounIsKnown(t *testing.T) {
	schema, err := Served()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, n := range resources {
		known[n.name] = true
		if schema.Types[n.name] == nil {
			t.Errorf("there is no type %s", n.name)
		}
	}
	for name := range schema.Types {
		if of, is := strings.CutSuffix(name, "Connection"); is && !known[of] {
			t.Errorf("%s has a connection and is missing in the list of resources", of)
		}
	}
}

func TestNounQueries(t *testing.T) {
	eachNoun(t, func(t *testing.T, schema *ast.Schema, n resource) {
		wantField(t, schema.Query, lowerFirst(n.name), n.single, n.name)
		wantField(t, schema.Query, n.plural, "filter: String, limit: Int", "["+n.name+"!]!")
		wantField(t, schema.Query, n.plural+"Connection", "first: Int, after: String, filter: String", n.name+"Connection!")
	})
}

func TestNounConnections(t *testing.T) {
	eachNoun(t, func(t *testing.T, schema *ast.Schema, n resource) {
		connection := wantType(t, schema, n.name+"Connection")
		wantField(t, connection, "edges", "", "["+n.name+"Edge!]!")
		wantField(t, connection, "nodes", "", "["+n.name+"!]!")
		wantField(t, connection, "pageInfo", "", "PageInfo!")
		wantField(t, connection, "totalCount", "", "Int!")

		edge := wantType(t, schema, n.name+"Edge")
		wantField(t, edge, "cursor", "", "String!")
		wantField(t, edge, "node", "", n.name+"!")
	})
}

func TestNounsSayWhenTheyChanged(t *testing.T) {
	eachNoun(t, func(t *testing.T, schema *ast.Schema, n resource) {
		def := schema.Types[n.name]
		wantField(t, def, "id", "", "ID!")
		if n.name == "AuditEntry" { // never changes, so one time is enough
			wantField(t, def, "at", "", "ISO8601DateTime!")
			return
		}
		if n.name == "InvoiceItem" { // is made with its invoice, which says when
			return
		}
		wantField(t, def, "createdAt", "", "ISO8601DateTime!")
		wantField(t, def, "updatedAt", "", "ISO8601DateTime!")
	})
}

func TestNounMutations(t *testing.T) {
	eachNoun(t, func(t *testing.T, schema *ast.Schema, n resource) {
		for _, verb := range strings.Fields(crud) {
			name := lowerFirst(n.name) + verb
			field := schema.Mutation.Fields.ForName(name)
			if wanted := strings.Contains(n.writes, verb); wanted != (field != nil) {
				t.Errorf("mutation %s: there is one: %t, want %t", name, field != nil, wanted)
			}
			if field == nil {
				continue
			}
			payload := wantType(t, schema, n.name+verb+"Payload")
			answer := n.name
			if answer == "InvoiceItem" { // what waits for an invoice is none of its items yet
				answer = "PendingItem"
			}
			wantField(t, payload, lowerFirst(answer), "", answer)
			if verb != "Create" && field.Arguments.ForName("id") == nil {
				t.Errorf("mutation %s does not take an id", name)
			}
		}
	})
}

func wantType(t *testing.T, schema *ast.Schema, name string) *ast.Definition {
	t.Helper()
	def := schema.Types[name]
	if def == nil {
		t.Fatalf("there is no type %s", name)
	}
	return def
}

func wantField(t *testing.T, def *ast.Definition, name, arguments, typ string) {
	t.Helper()
	field := def.Fields.ForName(name)
	if field == nil {
		t.Errorf("there is no field %s.%s", def.Name, name)
		return
	}
	if got := signature(field); got != "("+arguments+"): "+typ {
		t.Errorf("%s.%s is %s, want (%s): %s", def.Name, name, got, arguments, typ)
	}
}

func signature(field *ast.FieldDefinition) string {
	arguments := make([]string, 0, len(field.Arguments))
	for _, argument := range field.Arguments {
		arguments = append(arguments, argument.Name+": "+argument.Type.String())
	}
	return "(" + strings.Join(arguments, ", ") + "): " + field.Type.String()
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
