// Package bill makes the documents of an account from what its subscriptions owe:
// it decides whether the account is billed today, for what, and when to look at it
// again. What is owed comes from package ledger, how it is taxed from package tax.
//
// It is done in two steps, because credits need the items that they credit: Due
// finds what is to be billed, and Documents makes invoices and credit notes of it.
// A preview does the same as billing does, up to the numbers.
//
// The package has no clock and does no I/O.
package bill
