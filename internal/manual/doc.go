// Package manual serves the documentation: the Markdown files of docs/, embedded in
// the binary, as pages under /docs.
//
// The API reference among them is generated from the schema by manual/reference.
package manual

//go:generate go run ./reference ../../docs
