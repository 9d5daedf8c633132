// Package invoicing contains the operations on entities, tax rates, invoices, credit
// notes, payment methods and payments, bills accounts when something is due, and
// collects what they owe.
package invoicing

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// Service has the operations on what accounts are billed.
type Service struct {
	*operation.Runner
	// Batch is how many accounts are billed in one transaction.
	Batch int
	// BaseURL is the address under which callers reach the server, which those of files
	// begin with.
	BaseURL string
	// Payments is how money is collected.
	Payments Payments

	box *secret.Box // signs the addresses of files
	// retried is the version of entities and tax rates with which accounts were tried
	// again that had been set aside. Only the background uses it.
	retried int64
	// dunned are the policies that unpaid invoices were last looked at with.
	dunned string
	// expiriesTold is the last day on which customers were told of payment methods that
	// expire. Only the background uses it.
	expiriesTold billing.Date
	// underWay are requests to payment providers. Only the background uses it.
	underWay  underWay
	toCollect chan struct{}
}

// New returns the operations on what accounts are billed.
func New(r *operation.Runner, box *secret.Box) *Service {
	return &Service{Runner: r, Batch: runBatch, box: box, toCollect: make(chan struct{}, 1)}
}
