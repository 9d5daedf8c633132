package schema

import (
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// onSchema runs a test on the schema.
func onSchema(t *testing.T, test func(t *testing.T, schema *ast.Schema)) {
	t.Helper()
	schema, err := Served()
	if err != nil {
		t.Fatal(err)
	}
	test(t, schema)
}

func TestSchemaIsValid(t *testing.T) {
	onSchema(t, func(t *testing.T, schema *ast.Schema) {
		if schema.Query == nil || schema.Mutation == nil {
			t.Fatal("there must be a query and a mutation root")
		}
		if schema.Subscription != nil {
			t.Error("the type Subscription is a contract with a customer, it must not be the root of GraphQL subscriptions")
		}
	})
}
