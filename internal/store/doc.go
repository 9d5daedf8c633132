// Package store keeps all of Tenantry's data, in one SQLite file or in PostgreSQL.
//
// It owns the schema and each resource's SQL: the mapping between rows and the
// types of package billing, lists and filters. The engine below it (connections,
// transactions, migrations) is package db, and package search finds pages by words
// and times. It makes no decisions: rules are in billing, operations in service.
//
// The same SQL text runs on both engines; differences are in db.Dialect. Times are
// Unix milliseconds, JSON and lists are text.
package store
