package webhook

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Event is an immutable fact about a tenant: the webhook with its exact body.
type Event struct {
	ID         billing.EventID
	Type       string
	TenantID   billing.TenantID
	PlatformID billing.PlatformID
	// Sequence numbers the events of a tenant without a gap.
	Sequence  int
	Reason    string
	Body      string
	CreatedAt time.Time
}
