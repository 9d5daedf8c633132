// Package db is the database engine that the store is built on: one SQLite file
// or PostgreSQL behind one interface. It owns connections and pools,
// transactions with their retries and group commits, prepared statements,
// batches, the runner of migrations, and locks and messages between processes.
//
// It knows no table. The schema, and whatever a transaction carries besides its
// statements, come from the package that opens the database: see Schema. Functions
// registered with Tx.OnEnd run when a transaction has ended.
//
// The same SQL text runs on both engines; differences are in Dialect.
package db
