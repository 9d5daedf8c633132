// Package jobs runs background jobs in batches, with progress, so that they survive
// restarts.
package jobs

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// Service runs the jobs of one database.
type Service struct {
	*operation.Runner
	// Kinds does the next batch of a job, by its kind.
	Kinds map[string]func(context.Context, *billing.Job) error
}
