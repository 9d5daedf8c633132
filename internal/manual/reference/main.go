// Command reference writes the API reference from the schema: every operation,
// type, input and value with its description, one page per type, and an index.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: reference FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write replaces the reference in a folder; pages of things that are gone go.
func write(folder string) error {
	served, err := schema.Served()
	if err != nil {
		return err
	}
	pages := filepath.Join(folder, "reference")
	if err := os.RemoveAll(pages); err != nil {
		return err
	}
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return err
	}
	for name, text := range documents(served) {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
