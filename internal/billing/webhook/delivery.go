package webhook

import (
	"encoding/json"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// How a delivery came about.
const (
	CauseChange = "change" // its event was recorded
	CauseResend = "resend" // somebody asked for it
	CauseTest   = "test"   // an endpoint was tried out
)

// The states of a delivery that are kept. What lies between waiting and its
// end is derived: see Stage.
const (
	DeliveryWaiting    = "waiting"
	DeliveryDelivered  = "delivered"
	DeliveryExhausted  = "exhausted"
	DeliverySuperseded = "superseded"
	DeliveryCanceled   = "canceled"
)

// Delivery is an event in the stream of its subject: once when it is recorded, and
// again each time it is resent.
type Delivery struct {
	ID      billing.DeliveryID
	EventID billing.EventID
	// StreamID is 0 for a test, which is in no stream.
	StreamID billing.StreamID
	Position int64
	Cause    string
	// Forced says that it may take the tenant back in time.
	Forced bool
	State  string
	// Latest is the newest delivery of its event, whose state is the event's.
	Latest bool
	// Body is what a payload program made of the event's, nil if none did.
	Body         *string
	SupersededBy *billing.EventID
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// The outcomes of an attempt.
const (
	AttemptStarted   = "started"
	AttemptDelivered = "delivered"
	AttemptFailed    = "failed"
	// AttemptUnknown is one of which nobody can tell whether it arrived: the
	// process died, or was told to stop, before the answer was recorded.
	AttemptUnknown = "unknown"
	// AttemptUnsent is one that was prepared and then not made.
	AttemptUnsent = "unsent"
)

// Attempt is one request that tried to deliver an event.
type Attempt struct {
	ID              billing.AttemptID
	DeliveryID      billing.DeliveryID
	Number          int
	Outcome         string
	URL             string
	Address         *string
	Status          *int
	Error           *string
	RequestHeaders  json.RawMessage
	ResponseHeaders json.RawMessage
	ResponseBody    *string
	Truncated       bool
	Timings         json.RawMessage
	StartedAt       time.Time
	FinishedAt      *time.Time
}

// Timings are the parts of an exchange, in milliseconds.
type Timings struct {
	DNS       float64 `json:"dns"`
	Connect   float64 `json:"connect"`
	TLS       float64 `json:"tls"`
	FirstByte float64 `json:"firstByte"`
	Total     float64 `json:"total"`
}

// DeliveryState is where the delivery of an event stands, as people see it.
type DeliveryState string

// The states people see.
const (
	StatePending    DeliveryState = "PENDING"
	StateInFlight   DeliveryState = "IN_FLIGHT"
	StateRetryWait  DeliveryState = "RETRY_WAIT"
	StateDelivered  DeliveryState = "DELIVERED"
	StateExhausted  DeliveryState = "EXHAUSTED"
	StateHeld       DeliveryState = "HELD"
	StateSuperseded DeliveryState = "SUPERSEDED"
	StateCanceled   DeliveryState = "CANCELED"
)

// Stage derives where a delivery stands from itself, its stream and the state of
// its endpoint. stream is nil for a test.
func (d *Delivery) Stage(stream *Stream, endpoint EndpointState) DeliveryState {
	switch d.State {
	case DeliveryDelivered:
		return StateDelivered
	case DeliveryExhausted:
		return StateExhausted
	case DeliverySuperseded:
		return StateSuperseded
	case DeliveryCanceled:
		return StateCanceled
	}
	head := stream != nil && d.Position == stream.Head()
	switch {
	case head && stream.AttemptID != nil:
		return StateInFlight
	case endpoint != EndpointReady:
		return StateHeld
	case head && stream.Attempts > 0:
		return StateRetryWait
	}
	return StatePending
}
