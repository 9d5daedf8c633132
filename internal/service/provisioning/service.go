// Package provisioning notifies tenants: it computes the state of a tenant, records
// the events that describe it, and fans catalog changes out to all tenants that
// they affect.
package provisioning

import (
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// fanOutBatch is how many tenants are told in one transaction.
const fanOutBatch = 200

// Service has the operations on the state of tenants.
type Service struct {
	*operation.Runner
	Jobs *jobs.Service
	// Batch is how many tenants a fan-out tells in one transaction.
	Batch int
}

// New returns the operations on the state of tenants.
func New(r *operation.Runner, j *jobs.Service) *Service {
	return &Service{Runner: r, Jobs: j, Batch: fanOutBatch}
}
