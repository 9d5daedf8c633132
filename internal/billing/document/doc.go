// Package document has invoices and credit notes as values: their totals and
// states, what may be done to them, their numbers, the chain of hashes that
// proves that none was changed, and how credits and payments are applied. What
// is due comes from package ledger, and what is taxed from package tax.
package document
