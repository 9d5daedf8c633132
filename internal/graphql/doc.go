// Package graphql is the door for programs: POST /graphql.
//
// It owns the transport (what a request may look like, and what is answered),
// the limits on documents, who may ask for which field, and the translation
// between the API's names and the operations of package service. The schema is
// in schema/, the code generated from it in gen/, the things it shows in node/.
package graphql
