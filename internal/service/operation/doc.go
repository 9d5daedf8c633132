// Package operation contains what all operations have in common: one transaction
// with its audit entry, idempotency, previews that are rolled back; and creating,
// changing, deleting and importing resources.
package operation
