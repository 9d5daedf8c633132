package webhook

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
)

// DeliveryOrder says what happens to later events of a tenant while one cannot
// be delivered.
type DeliveryOrder string

// The orders of delivery.
const (
	// Ordered sends all in order; what has failed for a while gives way to the
	// newest.
	Ordered DeliveryOrder = "ORDERED"
	// Strict sends all in order, and nothing gives way.
	Strict DeliveryOrder = "STRICT"
)

// What a workflow is unless it is changed.
const (
	WorkflowName          = "Tenant Provisioning"
	DefaultTimeoutSeconds = 10
	DefaultConcurrency    = 32
)

// The bounds of a workflow's settings.
const (
	MaxTimeoutSeconds  = 60
	MaxConcurrency     = 1_000
	MaxRetries         = 50
	MaxRetrySeconds    = 7 * 24 * 3600
	MaxProgramBytes    = 16 << 10
	MaxWorkflowHeaders = 50
)

// Workflow turns the changes to subscriptions on a platform into webhooks:
// whether and how they are sent. The address is the platform's.
type Workflow struct {
	ID             billing.WorkflowID `json:"id"`
	PlatformID     billing.PlatformID `json:"platformId"`
	Name           string             `json:"name"`
	Description    *string            `json:"description"`
	Enabled        bool               `json:"enabled"`
	PayloadProgram *string            `json:"payloadProgram"`
	// StateProgram brings what the application reports into the standard form; nil if
	// it reports in that form.
	StateProgram   *string       `json:"stateProgram"`
	TimeoutSeconds int           `json:"timeoutSeconds"`
	RetryDelays    []int         `json:"retryDelays"`
	Order          DeliveryOrder `json:"order"`
	MaxConcurrency int           `json:"maxConcurrency"`
	// HeadersSealed holds further request headers as the store keeps them:
	// encrypted, empty if there are none.
	HeadersSealed string `json:"-"`
	// HeadersFor is the origin that the secret ones of them were set for, and are
	// sent to; nil if none is secret. See NeededSecrets.
	HeadersFor *string   `json:"headersFor,omitempty"`
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
}

// NewWorkflow is what every platform begins with.
func NewWorkflow(platform billing.PlatformID) Workflow {
	return Workflow{
		PlatformID: platform, Name: WorkflowName, Enabled: true, TimeoutSeconds: DefaultTimeoutSeconds,
		RetryDelays: DefaultRetryDelays(), Order: Ordered, MaxConcurrency: DefaultConcurrency,
	}
}

// Timeout is how long a request may take as a whole.
func (w *Workflow) Timeout() time.Duration { return time.Duration(w.TimeoutSeconds) * time.Second }

// Check returns what is wrong with the workflow, nil if nothing is.
func (w *Workflow) Check() billing.Problems {
	var ps billing.Problems
	ps.Add(billing.RequireText("name", w.Name, billing.MaxName))
	if w.Description != nil {
		ps.Add(billing.LongText("description", *w.Description))
	}
	ps.Add(checkProgram("payloadProgram", "A payload program", w.PayloadProgram))
	ps.Add(checkProgram("stateProgram", "A state program", w.StateProgram))
	ps.Add(checkRange("timeoutSeconds", "A request may take", "seconds", w.TimeoutSeconds, 1, MaxTimeoutSeconds))
	ps.Add(checkRange("maxConcurrency", "There may be", "requests at the same time", w.MaxConcurrency, 1, MaxConcurrency))
	if w.Order != Ordered && w.Order != Strict {
		ps.Add(billing.Invalidf("order", "The order is ORDERED or STRICT, not %q.", w.Order))
	}
	return append(ps, checkRetryDelays(w.RetryDelays)...)
}

func checkProgram(field, what string, p *string) *billing.Error {
	if p != nil && (len(*p) > MaxProgramBytes || !utf8.ValidString(*p) || strings.ContainsRune(*p, 0)) {
		return billing.Invalidf(field, "%s is text of at most %d KiB, without the character NUL.", what, MaxProgramBytes>>10)
	}
	return nil
}

func checkRetryDelays(delays []int) (ps billing.Problems) {
	if len(delays) == 0 || len(delays) > MaxRetries {
		ps.Add(billing.Invalidf("retryDelays", "There are 1 to %d delays, one for each further attempt; %d were given.", MaxRetries, len(delays)))
	}
	for _, d := range delays {
		if e := checkRange("retryDelays", "Each delay is", "seconds", d, 1, MaxRetrySeconds); e != nil {
			ps.Add(e)
			break
		}
	}
	return ps
}

func checkRange(field, what, unit string, n, low, high int) *billing.Error {
	if n < low || n > high {
		return billing.Invalidf(field, "%s %d to %d %s, not %d.", what, low, high, unit, n)
	}
	return nil
}
