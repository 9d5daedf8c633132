package schema

import (
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// schemas are the two ways in which the files are put together. A rule that
// holds for the complete schema has to hold for the served part alone as well.
var schemas = map[string]func() (*ast.Schema, error){
	"served":   Served,
	"complete": Complete,
}

// eachSchema runs a test on the served and on the complete schema.
func eachSchema(t *testing.T, test func(t *testing.T, schema *ast.Schema)) {
	t.Helper()
	for name, load := range schemas {
		t.Run(name, func(t *testing.T) {
			schema, err := load()
			if err != nil {
				t.Fatal(err)
			}
			test(t, schema)
		})
	}
}

func TestSchemaIsValid(t *testing.T) {
	eachSchema(t, func(t *testing.T, schema *ast.Schema) {
		if schema.Query == nil || schema.Mutation == nil {
			t.Fatal("there must be a query and a mutation root")
		}
		if schema.Subscription != nil {
			t.Error("the type Subscription is a contract with a customer, it must not be the root of GraphQL subscriptions")
		}
	})
}
