// Package schema owns the GraphQL schema: the SDL files and the rules they keep.
//
// The files beside this one are served. The files in the folder planned are
// the part of the API that is agreed on but has no resolvers yet; they extend
// the served types, so that putting one into service means moving it up here
// and nothing else. A field is promised to clients from the day it is planned:
// [Breaking] compares the complete schema with the released one, and a test
// fails when a promise is broken.
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

const (
	servedFiles  = "*.graphql"
	plannedFiles = "planned/*.graphql"
)

//go:embed *.graphql planned/*.graphql
var files embed.FS

// Served returns the schema that clients can use today.
func Served() (*ast.Schema, error) {
	return load(servedFiles)
}

// Complete returns the served schema together with everything planned.
func Complete() (*ast.Schema, error) {
	return load(servedFiles, plannedFiles)
}

// load merges and validates the embedded files that match any of the patterns.
func load(patterns ...string) (*ast.Schema, error) {
	var sources []*ast.Source
	for _, pattern := range patterns {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, fmt.Errorf("list schema files: %w", err)
		}
		for _, name := range names {
			text, err := files.ReadFile(name)
			if err != nil {
				return nil, fmt.Errorf("read schema file: %w", err)
			}
			sources = append(sources, &ast.Source{Name: name, Input: string(text)})
		}
	}
	schema, err := gqlparser.LoadSchema(sources...)
	if err != nil {
		return nil, fmt.Errorf("invalid schema: %w", err)
	}
	return schema, nil
}
