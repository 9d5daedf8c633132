// Package node defines the types that the GraphQL API returns: those of package
// billing, with the relations between them.
//
// Nodes that were loaded together form a group: when a relation of one of them is
// needed, it is loaded for all of them with one statement. The number of statements
// therefore depends on the shape of a query and not on its size, and nothing waits
// for a batch to fill.
package node
