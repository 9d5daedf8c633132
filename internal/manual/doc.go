// Package manual is the door to the documentation: the Markdown files of docs/
// as pages under /docs, in the binary, for whoever can reach the server.
//
// It does not write any of it. The API reference comes from the schema, by
// manual/reference.
package manual

//go:generate go run ./reference ../../docs
