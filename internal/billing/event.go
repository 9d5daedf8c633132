package billing

import (
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
