package billing

import (
	"encoding/json"
	"time"
)

// Event is an immutable fact about a tenant: the webhook with its exact body.
type Event struct {
	ID         EventID
	Type       string
	TenantID   TenantID
	PlatformID PlatformID
	// Sequence numbers the events of a tenant without a gap.
	Sequence  int
	Reason    string
	Body      string
	CreatedAt time.Time
}

// HistoryEntry is what happened to a subscription, when, and who did it.
// EffectiveAt is the moment it counts from: for what time brought, the boundary.
type HistoryEntry struct {
	ID             ChangeID
	SubscriptionID SubscriptionID
	At             time.Time
	EffectiveAt    time.Time
	Actor          string
	Kind           string
	From           *SubscriptionState
	To             SubscriptionState
	Detail         map[string]any
}

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
