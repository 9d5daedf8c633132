package billing

import (
	"encoding/json"
	"time"
)

// The kinds and states of jobs.
const (
	JobFanOut       = "feature fan-out"
	JobProvisioning = "provisioning"
	JobClockAdvance = "clock advance"
	JobResend       = "webhook resend"

	JobWaiting = "waiting"
	JobRunning = "running"
	JobDone    = "done"
	JobFailed  = "failed"
)

// Job is work that goes on after the request that asked for it.
type Job struct {
	ID           JobID           `json:"id"`
	Kind         string          `json:"kind"`
	State        string          `json:"state"`
	Total        int             `json:"total"`
	Done         int             `json:"done"`
	Failed       int             `json:"failed"`
	Params       json.RawMessage `json:"params"`
	Cursor       int64           `json:"-"`
	Claim        string          `json:"-"`
	ClaimedUntil time.Time       `json:"-"`
	CreatedAt    time.Time       `json:"createdAt"`
	UpdatedAt    time.Time       `json:"updatedAt"`
	FinishedAt   *time.Time      `json:"finishedAt"`
	Error        *string         `json:"error"`
}
