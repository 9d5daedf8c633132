// Package delivery contains the operations on platforms, workflows, endpoints and
// events, including resending events.
package delivery

import (
	"time"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
)

// Service has the operations on platforms, workflows and events.
type Service struct {
	*operation.Runner
	Jobs         *jobs.Service
	Provisioning *provisioning.Service
	// ResendBatch is how many events are queued again in one transaction, and
	// ResendPause how long the job rests for each of them.
	ResendBatch int
	ResendPause time.Duration

	box *secret.Box
	// webhooks is what those who send them can be asked for.
	webhooks  Webhooks
	sweep     sweep
	dayCounts dayCounts
}

// New returns the operations on platforms, workflows and events.
func New(r *operation.Runner, j *jobs.Service, p *provisioning.Service, box *secret.Box) *Service {
	return &Service{Runner: r, Jobs: j, Provisioning: p, box: box, ResendBatch: resendBatch, ResendPause: resendPause}
}
