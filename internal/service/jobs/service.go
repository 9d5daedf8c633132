// Package jobs runs work in the background, a batch at a time, with progress, so
// that it survives restarts.
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
