package webhook

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Event is an immutable fact about a tenant or an account: the webhook with its
// exact body.
type Event struct {
	ID   billing.EventID
	Type string
	// Subject is what it is about; a test event has none.
	Subject Subject
	// PlatformID is where it goes: to a platform, or to an event endpoint.
	PlatformID billing.PlatformID
	// Sequence numbers the events of a tenant, or those of an account to one
	// endpoint, without a gap.
	Sequence  int
	Reason    string
	Body      string
	CreatedAt time.Time
}
