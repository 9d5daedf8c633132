// Package schema owns the GraphQL schema: the SDL files and the rules they keep.
//
// A field is promised to clients from the day it is served: [Breaking] compares
// the schema with the released one, and a test fails when a promise is broken.
//
// Resolvers, generated code and the HTTP endpoint are not here.
package schema

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

//go:embed *.graphql
var files embed.FS

// Served returns the schema that clients can use: all files, merged and
// validated.
func Served() (*ast.Schema, error) {
	names, err := fs.Glob(files, "*.graphql")
	if err != nil {
		return nil, fmt.Errorf("list schema files: %w", err)
	}
	var sources []*ast.Source
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read schema file: %w", err)
		}
		sources = append(sources, &ast.Source{Name: name, Input: string(text)})
	}
	schema, err := gqlparser.LoadSchema(sources...)
	if err != nil {
		return nil, fmt.Errorf("invalid schema: %w", err)
	}
	return schema, nil
}
