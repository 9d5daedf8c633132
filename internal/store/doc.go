// Package store keeps everything Tenantry knows, in one SQLite file or in
// PostgreSQL. All SQL of the house is here and nowhere else.
//
// It owns connections, transactions, migrations and the mapping between rows
// and the types of package billing. It decides nothing: rules are in billing,
// operations in service.
//
// The same SQL text runs on both engines. What cannot be the same is behind
// the dialect type. Times are Unix milliseconds, JSON and lists are text.
package store
