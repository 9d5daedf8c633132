// Package oauth issues and checks access tokens: the token endpoint, the public
// keys, the server's metadata, and the bearer check in front of GraphQL.
//
// It owns the format of tokens and the signing keys, and caches API clients, so
// that issuing and checking tokens usually need no database read. It does not own
// API clients: package service changes them, and package store keeps them.
//
// It fails closed: without the database it responds with 503 rather than trust
// cached data that is more than a moment old.
package oauth
