// Package impact says what operations would do before they are done: how many tenants
// they reach, which features these gain and lose, and what changes in money.
//
// Operations are rehearsed: they run as ever, in a transaction that is taken back (see
// db.Rehearse), and note what they would send and begin. This package compares the
// database inside of that transaction with what everybody else sees. What a job would do
// afterwards, tenant by tenant, is computed here by statements over all of them.
package impact
