package billing

import (
	"slices"
	"time"
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
	breakerTenants = 3
	breakerFirst   = 5 * time.Second
	breakerLongest = 5 * time.Minute
)

// Endpoint is what the sender knows about where a platform's webhooks go.
type Endpoint struct {
	PlatformID  PlatformID
	PausedAt    *time.Time
	PauseReason *string
	// Failures in a row, and the first tenants they were of.
	Failures      int
	FailedTenants []TenantID
	// OpenUntil is set while the breaker is open: nothing is sent before then,
	// and then one request at a time until one arrives.
	OpenUntil *time.Time
	OpenDelay time.Duration
	// LatestBefore says that of what was queued before this time only the
	// latest of each tenant is wanted.
	LatestBefore time.Time
	// Holds are the places that processes have for what they commit.
	Holds []Hold
	// Version is another one after each change to where and how webhooks go, and
	// to whether they do.
	Version int64
}

// Hold is how many of the requests that there may be at once are a process's to
// make, without asking anybody, until a time.
type Hold struct {
	By     string    `json:"by"`
	Places int       `json:"places"`
	Until  time.Time `json:"until"`
}

// HeldByOthers is how many places processes have, but for one of them.
func (e *Endpoint) HeldByOthers(by string, now time.Time) (places int) {
	for _, h := range e.Holds {
		if h.By != by && now.Before(h.Until) {
			places += h.Places
		}
	}
	return places
}

// HeldBy is how many places a process has.
func (e *Endpoint) HeldBy(by string, now time.Time) int {
	for _, h := range e.Holds {
		if h.By == by && now.Before(h.Until) {
			return h.Places
		}
	}
	return 0
}

// Hold gives a process places in place of those it has; none if the number is 0.
// Holds that are over are forgotten.
func (e *Endpoint) Hold(hold Hold, now time.Time) {
	var holds []Hold
	for _, h := range e.Holds {
		if h.By != hold.By && now.Before(h.Until) {
			holds = append(holds, h)
		}
	}
	if hold.Places > 0 {
		holds = append(holds, hold)
	}
	if len(holds)+len(e.Holds) > 0 {
		e.Holds = holds
	}
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
	e.Failures, e.FailedTenants, e.OpenUntil, e.OpenDelay = 0, nil, nil, 0
	return true
}

// Probe notes that one request is made to see whether the endpoint is back;
// nobody else tries before that time.
func (e *Endpoint) Probe(until time.Time) { e.OpenUntil = &until }

// Refused notes that a request for a tenant failed. The breaker opens after a
// row of failures, unless they are of a few tenants only: those must not keep
// the others. While it is open, each probe that fails doubles the pause.
func (e *Endpoint) Refused(tenant TenantID, probe bool, now time.Time) {
	e.Failures++
	if len(e.FailedTenants) < breakerTenants && !slices.Contains(e.FailedTenants, tenant) {
		e.FailedTenants = append(e.FailedTenants, tenant)
	}
	switch {
	case e.OpenUntil == nil && (e.Failures < BreakerFailures || len(e.FailedTenants) < breakerTenants):
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
