package webhook

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// EndpointState says whether webhooks of a platform can be sent.
type EndpointState string

// The states of an endpoint.
const (
	EndpointReady            EndpointState = "READY"
	EndpointNoURL            EndpointState = "NO_URL"
	EndpointPaused           EndpointState = "PAUSED"
	EndpointBreakerOpen      EndpointState = "BREAKER_OPEN"
	EndpointWorkflowDisabled EndpointState = "WORKFLOW_DISABLED"
	EndpointSecretsNeeded    EndpointState = "SECRETS_NEEDED"
)

// BreakerFailures in a row open the breaker of an endpoint.
const BreakerFailures = 10

const (
	breakerSubjects = 3
	breakerFirst    = 5 * time.Second
	breakerLongest  = 5 * time.Minute
)

// Endpoint is what the sender knows about where a platform's webhooks go.
type Endpoint struct {
	PlatformID  billing.PlatformID
	PausedAt    *time.Time
	PauseReason *string
	// Failures in a row, and the ids of the first tenants or accounts they were of.
	Failures       int
	FailedSubjects []int64
	// OpenUntil is set while the breaker is open: nothing is sent before then,
	// and then one request at a time until one arrives.
	OpenUntil *time.Time
	OpenDelay time.Duration
	// LatestBefore says that of what was queued before this time only the
	// latest of each tenant is wanted.
	LatestBefore time.Time
	// Version is another one after each change to where and how webhooks go, and
	// to whether they do.
	Version int64
}

// State says whether webhooks can be sent with those settings.
func (e *Endpoint) State(url *string, workflowEnabled, secretsNeeded bool) EndpointState {
	switch {
	case url == nil:
		return EndpointNoURL
	case !workflowEnabled:
		return EndpointWorkflowDisabled
	case secretsNeeded:
		return EndpointSecretsNeeded
	case e.PausedAt != nil:
		return EndpointPaused
	case e.OpenUntil != nil:
		return EndpointBreakerOpen
	}
	return EndpointReady
}

// Arrived notes that the endpoint accepted something, and reports whether that
// changes anything.
func (e *Endpoint) Arrived() bool {
	if e.Failures == 0 && e.OpenUntil == nil {
		return false
	}
	e.Failures, e.FailedSubjects, e.OpenUntil, e.OpenDelay = 0, nil, nil, 0
	return true
}

// Probe notes that one request is made to see whether the endpoint is back;
// nobody else tries before that time.
func (e *Endpoint) Probe(until time.Time) { e.OpenUntil = &until }

// Refused notes that a request for a tenant or an account failed. The breaker opens
// after a row of failures, unless they are of a few of them only: those must not keep
// the others. While it is open, each probe that fails doubles the pause.
func (e *Endpoint) Refused(subject Subject, probe bool, now time.Time) {
	e.Failures++
	if len(e.FailedSubjects) < breakerSubjects && !slices.Contains(e.FailedSubjects, subject.ID) {
		e.FailedSubjects = append(e.FailedSubjects, subject.ID)
	}
	switch {
	case e.OpenUntil == nil && (e.Failures < BreakerFailures || len(e.FailedSubjects) < breakerSubjects):
		return
	case e.OpenUntil != nil && !probe:
		return // it was under way when the breaker opened
	}
	e.OpenDelay = min(max(2*e.OpenDelay, breakerFirst), breakerLongest)
	until := now.Add(e.OpenDelay)
	e.OpenUntil = &until
}

// Pause stops sending until somebody resumes it.
func (e *Endpoint) Pause(reason string, now time.Time) { e.PausedAt, e.PauseReason = &now, &reason }

// Resume lets webhooks go out again.
func (e *Endpoint) Resume() {
	e.PausedAt, e.PauseReason = nil, nil
	e.Arrived()
}
