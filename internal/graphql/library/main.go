// Command library writes what the client libraries know of the schema: types and
// a call for every query and mutation, for Go (client/*_gen.go) and for
// TypeScript (sdk/typescript/src/operations.ts).
//
// A call selects fields by itself, so that nobody has to write a document: see
// shape.go for which. Tokens, retries and errors are not written here; the
// libraries have them by hand.
package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "library:", err)
		os.Exit(1)
	}
}

// run is started in the folder of the Go library.
func run() error {
	served, err := schema.Served()
	if err != nil {
		return err
	}
	m, err := newModel(served)
	if err != nil {
		return err
	}
	for name, source := range map[string]string{"types_gen.go": goTypes(m), "operations_gen.go": goOperations(m)} {
		formatted, err := format.Source([]byte(source))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(name, formatted, 0o644); err != nil {
			return err
		}
	}
	typescript := filepath.Join("..", "sdk", "typescript", "src", "operations.ts")
	return os.WriteFile(typescript, []byte(tsFile(m)), 0o644)
}
