// Command library writes what the client libraries know of the schema: types and
// a call for every query and mutation, for Go (client/*_gen.go) and for
// TypeScript (sdk/typescript/src/operations.ts).
//
// A call selects fields by itself, so that nobody has to write a document: see
// shape.go for which. Tokens, retries and errors are not written here; the
// libraries have them by hand.
package main

//go:generate go run . ../../../client ../../../sdk/typescript/src

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: library FOLDER-OF-THE-GO-LIBRARY FOLDER-OF-THE-TYPESCRIPT-LIBRARY")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "library:", err)
		os.Exit(1)
	}
}

func run(golang, typescript string) error {
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
		if err := os.WriteFile(filepath.Join(golang, name), formatted, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(typescript, "operations.ts"), []byte(tsFile(m)), 0o644)
}
