// Package operation is what all operations have in common: one transaction with
// its audit entry, done once for a caller that retries, taken back if it is only
// a preview; and creating, changing, deleting and importing resources.
package operation
