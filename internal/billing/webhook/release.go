package webhook

import "time"

// Release says which of the waiting events go out when the way is free again.
type Release string

// The ways to release what waits.
const (
	// ReleaseAll sends every one of them, in order.
	ReleaseAll Release = "ALL"
	// ReleaseLatest sends the newest of each tenant only: it holds the whole
	// state.
	ReleaseLatest Release = "LATEST_PER_TENANT"
)

// Release notes which of the events that wait now are to go out.
func (e *Endpoint) Release(r Release, now time.Time) {
	if r == ReleaseLatest {
		e.LatestBefore = now
	}
}

// MaxOverlapHours is how long an old secret can go on signing.
const MaxOverlapHours = 30 * 24
