// Package oauth is the door to access tokens: the token endpoint, the public
// keys, the server's metadata, and the bearer check in front of GraphQL.
//
// It owns the form of tokens and their signing keys, and keeps in memory what
// it must know of API clients, so that neither issuing nor checking a token
// reads the database in the common case. It does not own API clients: package
// service changes them, package store keeps them.
//
// Whatever it cannot know for certain it refuses: without the database it
// answers 503 rather than trust what it knew a second ago.
package oauth
