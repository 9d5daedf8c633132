// Command reference writes the API reference from the schema: every operation,
// type, input and value, with what the schema says about it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: reference FILE")
		os.Exit(2)
	}
	served, err := schema.Served()
	if err == nil {
		err = os.WriteFile(filepath.Clean(os.Args[1]), []byte(document(served)), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
