package service

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// What the tests in package service_test need of the inside.

// SetBatches makes batches so small that a test needs few rows for several.
// Events are then sent again without a pause.
func (s *Service) SetBatches(due, jobs int) {
	s.dueBatch, s.jobBatch, s.resendBatch, s.resendPause = due, jobs, jobs, 0
}

// SetAdvanceWait says how long a call waits for a test clock.
func (s *Service) SetAdvanceWait(d time.Duration) { s.advanceWait = d }

// JobClaim is how long a job is left to somebody who does not finish it.
const JobClaim = jobClaim

// RunClaimed works on a job for whoever claimed it.
func (s *Service) RunClaimed(ctx context.Context, job *billing.Job) error {
	return s.runFanOut(ctx, job)
}

// Recovered is what becomes of a panic.
func Recovered(do func()) (err error) {
	defer recovered(&err)
	do()
	return nil
}
