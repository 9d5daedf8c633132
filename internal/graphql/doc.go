// Package graphql serves the API: POST /graphql.
//
// It owns the transport (which requests are accepted, and how they are answered),
// the limits on documents, the scopes that fields require, and the translation
// between the API's names and the operations of package service. The schema is in
// schema/, the code generated from it in gen/, and the types it returns in node/.
package graphql
