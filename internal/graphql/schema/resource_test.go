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
	byID = "id: ID!"
	crud = "Create Update Delete"
)

// singles are the arguments that find one where they are not its id, and its
// code if it has one.
var singles = map[string]string{
	"Feature": "id: ID, code: String, productCode: String", "Plan": "id: ID, code: String, productCode: String", "DunningPolicy": byID,
	"PriceListCharge": "id: ID, code: String, priceListCode: String", "Tenant": "id: ID, code: String, platformCode: String", "Subscription": byID,
	"Invoice": "id: ID, number: String", "InvoiceItem": byID, "CreditNote": "id: ID, number: String",
}

// writes are what can be done with a resource, if that is not all.
var writes = map[string]string{
	"Entity": "Create Update", "CreditNote": "", "Payment": "Create", "PaymentCollection": "", "Email": "", "AuditEntry": "",
	"Subscription": "Create Update", "Workflow": "Update", "WebhookEvent": "", "Job": "", "TestClock": "Create Delete",
}

// resources are all of a schema: the types that have a connection.
func resources(t *testing.T, schema *ast.Schema) (all []resource) {
	t.Helper()
	for _, field := range schema.Query.Fields {
		plural, isPages := strings.CutSuffix(field.Name, "Connection")
		if !isPages {
			continue
		}
		r := resource{name: strings.TrimSuffix(field.Type.Name(), "Connection"), plural: plural, single: byID, writes: crud}
		if wantType(t, schema, r.name).Fields.ForName("code") != nil {
			r.single = "id: ID, code: String"
		}
		if single, special := singles[r.name]; special {
			r.single = single
		}
		if some, special := writes[r.name]; special {
			r.writes = some
		}
		all = append(all, r)
	}
	return all
}

// eachNoun runs a test on every resource that the schema has.
func eachNoun(t *testing.T, test func(t *testing.T, schema *ast.Schema, n resource)) {
	t.Helper()
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		for _, n := range resources(t, schema) {
			t.Run(n.name, func(t *testing.T) { test(t, schema, n) })
		}
	})
}

// TestEveryNounIsListed: a connection has its query, and what is said to be special
// is there.
func TestEveryNounIsListed(t *testing.T) {
	schema, err := Served()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, n := range resources(t, schema) {
		listed[n.name] = true
	}
	for name := range schema.Types {
		if of, is := strings.CutSuffix(name, "Connection"); is && !listed[of] {
			t.Errorf("%s has a connection and no query of it", of)
		}
	}
	for _, special := range []map[string]string{singles, writes} {
		for name := range special {
			if !listed[name] {
				t.Errorf("%s is special and no resource", name)
			}
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
