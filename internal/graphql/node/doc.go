// Package node holds the things the GraphQL API shows: the types of package
// billing with the relations between them.
//
// Nodes that were loaded together stay together: when one of them is asked for
// a relation, the relation is loaded for all of them with one statement. So the
// number of statements depends on the query's shape and not on its size, and
// nobody waits for a batch to fill.
package node
