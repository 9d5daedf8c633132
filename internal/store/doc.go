// Package store keeps everything Tenantry knows, in one SQLite file or in
// PostgreSQL.
//
// It owns the schema and each resource's SQL: the mapping between rows and the
// types of package billing, lists and filters. The engine under it (connections,
// transactions, migrations) is package db. It decides nothing: rules are in
// billing, operations in service.
//
// The same SQL text runs on both engines; db.Dialect has what cannot be the
// same. Times are Unix milliseconds, JSON and lists are text.
package store
