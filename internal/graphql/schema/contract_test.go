package schema

import (
	"bytes"
	"os"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// released is the schema that clients were promised. It has no descriptions,
// so that a difference in it is always a difference in the API. To take what
// has been added since into the promise, run
//
//	TENANTRY_UPDATE=1 go test -run TestContract ./internal/graphql/schema
//
// and read the difference before committing it.
const released = "testdata/released.graphql"

// roots is written by hand because the formatter leaves it out; without it the
// type Subscription would count as the root of GraphQL subscriptions.
const roots = "schema {\n\tquery: Query\n\tmutation: Mutation\n}\n"

func TestContract(t *testing.T) {
	served, err := Served()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("TENANTRY_UPDATE") == "1" {
		writeReleased(t, served)
	}
	for _, broken := range Breaking(readReleased(t), served) {
		t.Errorf("breaks clients: %s", broken)
	}
}

func TestReleasedIsReadBackWhole(t *testing.T) {
	served, err := Served()
	if err != nil {
		t.Fatal(err)
	}
	again, err := gqlparser.LoadSchema(&ast.Source{Name: "formatted", Input: format(served)})
	if err != nil {
		t.Fatal(err)
	}
	for _, lost := range Breaking(served, again) {
		t.Errorf("lost in writing: %s", lost)
	}
	if again.Subscription != nil {
		t.Error("the type Subscription became a root")
	}
}

func writeReleased(t *testing.T, schema *ast.Schema) {
	t.Helper()
	if err := os.WriteFile(released, []byte(format(schema)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readReleased(t *testing.T) *ast.Schema {
	t.Helper()
	text, err := os.ReadFile(released)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: released, Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func format(schema *ast.Schema) string {
	var text bytes.Buffer
	text.WriteString(roots)
	formatter.NewFormatter(&text, formatter.WithoutDescription()).FormatSchema(schema)
	return text.String()
}
